"""Small multiples: a table of small plots with common axes, each point with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..palette import Theme
from .curves import DASHES, place_colour
from .layout import axis, base_layout

PLOT_HEIGHT = 150  # px of a row
HEAD = 70  # px above the first row: legend and titles of the columns
GAP = 0.03  # between columns, as a share of the width


@dataclass(frozen=True)
class Dotted:
    """Points of one kind, joined by a line."""

    x: Sequence[float]
    y: np.ndarray  # NaN leaves a gap
    low: np.ndarray | None
    high: np.ndarray | None
    name: str
    place: int  # of its colour and dash
    texts: Sequence[str] = ()  # on hover


@dataclass(frozen=True)
class Small:
    """One small plot. Plots with ``zero`` have a common y axis with a line at 0."""

    dotted: Sequence[Dotted]
    zero: bool = True


def multiples_figure(
    rows: Mapping[str, Sequence[Small]],
    columns: Sequence[str],
    x_ticks: Mapping[str, Mapping[float, str]],
    x_title: str,
    theme: Theme,
) -> go.Figure:
    """A row of small plots for each name, under the titles of the columns.

    x_ticks : by row, the places and names of the ticks; by numbers where there are none.
    """
    figure = make_subplots(
        len(rows),
        len(columns),
        column_titles=list(columns),
        row_titles=list(rows),
        horizontal_spacing=GAP,
        vertical_spacing=0.09,
    )
    gains = [
        end
        for smalls in rows.values()
        for small in smalls
        if small.zero
        for each in small.dotted
        for end in (each.y, each.low, each.high)
        if end is not None
    ]
    finite = np.concatenate([np.asarray(each, dtype=float) for each in gains] or [np.zeros(1)])
    reach = np.nanmin([*finite, 0.0]), np.nanmax([*finite, 0.0])
    margin = 0.06 * (reach[1] - reach[0])
    named: set[str] = set()
    for row, (name, smalls) in enumerate(rows.items(), start=1):
        for column, small in enumerate(smalls, start=1):
            for each in small.dotted:
                figure.add_trace(_line(each, theme, each.name not in named), row=row, col=column)
                named.add(each.name)
            y = axis(theme, "", zeroline=small.zero)
            y |= {"range": [reach[0] - margin, reach[1] + margin]} if small.zero else {}
            y |= {"showticklabels": column <= 2}
            x = axis(theme, x_title if row == len(rows) else "", zeroline=False)
            if x_ticks.get(name):
                x |= {"tickmode": "array", "tickvals": list(x_ticks[name])}
                x |= {"ticktext": list(x_ticks[name].values())}
                ends = min(x_ticks[name]), max(x_ticks[name])
                x |= {"range": [ends[0] - 0.5, ends[1] + 0.5]}
            figure.update_yaxes(y, row=row, col=column)
            figure.update_xaxes(x, row=row, col=column)
    figure.update_layout(
        base_layout(theme, height=HEAD + PLOT_HEIGHT * len(rows) + 40),
        legend={"orientation": "h", "y": 1.09, "yanchor": "bottom", "x": 0},
        margin={"t": HEAD, "r": 30},
    )
    figure.update_annotations(font={"size": 14, "color": theme.ink})
    return figure


def _line(each: Dotted, theme: Theme, has_legend: bool) -> go.Scatter:
    error = None
    if each.low is not None and each.high is not None:
        error = {
            "type": "data",
            "symmetric": False,
            "array": np.asarray(each.high) - each.y,
            "arrayminus": each.y - np.asarray(each.low),
            "thickness": 1.5,
            "width": 0,
        }
    colour = place_colour(each.place, theme)
    return go.Scatter(
        x=list(each.x),
        y=each.y,
        error_y=error,
        mode="lines+markers",
        name=each.name,
        legendgroup=each.name,
        showlegend=has_legend,
        line={"color": colour, "dash": DASHES[each.place % len(DASHES)], "width": 2},
        marker={"color": colour, "size": 6},
        text=list(each.texts) or None,
        hovertemplate="%{text}<extra></extra>" if each.texts else None,
    )
