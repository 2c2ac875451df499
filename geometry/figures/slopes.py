"""Two ranked lists side by side: a line joins the places of what is in both."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..palette import Theme
from .layout import LEGEND, dots, drawn, line, note

ROW_HEIGHT = 31  # px
TEXT_SIZE = 14.5
LEFT, RIGHT = 0.43, 0.57  # shares of the width where the lines begin and end
VALUE_WIDTH = 42  # px beside the dots, for the value
HEAD = 0  # the row that ends the titles, of two lines at most; the first item is in row 1
SHARE = 0.3  # the row of the line below each title


@dataclass(frozen=True)
class Item:
    key: object  # the same in both lists for the same thing
    text: str  # cut where its half of the picture ends; the hover text has all of it
    value: str  # beside the dot
    about: str = ""  # more hover text
    colour: str = ""  # of the dot; by default it says whether the item stays
    symbol: str = "circle"


def slopes_figure(
    before: Sequence[Item],
    after: Sequence[Item],
    theme: Theme,
    *,
    titles: tuple[str, str],  # of the lists
    shares: tuple[str, str] = ("", ""),  # a line below each title
    moves: tuple[str, str, str],  # names of what stays, leaves and enters
    beyond: str,  # name of the last row
) -> go.Figure:
    """The lists, first place on top. An item of one list only has a line to or from the bottom.

    The first trace has every dot, those of the left list first, for clicks. The texts are
    annotations named "cut" and "wrapped": the browser fits them to the width that there is.
    """
    rows = max(len(before), len(after))
    below = rows + 1
    at_left = {item.key: place for place, item in enumerate(before, start=1)}
    at_right = {item.key: place for place, item in enumerate(after, start=1)}
    stays = [(place, at_right[key]) for key, place in at_left.items() if key in at_right]
    leaves = [(place, below) for key, place in at_left.items() if key not in at_right]
    enters = [(below, place) for key, place in at_right.items() if key not in at_left]
    looks = (
        {"color": theme.ink, "width": 1.5},
        {"color": theme.raw, "width": 2, "dash": "dot"},
        {"color": theme.white, "width": 2, "dash": "dash"},
    )
    in_both = at_left.keys() & at_right.keys()
    colours = [
        item.colour or (theme.ink if item.key in in_both else alone)
        for items, alone in ((before, theme.raw), (after, theme.white))
        for item in items
    ]
    symbols = [item.symbol for item in (*before, *after)]
    points = dots(
        [LEFT] * len(before) + [RIGHT] * len(after),
        [*at_left.values(), *at_right.values()],
        [f"{item.text}<br>{item.about}" for item in (*before, *after)],
        marker={"size": 10, "color": colours, "symbol": symbols},
    )
    lines = zip((stays, leaves, enters), moves, looks, strict=True)
    traces = [points, *(_lines(*each) for each in lines)]
    head = {"size": TEXT_SIZE, "color": theme.ink, "weight": 700}
    title = {"font": head, "name": "wrapped", "yanchor": "bottom"}
    annotations = [
        _words(titles[0], LEFT, HEAD, "right", theme, **title),
        _words(titles[1], RIGHT, HEAD, "left", theme, **title),
        *(
            _words(share, x, SHARE, side, theme, name="cut")
            for share, x, side in zip(shares, (LEFT, RIGHT), ("right", "left"), strict=True)
            if share
        ),
        *_names(before, LEFT, in_both, "−", theme.raw, theme),
        *_names(after, RIGHT, in_both, "+", theme.white, theme),
    ]
    if len(in_both) < rows:
        annotations.append(_words(beyond, 0.5, below + 0.1, "center", theme, yanchor="top"))
    hidden = {"visible": False, "fixedrange": True}
    return drawn(
        traces,
        theme,
        height=round(ROW_HEIGHT * (rows + 3.7)) + 30,
        xaxis={"range": [0, 1], **hidden},
        yaxis={"range": [rows + 2, HEAD - 1.3], **hidden},
        annotations=annotations,
        legend=LEGEND | {"y": 1.0, "font": {"size": 14}},
        margin={"l": 0, "r": 0, "t": 30, "b": 0},
        meta={"names": {"share": LEFT, "beside": VALUE_WIDTH, "size": TEXT_SIZE}},
    )


def _lines(ends: Sequence[tuple[int, int]], name: str, look: dict[str, Any]) -> go.Scatter:
    """Curves from the left list to the right one, as one trace."""
    t = np.linspace(0, 1, 17)
    bend = 3 * t**2 - 2 * t**3  # flat at both ends, so that crossing lines can be followed
    x, y = [], []
    for left, right in ends:
        x += [*(LEFT + (RIGHT - LEFT) * t), None]
        y += [*(left + (right - left) * bend), None]
    return line(x or [None], y or [None], name, line=look)


def _names(
    items: Sequence[Item], x: float, in_both: set[object], sign: str, colour: str, theme: Theme
) -> list[dict[str, Any]]:
    """The text and the value of each item, away from the lines."""
    side, away = ("right", -1) if x == LEFT else ("left", 1)
    found = []
    for place, item in enumerate(items, start=1):
        is_alone = item.key not in in_both
        font = {"size": TEXT_SIZE, "color": colour if is_alone else theme.ink}
        look: dict[str, Any] = {"font": font}
        found.append(_words(item.value, x, place, side, theme, xshift=away * 10, **look))
        text = f"{sign} {item.text}" if is_alone else item.text
        look |= {"name": "cut", "hovertext": item.text, "xshift": away * (10 + VALUE_WIDTH)}
        found.append(_words(text, x, place, side, theme, **look))
    return found


def _words(text: str, x: float, y: float, side: str, theme: Theme, **more: Any) -> dict[str, Any]:
    look = {"xanchor": side, "yanchor": "middle", "align": side, **more}
    return note(text, x, y, theme, size=TEXT_SIZE, **look)
