"""The layout and the markers common to panels in two and in three dimensions.

Without Plotly, so that a page that draws with WebGL does not load it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..palette import Theme
from ..projection.panel import Panel
from ..projection.point_colours import PointColours, look_of
from .layout import SYMBOL_CODES, base_layout

CAPTION_HEIGHT = 19  # px of a line of caption above the picture
LEGEND_HEIGHT = 30


def panel_layout(panel: Panel, theme: Theme, *, height: int, lines: int) -> dict[str, Any]:
    """Layout with captions above the picture and the legend of the marks below it.

    Pictures beside each other align if they have space for the same number of caption ``lines``.
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


def marker(colours: PointColours, theme: Theme, *, size: float, opacity: float) -> dict[str, Any]:
    """Marker settings for ONE trace of all points, coloured by an array."""
    base: dict[str, Any] = {"size": size, "opacity": opacity, "line": {"width": 0}}
    if colours.names is None:
        bar = {"orientation": "h", "thickness": 10, "y": -0.2, "yanchor": "top", "len": 0.6}
        bar["title"] = {"text": colours.title, "side": "right", "font": {"size": 13}}
        return {**base, "color": colours.codes, "colorscale": list(theme.scale), "colorbar": bar}
    codes = colours.codes
    looks = [look_of(code, theme) for code in range(len(colours.names))]
    # numbers, because Plotly checks an array of strings one by one: 0.1 s a picture
    return {
        **base,
        "color": codes.astype(np.float32),
        "colorscale": _steps([colour for colour, _ in looks]),
        "cmin": -0.5,
        "cmax": len(looks) - 0.5,
        "symbol": np.array([SYMBOL_CODES[symbol] for _, symbol in looks])[codes],
    }


def _steps(colours: list[str]) -> list[tuple[float, str]]:
    """A colour scale with one constant step a code."""
    edges = np.linspace(0.0, 1.0, len(colours) + 1)
    return [(float(edge), c) for i, c in enumerate(colours) for edge in edges[i : i + 2]]
