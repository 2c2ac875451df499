"""What a panel of points is, before it is known whether it is drawn flat or deep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .theme import Theme, base_layout

CAPTION_HEIGHT = 19  # pixels a caption line takes above the picture
LEGEND_HEIGHT = 30
WIDEST_DRAWN = 75.0  # degrees; a wider cone is none to the eye and hides the points


@dataclass(frozen=True)
class Wedge:
    """A cone to draw: unit ``axis`` (k,), half-angle in the picture in degrees, its caption."""

    axis: np.ndarray
    degrees: float
    caption: str = ""


@dataclass(frozen=True)
class Band:
    """Directions to shade in 2D, both sides of the first axis: degrees from it, and a caption."""

    low: float
    high: float
    caption: str


@dataclass(frozen=True)
class Mark:
    """Points to ring: their rows, a Plotly symbol ending in -open, a caption for the legend."""

    rows: Sequence[int]
    symbol: str
    caption: str


@dataclass(frozen=True)
class Panel:
    """One cloud as it should be drawn.

    coordinates (n, k), k = 2 or 3, with the origin of the space at 0.   origin_label marks it;
    None where the picture has no origin.   texts : n hover texts.   reach : half-width of all
    axes; panels that are compared take the same.   axis_titles : k titles.
    """

    coordinates: np.ndarray
    texts: Sequence[str]
    reach: float
    axis_titles: Sequence[str]
    origin_label: str | None
    wedges: Sequence[Wedge] = ()
    bands: Sequence[Band] = ()
    marks: Sequence[Mark] = ()

    @property
    def drawn_wedges(self) -> list[Wedge]:
        """Those narrow enough to look like a cone; the others are told in words only."""
        return [wedge for wedge in self.wedges if wedge.degrees <= WIDEST_DRAWN]

    @property
    def captions(self) -> list[str]:
        """A line for each wedge and band."""
        return [wedge.caption for wedge in self.wedges] + [band.caption for band in self.bands]


def panel_layout(panel: Panel, theme: Theme, *, height: int, lines: int) -> dict[str, Any]:
    """Layout with the captions above the picture, room for ``lines`` of them, marks below it.

    Two panels beside each other take the same number of lines, so that their pictures align; 0
    where the captions are told elsewhere.
    """
    caption = {
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "y": 1,
        "xanchor": "left",
        "yanchor": "bottom",
        "align": "left",
        "showarrow": False,
        "font": {"size": 12, "color": theme.ink},
        "text": "<br>".join(panel.captions),
    }
    layout = base_layout(theme, height=height + lines * CAPTION_HEIGHT)
    layout["margin"] = {"l": 8, "r": 8, "t": 8 + lines * CAPTION_HEIGHT, "b": 8}
    layout["annotations"] = [caption] if lines and panel.captions else []
    layout["legend"] = {
        "orientation": "h",
        "yref": "container",
        "y": 0,
        "yanchor": "bottom",
        "x": 0,
    }
    if panel.marks:
        layout["margin"]["b"] += LEGEND_HEIGHT
        layout["height"] += LEGEND_HEIGHT
    return layout
