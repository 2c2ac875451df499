"""Measures of words against the words' ranks: lengths, and the mean of each bin of ranks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..palette import Theme
from .curves import BAND_OPACITY, axis_scale
from .layout import PERCENT, axis, colour_bar, dots, drawn, faint, line

MANY = 4000  # words; more are drawn as a density
POINTS = 100  # most frequent words, which are always drawn as points
CELLS = (60, 60)  # cells of the density, across and down
DENSEST = 0.12  # share of a column's words that has the full colour
RANGE = (0.002, 0.998)  # quantiles of the lengths between which the density is drawn


@dataclass(frozen=True)
class Level:
    """The mean of the words from rank ``start`` to ``stop``, counted from 1, and its interval."""

    start: float
    stop: float
    value: float
    low: float | None = None
    high: float | None = None


NamedLevels = tuple[str, Sequence[Level]]


def ranks_figure(
    measured: NamedLevels,  # the means of the bins
    references: Sequence[NamedLevels],
    theme: Theme,
    *,
    titles: Sequence[str],  # of x, y and the colours of a density
    words: tuple[np.ndarray, Sequence[str]] | None = None,  # by rank, and their hover texts
    height: int = 380,
) -> go.Figure:
    """The levels of the bins, above points of the words or a density where they are many."""
    # the published bins are drawn whole, also where they have higher ranks than these words
    last = max(level.stop for _name, levels in (measured, *references) for level in levels)
    clouds: list[go.Scatter | go.Heatmap] = []
    if words is not None:
        norms, about = words
        shown = POINTS if len(norms) > MANY else len(norms)
        last = max(last, len(norms))
        clouds = [
            dots(  # WebGL would draw them above the levels
                np.arange(1, shown + 1),
                norms[:shown],
                about[:shown],
                marker={"size": 5, "opacity": 0.7, "color": theme.white},
                hovertemplate="%{text}: %{y:.3f} (%{x:,.0f})<extra></extra>",
            )
        ]
        if shown < len(norms):
            clouds.append(_density(norms, shown, theme, titles[2]))
    return drawn(
        [*clouds, *_levels(measured, references, theme)],
        theme,
        height=height,
        xaxis=axis(theme, titles[0], zeroline=False) | axis_scale(True, (0.8, last * 1.15)),
        yaxis=axis(theme, titles[1], zeroline=False, rangemode="tozero"),
    )


def _levels(
    measured: NamedLevels, references: Sequence[NamedLevels], theme: Theme
) -> list[go.Scatter]:
    traces = []
    shade: dict[str, Any] = {"fill": "toself", "fillcolor": faint(theme.raw, BAND_OPACITY * 2)}
    for number, (name, levels) in enumerate([measured, *references]):
        stroke = {"color": theme.raw, "width": 4, "dash": "solid"}
        if number:
            stroke = {"color": theme.ink, "width": 2, "dash": ("dash", "dot")[number % 2]}
        for place, level in enumerate(levels):
            if not number and level.low is not None and level.high is not None:
                around = (level.start, level.stop, level.stop, level.start)
                edges = (level.low, level.low, level.high, level.high)
                traces.append(line(around, edges, line={"width": 0}, **shade))
            look: dict[str, Any] = {"hoverinfo": None, "hovertemplate": f"{level.value:.3f}"}
            look |= {"line": stroke, "legendgroup": name}
            ends = (level.start, level.stop)
            traces.append(line(ends, [level.value] * 2, name, showlegend=place == 0, **look))
    return traces


def _density(norms: np.ndarray, start: int, theme: Theme, title: str) -> go.Heatmap:
    """Shares of the words of each column of ranks, so that a column of few words is visible too."""
    n = len(norms)
    x = np.geomspace(start + 1, n + 1, CELLS[0] + 1)
    low, high = np.quantile(norms, RANGE)
    y = np.linspace(low, high, CELLS[1] + 1)
    counts, _, _ = np.histogram2d(np.arange(1, n + 1), norms, bins=(x, y))
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return go.Heatmap(
        x=np.sqrt(x[:-1] * x[1:]),
        y=(y[:-1] + y[1:]) / 2,
        z=np.where(shares > 0, shares, np.nan).T.astype(np.float32),
        colorscale=[(0, theme.paper), (1, theme.white)],
        zmin=0,
        zmax=DENSEST,
        colorbar=colour_bar(title, thickness=10, len=0.9, tickformat=PERCENT),
        hoverinfo="skip",
    )
