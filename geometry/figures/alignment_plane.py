"""Clouds as points on the plane of alignment against uniformity, and a training as a path on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..palette import Theme
from .layout import HOVER_TEXT, axis, colour_bar, drawn, note

LABEL_SIZE = 15  # px
LABEL_HEIGHT = 22  # px between two labels
LABEL_GAP = 46  # px between a point and its label
MARGIN = 0.09  # share of an axis's range that stays free on both sides
FRAME = 110  # px of the height outside of the axes


@dataclass(frozen=True)
class PlanePoint:
    uniformity: float
    alignment: float
    value: float  # its colour
    label: str
    about: str  # hover text
    is_main: bool = False  # larger, with a bold label


@dataclass(frozen=True)
class PlanePath:
    """A training: its place at each recorded step, the colours' values, hover texts, its name."""

    uniformity: np.ndarray
    alignment: np.ndarray
    values: np.ndarray
    about: Sequence[str]
    name: str


def plane_figure(
    points: Sequence[PlanePoint],
    path: PlanePath,
    titles: tuple[str, str, str],  # of x, y and the colours
    theme: Theme,
    *,
    height: int = 430,
) -> go.Figure:
    """Points with labels, and the path as a line with a dot for each recorded step."""
    across = _limits([*(point.uniformity for point in points), *path.uniformity])
    upwards = _limits([*(point.alignment for point in points), *path.alignment])
    values = np.array([*(point.value for point in points), *path.values])
    finite = values[np.isfinite(values)]
    colours = {
        "colorscale": [[i / (len(theme.scale) - 1), hue] for i, hue in enumerate(theme.scale)],
        "cmin": float(finite.min()) if len(finite) else 0.0,
        "cmax": float(finite.max()) if len(finite) else 1.0,
        "colorbar": colour_bar(titles[2], thickness=12, outlinewidth=0),
    }
    line = go.Scatter(
        x=np.asarray(path.uniformity, dtype=np.float32),
        y=np.asarray(path.alignment, dtype=np.float32),
        text=list(path.about),
        name=path.name,
        mode="lines+markers",
        line={"color": theme.ink, "width": 1.5},
        marker={
            "color": np.asarray(path.values, dtype=np.float32),
            "coloraxis": "coloraxis",
            "size": 6,
        },
        hovertemplate=HOVER_TEXT,
    )
    dots = go.Scatter(
        x=[point.uniformity for point in points],
        y=[point.alignment for point in points],
        text=[point.about for point in points],
        mode="markers",
        marker={
            "color": [point.value for point in points],
            "coloraxis": "coloraxis",
            "size": [19 if point.is_main else 14 for point in points],
            "line": {"color": theme.ink, "width": 1.5},
        },
        hovertemplate=HOVER_TEXT,
    )
    return drawn(
        [line, dots],
        theme,
        height=height,
        xaxis=axis(theme, titles[0], zeroline=False, range=across),
        yaxis=axis(theme, titles[1], zeroline=False, range=upwards),
        coloraxis=colours,
        showlegend=False,
        annotations=_labels(points, across, upwards, theme, height),
    )


def _limits(values: Sequence[float]) -> list[float]:
    low, high = float(min(values)), float(max(values))
    margin = MARGIN * ((high - low) or 1.0)
    return [low - margin, high + margin]


def _labels(
    points: Sequence[PlanePoint],
    across: Sequence[float],
    upwards: Sequence[float],
    theme: Theme,
    height: int,
) -> list[dict[str, object]]:
    """A label beside each point, towards the middle, moved so that no two overlap."""
    scale = (height - FRAME) / (upwards[1] - upwards[0])  # px for 1
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
            x, look["ay"] = point.uniformity, y - floor
            labels.append(note(text, x, point.alignment, theme, size=LABEL_SIZE, **look))
    return labels
