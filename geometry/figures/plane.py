"""The plane of three points: a basis with its lattice, arrows from the origin, angles between."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from .plane_labels import place_labels
from .theme import Theme, axis, base_layout

HALF_RANGES = (
    3.5,
    4,
    5,
    6,
    7,
    8,
    10,
    12,
    14,
    17,
    20,
    25,
    30,
)  # steps, so that the frame seldom jumps
HEIGHT = 410  # px
LATTICE = 5  # lines to each side
ROOM = 1.25  # the frame over the farthest arrow, for its label
ARC_RADII = (0.15, 0.21)  # of the angles a-b and a-c, as shares of the half range
ARC_SPOTS = [16, 11, 21, 6, 26]  # of its 33 points, where the degrees may stand; its middle first
NOWHERE = 1e-9  # a vector shorter than this has no direction
TIP = 11  # px, an arrow's head


@dataclass(frozen=True, eq=False)
class PlaneScene:
    """What one panel shows, in the coordinates that it is drawn in.

    points : (3, 2), a, b, c.   basis : (2, 2), columns e1, e2.   basis_origin : (2,), where the
    basis starts; cosine always measures from (0, 0).   cloud : (n, 2), behind.
    """

    points: np.ndarray
    basis: np.ndarray
    basis_origin: np.ndarray
    cloud: np.ndarray


@dataclass(frozen=True)
class PlaneLabels:
    """Words of one panel.

    points, basis : texts beside the arrows of a, b, c and of e1, e2.   x, y : axis titles.
    cloud, unit_circle, origin, lattice, names : what the traces are called.
    """

    points: tuple[str, str, str]
    basis: tuple[str, str]
    x: str
    y: str
    cloud: str
    unit_circle: str
    origin: str
    lattice: str
    names: tuple[str, str, str] = ("a", "b", "c")


@dataclass(frozen=True, eq=False)
class _Arrow:
    start: np.ndarray
    end: np.ndarray
    name: str
    text: str
    colour: str
    width: float


@dataclass(frozen=True, eq=False)
class _Arc:
    path: np.ndarray
    text: str
    name: str
    colour: str


def shared_half_range(scenes: Iterable[PlaneScene]) -> float:
    """Half the side of a square around the origin that holds every scene."""
    needed = max(
        max(
            ROOM * float(np.abs(scene.points).max()),
            ROOM * float(np.abs(scene.basis_origin + scene.basis.T).max()),
            float(np.abs(scene.cloud).max()),
        )
        for scene in scenes
    )
    return float(next((step for step in HALF_RANGES if step >= needed), np.ceil(needed)))


def draw_plane(
    scene: PlaneScene,
    *,
    half_range: float,
    labels: PlaneLabels,
    theme: Theme,
    cloud_colour: str,
    unit_circle: bool = True,
) -> go.Figure:
    """One panel, equal aspect, the origin in the middle of the frame [-half_range, half_range]²."""
    arrows, arcs = _arrows(scene, labels, theme), _arcs(scene, theme, half_range)
    figure = go.Figure([_lattice(scene, theme, labels.lattice)])
    figure.add_trace(_cloud(scene, cloud_colour, labels.cloud))
    if unit_circle:
        figure.add_trace(_unit_circle(scene, theme, labels.unit_circle))
    figure.add_traces([_line(arc.path, arc.colour, arc.name, width=2) for arc in arcs])
    figure.add_traces([_drawn(arrow) for arrow in arrows])
    figure.add_trace(_origin(theme, labels.origin))
    _write_labels(figure, arrows, arcs, half_range, theme)
    settings = {
        "range": [-half_range, half_range],
        "dtick": 1 if half_range < 6 else 2 if half_range < 12 else 5,
        "constrain": "domain",
        "showgrid": False,
    }
    figure.update_layout(
        **base_layout(theme, height=HEIGHT, showlegend=False, dragmode=False),
        xaxis=axis(theme, labels.x, **settings),
        yaxis=axis(
            theme, labels.y, **settings, constraintoward="top", scaleanchor="x", scaleratio=1
        ),
    )
    figure.update_xaxes(title_standoff=4).update_yaxes(title_standoff=4)
    return figure


def _lattice(scene: PlaneScene, theme: Theme, name: str) -> go.Scatter:
    """Lines of whole coordinates from -LATTICE to LATTICE, one trace broken by nan."""
    ticks = np.arange(-LATTICE, LATTICE + 1)
    gap = [np.nan, np.nan]
    rows = [
        row
        for k in ticks
        for row in ([k, -LATTICE], [k, LATTICE], gap, [-LATTICE, k], [LATTICE, k], gap)
    ]
    points = np.array(rows, dtype=float) @ scene.basis.T + scene.basis_origin
    return _line(points, theme.grid, name, width=1)


def _cloud(scene: PlaneScene, colour: str, name: str) -> go.Scatter:
    x, y = scene.cloud.astype(np.float32).T
    return go.Scatter(
        x=x, y=y, mode="markers", name=name, hoverinfo="skip",
        marker={"size": 4, "color": colour, "opacity": 0.35},
    )  # fmt: skip


def _unit_circle(scene: PlaneScene, theme: Theme, name: str) -> go.Scatter:
    turn = np.linspace(0, 2 * np.pi, 97)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    points = circle @ scene.basis.T + scene.basis_origin
    return _line(points, theme.categories[5], name, width=1.5, dash="dash")


def _arrows(scene: PlaneScene, labels: PlaneLabels, theme: Theme) -> list[_Arrow]:
    """e1 and e2 from where the basis starts, then a, b, c from the origin."""
    start, violet = scene.basis_origin, theme.categories[5]
    basis = zip(("e1", "e2"), labels.basis, scene.basis.T, strict=True)
    points = zip(labels.names, labels.points, scene.points, _hues(theme), strict=True)
    return [
        *(_Arrow(start, start + axis, name, text, violet, 3.5) for name, text, axis in basis),
        *(_Arrow(np.zeros(2), end, name, text, hue, 2.5) for name, text, end, hue in points),
    ]


def _hues(theme: Theme) -> tuple[str, str, str]:
    return theme.ink, theme.categories[2], theme.categories[3]


def _drawn(arrow: _Arrow) -> go.Scatter:
    """The arrow's line and head; a point on the origin is a dot."""
    (x0, y0), (x1, y1) = arrow.start, arrow.end
    is_long = np.linalg.norm(arrow.end - arrow.start) > NOWHERE
    return go.Scatter(
        x=[x0, x1],
        y=[y0, y1],
        mode="lines+markers",
        name=arrow.name,
        line={"color": arrow.colour, "width": arrow.width},
        marker={
            "symbol": "arrow" if is_long else "circle",
            "angleref": "previous" if is_long else "up",
            "size": [0, TIP],
            "color": arrow.colour,
            "opacity": 1,
            "line": {"width": 0},
        },
        hoverinfo="text",
        hovertext=["", f"{arrow.text} → ({x1:.2f}, {y1:.2f})"],
    )


def _origin(theme: Theme, name: str) -> go.Scatter:
    return go.Scatter(
        x=[0], y=[0], mode="markers", name=name, hoverinfo="name",
        marker={"symbol": "circle", "size": 8, "color": theme.paper,
                "line": {"color": theme.ink, "width": 2}},
    )  # fmt: skip


def _arcs(scene: PlaneScene, theme: Theme, half_range: float) -> list[_Arc]:
    """The angles a-b and a-c around the origin; none where a point lies on it."""
    a, b, c = scene.points
    _, hue_b, hue_c = _hues(theme)
    wanted = (("a-b", b, hue_b, ARC_RADII[0]), ("a-c", c, hue_c, ARC_RADII[1]))
    arcs = []
    for name, other, hue, radius in wanted:
        if min(np.linalg.norm(a), np.linalg.norm(other)) < NOWHERE:
            continue
        turn = np.arctan2(a[0] * other[1] - a[1] * other[0], a @ other)
        along = np.arctan2(a[1], a[0]) + np.linspace(0, turn, 33)
        path = radius * half_range * np.column_stack([np.cos(along), np.sin(along)])
        arcs.append(_Arc(path, f"{np.degrees(abs(turn)):.0f}°", name, hue))
    return arcs


def _line(
    points: np.ndarray, colour: str, name: str, *, width: float, dash: str = "solid"
) -> go.Scatter:
    return go.Scatter(
        x=points[:, 0], y=points[:, 1], mode="lines", name=name, hoverinfo="skip",
        line={"color": colour, "width": width, "dash": dash},
    )  # fmt: skip


def _write_labels(
    figure: go.Figure,
    arrows: Sequence[_Arrow],
    arcs: Sequence[_Arc],
    half_range: float,
    theme: Theme,
) -> None:
    marks = [(arrow.end, arrow.text, arrow.colour) for arrow in arrows]
    marks += [(arc.path[ARC_SPOTS], arc.text, arc.colour) for arc in arcs]
    anchors, texts, colours = zip(*marks, strict=True)
    lines = [np.array([one.start, one.end]) for one in arrows] + [arc.path for arc in arcs]
    places = place_labels(anchors, texts, lines, half_range)
    for (x, y), text, colour in zip(places.tolist(), texts, colours, strict=True):
        figure.add_annotation(
            x=x,
            y=y,
            text=text,
            showarrow=False,
            font={"color": colour, "size": 14},
            bgcolor=theme.paper,
            borderpad=0,
        )
