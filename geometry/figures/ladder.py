"""Measured scores as the rungs of a ladder, with published scores as ticks on the same rungs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..palette import Theme
from .layout import LEGEND, axis, dots, drawn, error_bars, faint, line, note

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


def ladder_figure(
    rungs: Sequence[Rung],
    x: str,
    theme: Theme,
    *,
    names: tuple[str, str],  # of measured and of published scores
    band: tuple[str, float, float] | None = None,  # label, low and high, shaded behind all rungs
) -> go.Figure:
    """A dot with its interval on each rung, the first rung on top.

    Each label is above its dot and not beside it, because a narrow screen has no space for both.
    """
    ticks = [(place, tick) for place, rung in enumerate(rungs) for tick in rung.ticks]
    traces = [_dots(rungs, names[0], theme)]
    if ticks:
        traces.append(_ticks(ticks, names[1], theme))
    if band is not None:
        label, low, high = band
        top, bottom = -0.75, len(rungs) - 0.7
        hue = theme.categories[0]
        traces.append(
            line(
                [low, high, high, low, low],
                [top, top, bottom, bottom, top],
                label,
                line={"width": 1, "color": hue, "dash": "dot"},
                fill="toself",
                fillcolor=faint(hue, BAND_OPACITY),
            )
        )
    ends = _ends(rungs, band)
    # with the paper's colour, so that the border of the band does not cross the words
    look: dict[str, Any] = {"xref": "paper", "xanchor": "left", "yanchor": "bottom"}
    look |= {"align": "left", "bgcolor": theme.paper, "borderpad": 0}
    notes = [
        note(rung.label, 0, place - 0.17, theme, size=LABEL_SIZE, **look)
        for place, rung in enumerate(rungs)
    ]
    notes += [
        _tick_names(rung, place, ends, theme)
        for place, rung in enumerate(rungs)
        if any(tick.name for tick in rung.ticks)
    ]
    return drawn(
        traces,
        theme,
        height=AROUND + RUNG_HEIGHT * len(rungs),
        xaxis=axis(theme, "", range=ends, zeroline=False, tickfont={"size": 14})
        | {"title": {"text": x, "font": {"size": 14}}},
        yaxis={
            "range": [len(rungs) - 0.7, -0.75],
            "tickvals": list(range(len(rungs))),
            "showticklabels": False,
            "gridcolor": theme.grid,
            "zeroline": False,
            "fixedrange": True,
        },
        annotations=notes,
        legend=LEGEND | {"y": 1.0, "font": {"size": 14}},
        showlegend=True,
    )


def _ends(rungs: Sequence[Rung], band: tuple[str, float, float] | None) -> list[float]:
    values = [v for rung in rungs for v in (rung.value, rung.low, rung.high) if v is not None]
    values += [tick.value for rung in rungs for tick in rung.ticks]
    values += band[1:] if band else ()
    low, high = min(values, default=0.0), max(values, default=100.0)
    margin = MARGIN * (high - low) or 1.0
    return [low - margin, high + margin]


def _dots(rungs: Sequence[Rung], name: str, theme: Theme) -> go.Scatter:
    given = [(rung.value, rung.low, rung.high) for rung in rungs]
    values, lows, highs = np.array(given, dtype=float).reshape(-1, 3).T  # None is NaN
    ends = [np.where(np.isnan(end), values, end) for end in (lows, highs)]
    hues = [theme.categories[rung.place % len(theme.categories)] for rung in rungs]
    bars = error_bars(values, *ends, color=theme.ink, width=5)
    about = [rung.about for rung in rungs]
    look = {"color": hues, "size": 13}
    return dots(values, range(len(rungs)), about, name, marker=look, error_x=bars)


def _ticks(ticks: Sequence[tuple[int, Tick]], name: str, theme: Theme) -> go.Scatter:
    look = {"symbol": "line-ns-open", "size": 8, "color": theme.ink}
    return dots(
        [tick.value for _, tick in ticks],
        [place + BELOW for place, _ in ticks],
        [tick.text for _, tick in ticks],
        name,
        marker=look | {"line": {"width": 2, "color": theme.ink}},
    )


def _tick_names(rung: Rung, place: int, ends: Sequence[float], theme: Theme) -> dict[str, object]:
    """The names beside the ticks of a rung: right of them if there is room, as labels are left."""
    named = sorted((tick for tick in rung.ticks if tick.name), key=lambda tick: tick.value)
    first, last = named[0].value, named[-1].value
    dots = [v for v in (rung.low, rung.value, ends[1]) if v is not None and v > last]
    right = min(dots) - last
    is_left = right < ROOM * (ends[1] - ends[0]) and right < first - ends[0]
    text = " · ".join(f"{tick.name} {tick.value:g}" for tick in named)
    return note(
        text,
        first if is_left else last,
        place + BELOW,
        theme,
        size=TICK_SIZE,
        name="wide" if len(named) > 1 else None,
        xanchor="right" if is_left else "left",
        xshift=-6 if is_left else 6,
        yanchor="middle",
    )
