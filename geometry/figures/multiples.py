"""Small multiples: small plots below each other with a common y axis, each point with an interval.

A page puts several of these figures side by side; on a telephone they are below each other.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..palette import Theme
from .curves import DASHES, Curve, place_colour
from .layout import axis, dots, drawn, error_bars, note

PLOT_HEIGHT = 124  # px of a plot with its axis
SPACING = 0.17  # between two plots, as a share of the figure
HEAD, FOOT = 24, 44  # px above the first plot, for its name, and below the last one


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
    """A small plot for each name, which stands above it; the page has the legend."""
    height = (1 - SPACING * (len(plots) - 1)) / len(plots)
    lines, titles = [], []
    corner = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    axes: dict[str, Any] = {}
    for place, (name, curves) in enumerate(plots.items()):
        number = str(place + 1) if place else ""  # Plotly names the first axes without a number
        top = 1 - place * (height + SPACING)
        lines += [_line(each, theme, axes=number) for each in curves]
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


def _line(each: Curve, theme: Theme, *, axes: str) -> go.Scatter:
    look: dict[str, Any] = {"mode": "lines+markers", "xaxis": f"x{axes}", "yaxis": f"y{axes}"}
    if each.low is not None and each.high is not None:
        look["error_y"] = error_bars(each.y, each.low, each.high, width=0)
    colour, place = place_colour(each.place, theme), each.place or 0
    look["line"] = {"color": colour, "dash": DASHES[place % len(DASHES)], "width": 2}
    return dots(each.x, each.y, each.about, each.name, marker={"color": colour, "size": 6}, **look)
