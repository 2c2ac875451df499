"""The layout and the markers common to panels in two and in three dimensions.

Without Plotly, so that a page that draws with WebGL does not load it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..palette import Theme
from ..projection.panel import Panel
from ..projection.point_colours import PointColours, look_of
from .layout import SYMBOL_CODES, base_layout, note

CAPTION_HEIGHT = 19  # px of a line of caption above the picture
LEGEND_HEIGHT = 30


def panel_layout(panel: Panel, theme: Theme, *, height: int, lines: int) -> dict[str, Any]:
    """Layout with captions above the picture and the legend of the marks below it.

    Pictures beside each other align if they have space for the same number of caption ``lines``.
    """
    above, below = lines * CAPTION_HEIGHT, LEGEND_HEIGHT if panel.marks else 0
    corner = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    captions = "<br>".join(panel.captions)
    notes = [note(captions, 0, 1, theme, size=12, align="left", **corner)]
    return base_layout(
        theme,
        height=height + above + below,
        margin={"l": 8, "r": 8, "t": 8 + above, "b": 8 + below},
        annotations=notes if lines and captions else [],
        legend={"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0},
    )


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
