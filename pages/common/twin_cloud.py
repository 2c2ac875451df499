"""The twin cloud: the same points in several pictures, moved by one hand (assets/components/twin).

Positions and colours travel as arrays of their own, under names that their contents decide: a
control that changes neither sends neither. Needs WebGL2; where a browser has none,
``has_no_webgl2`` says so from then on, and the page draws with Plotly.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from geometry.figures.colours import PointColours
from geometry.figures.panel import WIDEST_DRAWN
from geometry.figures.theme import Theme
from geometry.packing import pack_codes, unpack_rows
from geometry.twin import ConeEdge

from .scripts import served
from .words import Translate

COMPONENTS = Path(__file__).parents[2] / "assets" / "components" / "twin"
SIDE = 440  # pixels, the height of a picture at most
NO_WEBGL2 = "no-webgl2"


@dataclass(frozen=True)
class Points:
    """Packed places (``geometry.packing.pack_cloud``) under a name of their own."""

    name: str
    body: bytes

    @classmethod
    def of(cls, body: bytes) -> Points:
        """Named by what they are."""
        return cls(sha256(body).hexdigest()[:24], body)


@dataclass(frozen=True)
class Aside:
    """A picture beside the film's path: its places (one frame), its name, its cones."""

    points: Points
    name: str
    cones: Sequence[ConeEdge] = ()


@dataclass(frozen=True)
class Picture:
    """One picture: the frames it passes through on its film, and what each stop is called.

    between : what it is called between two stops; {0}, {1}, … are the knobs there.
    aside : shown instead while the film stands nowhere on its path.
    """

    path: Sequence[int]
    names: Sequence[str]
    between: str = ""
    aside: Aside | None = None


@dataclass(frozen=True)
class Marks:
    """Points to ring: their rows; "circle", "square" or "diamond"."""

    rows: Sequence[int]
    shape: str


@dataclass(frozen=True)
class TwinCloud:
    """What is drawn.

    points : the frames, of n rows each.   rows_key : names the rows; a selection ends with it.
    knobs : of each stop of the longest path.   at : where the film stands, in stops; None beside
    its path.   cones : by frame.   reach : half-width of the home view.
    """

    points: Points
    rows_key: str
    pictures: Sequence[Picture]
    colours: PointColours
    reach: float
    axis_titles: Sequence[str]
    origin_label: str | None
    name: str
    alt: str
    at: float | None = 0.0
    knobs: Sequence[tuple[float, ...]] = ((),)
    cones: Sequence[Sequence[ConeEdge]] = ()
    marks: Sequence[Marks] = field(default_factory=tuple)

    @property
    def n(self) -> int:
        """Points a picture."""
        return len(self.colours.codes)


def has_no_webgl2() -> bool:
    """True once this session's browser has said that it can't draw these pictures."""
    return bool(st.session_state.get(NO_WEBGL2))


def show_twin_cloud(
    cloud: TwinCloud,
    theme: Theme,
    _: Translate,
    *,
    key: str,
    texts: str = "",
    on_point: Callable[[int], None] | None = None,
    on_selection: Callable[[np.ndarray], None] | None = None,
    on_settled: Callable[[float], None] | None = None,
) -> None:
    """Draw it, or change what of it has changed where one of that key is on the page.

    texts : the name under which ``charts.share_texts`` sent the points' texts.
    on_point : called with a clicked row.   on_selection : with the rows inside a lasso, ascending;
    none where it was taken back.   on_settled : with the stop at which a reader left the film.
    """
    place = f"twin-{key}"
    n = cloud.n

    def told(event: str) -> Any:
        return st.session_state[place].get(event)

    def chosen() -> None:
        if on_point is not None and told("chosen") is not None:
            on_point(int(told("chosen")))

    def selected() -> None:
        text = told("selected")
        if on_selection is not None and text is not None:
            on_selection(unpack_rows(text, n) if text else np.zeros(0, dtype=np.int64))

    def settled() -> None:
        if on_settled is not None and told("settled") is not None:
            on_settled(float(told("settled")))

    def missing() -> None:
        st.session_state[NO_WEBGL2] = True

    codes = Points.of(pack_codes(cloud.colours.codes))
    asides = [one.aside.points for one in cloud.pictures if one.aside is not None]
    with st.container(key=place + "-box"):
        for slot, points in (("points", cloud.points), ("codes", codes)):
            _hold(points, f"{place}-{slot}")
        for points in asides:
            _hold(points, f"{place}-aside")
        _component()(
            key=place,
            data=json.dumps(_message(cloud, codes, theme, texts, _)).encode(),
            on_chosen_change=chosen,
            on_selected_change=selected,
            on_settled_change=settled,
            on_missing_change=missing,
        )


def _hold(points: Points, key: str) -> None:
    name = points.name.encode()
    _arrays()(key=key, data=len(name).to_bytes(4, "little") + name + points.body)


def _message(
    cloud: TwinCloud, codes: Points, theme: Theme, texts: str, _: Translate
) -> dict[str, Any]:
    """All but the arrays: small, and sent whenever any of it changes."""
    return {
        "rows": cloud.rows_key,
        "codes": codes.name,
        "texts": texts,
        "views": [_picture(one, cloud) for one in cloud.pictures],
        "knobs": [list(knobs) for knobs in cloud.knobs],
        "at": cloud.at,
        "cones": [_cones(edges) for edges in cloud.cones],
        "widest": WIDEST_DRAWN,
        "reach": cloud.reach,
        "axes": list(cloud.axis_titles),
        "origin": cloud.origin_label or "",
        "theme": _theme(theme),
        "legend": {"title": cloud.colours.title, "names": cloud.colours.names},
        "marks": [{"rows": [int(row) for row in m.rows], "shape": m.shape} for m in cloud.marks],
        "name": cloud.name,
        "alt": cloud.alt,
        "side": SIDE,
        "words": _words(_),
    }


def _picture(one: Picture, cloud: TwinCloud) -> dict[str, Any]:
    told: dict[str, Any] = {
        "points": cloud.points.name,
        "path": list(one.path),
        "names": list(one.names),
        "between": one.between,
    }
    if one.aside is not None:
        told["aside"] = {
            "points": one.aside.points.name,
            "name": one.aside.name,
            "cones": _cones(one.aside.cones),
        }
    return told


def _cones(edges: Sequence[ConeEdge]) -> list[dict[str, Any]]:
    return [{"axis": edge.axis.tolist(), "degrees": edge.drawn} for edge in edges]


def _theme(theme: Theme) -> dict[str, Any]:
    return {
        "ink": theme.ink,
        "grid": theme.grid,
        "paper": theme.paper,
        "accent": theme.accent,
        "cone": theme.raw,
        "categories": list(theme.categories),
        "scale": list(theme.scale),
    }


def _words(_: Translate) -> Mapping[str, str]:
    """What stands on buttons, and is said."""
    return {
        "play": _("Play"),
        "stop": _("Stop"),
        "film": _("From raw to white"),
        "lasso": _("Lasso"),
        "nearer": _("Zoom in"),
        "farther": _("Zoom out"),
        "reset": _("Reset view"),
        "perspective": _("Perspective"),
        "selected": _("{n} points selected"),
        "empty": _("There is no point to draw."),
        "lost": _("The graphics card is busy; the picture comes back by itself."),
        "missing": _("This browser has no WebGL2; the picture is drawn in another way."),
        "keys": _(
            "Arrow keys turn, with Shift they move; + and − zoom; 0 resets; Tab walks through the "
            "selected points, Enter chooses one, Escape ends the selection."
        ),
    }


@st.cache_resource(show_spinner=False)
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "narrow_cone_twin",
        html=(COMPONENTS / "twin.html").read_text(encoding="utf8"),
        css=(COMPONENTS / "twin.css").read_text(encoding="utf8"),
        js=served(COMPONENTS / "twin.js"),
        isolate_styles=False,  # the pictures stand in the page's own tab order and typeface
    )


@st.cache_resource(show_spinner=False)
def _arrays() -> Callable[..., Any]:
    script = (COMPONENTS / "arrays.js").read_text(encoding="utf8")
    return st.components.v2.component("narrow_cone_arrays", js=script)
