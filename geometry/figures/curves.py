"""Curves or bars on one pair of axes: spectra, histograms, losses, scores against a size."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..palette import Theme
from .layout import LEGEND, PERCENT, axis, drawn, faint

BAND_OPACITY = 0.15
DASHES = ("solid", "dash", "dot", "dashdot")
# Dashes and dots of reference lines.
REFERENCES = {
    "dot": "circle",
    "longdashdot": "square",
    "longdash": "diamond",
    "dash": "triangle-up",
}
TITLE_GAP = 8  # px between an axis's numbers and its title, which would otherwise touch
LEGEND_LINE = 19  # px of an entry of the legend on a line of its own


@dataclass(frozen=True)
class Curve:
    x: np.ndarray
    y: np.ndarray  # NaN leaves a gap
    name: str
    place: int | None = None  # of a compared cloud, 0 for raw; None for a reference line
    step: bool = False
    low: np.ndarray | None = None  # ends of intervals, which are shaded
    high: np.ndarray | None = None
    dots: bool = False  # where the line between two points has no meaning of its own
    colour: str | None = None  # in place of that of ``place``


@dataclass(frozen=True)
class Axes:
    x: str
    y: str
    log_x: bool = False
    log_y: bool = False
    x_range: tuple[float, float] | None = None  # in data units; None shows all data
    y_range: tuple[float, float] | None = None
    percent: bool = False  # of y
    x_ticks: tuple[float, ...] = ()


def place_colour(place: int | None, theme: Theme) -> str:
    """The colour of a compared cloud by its number; 0 is raw. None is a reference."""
    if place is None:
        return theme.ink
    hues = (theme.raw, theme.white, theme.categories[3], theme.ink)
    return hues[place % len(hues)]


def curves_figure(
    curves: Sequence[Curve], axes: Axes, theme: Theme, *, height: int = 320
) -> go.Figure:
    """All curves; the legend above adds to the height. Clouds differ by colour and dash."""
    references = cycle(REFERENCES.items())
    looks = [
        next(references) if curve.place is None else (DASHES[curve.place % len(DASHES)], "circle")
        for curve in curves
    ]
    lines = [_line(curve, axes, theme, *look) for curve, look in zip(curves, looks, strict=True)]
    x = axis(theme, axes.x, zeroline=False) | axis_scale(axes.log_x, axes.x_range)
    if axes.x_ticks:
        x |= {"tickmode": "array", "tickvals": axes.x_ticks, "dtick": None}
        x |= {"ticktext": [f"{tick:,.0f}" for tick in axes.x_ticks]}
    y = axis(theme, axes.y, title_standoff=TITLE_GAP) | axis_scale(axes.log_y, axes.y_range)
    if axes.percent:
        y |= {"tickformat": PERCENT, "rangemode": "tozero"}
    bands = [edge for curve in curves for edge in _band(curve, theme)]
    height += LEGEND_LINE * len(curves)
    legend = LEGEND | {"traceorder": "normal"}
    return drawn(bands + lines, theme, height=height, xaxis=x, yaxis=y, legend=legend)


def _band(curve: Curve, theme: Theme) -> list[go.Scatter]:
    """The interval as two edges without a line, shaded between; empty without an interval."""
    if curve.low is None or curve.high is None:
        return []
    return [
        go.Scatter(
            x=np.asarray(curve.x, dtype=np.float32),
            y=np.asarray(edge, dtype=np.float32),
            name=f"{curve.name} {level}",
            mode="lines",
            line={"width": 0},
            fill=fill,
            fillcolor=faint(place_colour(curve.place, theme), BAND_OPACITY),
            hoverinfo="skip",
            showlegend=False,
        )
        for edge, level, fill in ((curve.low, "2.5%", None), (curve.high, "97.5%", "tonexty"))
    ]


def _line(curve: Curve, axes: Axes, theme: Theme, dash: str, symbol: str) -> go.Scatter:
    value = "%{y:.2%}" if axes.percent else "%{y:.4g}"
    return go.Scatter(
        x=np.asarray(curve.x, dtype=np.float32),
        y=np.asarray(curve.y, dtype=np.float32),
        name=curve.name,
        mode="lines+markers" if curve.dots else "lines",
        marker={"symbol": symbol, "size": 6 if symbol == "circle" else 8},
        line={
            "color": curve.colour or place_colour(curve.place, theme),
            "width": 1 if curve.place is None else 2,
            "dash": dash,
            "shape": "hvh" if curve.step else "linear",
        },
        hovertemplate=f"%{{x:.4g}}: {value}",
    )


def axis_scale(is_log: bool, limits: tuple[float, float] | None) -> dict[str, Any]:
    """Settings of an axis: its scale, and its range if ``limits`` (in data units) is given."""
    if not is_log:
        return {} if limits is None else {"range": list(limits)}
    # Plotly draws powers a quarter larger than this size
    settings: dict[str, Any] = {"exponentformat": "power", "dtick": 1, "tickfont": {"size": 10}}
    if limits is not None:
        if min(limits) <= 0:
            raise ValueError(f"a log axis needs a range above 0; got {limits}")
        settings["range"] = list(np.log10(limits))
    return {"type": "log", **settings}


@dataclass(frozen=True)
class Bars:
    heights: np.ndarray  # shares
    about: Sequence[str]  # hover texts
    name: str
    place: int  # decides the colour; 0 is raw


def bars_figure(
    groups: Sequence[Bars], x: str, y: str, theme: Theme, *, height: int = 320
) -> go.Figure:
    """Bars 1 to m of each cloud beside each other, as shares."""
    traces = [
        go.Bar(
            x=np.arange(1, len(bars.heights) + 1),
            y=np.asarray(bars.heights, dtype=np.float32),
            text=list(bars.about),
            name=bars.name,
            textposition="none",
            marker={"color": place_colour(bars.place, theme)},
            hovertemplate="%{text}: %{y:.2%}",
        )
        for bars in groups
    ]
    return drawn(
        traces,
        theme,
        height=height,
        xaxis=axis(theme, x, dtick=1, zeroline=False),
        yaxis=axis(theme, y, tickformat=PERCENT, title_standoff=TITLE_GAP),
        barmode="group",
        showlegend=True,  # for a single cloud too, because its name is nowhere else
    )
