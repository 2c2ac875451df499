"""Clouds as points on the plane of alignment against uniformity, and a training as a path on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from ..palette import Theme
from .layout import axis, base_layout

LABEL_SIZE = 15  # px
LABEL_HEIGHT = 22  # px between two labels
LABEL_GAP = 46  # px between a point and its label
MARGIN = 0.09  # share of an axis's range that stays free on both sides
FRAME = 110  # px of the height outside of the axes


@dataclass(frozen=True)
class PlanePoint:
    """A cloud."""

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
    x = np.array([*(point.uniformity for point in points), *path.uniformity])
    y = np.array([*(point.alignment for point in points), *path.alignment])
    (left, right), (low, high) = (_limits(each) for each in (x, y))
    values = np.array([*(point.value for point in points), *path.values])
    finite = values[np.isfinite(values)]
    colours = {
        "colorscale": [[i / (len(theme.scale) - 1), hue] for i, hue in enumerate(theme.scale)],
        "cmin": float(finite.min()) if len(finite) else 0.0,
        "cmax": float(finite.max()) if len(finite) else 1.0,
        "colorbar": {
            "title": {"text": titles[2], "side": "right", "font": {"size": 13}},
            "thickness": 12,
            "outlinewidth": 0,
        },
    }
    line = go.Scatter(
        x=np.asarray(path.uniformity, dtype=np.float32),
        y=np.asarray(path.alignment, dtype=np.float32),
        text=list(path.about),
        name=path.name,
        mode="lines+markers",
        line={"color": theme.ink, "width": 1.5},
        marker={"color": np.asarray(path.values, dtype=np.float32), "coloraxis": "coloraxis"}
        | {"size": 6},
        hovertemplate="%{text}<extra></extra>",
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
        hovertemplate="%{text}<extra></extra>",
    )
    return go.Figure(
        [line, dots],
        base_layout(
            theme,
            height=height,
            xaxis=axis(theme, titles[0], zeroline=False, range=[left, right]),
            yaxis=axis(theme, titles[1], zeroline=False, range=[low, high]),
            coloraxis=colours,
            showlegend=False,
            annotations=_labels(points, (left, right), (low, high), theme, height),
        ),
    )


def _limits(values: np.ndarray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = MARGIN * ((high - low) or 1.0)
    return low - margin, high + margin


def _labels(
    points: Sequence[PlanePoint],
    across: tuple[float, float],
    upwards: tuple[float, float],
    theme: Theme,
    height: int,
) -> list[dict[str, object]]:
    """A label beside each point, towards the middle, moved so that no two overlap."""
    scale = (height - FRAME) / (upwards[1] - upwards[0])  # px for 1
    labels: list[dict[str, object]] = []
    for is_left in (True, False):
        middle = sum(across) / 2
        side = [point for point in points if (point.uniformity <= middle) is is_left]
        side.sort(key=lambda point: point.alignment)
        floor = -np.inf
        for point in side:
            y = point.alignment * scale
            # px from below; on the right the path comes from the left, so labels are above it
            floor = max(y + (0 if is_left else 3 * LABEL_HEIGHT), floor + LABEL_HEIGHT)
            labels.append(
                {
                    "x": point.uniformity,
                    "y": point.alignment,
                    "text": f"<b>{point.label}</b>" if point.is_main else point.label,
                    "ax": LABEL_GAP if is_left else -LABEL_GAP,
                    "ay": y - floor,
                    "xanchor": "left" if is_left else "right",
                    "yanchor": "middle",
                    "standoff": 9,
                    "arrowhead": 0,
                    "arrowwidth": 1,
                    "arrowcolor": theme.ink,
                    "bgcolor": theme.paper,
                    "opacity": 0.9,
                    "font": {"size": LABEL_SIZE, "color": theme.ink},
                }
            )
    return labels
