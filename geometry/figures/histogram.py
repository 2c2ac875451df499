"""Histograms of cosines: before and after beside isotropic directions; two kinds of pairs."""

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from ..palette import Theme
from .layout import PERCENT, axis, base_layout


@dataclass(frozen=True)
class HistogramWords:
    """Names of the two clouds and the reference, titles of both axes."""

    raw: str
    white: str
    reference: str
    x: str
    y: str


def cosine_histogram_figure(
    raw: np.ndarray,
    white: np.ndarray | None,  # None for one cloud alone
    reference: np.ndarray,
    edges: np.ndarray,
    words: HistogramWords,
    theme: Theme,
    *,
    height: int = 300,
) -> go.Figure:
    """Shares of pairs (m,) between edges (m + 1,) as filled steps; the reference is dotted."""
    line = ((edges[:-1] + edges[1:]) / 2, reference, "%{x:.3f}: %{y:.2%}")
    return _histogram((raw, white), line, edges, words, theme, height)


def pairs_histogram_figure(
    unrelated: np.ndarray,
    related: np.ndarray,
    edges: np.ndarray,
    threshold: float,
    words: HistogramWords,
    theme: Theme,
) -> go.Figure:
    """Shares (m,) of unrelated and related pairs between edges (m + 1,), and a threshold.

    The names are ``words.raw``, ``words.white`` and ``words.reference``, in this order.
    """
    top = float(max(unrelated.max(), related.max()))
    line = ([threshold, threshold], [0, top], "%{x:.3f}")
    return _histogram((unrelated, related), line, edges, words, theme, 260)


def _histogram(
    clouds: tuple[np.ndarray, np.ndarray | None],
    line: tuple[object, object, str],  # x, y and the hover text of the dotted line
    edges: np.ndarray,
    words: HistogramWords,
    theme: Theme,
    height: int,
) -> go.Figure:
    # one line of steps instead of a bar a bin: the browser draws 2 shapes instead of 320
    traces = [
        go.Scatter(
            x=(edges[:-1] + edges[1:]) / 2,
            y=shares,
            name=name,
            mode="lines",
            line={"color": colour, "width": 1, "shape": "hvh"},
            fill="tozeroy",
            opacity=0.7,
            hovertemplate="%{x:.3f}: %{y:.2%}",
        )
        for shares, colour, name in zip(
            clouds, (theme.raw, theme.white), (words.raw, words.white), strict=True
        )
        if shares is not None
    ]
    x, y, about = line
    look = {"color": theme.ink, "width": 1.5, "dash": "dot"}
    dotted = go.Scatter(
        x=x, y=y, mode="lines", name=words.reference, line=look, hovertemplate=about
    )
    return go.Figure(
        [*traces, dotted],
        base_layout(
            theme,
            height=height,
            xaxis=axis(theme, words.x, range=[-1.0, 1.0], dtick=0.25, ticklabelstandoff=4),
            yaxis=axis(theme, words.y, tickformat=PERCENT, rangemode="tozero"),
        ),
    )
