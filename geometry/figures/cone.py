"""A flat picture of a cloud around the origin, with its cone."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..palette import Theme
from ..projection.panel import Panel
from ..projection.point_colours import PointColours, look_of
from .layout import SYMBOL_CODES, axis, colour_bar, dots, drawn, line, note

ARC_POINTS = 24
OPACITY = 0.75
# px beside the axes for their titles and numbers. Fixed, because Plotly's own choice depends on
# what was drawn before, and panels of the same cloud have to be the same picture.
LEFT, RIGHT, BELOW = 50, 12, 50
CAPTION_HEIGHT = 19  # px of a line of caption above the picture
LEGEND_HEIGHT = 30


def cone_figure(
    panel: Panel, colours: PointColours, theme: Theme, *, height: int = 440, lines: int = 3
) -> go.Figure:
    """Points about the origin by WebGL, with wedges and bands below them and captions above.

    Pictures beside each other align if they have space for the same number of caption ``lines``.
    """
    x, y = panel.coordinates.T
    look = marker(colours, theme, size=7 if len(x) <= 2000 else 5)
    symbols = look.pop("symbol", None)
    same = {"marker": {"opacity": OPACITY}}  # a click must not fade the other points
    more: dict[str, Any] = {"selected": same, "unselected": same}
    traces = [dots(x, y, panel.texts, by_webgl=True, marker=look, **more)]
    if panel.lines is not None:
        ink = {"color": theme.ink, "width": 1}
        traces.append(line(*panel.lines.T, by_webgl=True, line=ink))
    for mark in panel.marks:
        rows = list(mark.rows)
        symbol = "x-thin-open" if mark.shape == "dot" else f"{mark.shape}-open"
        ring = {"symbol": symbol, "size": 15, "color": theme.accent, "line": {"width": 2.5}}
        named = {"mode": "markers", "marker": ring, "showlegend": True}
        traces.append(line(x[rows], y[rows], mark.caption, by_webgl=True, **named))
    figure = drawn(traces, theme, **_layout(panel, theme, height, lines))
    if symbols is not None:
        # Plotly's validator checks the entries one by one: 0.3 s for 5,000 points
        properties = getattr(figure.data[0].marker, "_props", None)  # not published
        if isinstance(properties, dict):
            properties["symbol"] = symbols
        else:
            figure.data[0].marker.symbol = symbols
    return figure


def marker(colours: PointColours, theme: Theme, *, size: float) -> dict[str, Any]:
    """Marker settings for ONE trace of all points, coloured by an array."""
    base: dict[str, Any] = {"size": size, "opacity": OPACITY, "line": {"width": 0}}
    if colours.names is None:
        place = {"orientation": "h", "y": -0.2, "yanchor": "top"}
        bar = colour_bar(colours.title, thickness=10, len=0.6, **place)
        return {**base, "color": colours.codes, "colorscale": list(theme.scale), "colorbar": bar}
    codes = colours.codes
    looks = [look_of(code, theme) for code in range(len(colours.names))]
    edges = np.linspace(0.0, 1.0, len(looks) + 1)  # a constant step of the scale for each code
    steps = [(float(end), hue) for i, (hue, _) in enumerate(looks) for end in edges[i : i + 2]]
    # numbers, because Plotly checks an array of strings one by one: 0.1 s a picture
    return {
        **base,
        "color": codes.astype(np.float32),
        "colorscale": steps,
        "cmin": -0.5,
        "cmax": len(looks) - 0.5,
        "symbol": np.array([SYMBOL_CODES[symbol] for _, symbol in looks])[codes],
    }


def _layout(panel: Panel, theme: Theme, height: int, lines: int) -> dict[str, Any]:
    """Equal axes about the origin, and everything except the points."""
    above = lines * CAPTION_HEIGHT
    below = LEGEND_HEIGHT if panel.marks else 0
    notes = []
    if lines and panel.captions:
        corner = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
        captions = "<br>".join(panel.captions)
        notes.append(note(captions, 0, 1, theme, size=12, align="left", **corner))
    if panel.origin_label:
        look = {"xanchor": "right", "yanchor": "top", "opacity": 0.85, "bgcolor": theme.paper}
        notes.append(note(f"✚ {panel.origin_label}", 0, 0, theme, size=12, **look))
    same = {
        "constrain": "domain",
        "zeroline": panel.origin_label is not None,
        "automargin": False,
        "title_standoff": 2,
    }
    return {
        "height": height + above + below,
        "margin": {"l": LEFT, "r": RIGHT, "t": 8 + above, "b": BELOW + below},
        "annotations": notes,
        "legend": {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0},
        "shapes": _sectors(panel, theme),
        "xaxis": axis(theme, panel.axis_titles[0], range=panel.ends[0], **same),
        "yaxis": axis(theme, panel.axis_titles[1], range=panel.ends[1], scaleanchor="x", **same),
        "dragmode": "pan",
        "clickmode": "event",
    }


def _sectors(panel: Panel, theme: Theme) -> list[dict[str, Any]]:
    """The bands, on both sides of the first axis, and the wedges."""
    of_band = {"fillcolor": theme.white, "opacity": 0.35, "line": {"width": 0}}
    shapes = [
        _sector(panel.cone_length, sign * band.low, sign * band.high) | of_band
        for band in panel.bands
        for sign in (1, -1)
    ]
    of_wedge = {"fillcolor": theme.raw, "opacity": 0.15, "line": {"color": theme.raw, "width": 1.5}}
    for wedge in panel.wedges:
        if not wedge.is_drawn:
            continue
        middle = float(np.degrees(np.arctan2(wedge.axis[1], wedge.axis[0])))
        ends = (middle - wedge.degrees, middle + wedge.degrees)
        shapes.append(_sector(panel.cone_length, *ends) | of_wedge)
    return shapes


def _sector(radius: float, start: float, stop: float) -> dict[str, Any]:
    """A slice of the disc around the origin, from start to stop degrees, below the points."""
    angles = np.radians(np.linspace(start, stop, ARC_POINTS))
    arc = " ".join(f"L {radius * np.cos(a):.5g},{radius * np.sin(a):.5g}" for a in angles)
    return {"type": "path", "path": f"M 0,0 {arc} Z", "layer": "below"}
