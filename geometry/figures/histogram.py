"""Histograms of cosines: before and after beside isotropic directions; two kinds of pairs."""

from __future__ import annotations

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
    white: np.ndarray | None,
    reference: np.ndarray,
    edges: np.ndarray,
    words: HistogramWords,
    theme: Theme,
    *,
    height: int = 300,
) -> go.Figure:
    """Shares of pairs (m,) between edges (m + 1,) as filled steps; the reference is dotted.

    white : None for one cloud alone.
    """
    middle = (edges[:-1] + edges[1:]) / 2
    figure = _clouds(raw, white, middle, words, theme)
    figure.add_trace(
        go.Scatter(
            x=middle,
            y=reference,
            mode="lines",
            name=words.reference,
            line={"color": theme.ink, "width": 1.5, "dash": "dot"},
            hovertemplate="%{x:.3f}: %{y:.2%}",
        )
    )
    return _finished(figure, words, theme, height)


def pairs_histogram_figure(
    unrelated: np.ndarray,
    related: np.ndarray,
    edges: np.ndarray,
    threshold: float,
    words: HistogramWords,
    theme: Theme,
    *,
    height: int = 260,
) -> go.Figure:
    """Shares (m,) of unrelated and related pairs between edges (m + 1,), and a threshold.

    The names are ``words.raw``, ``words.white`` and ``words.reference``, in this order.
    """
    middle = (edges[:-1] + edges[1:]) / 2
    figure = _clouds(unrelated, related, middle, words, theme)
    top = float(max(unrelated.max(), related.max()))
    figure.add_trace(
        go.Scatter(
            x=[threshold, threshold],
            y=[0, top],
            mode="lines",
            name=words.reference,
            line={"color": theme.ink, "width": 1.5, "dash": "dot"},
            hovertemplate="%{x:.3f}",
        )
    )
    return _finished(figure, words, theme, height)


def _clouds(
    raw: np.ndarray,
    white: np.ndarray | None,
    middle: np.ndarray,
    words: HistogramWords,
    theme: Theme,
) -> go.Figure:
    """Filled steps of one or two clouds, at the middle (m,) of each bin."""
    figure = go.Figure()
    for shares, colour, name in (
        (raw, theme.raw, words.raw),
        (white, theme.white, words.white),
    ):
        if shares is None:
            continue
        # one line of steps instead of a bar a bin: the browser draws 2 shapes instead of 320
        figure.add_trace(
            go.Scatter(
                x=middle,
                y=shares,
                name=name,
                mode="lines",
                line={"color": colour, "width": 1, "shape": "hvh"},
                fill="tozeroy",
                opacity=0.7,
                hovertemplate="%{x:.3f}: %{y:.2%}",
            )
        )
    return figure


def _finished(figure: go.Figure, words: HistogramWords, theme: Theme, height: int) -> go.Figure:
    return go.Figure(
        figure.data,
        base_layout(
            theme,
            height=height,
            xaxis=axis(theme, words.x, range=[-1.0, 1.0], dtick=0.25, ticklabelstandoff=4),
            yaxis=axis(theme, words.y, tickformat=PERCENT, rangemode="tozero"),
            legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        ),
    )
