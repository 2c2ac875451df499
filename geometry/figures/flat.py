"""A panel in two dimensions: WebGL points over an SVG wedge."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from .colours import PointColours, marker
from .panel import Panel
from .theme import Theme, axis

ARC_POINTS = 24
OPACITY = 0.75


def draw_flat(
    panel: Panel, colours: PointColours, theme: Theme, layout: dict[str, Any]
) -> go.Figure:
    """Scattergl with equal axes, the origin in the middle, wedges and bands below the points."""
    x, y = panel.coordinates.astype(np.float32).T
    look = marker(colours, theme, size=7 if len(x) <= 2000 else 5, opacity=OPACITY)
    symbols = look.pop("symbol", None)
    figure = go.Figure(
        go.Scattergl(
            x=x,
            y=y,
            mode="markers",
            marker=look,
            text=list(panel.texts),
            hovertemplate="%{text}<extra></extra>",
            showlegend=False,
            # only a lasso fades points, and the browser says which
            selected={"marker": {"opacity": OPACITY}},
            unselected={"marker": {"opacity": OPACITY}},
        )
    )
    if symbols is not None:
        # past the validator, which looks at each entry by itself: 0.3 s for 5,000 points
        figure.data[0].marker._props["symbol"] = symbols
    for mark in panel.marks:
        rows = list(mark.rows)
        ring = {"symbol": mark.symbol, "size": 15, "color": theme.accent, "line": {"width": 2.5}}
        figure.add_trace(
            go.Scattergl(
                x=x[rows],
                y=y[rows],
                mode="markers",
                marker=ring,
                name=mark.caption,
                hoverinfo="skip",
                showlegend=True,
            )
        )
    span = [-panel.reach, panel.reach]
    has_origin = panel.origin_label is not None
    figure.update_layout(
        layout,
        shapes=[*_bands(panel, theme), *_wedges(panel, theme)],
        xaxis=axis(
            theme, panel.axis_titles[0], range=span, constrain="domain", zeroline=has_origin
        ),
        yaxis=axis(
            theme,
            panel.axis_titles[1],
            range=span,
            scaleanchor="x",
            constrain="domain",
            zeroline=has_origin,
        ),
        dragmode="pan",
        clickmode="event",
    )
    if panel.origin_label:
        figure.add_annotation(
            x=0,
            y=0,
            text=f"✚ {panel.origin_label}",
            xanchor="right",
            yanchor="top",
            showarrow=False,
            opacity=0.85,
            bgcolor=theme.paper,
            font={"size": 12, "color": theme.ink},
        )
    return figure


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
