"""Measured scores as the rungs of a ladder, with published scores as ticks on the same rungs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from ..palette import Theme, rgb
from .layout import axis, base_layout

RUNG_HEIGHT = 38  # px: a line of text above a dot, the name of a tick below it
AROUND = 122  # px: the axis, and a legend of three lines on a telephone
LABEL_SIZE = 16  # px: legible from the last row
MARGIN = 0.03  # share of the range of the scores that stays free on each side
TICK_SIZE = 12  # px: the names of the ticks; a narrow chart has no room for several on a rung
BELOW = 0.15  # length of a tick as a share of a rung; ticks hang from its line
ROOM = 0.3  # share of the range of the scores in which the name of a tick fits on a telephone
BAND_OPACITY = 0.13


@dataclass(frozen=True)
class Tick:
    """A published score: its value, its hover text, and its name beside the tick."""

    value: float
    text: str
    name: str = ""


@dataclass(frozen=True)
class Rung:
    """One measured score and the published ones beside it."""

    label: str
    about: str  # hover text
    value: float | None  # None if undefined
    low: float | None = None  # None without an interval
    high: float | None = None
    place: int = 0  # of its family, which decides the colour
    ticks: Sequence[Tick] = ()


@dataclass(frozen=True)
class ScoreRange:
    """A range of scores that is shaded behind all rungs, and its label."""

    low: float
    high: float
    label: str


def ladder_figure(
    rungs: Sequence[Rung],
    x: str,
    theme: Theme,
    *,
    names: tuple[str, str],  # of measured and of published scores
    band: ScoreRange | None = None,
) -> go.Figure:
    """A dot with its interval on each rung, the first rung on top.

    Each label is above its dot and not beside it, because a narrow screen has no space for both.
    """
    ticks = [(place, tick) for place, rung in enumerate(rungs) for tick in rung.ticks]
    traces = [_dots(rungs, names[0], theme)]
    if ticks:
        traces.append(_ticks(ticks, names[1], theme))
    if band is not None:
        traces.append(_band(band, len(rungs), theme))
    return go.Figure(
        traces,
        base_layout(
            theme,
            height=AROUND + RUNG_HEIGHT * len(rungs),
            xaxis=axis(theme, "", range=_ends(rungs, band), zeroline=False, tickfont={"size": 14})
            | {"title": {"text": x, "font": {"size": 14}}},
            yaxis={
                "range": [len(rungs) - 0.7, -0.75],
                "tickvals": list(range(len(rungs))),
                "showticklabels": False,
                "gridcolor": theme.grid,
                "zeroline": False,
                "fixedrange": True,
            },
            annotations=[
                *(_label(rung, place, theme) for place, rung in enumerate(rungs)),
                *(
                    _tick_names(rung, place, _ends(rungs, band), theme)
                    for place, rung in enumerate(rungs)
                    if any(tick.name for tick in rung.ticks)
                ),
            ],
            legend={
                "orientation": "h",
                "y": 1.0,
                "yanchor": "bottom",
                "x": 0,
                "font": {"size": 14},
            },
            showlegend=True,
        ),
    )


def _ends(rungs: Sequence[Rung], band: ScoreRange | None) -> list[float]:
    values = [v for rung in rungs for v in (rung.value, rung.low, rung.high) if v is not None]
    values += [tick.value for rung in rungs for tick in rung.ticks]
    values += [] if band is None else [band.low, band.high]
    low, high = min(values, default=0.0), max(values, default=100.0)
    margin = MARGIN * (high - low) or 1.0
    return [low - margin, high + margin]


def _dots(rungs: Sequence[Rung], name: str, theme: Theme) -> go.Scatter:
    values = np.array([np.nan if rung.value is None else rung.value for rung in rungs])
    highs = np.array([v if r.high is None else r.high for r, v in zip(rungs, values, strict=True)])
    lows = np.array([v if r.low is None else r.low for r, v in zip(rungs, values, strict=True)])
    return go.Scatter(
        x=values.astype(np.float32),
        y=np.arange(len(rungs), dtype=np.float32),
        text=[rung.about for rung in rungs],
        name=name,
        mode="markers",
        marker={
            "color": [theme.categories[rung.place % len(theme.categories)] for rung in rungs],
            "size": 13,
        },
        error_x={
            "type": "data",
            "symmetric": False,
            "array": highs - values,
            "arrayminus": values - lows,
            "color": theme.ink,
            "thickness": 1.5,
            "width": 5,
        },
        hovertemplate="%{text}<extra></extra>",
    )


def _ticks(ticks: Sequence[tuple[int, Tick]], name: str, theme: Theme) -> go.Scatter:
    return go.Scatter(
        x=np.array([tick.value for _, tick in ticks], dtype=np.float32),
        y=np.array([place + BELOW for place, _ in ticks], dtype=np.float32),
        text=[tick.text for _, tick in ticks],
        name=name,
        mode="markers",
        marker={
            "symbol": "line-ns-open",
            "size": 8,
            "color": theme.ink,
            "line": {"width": 2, "color": theme.ink},
        },
        hovertemplate="%{text}<extra></extra>",
    )


def _tick_names(rung: Rung, place: int, ends: Sequence[float], theme: Theme) -> dict[str, object]:
    """The names beside the ticks of a rung: right of them if there is room, as labels are left."""
    named = sorted((tick for tick in rung.ticks if tick.name), key=lambda tick: tick.value)
    first, last = named[0].value, named[-1].value
    dots = [v for v in (rung.low, rung.value, ends[1]) if v is not None and v > last]
    right = min(dots) - last
    is_left = right < ROOM * (ends[1] - ends[0]) and right < first - ends[0]
    return {
        "name": "wide" if len(named) > 1 else None,
        "x": first if is_left else last,
        "y": place + BELOW,
        "text": " · ".join(f"{tick.name} {tick.value:g}" for tick in named),
        "xanchor": "right" if is_left else "left",
        "xshift": -6 if is_left else 6,
        "yanchor": "middle",
        "showarrow": False,
        "font": {"size": TICK_SIZE, "color": theme.ink},
    }


def _band(band: ScoreRange, rungs: int, theme: Theme) -> go.Scatter:
    top, bottom = -0.75, rungs - 0.7
    return go.Scatter(
        x=[band.low, band.high, band.high, band.low, band.low],
        y=[top, top, bottom, bottom, top],
        name=band.label,
        mode="lines",
        line={"width": 1, "color": theme.categories[0], "dash": "dot"},
        fill="toself",
        fillcolor=_faint(theme.categories[0]),
        hoverinfo="skip",
    )


def _faint(colour: str) -> str:
    red, green, blue = rgb(colour)
    return f"rgba({red},{green},{blue},{BAND_OPACITY})"


def _label(rung: Rung, place: int, theme: Theme) -> dict[str, object]:
    return {
        "x": 0,
        "xref": "paper",
        "y": place - 0.17,
        "text": rung.label,
        "xanchor": "left",
        "yanchor": "bottom",
        "align": "left",
        "showarrow": False,
        "bgcolor": theme.paper,  # the border of the band does not cross the words
        "borderpad": 0,
        "font": {"size": LABEL_SIZE, "color": theme.ink},
    }
