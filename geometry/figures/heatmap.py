"""A symmetric matrix as colours, centred on zero; a table of scores with each cell written out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from .theme import Theme, base_layout

# ColorBrewer's RdBu (Brewer, Harrower): apart under every colour blindness; its middle is the paper
TITLE_ROOM = 28  # px beside an axis that has a title and no numbers
TINT = 0.55  # of the hue at the upper end of a table of scores
ENDS = ("#2166ac", "#67a9cf", "#ef8a62", "#b2182b")


def _both_ways(theme: Theme) -> list[tuple[float, str]]:
    """Blue below zero, the paper at it, red above."""
    colours = (ENDS[0], ENDS[1], theme.paper, ENDS[2], ENDS[3])
    return [(i / 4, colour) for i, colour in enumerate(colours)]


def _upwards(theme: Theme) -> list[tuple[float, str]]:
    """From the paper to a tint: whatever is written on it stays legible."""
    return [(0.0, theme.paper), (1.0, _tint(theme.white, theme))]


def _apart(theme: Theme) -> list[tuple[float, str]]:
    """Tints of blue below zero, the paper at it, tints of red above."""
    return [(0.0, _tint(ENDS[0], theme)), (0.5, theme.paper), (1.0, _tint(ENDS[-1], theme))]


def _tint(hue: str, theme: Theme) -> str:
    mixed = [TINT * a + (1 - TINT) * b for a, b in zip(_rgb(hue), _rgb(theme.paper), strict=True)]
    return "#" + "".join(f"{round(part):02x}" for part in mixed)


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


def matrix_figure(
    matrix: np.ndarray,
    names: Sequence[str],
    theme: Theme,
    *,
    title: str = "",
    reach: float = 1.0,
    height: int = 320,
) -> go.Figure:
    """A (k, k) matrix, its rows downwards; colours run from -reach to reach.

    title : of both axes, what the names are of.

    A reach of 0, as of a matrix of zeros, counts as 1: Plotly would choose ends of its own.
    """
    reach = reach if reach > 0 else 1.0
    figure = go.Figure(
        go.Heatmap(
            z=np.asarray(matrix, dtype=np.float32),
            x=list(names),
            y=list(names),
            zmin=-reach,
            zmax=reach,
            colorscale=_both_ways(theme),
            colorbar={"thickness": 10, "len": 0.9},
            hovertemplate="%{y} × %{x}: %{z:.3g}<extra></extra>",
        )
    )
    # without numbers on the axes nothing else makes room for their titles
    room = TITLE_ROOM if title else 8
    figure.update_layout(
        base_layout(theme, height=height, margin={"l": room, "r": 8, "t": 8, "b": room}),
        xaxis={
            "title": {"text": title, "font": {"size": 13}, "standoff": 4},
            "type": "category",
            "showticklabels": False,
            "ticks": "",
            "constrain": "domain",
        },
        yaxis={
            "title": {"text": title, "font": {"size": 13}, "standoff": 4},
            "type": "category",
            "autorange": "reversed",
            "showticklabels": False,
            "ticks": "",
            "scaleanchor": "x",
            "constrain": "domain",
        },
    )
    return figure


@dataclass(frozen=True)
class Cells:
    """Values (r, c), NaN where there is none; what is written in each; names of rows and columns.

    about : what the hover says of each, (r)(c).
    """

    values: np.ndarray
    written: Sequence[Sequence[str]]
    about: Sequence[Sequence[str]]
    rows: Sequence[str]
    columns: Sequence[str]


def cells_figure(
    cells: Cells,
    theme: Theme,
    *,
    limits: tuple[float, float],
    diverging: bool = False,
    titles: tuple[str, str] = ("", ""),
    height: int = 380,
) -> go.Figure:
    """A table whose cells are coloured by ``limits`` and written out, the first row on top.

    diverging : red and blue around the paper at 0, limits then are (-reach, reach).
    titles : of the columns and of the rows.
    """
    low, high = limits if limits[1] > limits[0] else (limits[0] - 0.5, limits[0] + 0.5)
    figure = go.Figure(
        go.Heatmap(
            z=np.asarray(cells.values, dtype=np.float32),
            x=list(cells.columns),
            y=list(cells.rows),
            zmin=low,
            zmax=high,
            colorscale=_apart(theme) if diverging else _upwards(theme),
            showscale=False,  # the cells are written out
            text=[list(row) for row in cells.written],
            texttemplate="%{text}",
            textfont={"size": 10, "color": theme.ink},
            customdata=[list(row) for row in cells.about],
            hovertemplate="%{customdata}<extra></extra>",
            hoverongaps=True,
            xgap=1,
            ygap=1,
        )
    )
    look = {"type": "category", "ticks": "", "showgrid": False, "fixedrange": True}
    figure.update_layout(
        base_layout(theme, height=height),
        xaxis=look | {"title": {"text": titles[0]}, "side": "top", "automargin": True},
        yaxis=look | {"title": {"text": titles[1]}, "autorange": "reversed", "automargin": True},
    )
    return figure
