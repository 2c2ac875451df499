"""A cloud around the origin, in two or three dimensions, with its cone."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..palette import Theme
from ..projection.panel import Mark, Panel, Wedge
from ..projection.point_colours import PointColours
from .layout import HOVER_TEXT, SYMBOL_CODES, axis, note
from .panel import marker, panel_layout

ARC_POINTS = 24
OPACITY = 0.75
# px beside the axes for their titles and numbers. Fixed, because Plotly's own choice depends on
# what was drawn before, and panels of the same cloud have to be the same picture.
AXIS_MARGIN = {"l": 50, "r": 12, "b": 42}
CONE_RINGS = 48


def cone_figure(
    panel: Panel, colours: PointColours, theme: Theme, *, height: int = 440, lines: int = 3
) -> go.Figure:
    """The panel as a figure: Scattergl for two components, Scatter3d for three."""
    layout = panel_layout(panel, theme, height=height, lines=lines)
    draw = _draw_flat if panel.coordinates.shape[1] == 2 else _draw_deep
    return draw(panel, colours, theme, layout)


def _draw_flat(
    panel: Panel, colours: PointColours, theme: Theme, layout: dict[str, Any]
) -> go.Figure:
    """Scattergl with equal axes, the origin in the middle, wedges and bands below the points."""
    x, y = panel.coordinates.astype(np.float32).T
    look = marker(colours, theme, size=7 if len(x) <= 2000 else 5, opacity=OPACITY)
    symbols = look.pop("symbol", None)
    same = {"marker": {"opacity": OPACITY}}  # a click must not fade the other points
    traces = [
        {
            "type": "scattergl",
            "x": x,
            "y": y,
            "mode": "markers",
            "marker": look,
            "text": list(panel.texts),
            "hovertemplate": HOVER_TEXT,
            "showlegend": False,
            "selected": same,
            "unselected": same,
        }
    ]
    if panel.lines is not None:
        across, up = panel.lines.astype(np.float32).T
        line = {"color": theme.ink, "width": 1}
        traces.append(
            go.Scattergl(
                x=across, y=up, mode="lines", line=line, hoverinfo="skip", showlegend=False
            )
        )
    for mark in panel.marks:
        ring = {"symbol": mark.symbol, "size": 15, "color": theme.accent, "line": {"width": 2.5}}
        traces.append(_mark(go.Scattergl, mark, ring, x=x, y=y))
    # the whole layout at once: a later update takes longer than everything else here
    figure = go.Figure(traces, layout | _frame(panel, theme, layout))
    if symbols is not None:
        _set_symbols(figure.data[0].marker, symbols)
    return figure


def _mark(draw: Any, mark: Mark, look: dict[str, Any], **places: np.ndarray) -> Any:
    rows = list(mark.rows)
    at = {name: values[rows] for name, values in places.items()}
    return draw(
        **at, mode="markers", marker=look, name=mark.caption, hoverinfo="skip", showlegend=True
    )


def _set_symbols(look: Any, symbols: Any) -> None:
    """Without Plotly's validator, which checks the entries one by one: 0.3 s for 5,000 points."""
    properties = getattr(look, "_props", None)  # not published; without it the validator runs
    if isinstance(properties, dict):
        properties["symbol"] = symbols
    else:
        look.symbol = symbols


def _frame(panel: Panel, theme: Theme, layout: dict[str, Any]) -> dict[str, Any]:
    """Equal axes about the origin, and everything except the points."""
    look = {
        "constrain": "domain",
        "zeroline": panel.origin_label is not None,
        "automargin": False,
        "title_standoff": 2,
    }
    notes = list(layout["annotations"])
    if panel.origin_label:
        corner = {"xanchor": "right", "yanchor": "top", "opacity": 0.85, "bgcolor": theme.paper}
        notes.append(note(f"✚ {panel.origin_label}", 0, 0, theme, size=12, **corner))
    below = layout["margin"]["b"] + AXIS_MARGIN["b"]
    return {
        "margin": layout["margin"] | AXIS_MARGIN | {"b": below},
        "shapes": _sectors(panel, theme),
        "xaxis": axis(theme, panel.axis_titles[0], range=panel.ends[0], **look),
        "yaxis": axis(theme, panel.axis_titles[1], range=panel.ends[1], scaleanchor="x", **look),
        "dragmode": "pan",
        "clickmode": "event",
        "annotations": notes,
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
    for wedge in panel.drawn_wedges:
        middle = float(np.degrees(np.arctan2(wedge.axis[1], wedge.axis[0])))
        ends = (middle - wedge.degrees, middle + wedge.degrees)
        shapes.append(_sector(panel.cone_length, *ends) | of_wedge)
    return shapes


def _sector(radius: float, start: float, stop: float) -> dict[str, Any]:
    """A slice of the disc around the origin, from start to stop degrees, below the points."""
    angles = np.radians(np.linspace(start, stop, ARC_POINTS))
    arc = " ".join(f"L {radius * np.cos(a):.5g},{radius * np.sin(a):.5g}" for a in angles)
    return {"type": "path", "path": f"M 0,0 {arc} Z", "layer": "below"}


def _draw_deep(
    panel: Panel, colours: PointColours, theme: Theme, layout: dict[str, Any]
) -> go.Figure:
    """Scatter3d in a cube around the origin. A new figure leaves the camera as it was."""
    x, y, z = panel.coordinates.astype(np.float32).T
    look = marker(colours, theme, size=3.5, opacity=0.8)
    if "symbol" in look:  # scatter3d takes no numbers for them
        names = {code: name for name, code in SYMBOL_CODES.items()}
        look["symbol"] = [names[code] for code in look["symbol"]]
    traces = [
        go.Scatter3d(
            x=x,
            y=y,
            z=z,
            mode="markers",
            marker=look,
            text=list(panel.texts),
            hovertemplate=HOVER_TEXT,
            showlegend=False,
        )
    ]
    for mark in panel.marks:
        ring = {"symbol": mark.symbol, "size": 8, "color": theme.accent}
        traces.append(_mark(go.Scatter3d, mark, ring, x=x, y=y, z=z))
    traces += _axes(panel, theme)
    traces += [_mantle(wedge, panel.cone_length, theme) for wedge in panel.drawn_wedges]
    box = {
        "backgroundcolor": theme.paper,
        "gridcolor": theme.grid,
        "showticklabels": False,
        "zeroline": False,
        "showspikes": False,
    }
    # the names are at the lines through the origin, or at the box if there is no origin
    titles = [""] * 3 if panel.origin_label else panel.axis_titles
    scene: dict[str, object] = {
        name: {**box, "range": ends, "title": {"text": title}}
        for name, title, ends in zip(("xaxis", "yaxis", "zaxis"), titles, panel.ends, strict=True)
    }
    scene |= {
        "aspectmode": "cube" if panel.frame is None else "data",
        # the first axis, the mean direction, points up
        "camera": {"up": {"x": 1, "y": 0, "z": 0}, "eye": {"x": 0.65, "y": 0.75, "z": -1.45}},
        "dragmode": "orbit",
    }
    return go.Figure(traces, layout | {"scene": scene})


def _axes(panel: Panel, theme: Theme) -> list[go.Scatter3d]:
    """Three lines through the origin with their titles at the positive ends."""
    if not panel.origin_label:
        return []
    quiet = {"hoverinfo": "skip", "showlegend": False}
    lines = [
        go.Scatter3d(
            **{name: ends if name == along else [0, 0] for name in "xyz"},
            mode="lines+text",
            text=["", title],
            textposition="top center",
            textfont={"color": theme.ink, "size": 11},
            line={"color": theme.ink, "width": 3},
            **quiet,
        )
        for along, title, ends in zip("xyz", panel.axis_titles, panel.ends, strict=True)
    ]
    origin = go.Scatter3d(
        **{name: [0] for name in "xyz"},
        mode="markers+text",
        text=[panel.origin_label],
        textposition="bottom center",
        textfont={"color": theme.ink, "size": 12},
        marker={"size": 5, "color": theme.ink, "symbol": "cross"},
        **quiet,
    )
    return [*lines, origin]


def _mantle(wedge: Wedge, length: float, theme: Theme) -> go.Mesh3d:
    """A cone's surface from the origin, as a fan of triangles around its axis."""
    across = np.linalg.svd(wedge.axis[None, :])[2][1:]  # two directions orthogonal to the axis
    turn = np.linspace(0, 2 * np.pi, CONE_RINGS, endpoint=False)
    ring = np.cos(turn)[:, None] * across[0] + np.sin(turn)[:, None] * across[1]
    half = np.radians(wedge.degrees)
    rim = length * (np.cos(half) * wedge.axis + np.sin(half) * ring)  # (CONE_RINGS, 3)
    x, y, z = np.vstack([np.zeros(3), rim]).T
    first = np.arange(1, CONE_RINGS + 1)
    return go.Mesh3d(
        x=x,
        y=y,
        z=z,
        i=np.zeros(CONE_RINGS, dtype=int),
        j=first,
        k=np.roll(first, -1),
        color=theme.raw,
        opacity=0.2,
        hoverinfo="skip",
        showlegend=False,
    )
