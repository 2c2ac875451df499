"""Dots on a pair of axes: scores against gold, ranks against ranks, one measure against another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from .curves import Axes, axis_scale
from .theme import SYMBOLS, Theme, axis, base_layout

MANY = 500  # from here on smaller dots, drawn by WebGL


@dataclass(frozen=True)
class Dots:
    """Points x, y (m,), what each is about, the group's name and place (its colour and symbol)."""

    x: np.ndarray
    y: np.ndarray
    about: Sequence[str]
    name: str = ""
    place: int = 0


@dataclass(frozen=True)
class Segment:
    """A straight line from ``start`` to ``stop``, and what it is."""

    start: tuple[float, float]
    stop: tuple[float, float]
    name: str


@dataclass(frozen=True)
class Ring:
    """Points (x, y) to ring, and why."""

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
    """The groups, dotted lines below them, rings above; the first trace is the first group.

    The legend above tells what has a name.
    """
    traces = [_dots(group, theme) for group in groups]
    traces += [_segment(one, theme) for one in segments]
    traces += [_ring(one, theme) for one in rings if one.points]
    figure = go.Figure(traces)
    room = {"automargin": True, "zeroline": False}
    figure.update_layout(
        base_layout(theme, height=height),
        xaxis=axis(theme, axes.x, **room) | axis_scale(axes.log_x, axes.x_range),
        yaxis=axis(theme, axes.y, **room) | axis_scale(axes.log_y, axes.y_range),
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        clickmode="event",
    )
    return figure


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
            "size": 5 if len(group.x) >= MANY else 7,
            "opacity": 0.75,
        },
        hovertemplate="%{text}<extra></extra>",
    )


def _segment(one: Segment, theme: Theme) -> go.Scatter:
    (x0, y0), (x1, y1) = one.start, one.stop
    return go.Scatter(
        x=[x0, x1],
        y=[y0, y1],
        name=one.name,
        showlegend=bool(one.name),
        mode="lines",
        line={"color": theme.ink, "width": 1.5, "dash": "dot"},
        hoverinfo="skip",
    )


def _ring(one: Ring, theme: Theme) -> go.Scatter:
    x, y = zip(*one.points, strict=True)
    return go.Scatter(
        x=list(x),
        y=list(y),
        name=one.name,
        showlegend=True,
        mode="markers",
        marker={
            "symbol": "circle-open",
            "size": 15,
            "color": theme.accent,
            "line": {"width": 2.5},
        },
        hoverinfo="skip",
    )
