"""Dots on a pair of axes, such as scores against human scores or ranks against ranks."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from ..palette import SYMBOLS, Theme
from .curves import Axes, axis_scale
from .layout import HOVER_TEXT, axis, drawn

CROWD = 500  # from this number of dots on, they are smaller
MANY = 2000  # and from this one on drawn by WebGL, which covers lines and arrows


@dataclass(frozen=True)
class Dots:
    x: np.ndarray
    y: np.ndarray
    about: Sequence[str]  # hover texts
    name: str = ""  # in the legend; "" for none
    place: int = 0  # decides colour and symbol


@dataclass(frozen=True)
class Segment:
    """A straight line and its name in the legend."""

    start: tuple[float, float]
    stop: tuple[float, float]
    name: str
    is_arrow: bool = False  # in place of a dotted line


@dataclass(frozen=True)
class Ring:
    """Points (x, y) to mark by a ring, and the ring's name in the legend."""

    points: Sequence[tuple[float, float]]
    name: str


def scatter_figure(
    groups: Sequence[Dots],
    axes: Axes,
    theme: Theme,
    *,
    segments: Sequence[Segment] = (),
    rings: Sequence[Ring] = (),
    height: int = 320,
) -> go.Figure:
    """Groups of points, lines and rings; the first trace is the first group."""
    traces = [_dots(group, theme) for group in groups]
    traces += [_segment(segment, theme) for segment in segments]
    traces += [_ring(ring, theme) for ring in rings if ring.points]
    return drawn(
        traces,
        theme,
        height=height,
        xaxis=axis(theme, axes.x, zeroline=False) | axis_scale(axes.log_x, axes.x_range),
        yaxis=axis(theme, axes.y, zeroline=False) | axis_scale(axes.log_y, axes.y_range),
        clickmode="event",
    )


def _dots(group: Dots, theme: Theme) -> go.Scatter | go.Scattergl:
    draw = go.Scattergl if len(group.x) >= MANY else go.Scatter
    hues = len(theme.categories)
    return draw(
        x=np.asarray(group.x, dtype=np.float32),
        y=np.asarray(group.y, dtype=np.float32),
        text=list(group.about),
        name=group.name,
        showlegend=bool(group.name),
        mode="markers",
        marker={
            "color": theme.categories[group.place % hues],
            "symbol": SYMBOLS[group.place % len(SYMBOLS)],
            "size": 5 if len(group.x) >= CROWD else 7,
            "opacity": 0.75,
        },
        hovertemplate=HOVER_TEXT,
    )


def _segment(segment: Segment, theme: Theme) -> go.Scatter:
    (x0, y0), (x1, y1) = segment.start, segment.stop
    return go.Scatter(
        x=[x0, x1],
        y=[y0, y1],
        name=segment.name,
        showlegend=bool(segment.name),
        mode="lines+markers" if segment.is_arrow else "lines",
        line={"color": theme.ink, "width": 1.5, "dash": "solid" if segment.is_arrow else "dot"},
        marker={"symbol": "arrow", "angleref": "previous", "size": [0, 14], "color": theme.ink},
        hoverinfo="skip",
    )


def _ring(ring: Ring, theme: Theme) -> go.Scatter:
    x, y = zip(*ring.points, strict=True)
    look = {"symbol": "circle-open", "size": 15, "color": theme.accent, "line": {"width": 2.5}}
    return go.Scatter(
        x=x, y=y, name=ring.name, showlegend=True, mode="markers", marker=look, hoverinfo="skip"
    )
