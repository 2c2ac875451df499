"""A cloud around the origin, in two or three dimensions, with its cone."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..palette import Theme
from ..projection.panel import Mark, Panel, Wedge
from ..projection.point_colours import PointColours
from .layout import SYMBOL_CODES, axis
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
    rings = [_ring(x, y, mark, theme) for mark in panel.marks]
    look = marker(colours, theme, size=7 if len(x) <= 2000 else 5, opacity=OPACITY)
    symbols = look.pop("symbol", None)
    points = _points(x, y, panel, look)
    lines = [] if panel.lines is None else [_lines(panel.lines, theme)]
    # the whole layout at once: a later update takes longer than everything else here
    figure = go.Figure([points, *lines, *rings], layout | _frame(panel, theme, layout))
    if symbols is not None:
        _set_symbols(figure.data[0].marker, symbols)
    return figure


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
    below = layout["margin"]["b"] + AXIS_MARGIN["b"]
    origin = [_origin(panel.origin_label, theme)] if panel.origin_label else []
    return {
        "margin": layout["margin"] | AXIS_MARGIN | {"b": below},
        "shapes": [*_bands(panel, theme), *_wedges(panel, theme)],
        "xaxis": axis(theme, panel.axis_titles[0], range=panel.ends[0], **look),
        "yaxis": axis(theme, panel.axis_titles[1], range=panel.ends[1], scaleanchor="x", **look),
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
        # a click must not fade the other points; only the lasso does, in the browser
        "selected": {"marker": {"opacity": OPACITY}},
        "unselected": {"marker": {"opacity": OPACITY}},
    }


def _lines(lines: np.ndarray, theme: Theme) -> go.Scattergl:
    x, y = lines.astype(np.float32).T
    look = {"color": theme.ink, "width": 1}
    return go.Scattergl(x=x, y=y, mode="lines", line=look, hoverinfo="skip", showlegend=False)


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
            _sector(panel.cone_length, middle - wedge.degrees, middle + wedge.degrees)
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
        _sector(panel.cone_length, sign * band.low, sign * band.high) | look
        for band in panel.bands
        for sign in (1, -1)
    ]


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
    figure = go.Figure(
        go.Scatter3d(
            x=x,
            y=y,
            z=z,
            mode="markers",
            marker=_named_symbols(marker(colours, theme, size=3.5, opacity=0.8)),
            text=list(panel.texts),
            hovertemplate="%{text}<extra></extra>",
            showlegend=False,
        )
    )
    for mark in panel.marks:
        rows = list(mark.rows)
        figure.add_trace(
            go.Scatter3d(
                x=x[rows],
                y=y[rows],
                z=z[rows],
                mode="markers",
                marker={"symbol": mark.symbol, "size": 8, "color": theme.accent},
                name=mark.caption,
                hoverinfo="skip",
                showlegend=True,
            )
        )
    figure.add_traces(_axes(panel, theme))
    figure.add_traces([_mantle(wedge, panel.cone_length, theme) for wedge in panel.drawn_wedges])
    box = {
        "backgroundcolor": theme.paper,
        "gridcolor": theme.grid,
        "showticklabels": False,
        "zeroline": False,
        "showspikes": False,
    }
    # the names are at the lines through the origin, or at the box if there is no origin
    names = [""] * 3 if panel.origin_label else panel.axis_titles
    x_axis, y_axis, z_axis = (
        {**box, "range": ends, "title": {"text": name}}
        for name, ends in zip(names, panel.ends, strict=True)
    )
    figure.update_layout(
        layout,
        scene={
            "xaxis": x_axis,
            "yaxis": y_axis,
            "zaxis": z_axis,
            "aspectmode": "cube" if panel.frame is None else "data",
            # the first axis, the mean direction, points up
            "camera": {
                "up": {"x": 1, "y": 0, "z": 0},
                "eye": {"x": 0.65, "y": 0.75, "z": -1.45},
            },
            "dragmode": "orbit",
        },
    )
    return figure


def _named_symbols(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings with symbols by name: scatter3d takes no numbers for them."""
    if "symbol" in settings:
        names = {code: name for name, code in SYMBOL_CODES.items()}
        settings["symbol"] = [names[code] for code in settings["symbol"]]
    return settings


def _axes(panel: Panel, theme: Theme) -> list[go.Scatter3d]:
    """Three lines through the origin with their titles at the positive ends."""
    if not panel.origin_label:
        return []
    lines = [
        go.Scatter3d(
            **{name: ends if name == along else [0, 0] for name in "xyz"},
            mode="lines+text",
            text=["", title],
            textposition="top center",
            textfont={"color": theme.ink, "size": 11},
            line={"color": theme.ink, "width": 3},
            hoverinfo="skip",
            showlegend=False,
        )
        for along, title, ends in zip("xyz", panel.axis_titles, panel.ends, strict=True)
    ]
    origin = go.Scatter3d(
        x=[0],
        y=[0],
        z=[0],
        mode="markers+text",
        text=[panel.origin_label],
        textposition="bottom center",
        textfont={"color": theme.ink, "size": 12},
        marker={"size": 5, "color": theme.ink, "symbol": "cross"},
        hoverinfo="skip",
        showlegend=False,
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
