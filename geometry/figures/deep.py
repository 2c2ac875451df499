"""A panel in three dimensions: points, axes through the origin, the cone's mantle."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from .colours import PointColours, marker
from .panel import Panel, Wedge
from .theme import SYMBOL_CODES, Theme

CONE_RINGS = 48


def draw_deep(
    panel: Panel, colours: PointColours, theme: Theme, layout: dict[str, Any]
) -> go.Figure:
    """Scatter3d in a cube around the origin; the camera stays where the reader put it."""
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
    figure.add_traces([_mantle(wedge, panel.reach, theme) for wedge in panel.drawn_wedges])
    box = {
        "range": [-panel.reach, panel.reach],
        "backgroundcolor": theme.paper,
        "gridcolor": theme.grid,
        "showticklabels": False,
        "zeroline": False,
        "showspikes": False,
    }
    # lines through the origin carry the names where there is an origin, the box where there is none
    names = [""] * 3 if panel.origin_label else panel.axis_titles
    x_axis, y_axis, z_axis = ({**box, "title": {"text": name}} for name in names)
    figure.update_layout(
        layout,
        scene={
            "xaxis": x_axis,
            "yaxis": y_axis,
            "zaxis": z_axis,
            "aspectmode": "cube",
            "camera": {"eye": {"x": 0.75, "y": -1.45, "z": 0.65}},
            "dragmode": "orbit",
        },
    )
    return figure


def _named_symbols(settings: dict[str, Any]) -> dict[str, Any]:
    """scatter3d knows symbols by name only."""
    if "symbol" in settings:
        names = {code: name for name, code in SYMBOL_CODES.items()}
        settings["symbol"] = [names[code] for code in settings["symbol"]]
    return settings


def _axes(panel: Panel, theme: Theme) -> list[go.Scatter3d]:
    """Three lines through the origin, named at their positive ends."""
    if not panel.origin_label:
        return []
    reach = panel.reach
    lines = [
        go.Scatter3d(
            **{name: [-reach, reach] if name == along else [0, 0] for name in "xyz"},
            mode="lines+text",
            text=["", title],
            textposition="top center",
            textfont={"color": theme.ink, "size": 11},
            line={"color": theme.ink, "width": 3},
            hoverinfo="skip",
            showlegend=False,
        )
        for along, title in zip("xyz", panel.axis_titles, strict=True)
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


def _mantle(wedge: Wedge, reach: float, theme: Theme) -> go.Mesh3d:
    """A cone's surface from the origin, as a fan of triangles around its axis."""
    across = np.linalg.svd(wedge.axis[None, :])[2][1:]  # two directions orthogonal to the axis
    turn = np.linspace(0, 2 * np.pi, CONE_RINGS, endpoint=False)
    ring = np.cos(turn)[:, None] * across[0] + np.sin(turn)[:, None] * across[1]
    half = np.radians(wedge.degrees)
    rim = reach * (np.cos(half) * wedge.axis + np.sin(half) * ring)  # (CONE_RINGS, 3)
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
