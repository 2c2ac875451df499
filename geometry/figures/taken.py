"""What a figure shows, as the rows of a table to take away."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

Row = list[str | float]


def figure_rows(figures: Mapping[str, go.Figure]) -> tuple[list[str], list[Row]]:
    """(head, rows) of curves, bars and matrices; ``figures`` by the name of what each shows.

    One row a point of a curve, a bar, an entry of a matrix. Curves and bars have their own names;
    a matrix has its figure's.
    """
    rows: list[Row] = []
    is_matrix = False
    for name, figure in figures.items():
        for trace in figure.data:
            is_matrix = trace.type == "heatmap"
            rows += _entries(name, trace) if is_matrix else _points(trace)
    return ["name", *(("row", "column") if is_matrix else ("x", "about")), "value"], rows


def _points(trace: go.Scatter | go.Bar) -> list[Row]:
    about = trace.text if trace.text is not None else [""] * len(trace.x)
    is_sideways = getattr(trace, "orientation", None) == "h"  # a bar's value lies along x
    places, values = (trace.y, trace.x) if is_sideways else (trace.x, trace.y)
    return [
        [trace.name, float(place), str(told), float(value)]
        for place, told, value in zip(places, about, values, strict=True)
    ]


def _entries(name: str, trace: go.Heatmap) -> list[Row]:
    matrix = np.asarray(trace.z)
    return [
        [name, row, column, float(matrix[i, j])]
        for i, row in enumerate(trace.y)
        for j, column in enumerate(trace.x)
    ]
