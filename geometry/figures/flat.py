"""A panel in two dimensions: WebGL points over an SVG wedge."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from .colours import PointColours, marker
from .panel import Mark, Panel
from .theme import Theme, axis

ARC_POINTS = 24
OPACITY = 0.75
# px beside the axes for their titles and numbers. Fixed: Plotly's own choice depends on what was
# drawn before, and two panels that hold the same cloud have to be the same picture.
AXIS_ROOM = {"l": 50, "r": 12, "b": 42}


def draw_flat(
    panel: Panel, colours: PointColours, theme: Theme, layout: dict[str, Any]
) -> go.Figure:
    """Scattergl with equal axes, the origin in the middle, wedges and bands below the points."""
    x, y = panel.coordinates.astype(np.float32).T
    rings = [_ring(x, y, mark, theme) for mark in panel.marks]
    look = marker(colours, theme, size=7 if len(x) <= 2000 else 5, opacity=OPACITY)
    symbols = look.pop("symbol", None)
    points = _points(x, y, panel, look)
    # the layout all at once: to update one afterwards takes longer than all the rest
    figure = go.Figure([points, *rings], layout | _frame(panel, theme, layout))
    if symbols is not None:
        # past the validator, which looks at each entry by itself: 0.3 s for 5,000 points
        figure.data[0].marker._props["symbol"] = symbols
    return figure


def _frame(panel: Panel, theme: Theme, layout: dict[str, Any]) -> dict[str, Any]:
    """Equal axes about the origin, and what is drawn in them besides points."""
    look = {
        "range": [-panel.reach, panel.reach],
        "constrain": "domain",
        "zeroline": panel.origin_label is not None,
        "automargin": False,
        "title_standoff": 2,
    }
    below = layout["margin"]["b"] + AXIS_ROOM["b"]
    origin = [_origin(panel.origin_label, theme)] if panel.origin_label else []
    return {
        "margin": layout["margin"] | AXIS_ROOM | {"b": below},
        "shapes": [*_bands(panel, theme), *_wedges(panel, theme)],
        "xaxis": axis(theme, panel.axis_titles[0], **look),
        "yaxis": axis(theme, panel.axis_titles[1], scaleanchor="x", **look),
        "dragmode": "pan",
        "clickmode": "event",
        "annotations": [*layout.get("annotations", []), *origin],
    }


def _points(x: np.ndarray, y: np.ndarray, panel: Panel, look: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "scattergl",
        "x": x,
        "y": y,
        "mode": "markers",
        "marker": look,
        "text": list(panel.texts),
        "hovertemplate": "%{text}<extra></extra>",
        "showlegend": False,
        # only a lasso fades points, and the browser says which
        "selected": {"marker": {"opacity": OPACITY}},
        "unselected": {"marker": {"opacity": OPACITY}},
    }


def _ring(x: np.ndarray, y: np.ndarray, mark: Mark, theme: Theme) -> go.Scattergl:
    rows = list(mark.rows)
    return go.Scattergl(
        x=x[rows],
        y=y[rows],
        mode="markers",
        marker={
            "symbol": mark.symbol,
            "size": 15,
            "color": theme.accent,
            "line": {"width": 2.5},
        },
        name=mark.caption,
        hoverinfo="skip",
        showlegend=True,
    )


def _origin(label: str, theme: Theme) -> dict[str, Any]:
    return {
        "x": 0,
        "y": 0,
        "text": f"✚ {label}",
        "xanchor": "right",
        "yanchor": "top",
        "showarrow": False,
        "opacity": 0.85,
        "bgcolor": theme.paper,
        "font": {"size": 12, "color": theme.ink},
    }


def _wedges(panel: Panel, theme: Theme) -> list[dict[str, Any]]:
    shapes = []
    for wedge in panel.drawn_wedges:
        middle = float(np.degrees(np.arctan2(wedge.axis[1], wedge.axis[0])))
        shapes.append(
            _sector(panel.reach, middle - wedge.degrees, middle + wedge.degrees)
            | {
                "line": {"color": theme.raw, "width": 1.5},
                "fillcolor": theme.raw,
                "opacity": 0.15,
            }
        )
    return shapes


def _bands(panel: Panel, theme: Theme) -> list[dict[str, Any]]:
    look = {"fillcolor": theme.white, "opacity": 0.35, "line": {"width": 0}}
    return [
        _sector(panel.reach, sign * band.low, sign * band.high) | look
        for band in panel.bands
        for sign in (1, -1)
    ]


def _sector(radius: float, start: float, stop: float) -> dict[str, Any]:
    """A slice of the disc around the origin, from start to stop degrees, below the points."""
    angles = np.radians(np.linspace(start, stop, ARC_POINTS))
    arc = " ".join(f"L {radius * np.cos(a):.5g},{radius * np.sin(a):.5g}" for a in angles)
    return {"type": "path", "path": f"M 0,0 {arc} Z", "layer": "below"}
