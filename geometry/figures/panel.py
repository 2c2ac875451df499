"""A panel of points, and the layout common to panels in two and in three dimensions.

Without Plotly, so that a page that draws with WebGL does not load it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..palette import Theme
from .layout import base_layout

CAPTION_HEIGHT = 19  # px of a line of caption above the picture
LEGEND_HEIGHT = 30
WIDEST_DRAWN = 75.0  # degrees; a wider cone does not look like one and hides the points


@dataclass(frozen=True)
class Wedge:
    """A cone: unit ``axis`` (k,), half-angle in the picture in degrees, and a caption."""

    axis: np.ndarray
    degrees: float
    caption: str = ""


@dataclass(frozen=True)
class Band:
    """Directions to shade in 2D on both sides of the first axis: degrees from it, a caption."""

    low: float
    high: float
    caption: str


@dataclass(frozen=True)
class Mark:
    """Points to mark: their rows, a Plotly symbol ending in -open, a caption for the legend."""

    rows: Sequence[int]
    symbol: str
    caption: str


@dataclass(frozen=True)
class Panel:
    """A cloud as a picture.

    Parameters
    ----------
    coordinates : (n, k) array of float, k = 2 or 3
        The origin of the space is at 0.
    texts : n strings
        Hover texts.
    reach : float
        Half-width of all axes; the same for compared panels.
    axis_titles : k strings
    origin_label : str or None
        Label of the origin; None for a picture without an origin.
    wedges : sequence of Wedge
        Cones.
    bands : sequence of Band
        Shaded directions.
    marks : sequence of Mark
        Marked points.
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
        """The cones narrow enough to draw; the others have only a caption."""
        return [wedge for wedge in self.wedges if wedge.degrees <= WIDEST_DRAWN]

    @property
    def captions(self) -> list[str]:
        """A line for each wedge and band."""
        return [wedge.caption for wedge in self.wedges] + [band.caption for band in self.bands]


def panel_layout(panel: Panel, theme: Theme, *, height: int, lines: int) -> dict[str, Any]:
    """Layout with the captions above the picture and the legend of the marks below it.

    Parameters
    ----------
    panel : Panel
    theme : Theme
    height : int
        Pixels of the picture, without the captions.
    lines : int
        Caption lines to leave space for; 0 for no captions. Panels beside each other need the same
        number, so that their pictures align.
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
