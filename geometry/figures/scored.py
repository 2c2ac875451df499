"""Measured scores as bars with intervals, and published scores as hatched bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from .palette import Theme, axis, base_layout

ROW_HEIGHT = 38  # px: a line of text above a bar
BAR = 0.34  # height of a bar, as a share of its row


@dataclass(frozen=True)
class Scored:
    """One row.

    Parameters
    ----------
    label : str
        The text above the bar.
    value : float or None
        The score; None if undefined.
    low, high : float or None
        Ends of the interval; None without one.
    is_published : bool
        True for a score from a paper.
    place : int
        The number of the row's family, which decides the colour.
    """

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    is_published: bool = False
    place: int = 0


def scored_figure(
    rows: Sequence[Scored], x: str, theme: Theme, *, names: tuple[str, str]
) -> go.Figure:
    """Horizontal bars from 0, the first on top; those of published scores are hatched.

    Each label is above its bar and not beside it, because a narrow screen has no space for both.

    Parameters
    ----------
    rows : sequence of Scored
    x : str
        Title of the x axis.
    theme : Theme
    names : (str, str)
        Names of the measured and of the published scores in the legend.
    """
    places = np.arange(len(rows), dtype=float)
    traces = []
    for is_published, name in zip((False, True), names, strict=True):
        kind = [i for i, row in enumerate(rows) if row.is_published == is_published]
        if kind:
            traces.append(_bars([rows[i] for i in kind], places[kind], name, theme))
    figure = go.Figure(traces)
    ends = [v for row in rows for v in (row.value, row.low, row.high) if v is not None] or [0.0]
    figure.update_layout(
        base_layout(theme, height=70 + ROW_HEIGHT * len(rows)),
        xaxis=axis(theme, x, range=[min(0.0, *ends) * 1.04, max(0.0, *ends) * 1.04]),
        yaxis={"range": [len(rows) - 0.4, -0.75], "visible": False, "fixedrange": True},
        barmode="overlay",
        annotations=[_label(row, place, theme) for row, place in zip(rows, places, strict=True)],
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        showlegend=len(traces) > 1,
    )
    return figure


def _bars(rows: Sequence[Scored], places: np.ndarray, name: str, theme: Theme) -> go.Bar:
    values = np.array([0.0 if row.value is None else row.value for row in rows])
    colours = [theme.categories[row.place % len(theme.categories)] for row in rows]
    is_published = rows[0].is_published
    marker: dict[str, object] = {"color": colours}
    if is_published:
        marker = {
            "color": theme.paper,
            "line": {"color": theme.ink, "width": 1},
            "pattern": {"shape": "/", "fgcolor": theme.ink, "size": 6, "solidity": 0.2},
        }
    return go.Bar(
        x=values.astype(np.float32),
        y=places,
        text=[row.label for row in rows],
        name=name,
        orientation="h",
        width=BAR,
        offset=0.0,
        textposition="none",
        marker=marker,
        error_x=_intervals(rows, values, theme),
        hovertemplate="%{text}<extra></extra>",
    )


def _intervals(rows: Sequence[Scored], values: np.ndarray, theme: Theme) -> dict[str, object]:
    highs = [row.high if row.high is not None else v for row, v in zip(rows, values, strict=True)]
    lows = [row.low if row.low is not None else v for row, v in zip(rows, values, strict=True)]
    return {
        "type": "data",
        "symmetric": False,
        "array": np.array(highs) - values,
        "arrayminus": values - np.array(lows),
        "color": theme.ink,
        "thickness": 1.5,
        "width": 4,
        "visible": any(row.high is not None for row in rows),
    }


def _label(row: Scored, place: float, theme: Theme) -> dict[str, object]:
    return {
        "x": 0,
        "xref": "paper",
        "y": place,
        "text": row.label,
        "xanchor": "left",
        "yanchor": "bottom",
        "align": "left",
        "showarrow": False,
        "font": {"size": 12, "color": theme.ink},
    }
