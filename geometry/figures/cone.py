"""A cloud around the origin, in 2D or 3D, with the cone that holds it."""

from __future__ import annotations

import plotly.graph_objects as go

from .colours import PointColours
from .deep import draw_deep
from .flat import draw_flat
from .panel import Band, Mark, Panel, Wedge, panel_layout
from .theme import Theme

__all__ = ["Band", "Mark", "Panel", "Wedge", "cone_figure"]


def cone_figure(
    panel: Panel, colours: PointColours, theme: Theme, *, height: int = 440, lines: int = 3
) -> go.Figure:
    """The panel as a figure: Scattergl for two components, Scatter3d for three.

    ``lines`` : caption lines to leave room for; compared panels pass the same.
    """
    layout = panel_layout(panel, theme, height=height, lines=lines)
    draw = draw_flat if panel.coordinates.shape[1] == 2 else draw_deep
    return draw(panel, colours, theme, layout)
