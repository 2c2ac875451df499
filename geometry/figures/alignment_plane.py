"""Clouds as points on the plane of alignment against uniformity, and a training as a path on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..palette import Theme
from .layout import axis, colour_bar, dots, drawn, note

LABEL_SIZE = 15  # px
LABEL_HEIGHT = 22  # px between two labels
LABEL_GAP = 46  # px between a point and its label
MARGIN = 0.09  # share of an axis's range that stays free on both sides
HEIGHT = 430  # px
FRAME = 110  # px of it outside of the axes


@dataclass(frozen=True)
class PlanePoint:
    uniformity: float
    alignment: float
    value: float  # its colour
    label: str
    about: str  # hover text
    is_main: bool = False  # larger, with a bold label


def plane_figure(
    points: Sequence[PlanePoint],
    path: Sequence[PlanePoint],  # a training: its place at each recorded step
    name: str,  # of the path
    titles: tuple[str, str, str],  # of x, y and the colours
    theme: Theme,
) -> go.Figure:
    """Points with labels, and the path as a line with a dot for each recorded step."""
    everywhere = [*points, *path]
    across = _limits([point.uniformity for point in everywhere])
    upwards = _limits([point.alignment for point in everywhere])
    values = np.array([point.value for point in everywhere])
    finite = values[np.isfinite(values)]
    colours = {
        "colorscale": [[i / (len(theme.scale) - 1), hue] for i, hue in enumerate(theme.scale)],
        "cmin": float(finite.min()) if len(finite) else 0.0,
        "cmax": float(finite.max()) if len(finite) else 1.0,
        "colorbar": colour_bar(titles[2], thickness=12, outlinewidth=0),
    }
    ink = {"color": theme.ink, "width": 1.5}
    sizes = [19 if point.is_main else 14 for point in points]
    line = _dots(path, {"size": 6}, name=name, mode="lines+markers", line=ink)
    return drawn(
        [line, _dots(points, {"size": sizes, "line": ink})],
        theme,
        height=HEIGHT,
        xaxis=axis(theme, titles[0], zeroline=False, range=across),
        yaxis=axis(theme, titles[1], zeroline=False, range=upwards),
        coloraxis=colours,
        showlegend=False,
        annotations=_labels(points, across, upwards, theme),
    )


def _dots(points: Sequence[PlanePoint], look: dict[str, Any], **more: Any) -> go.Scatter:
    values = np.array([point.value for point in points], dtype=np.float32)
    return dots(
        [point.uniformity for point in points],
        [point.alignment for point in points],
        [point.about for point in points],
        marker={"color": values, "coloraxis": "coloraxis", **look},
        **more,
    )


def _limits(values: Sequence[float]) -> list[float]:
    low, high = float(min(values)), float(max(values))
    margin = MARGIN * ((high - low) or 1.0)
    return [low - margin, high + margin]


def _labels(
    points: Sequence[PlanePoint], across: Sequence[float], upwards: Sequence[float], theme: Theme
) -> list[dict[str, object]]:
    """A label beside each point, towards the middle, moved so that no two overlap."""
    scale = (HEIGHT - FRAME) / (upwards[1] - upwards[0])  # px for 1
    arrow = {"showarrow": True, "arrowhead": 0, "arrowwidth": 1, "arrowcolor": theme.ink}
    look: dict[str, Any] = {"standoff": 9, "bgcolor": theme.paper, "opacity": 0.9, **arrow}
    labels: list[dict[str, object]] = []
    for is_left in (True, False):
        side = [point for point in points if (point.uniformity <= sum(across) / 2) is is_left]
        look |= {"xanchor": "left" if is_left else "right", "yanchor": "middle"}
        look["ax"] = LABEL_GAP if is_left else -LABEL_GAP
        floor = -np.inf
        for point in sorted(side, key=lambda each: each.alignment):
            y = point.alignment * scale
            # px from below; on the right the path comes from the left, so labels are above it
            floor = max(y + (0 if is_left else 3 * LABEL_HEIGHT), floor + LABEL_HEIGHT)
            text = f"<b>{point.label}</b>" if point.is_main else point.label
            look["ay"] = y - floor
            place = (point.uniformity, point.alignment)
            labels.append(note(text, *place, theme, size=LABEL_SIZE, **look))
    return labels
