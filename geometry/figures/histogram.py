"""Histograms of cosines: before and after beside isotropic directions; two kinds of pairs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from ..palette import Theme
from .layout import PERCENT, axis, drawn


@dataclass(frozen=True)
class HistogramWords:
    """Names of the two clouds and the reference, titles of both axes."""

    raw: str
    white: str
    reference: str
    x: str
    y: str


def histogram_figure(
    clouds: Sequence[np.ndarray],  # shares of pairs (m,), of one cloud or two
    dotted: np.ndarray | float,  # those of a reference (m,), or a threshold
    edges: np.ndarray,  # (m + 1,)
    words: HistogramWords,
    theme: Theme,
    *,
    height: int = 300,
) -> go.Figure:
    """Shares of pairs between edges as filled steps, and a reference or a threshold."""
    middle = (edges[:-1] + edges[1:]) / 2
    hover = "%{x:.3f}: %{y:.2%}"
    # one line of steps instead of a bar a bin: the browser draws 2 shapes instead of 320
    traces = [
        go.Scatter(
            x=middle,
            y=shares,
            name=name,
            mode="lines",
            line={"color": colour, "width": 1, "shape": "hvh"},
            fill="tozeroy",
            opacity=0.7,
            hovertemplate=hover,
        )
        for shares, colour, name in zip(
            clouds, (theme.raw, theme.white), (words.raw, words.white), strict=False
        )
    ]
    line = {"x": middle, "y": dotted, "hovertemplate": hover}
    if isinstance(dotted, float):
        line = {"x": [dotted] * 2, "y": [0, np.max(clouds)], "hovertemplate": "%{x:.3f}"}
    look = {"color": theme.ink, "width": 1.5, "dash": "dot"}
    traces.append(go.Scatter(**line, mode="lines", name=words.reference, line=look))
    return drawn(
        traces,
        theme,
        height=height,
        xaxis=axis(theme, words.x, range=[-1.0, 1.0], dtick=0.25, ticklabelstandoff=4),
        yaxis=axis(theme, words.y, tickformat=PERCENT, rangemode="tozero"),
    )
