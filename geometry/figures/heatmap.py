"""Matrices as colours, centred on zero; a table of scores with each cell written out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..palette import DIVERGING, Theme, rgb
from .layout import drawn, note

STRIP_HEIGHT = 22  # px of a row of a strip
BLOCK_ROW_HEIGHT = 18  # px of a row of blocks, whose names are below each other
HEAD_MARGIN = 120  # px above blocks, for upright names: level with those of a figure beside it
STRIP_MARGIN = 46  # px above each strip, for its title
TITLE_MARGIN = 28  # px beside an axis that has a title and no numbers
CELL_SIZE = 16  # px of the text in a cell
CORNER_MARGIN = 46  # px left of a table, with room for a title above the names of its rows
LONGEST_HEAD = 7  # half-width characters on one line above a column of a telephone
BAR = {"thickness": 10, "len": 0.9}  # of the colours
TINT = 0.55  # share of the hue at the ends of a table of scores; the rest is the background


def _both_ways(theme: Theme) -> list[tuple[float, str]]:
    """Blue below zero, the background at zero, red above."""
    colours = (*DIVERGING[:2], theme.paper, *DIVERGING[2:])
    return [(i / 4, colour) for i, colour in enumerate(colours)]


def _tint(hue: str, theme: Theme) -> str:
    """A mixture of the hue with the background, on which text stays legible."""
    mixed = [TINT * a + (1 - TINT) * b for a, b in zip(rgb(hue), rgb(theme.paper), strict=True)]
    return "#" + "".join(f"{round(part):02x}" for part in mixed)


def _corner(title: str, theme: Theme, *, axis: str = "") -> dict[str, Any]:
    """The title of the rows above their names: upright, because Han characters do not turn."""
    place = {"xref": "paper", "yref": f"y{axis} domain", "xanchor": "right", "yanchor": "bottom"}
    return note(title, 0, 1, theme, size=13, xshift=-6, **place)


def _lines(head: str) -> str:
    """The name of a column on as many lines as it needs to stay level."""
    lines = wrap(head, LONGEST_HEAD, break_long_words=False)
    most = LONGEST_HEAD // 2  # Han characters are twice as wide
    if not any(len(line) > most and not line.isascii() for line in lines):
        return "<br>".join(lines)
    place = head.find("（") if "（" in head else len(head) - 2
    return f"{head[:place]}<br>{head[place:]}"


def _squares(values: np.ndarray, theme: Theme, reach: float, hover: str, **more: Any) -> go.Heatmap:
    return go.Heatmap(
        z=np.asarray(values, dtype=np.float32),
        zmin=-reach,
        zmax=reach,
        colorscale=_both_ways(theme),
        colorbar=BAR,
        hovertemplate=f"{hover}<extra></extra>",
        **more,
    )


def matrix_figure(
    matrix: np.ndarray,
    names: Sequence[str],
    theme: Theme,
    *,
    title: str = "",
    reach: float = 1.0,  # the colours run from -reach to reach
    height: int = 320,
) -> go.Figure:
    """A square matrix as colours, the first row on top."""
    reach = reach if reach > 0 else 1.0  # at 0 Plotly would choose the ends
    hover = "%{y} × %{x}: %{z:.3g}"
    squares = _squares(matrix, theme, reach, hover, x=list(names), y=list(names))
    # Plotly leaves no margin for the title of an axis without numbers
    margin = TITLE_MARGIN if title else 8
    look = {"type": "category", "showticklabels": False, "ticks": "", "constrain": "domain"}
    look |= {"title": {"text": title, "font": {"size": 13}, "standoff": 4}}
    return drawn(
        squares,
        theme,
        height=height,
        margin={"l": margin, "r": 8, "t": 8, "b": margin},
        xaxis=look,
        yaxis=look | {"autorange": "reversed", "scaleanchor": "x"},
    )


def strips_figure(
    strips: Mapping[str, np.ndarray],  # wide matrices (r, c) by their titles
    theme: Theme,
    *,
    titles: tuple[str, str],  # of the columns, of the rows
    ticks: Sequence[int],  # numbers of the columns that are named
    reach: float,  # the colours run from -reach to reach
) -> go.Figure:
    """Wide matrices below each other, with the same columns and one scale of colours."""
    rows = [len(values) for values in strips.values()]
    height = sum(rows) * STRIP_HEIGHT + (len(strips) + 1) * STRIP_MARGIN
    ends = {"cmin": -reach, "cmax": reach}
    figure = make_subplots(
        figure=drawn(
            None,
            theme,
            height=height,
            margin={"l": CORNER_MARGIN, "r": 8, "t": STRIP_MARGIN, "b": STRIP_MARGIN},
            coloraxis={"colorscale": _both_ways(theme), "colorbar": BAR, **ends},
        ),
        rows=len(strips),
        shared_xaxes=True,
        row_heights=rows,
        vertical_spacing=STRIP_MARGIN / height,
        subplot_titles=list(strips),
    )
    figure.update_annotations(font={"size": 14, "color": theme.ink}, x=0, xanchor="left")
    hover = f"{titles[1]} %{{y}} · {titles[0]} %{{x}} · %{{z:.4f}}<extra></extra>"
    for place, (name, values) in enumerate(strips.items(), start=1):
        names = [str(row) for row in range(len(values))]
        squares = {"z": np.asarray(values, dtype=np.float32), "y": names, "hovertemplate": hover}
        figure.add_trace(go.Heatmap(name=name, coloraxis="coloraxis", **squares), place, 1)
        figure.add_annotation(_corner(titles[1], theme, axis=str(place) if place > 1 else ""))
    figure.update_yaxes(type="category", autorange="reversed", ticks="", automargin=True)
    figure.update_xaxes(
        tickvals=list(ticks), ticks="outside", automargin=True, autotickangles=[0, 90]
    )
    title = {"text": titles[0], "font": {"size": 13}}
    return figure.update_xaxes(title=title, row=len(strips))


@dataclass(frozen=True)
class Blocks:
    """Rows in groups of equal size, one group for each column."""

    values: np.ndarray  # (groups * size, groups)
    rows: Sequence[str]  # a name may occur twice
    columns: Sequence[str]


def blocks_figure(
    blocks: Blocks,
    theme: Theme,
    *,
    titles: tuple[str, str],  # of a column, of a row; for the hover text
    reach: float,  # the colours run from -reach to reach
) -> go.Figure:
    """A matrix whose blocks on the diagonal are outlined: each group on its own column."""
    r, c = blocks.values.shape
    size = r // c
    squares = _squares(
        blocks.values,
        theme,
        reach,
        f"{titles[1]} %{{customdata[0]}} · {titles[0]} %{{customdata[1]}} · %{{z:.2f}}",
        customdata=[list(zip([row] * c, blocks.columns, strict=True)) for row in blocks.rows],
    )
    outlines = [
        {
            "type": "rect",
            "x0": group - 0.5,
            "x1": group + 0.5,
            "y0": group * size - 0.5,
            "y1": (group + 1) * size - 0.5,
            "line": {"color": theme.ink, "width": 1},
        }
        for group in range(c)
    ]
    look = {"ticks": "", "showgrid": False, "zeroline": False, "fixedrange": True}
    x = look | {"tickvals": list(range(c)), "ticktext": list(blocks.columns)}
    y = look | {"tickvals": list(range(r)), "ticktext": list(blocks.rows)}
    return drawn(
        squares,
        theme,
        height=r * BLOCK_ROW_HEIGHT + HEAD_MARGIN + 8,
        margin={"l": 8, "r": 8, "t": HEAD_MARGIN, "b": 8},
        shapes=outlines,
        xaxis=x | {"side": "top", "tickangle": -90},
        yaxis=y | {"autorange": "reversed", "automargin": True},
    )


def cells_figure(
    values: np.ndarray,  # (r, c), NaN where there is none
    written: Sequence[Sequence[str]],
    about: Sequence[Sequence[str]],  # hover texts
    names: Sequence[Sequence[str]],  # of the rows, of the columns
    theme: Theme,
    *,
    limits: tuple[float, float],  # at the ends of the colours
    diverging: bool = False,  # blue below 0, red above; the limits are then (-reach, reach)
    titles: tuple[str, str] = ("", ""),  # of the columns, of the rows
    height: int = 380,
) -> go.Figure:
    """A table of scores: each cell has its text and a colour, the first row on top."""
    rows, columns = names
    low, high = limits if limits[1] > limits[0] else (limits[0] - 0.5, limits[0] + 0.5)
    colours = [(0.0, theme.paper), (1.0, _tint(theme.white, theme))]
    if diverging:
        blue, red = (_tint(hue, theme) for hue in (DIVERGING[0], DIVERGING[-1]))
        colours = [(0.0, blue), (0.5, theme.paper), (1.0, red)]
    squares = go.Heatmap(
        z=np.asarray(values, dtype=np.float32),
        x=list(columns),
        y=list(rows),
        zmin=low,
        zmax=high,
        colorscale=colours,
        showscale=False,  # each cell has its number
        text=[list(row) for row in written],
        texttemplate="%{text}",
        textfont={"size": CELL_SIZE, "color": theme.ink},
        customdata=[list(row) for row in about],
        hovertemplate="%{customdata}<extra></extra>",
        xgap=1,
        ygap=1,
    )
    look = {"type": "category", "ticks": "", "showgrid": False, "fixedrange": True}
    look |= {"automargin": True, "tickfont": {"size": CELL_SIZE}}
    heads = {"tickvals": list(columns), "ticktext": [_lines(head) for head in columns]}
    return drawn(
        squares,
        theme,
        height=height,
        margin={"l": CORNER_MARGIN, "r": 8, "t": 8, "b": 8},
        xaxis={**look, **heads, "title": {"text": titles[0]}, "tickangle": 0, "side": "top"},
        yaxis=look | {"autorange": "reversed"},
        annotations=[_corner(titles[1], theme)],
    )
