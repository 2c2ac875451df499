"""Curves, bars or dots: spectra, histograms, scores against a size, small multiples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..palette import SYMBOLS, Theme
from .layout import LEGEND, PERCENT, axis, dots, drawn, error_bars, faint, line, note

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
PLOT_HEIGHT = 124  # px of a small plot with its axis
SPACING = 0.17  # between two plots, as a share of the figure
HEAD, FOOT = 24, 44  # px above the first plot, for its name, and below the last one
CROWD = 500  # from this number of dots on, they are smaller
MANY = 2000  # and from this one on drawn by WebGL, which covers lines and arrows

Ends = Sequence[Sequence[float]]  # (x, y) of both ends of a line


@dataclass(frozen=True)
class Curve:
    """Values under one name: a curve, bars or dots."""

    x: np.ndarray
    y: np.ndarray  # NaN leaves a gap
    name: str
    place: int | None = None  # of a compared cloud, 0 for raw; None for a reference line
    step: bool = False
    low: np.ndarray | None = None  # ends of intervals, which are shaded
    high: np.ndarray | None = None
    dots: bool = False  # where the line between two points has no meaning of its own
    colour: str | None = None  # in place of that of ``place``
    about: Sequence[str] = ()  # hover texts of bars and dots


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
    lines = []
    for curve in curves:
        if curve.place is None:
            dash, symbol = next(references)
        else:
            dash, symbol = DASHES[curve.place % len(DASHES)], "circle"
        lines.append(_line(curve, axes, theme, dash, symbol))
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
    shade = faint(place_colour(curve.place, theme), BAND_OPACITY)
    look: dict[str, Any] = {"line": {"width": 0}, "fillcolor": shade, "showlegend": False}
    return [
        line(curve.x, edge, f"{curve.name} {level}", fill=fill, **look)
        for edge, level, fill in ((curve.low, "2.5%", None), (curve.high, "97.5%", "tonexty"))
    ]


def _line(curve: Curve, axes: Axes, theme: Theme, dash: str, symbol: str) -> go.Scatter:
    value = "%{y:.2%}" if axes.percent else "%{y:.4g}"
    return line(
        curve.x,
        curve.y,
        curve.name,
        mode="lines+markers" if curve.dots else "lines",
        marker={"symbol": symbol, "size": 6 if symbol == "circle" else 8},
        line={
            "color": curve.colour or place_colour(curve.place, theme),
            "width": 1 if curve.place is None else 2,
            "dash": dash,
            "shape": "hvh" if curve.step else "linear",
        },
        hoverinfo=None,
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


def bars_figure(
    groups: Sequence[Curve], x: str, y: str, theme: Theme, *, height: int = 320
) -> go.Figure:
    """Bars of each cloud beside each other, as shares."""
    traces = [
        go.Bar(
            x=bars.x,
            y=np.asarray(bars.y, dtype=np.float32),
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


def histogram_figure(
    clouds: Sequence[np.ndarray],  # shares of pairs (m,), of one cloud or two
    dotted: np.ndarray | float,  # those of a reference (m,), or a threshold
    edges: np.ndarray,  # (m + 1,)
    names: tuple[str, str, str],  # of the two clouds and the reference
    titles: tuple[str, str],  # of x and y
    theme: Theme,
    *,
    height: int = 300,
) -> go.Figure:
    """Shares of pairs between edges as filled steps, and a reference or a threshold."""
    middle = (edges[:-1] + edges[1:]) / 2
    shown: dict[str, Any] = {"hoverinfo": None, "hovertemplate": "%{x:.3f}: %{y:.2%}"}
    look = {"fill": "tozeroy", "opacity": 0.7, **shown}
    # one line of steps instead of a bar a bin: the browser draws 2 shapes instead of 320
    traces = [
        line(middle, shares, name, line={"color": hue, "width": 1, "shape": "hvh"}, **look)
        for shares, hue, name in zip(clouds, (theme.raw, theme.white), names, strict=False)
    ]
    ink = {"color": theme.ink, "width": 1.5, "dash": "dot"}
    if isinstance(dotted, float):
        ends = [0, np.max(clouds)]
        shown["hovertemplate"] = "%{x:.3f}"
        traces.append(line([dotted] * 2, ends, names[2], line=ink, **shown))
    else:
        traces.append(line(middle, dotted, names[2], line=ink, **shown))
    return drawn(
        traces,
        theme,
        height=height,
        xaxis=axis(theme, titles[0], range=[-1.0, 1.0], dtick=0.25, ticklabelstandoff=4),
        yaxis=axis(theme, titles[1], tickformat=PERCENT, rangemode="tozero"),
    )


def scatter_figure(
    groups: Sequence[Curve],
    axes: Axes,
    theme: Theme,
    *,
    fit: Ends | None = None,  # a dotted line
    arrows: Sequence[Ends] = (),
    ring: tuple[str, float, float] | None = None,  # name in the legend, x and y of a point to mark
    height: int = 320,
) -> go.Figure:
    """Groups of points, lines and a ring; the first trace is the first group."""
    traces = [_dots(group, theme) for group in groups]
    ink = {"color": theme.ink, "width": 1.5}
    if fit is not None:
        x, y = zip(*fit, strict=True)
        traces.append(line(x, y, line=ink | {"dash": "dot"}))
    head = {"symbol": "arrow", "angleref": "previous", "size": [0, 14], "color": theme.ink}
    for ends in arrows:
        x, y = zip(*ends, strict=True)
        traces.append(line(x, y, mode="lines+markers", line=ink, marker=head))
    if ring is not None:
        name, across, up = ring
        look = {"symbol": "circle-open", "size": 15, "color": theme.accent, "line": {"width": 2.5}}
        traces.append(line([across], [up], name, mode="markers", marker=look, showlegend=True))
    return drawn(
        traces,
        theme,
        height=height,
        xaxis=axis(theme, axes.x, zeroline=False) | axis_scale(axes.log_x, axes.x_range),
        yaxis=axis(theme, axes.y, zeroline=False) | axis_scale(axes.log_y, axes.y_range),
        clickmode="event",
    )


def _dots(group: Curve, theme: Theme) -> Any:
    place = group.place or 0
    n = len(group.x)
    look = {
        "color": theme.categories[place % len(theme.categories)],
        "symbol": SYMBOLS[place % len(SYMBOLS)],
        "size": 5 if n >= CROWD else 7,
        "opacity": 0.75,
    }
    shown = {"marker": look, "showlegend": bool(group.name)}  # also the only group
    return dots(group.x, group.y, group.about, group.name, by_webgl=n >= MANY, **shown)


def reach_of(plots: Sequence[Sequence[Curve]]) -> tuple[float, float]:
    """The range of y that holds 0, all points and all intervals, with a margin."""
    ends = [end for dots in plots for each in dots for end in (each.y, each.low, each.high)]
    values = np.concatenate([np.zeros(1), *(end for end in ends if end is not None)])
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = 0.06 * (high - low)
    return low - margin, high + margin


def multiples_figure(
    plots: Mapping[str, Sequence[Curve]],
    x_ticks: Mapping[str, Mapping[float, str]],  # by plot: names by place, in place of numbers
    x_title: str,  # of plots with numbers
    theme: Theme,
    *,
    y_range: tuple[float, float] | None = None,  # with a line at 0; None: each has its own
) -> go.Figure:
    """A small plot for each name, which is above it; the page has the legend.

    A page puts several of these figures side by side; on a telephone they are below each other.
    """
    height = (1 - SPACING * (len(plots) - 1)) / len(plots)
    lines, titles = [], []
    corner = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    axes: dict[str, Any] = {}
    for place, (name, curves) in enumerate(plots.items()):
        number = str(place + 1) if place else ""  # Plotly names the first axes without a number
        top = 1 - place * (height + SPACING)
        lines += [_with_bars(each, theme, axes=number) for each in curves]
        titles.append(note(name, 0, top, theme, size=13, **corner))
        ticks = x_ticks.get(name)
        x = axis(theme, "" if ticks else x_title, zeroline=False, title_standoff=2)
        if ticks:
            x |= {"tickmode": "array", "tickvals": [*ticks], "ticktext": [*ticks.values()]}
            x |= {"range": [min(ticks) - 0.5, max(ticks) + 0.5]}
        y = axis(theme, "", zeroline=y_range is not None, domain=[max(top - height, 0), top])
        y |= {} if y_range is None else {"range": list(y_range)}
        axes |= {f"xaxis{number}": x | {"anchor": f"y{number}"}}
        axes |= {f"yaxis{number}": y | {"anchor": f"x{number}"}}
    return drawn(
        lines,
        theme,
        height=HEAD + FOOT + PLOT_HEIGHT * len(plots),
        showlegend=False,
        margin={"t": HEAD, "l": 36, "r": 8, "b": FOOT},
        annotations=titles,
        **axes,
    )


def _with_bars(each: Curve, theme: Theme, *, axes: str) -> Any:
    look: dict[str, Any] = {"mode": "lines+markers", "xaxis": f"x{axes}", "yaxis": f"y{axes}"}
    if each.low is not None and each.high is not None:
        look["error_y"] = error_bars(each.y, each.low, each.high, width=0)
    colour = place_colour(each.place, theme)
    dash = DASHES[(each.place or 0) % len(DASHES)]
    look["line"] = {"color": colour, "dash": dash, "width": 2}
    return dots(each.x, each.y, each.about, each.name, marker={"color": colour, "size": 6}, **look)
