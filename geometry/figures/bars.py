"""Groups of bars, one colour a compared cloud."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from ..palette import Theme
from .curves import TITLE_GAP, place_colour
from .layout import PERCENT, axis, base_layout


@dataclass(frozen=True)
class Bars:
    """The bars of one cloud."""

    heights: np.ndarray  # shares
    about: Sequence[str]  # hover texts
    name: str
    place: int  # decides the colour; 0 is raw


def bars_figure(
    groups: Sequence[Bars], x: str, y: str, theme: Theme, *, height: int = 320
) -> go.Figure:
    """Bars 1 to m of each cloud beside each other, as shares."""
    drawn = [
        go.Bar(
            x=np.arange(1, len(bars.heights) + 1),
            y=np.asarray(bars.heights, dtype=np.float32),
            text=list(bars.about),
            name=bars.name,
            textposition="none",
            marker={"color": place_colour(bars.place, theme)},
            hovertemplate="%{text}: %{y:.2%}",
        )
        for bars in groups
    ]
    return go.Figure(
        drawn,
        base_layout(
            theme,
            height=height,
            xaxis=axis(theme, x, dtick=1, zeroline=False),
            yaxis=axis(theme, y, tickformat=PERCENT, title_standoff=TITLE_GAP),
            barmode="group",
            showlegend=True,  # for a single cloud too, because its name is nowhere else
            legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        ),
    )
