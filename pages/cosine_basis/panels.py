"""The two pictures of the page ``cosine_basis`` and the cosines that belong to them.

The pictures are drawn, dragged and measured in the browser (assets/components/plane*.js); the
server says where they start, and hears where they were left.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from geometry.figures.theme import Theme, theme_named
from geometry.projection.toy import POINTS, background_cloud, pair_cosines, whitening_of
from pages.common.words import Translate, signed

from .controls import AXES, LIMITS, Settings, accept_move, presets, state_of

CLOUD_N, CLOUD_SEED = 80, 9  # a seed whose cloud stays near the three points
COMPONENTS = Path(__file__).parents[2] / "assets" / "components"
# one script: a component can't import another file
SCRIPTS = ("plane_math.js", "plane_labels.js", "plane_picture.js", "plane_table.js", "plane.js")
KEY = "plane"


@dataclass(frozen=True, eq=False)
class Cosines:
    """Three pairs' cosines: of the coordinates, as placed, and after whitening if there is one."""

    coordinates: np.ndarray
    true: np.ndarray
    whitened: np.ndarray | None


@st.cache_resource(max_entries=1, show_spinner=False)
def cloud() -> np.ndarray:
    """The background's coordinates (n, 2)."""
    return background_cloud(CLOUD_N, seed=CLOUD_SEED)


def number(value: float, _: Translate) -> str:
    """Three decimals with a real minus sign; no negative zero, and no nan."""
    if np.isnan(value):
        return _("undefined")
    return signed(float(value), 3)


def cosines(settings: Settings) -> Cosines:
    """The numbers of the page."""
    points = whitened(settings, settings.points)
    return Cosines(
        coordinates=pair_cosines(settings.points),
        true=settings.plane.true_cosines(settings.points),
        whitened=None if points is None else pair_cosines(points),
    )


def whitened(settings: Settings, coordinates: np.ndarray) -> np.ndarray | None:
    """Where coordinates (n, 2) lie after the whitening that is on, (n, 2); None without one."""
    if settings.whiten == "no":
        return None
    plane = settings.plane
    fit_on = {"cloud": cloud(), "points": settings.points}[settings.whiten]
    return whitening_of(plane.place(fit_on)).apply(plane.place(coordinates))


def show_pictures(settings: Settings, provenance: str, _: Translate) -> None:
    """Both pictures with their numbers; what is dragged there sets the controls."""

    def moved() -> None:
        told = st.session_state[KEY].get("moved")
        if isinstance(told, Mapping):
            accept_move(told)

    message = {
        "serial": st.session_state.get("plane-serial", 0),
        "plane": state_of(settings),
        "choices": {
            "whiten": settings.whiten,
            "reading": settings.reading,
            "circle": settings.unit_circle,
        },
        "words": plane_words(_) | {"provenance": provenance},
        "colours": _colours(theme_named(st.context.theme.type)),
        "limits": LIMITS,
        "snaps": snaps(),
        "cloud": cloud().tolist(),
    }
    _component()(key=KEY, data=json.dumps(message).encode(), on_moved_change=moved)


def snaps() -> dict[str, Any]:
    """What a handle snaps to: where the presets put it, exactly."""
    wanted = list(presets().values())
    return {
        "homes": dict(zip("abc", POINTS.tolist(), strict=True)),
        "shifts": _each((one["shift_x"], one["shift_y"]) for one in wanted),
        "angles": _each(one["angle"] for one in wanted),
        "axes": {
            name: [
                {"length": length, "degrees": degrees}
                for length, degrees in _each((one[key], axis(one)) for one in wanted)
            ]
            for name, (key, axis) in AXES.items()
        },
    }


def _each(values: Any) -> list[Any]:
    """Every value once, in order."""
    return list(dict.fromkeys(values))


def plane_words(_: Translate) -> dict[str, Any]:
    """All that the pictures say, in the reader's language; {names} are filled in the browser."""
    return {
        "captions": {
            "standard": _("Standard basis: what the coordinates say"),
            "yours": _("Your basis: where the points are"),
            "white": _("Your basis, whitened"),
        },
        "titles": ("x", "y"),
        "whiteTitles": (_("x after whitening"), _("y after whitening")),
        "columns": {
            "pair": _("Pair"),
            "coordinates": _("Coordinate cosine"),
            "true": _("True cosine"),
            "whitened": _("After whitening"),
        },
        "undefined": _("undefined"),
        "key": (_("length 1 by coordinates"), _("true length 1: the metric ellipse of G")),
        "hint": _(
            "Drag a, b, c, the tips of e₁ and e₂, or the ring where they start; or choose one with "
            "the tab key and press the arrows. Near a preset they snap to it (not with Shift)."
        ),
        "hintWhite": _("Undo whitening to drag here; a, b, c can be dragged in the other picture."),
        "whiten": _("Whiten"),
        "undo": _("Undo whitening"),
        "save": _("Picture (SVG)"),
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
