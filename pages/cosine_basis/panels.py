"""The two pictures of the page ``cosine_basis`` with the table of cosines beside them.

The browser draws, drags and measures them (assets/components/plane*.js). The server sends their
initial state and receives the state after each drag.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from geometry.palette import Theme, theme_named
from geometry.projection.plane import POINTS
from pages.common.draw.charts import COMPONENTS
from pages.common.words import _

from .controls import AXES, LIMITS, accept_move, presets, state_of
from .numbers import provenance
from .scene import Scene, background

# joined into one script, because a component cannot import another file
SCRIPTS = ("plane_math.js", "plane_labels.js", "plane_picture.js", "plane_table.js", "plane.js")
KEY = "plane"


def show_pictures(scene: Scene) -> None:
    """Both pictures with their cosines. A drag there sets the controls.

    Before a guess, page.css hides the second picture and its cosines.
    """

    def accept() -> None:
        moved = st.session_state[KEY].get("moved")
        if isinstance(moved, Mapping):
            accept_move(moved)

    message = {
        "serial": st.session_state.get("plane-serial", 0),
        "plane": state_of(scene),
        "choices": {
            "whiten": scene.whiten,
            "reading": scene.reading,
            "circle": scene.unit_circle,
        },
        "words": plane_words() | {"provenance": provenance(scene)},
        "colours": _colours(theme_named(st.context.theme.type)),
        "limits": LIMITS,
        "snaps": snaps(),
        "cloud": background().tolist(),
    }
    with st.container(key="plane-hidden" if scene.is_hidden else "plane-shown"):
        _component()(key=KEY, data=json.dumps(message).encode(), on_moved_change=accept)


def snaps() -> dict[str, Any]:
    """The positions that a handle snaps to: exactly those of the presets."""
    states = list(presets().values())
    return {
        "homes": dict(zip("abc", POINTS.tolist(), strict=True)),
        "shifts": _each((state["shift_x"], state["shift_y"]) for state in states),
        "angles": _each(state["angle"] for state in states),
        "axes": {
            name: [
                {"length": length, "degrees": degrees}
                for length, degrees in _each((state[key], axis(state)) for state in states)
            ]
            for name, (key, axis) in AXES.items()
        },
    }


def _each(values: Any) -> list[Any]:
    """Each value once, in order."""
    return list(dict.fromkeys(values))


def plane_words() -> dict[str, Any]:
    """All text of the pictures in the reader's language; the browser fills in {names}."""
    return {
        "captions": {
            "standard": _("Standard basis: the coordinates as they are"),
            "yours": _("Your basis: where the points are"),
            "white": _("Your basis, whitened"),
        },
        "titles": ("x", "y"),
        "whiteTitles": (_("x after whitening"), _("y after whitening")),
        "columns": {
            "pair": _("Pair"),
            "coordinates": _("Coordinate cosine"),
            "true": _("Cosine in your basis"),
            "whitened": _("After whitening"),
        },
        "undefined": _("undefined"),
        "key": (_("length 1 by coordinates"), _("length 1 in your basis: the metric ellipse of G")),
        "hint": _(
            "Drag a, b, c, the tips of e₁ and e₂, or the ring where they start; or choose one with "
            "the tab key and press the arrows. Near a preset they snap to it (not with Shift)."
        ),
        "hintWhite": _("Undo whitening to drag here; a, b, c can be dragged in the other picture."),
        "whiten": _("Whiten"),
        "undo": _("Undo whitening"),
        "save": _("Download picture (SVG)"),
        "savePixels": _("Download picture (PNG)"),
        "handle": _("point to drag"),
        "handles": {
            "a": _("Point a"),
            "b": _("Point b"),
            "c": _("Point c"),
            "e1": _("Tip of e₁"),
            "e2": _("Tip of e₂"),
            "shift": _("Where the basis starts"),
        },
        "values": {
            "point": _("coordinates ({x}, {y})"),
            "axis": _("length {length}, direction {degrees}°"),
            "shift": _("shift ({x}, {y})"),
        },
        "alt": _("{title}: arrows from the origin to {where}; {cosines}."),
    }


def _colours(theme: Theme) -> dict[str, str]:
    basis, metric, b, c = theme.lines
    return {
        "ink": theme.ink,
        "grid": theme.grid,
        "paper": theme.paper,
        "raw": theme.raw,
        "white": theme.white,
        "basis": basis,
        "metric": metric,
        "a": theme.ink,
        "b": b,
        "c": c,
    }


@st.cache_resource(show_spinner=False)
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "narrow_cone_plane",
        html='<div class="plane"></div>',
        css=(COMPONENTS / "plane.css").read_text(encoding="utf8"),
        js="\n".join((COMPONENTS / name).read_text(encoding="utf8") for name in SCRIPTS),
        isolate_styles=False,
    )
