"""Arrows from the origin and forces at their tips: a softmax in two dimensions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..palette import Theme
from .layout import axis, dots, drawn, line, note

LONGEST_FORCE = 0.35  # length of the longest force, as a share of the half-width
GONE = 1e-3  # share of the longest force; a shorter force is not drawn


@dataclass(frozen=True)
class Token:
    """A token's vector, its way there, and the forces on it."""

    name: str
    path: np.ndarray  # (m, 2), the last row is where it is
    pull: np.ndarray  # (2,)
    push: np.ndarray  # (2,)


def arrows_figure(
    hidden: np.ndarray,
    tokens: Sequence[Token],
    labels: dict[str, str],  # of "hidden", "token", "pull" and "push"
    theme: Theme,
    *,
    reach: float,
) -> go.Figure:
    """Hidden states as points, tokens as arrows from the origin, forces magnified at their tips."""
    longest = max(np.linalg.norm(f) for each in tokens for f in (each.pull, each.push))
    scale = LONGEST_FORCE * reach / longest if longest else 0.0
    hues = {"token": theme.ink, "pull": theme.white, "push": theme.raw}
    point = {"color": theme.other, "size": 9}
    hover = "(%{x:.2f}, %{y:.2f})<extra></extra>"
    traces = [
        dots(hidden[:, 0], hidden[:, 1], (), labels["hidden"], marker=point, hovertemplate=hover),
        *(  # entries of the legend
            line([None], [None], labels[name], line={"color": hue, "width": 3})
            for name, hue in hues.items()
        ),
    ]
    arrows = []
    for each in tokens:
        tip = each.path[-1]
        traces.append(line(*each.path.T, line={"color": theme.ink, "width": 1, "dash": "dot"}))
        arrows.append(_arrow(np.zeros(2), tip, theme.ink, 2.0))
        for force, colour in ((each.pull, hues["pull"]), (each.push, hues["push"])):
            if longest and np.linalg.norm(force) > GONE * longest:
                arrows.append(_arrow(tip, tip + scale * force, colour, 3.0))
        arrows.append(
            note(f"<b>{each.name}</b>", tip[0], tip[1], theme, size=16, xshift=12, yshift=12)
        )
    look = {"range": [-reach, reach], "zeroline": True, "constrain": "domain"}
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
