"""Arrows from the origin and forces at their tips: a softmax in two dimensions."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..palette import Theme
from ..training.softmax import NAMES, SoftmaxToy
from .layout import axis, dots, drawn, line, note

LONGEST_FORCE = 0.35  # length of the longest force, as a share of the half-width
GONE = 1e-3  # share of the longest force; a shorter force is not drawn
REACH = 5.5  # half-width of both axes


def arrows_figure(toy: SoftmaxToy, labels: dict[str, str], theme: Theme) -> go.Figure:
    """Hidden states as points, tokens as arrows from the origin, forces magnified at their tips.

    labels : of "hidden", "token", "pull" and "push"
    """
    longest = np.linalg.norm([toy.pull, toy.push], axis=-1).max()
    scale = LONGEST_FORCE * REACH / longest if longest else 0.0
    hues = {"token": theme.ink, "pull": theme.white, "push": theme.raw}
    point = {"color": theme.other, "size": 9}
    x, y = toy.hidden.T
    hover = "(%{x:.2f}, %{y:.2f})<extra></extra>"
    traces = [
        dots(x, y, (), labels["hidden"], marker=point, hovertemplate=hover),
        *(  # entries of the legend
            line([None], [None], labels[name], line={"color": hue, "width": 3})
            for name, hue in hues.items()
        ),
    ]
    dotted = {"color": theme.ink, "width": 1, "dash": "dot"}
    arrows = []
    for place, name in enumerate(NAMES):
        tip = toy.tokens[place]
        traces.append(line(*toy.path[:, place].T, line=dotted))
        arrows.append(_arrow(np.zeros(2), tip, theme.ink, 2.0))
        for force, colour in ((toy.pull[place], theme.white), (toy.push[place], theme.raw)):
            if longest and np.linalg.norm(force) > GONE * longest:
                arrows.append(_arrow(tip, tip + scale * force, colour, 3.0))
        arrows.append(note(f"<b>{name}</b>", tip[0], tip[1], theme, size=16, xshift=12, yshift=12))
    look = {"range": [-REACH, REACH], "zeroline": True, "constrain": "domain"}
    return drawn(
        traces,
        theme,
        height=440,
        xaxis=axis(theme, "", **look),
        yaxis=axis(theme, "", scaleanchor="x", **look),
        annotations=arrows,
    )


def _arrow(start: np.ndarray, tip: np.ndarray, colour: str, width: float) -> dict[str, Any]:
    ends = {"x": tip[0], "y": tip[1], "ax": start[0], "ay": start[1]}
    look = {"arrowhead": 2, "arrowwidth": width, "arrowcolor": colour}
    return {**ends, "xref": "x", "yref": "y", "axref": "x", "ayref": "y", **look, "text": ""}
