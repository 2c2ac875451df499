"""A symmetric matrix as colours, centred on zero."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from .theme import Theme, base_layout

# ColorBrewer's RdBu (Brewer, Harrower): apart under every colour blindness; its middle is the paper
ENDS = ("#2166ac", "#67a9cf", "#ef8a62", "#b2182b")


def matrix_figure(
    matrix: np.ndarray,
    names: Sequence[str],
    theme: Theme,
    *,
    title: str = "",
    reach: float = 1.0,
    height: int = 320,
) -> go.Figure:
    """A (k, k) matrix, its rows downwards; colours run from -reach to reach.

    title : of both axes, what the names are of.

    A reach of 0, as of a matrix of zeros, counts as 1: Plotly would choose ends of its own.
    """
    reach = reach if reach > 0 else 1.0
    scale = [
        (0.0, ENDS[0]),
        (0.25, ENDS[1]),
        (0.5, theme.paper),
        (0.75, ENDS[2]),
        (1.0, ENDS[3]),
    ]
    figure = go.Figure(
        go.Heatmap(
            z=np.asarray(matrix, dtype=np.float32),
            x=list(names),
            y=list(names),
            zmin=-reach,
            zmax=reach,
            colorscale=scale,
            colorbar={"thickness": 10, "len": 0.9},
            hovertemplate="%{y} × %{x}: %{z:.3g}<extra></extra>",
        )
    )
    figure.update_layout(
        base_layout(theme, height=height),
        xaxis={
            "title": {"text": title, "font": {"size": 13}, "standoff": 4},
            "type": "category",
            "showticklabels": False,
            "ticks": "",
            "constrain": "domain",
        },
        yaxis={
            "title": {"text": title, "font": {"size": 13}, "standoff": 4},
            "type": "category",
            "autorange": "reversed",
            "showticklabels": False,
            "ticks": "",
            "scaleanchor": "x",
            "constrain": "domain",
        },
    )
    return figure
