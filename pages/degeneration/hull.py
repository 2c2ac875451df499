"""The convex hull, cone and convex cone of points that the reader drags, and the origin.

The browser draws (assets/components/hull.js). The server receives the points after each drag.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.common.address import put_in_url
from pages.common.controls import choose
from pages.common.draw.charts import COMPONENTS
from pages.common.draw.clouds import current_theme
from pages.common.page_state import is_from_history
from pages.common.words import _, prose

from . import PAGE

KEY, POINTS = "hull", "hull-points"
SHAPES = ("hull", "segments", "cone", "convex-cone")
DEFAULT = ((1.0, 2.2), (2.0, 0.8), (3.0, 1.6), (2.4, 2.8), (0.6, 3.2))
LIMIT = 4.0
FORM = re.compile(r"-?\d\.\d(?:,-?\d\.\d){9}")
# joined into one script, because a component cannot import another file
SCRIPTS = ("plane_math.js", "plane_labels.js", "plane_picture.js", "hull_math.js", "hull.js")


@st.fragment
def show_hull() -> None:
    """The picture, with the choice of what is drawn beside it."""
    picture_box, words_box = st.columns([1, 1], gap="medium")
    with words_box:
        shape = choose(
            st.radio,
            _("Shape"),
            SHAPES,
            key="shape",
            default="hull",
            labels={
                "segments": _("Segments: is the set convex?"),
                "hull": _("Convex hull"),
                "cone": _("Cone"),
                "convex-cone": _("Convex cone"),
            },
        )
        st.markdown(prose(PAGE, f"shape-{shape}"))
    points = chosen_points()
    theme = current_theme()
    message = {
        "points": points,
        "shape": shape,
        "words": {
            "origin": _("origin"),
            "point": _("Point {i}"),
            "outside": _(
                "The origin is outside of the convex hull. All points are on one side of the "
                "dashed line, and the arrow is a direction that separates them from the origin."
            ),
            "border": _(
                "The origin is on the border of the convex hull. Some line through it has no "
                "points on one side, but points on it. So no direction separates all points from "
                "the origin."
            ),
            "inside": _(
                "The origin is inside the convex hull. No line through the origin has all points "
                "on one side, and the convex cone is the whole plane."
            ),
        },
        "colours": {
            "ink": theme.ink,
            "paper": theme.paper,
            "set": theme.white,
            "side": theme.raw,
        },
    }

    def accept() -> None:
        store_points(st.session_state[KEY].get("moved"))

    with picture_box:
        _component()(key=KEY, data=json.dumps(message).encode(), on_moved_change=accept)
        st.caption(_("Drag the points, or choose one with the tab key and press the arrows."))


def chosen_points() -> list[list[float]]:
    """The points of the session or of the address; without these the default."""
    stored = None if is_from_history() else st.session_state.get(POINTS)
    if stored is None:
        text = st.query_params.get("hull", "")
        numbers = [float(part) for part in text.split(",")] if FORM.fullmatch(text) else []
        pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
        stored = pairs if pairs and max(map(abs, numbers)) <= LIMIT else DEFAULT
    points = [list(point) for point in stored]
    is_default = points == [list(point) for point in DEFAULT]
    put_in_url(
        "hull", None if is_default else ",".join(f"{v:.1f}" for point in points for v in point)
    )
    return points


def store_points(moved: Any) -> None:
    """Store the points of the browser, if they are five points inside the picture."""
    try:
        points = [[round(float(v), 1) for v in point] for point in moved]
    except (TypeError, ValueError):
        return
    inside = all(len(point) == 2 and max(map(abs, point)) <= LIMIT for point in points)
    if len(points) == len(DEFAULT) and inside:
        st.session_state[POINTS] = points


@st.cache_resource(show_spinner=False)
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "narrow_cone_hull",
        html='<div class="hull plane"></div>',
        css=(COMPONENTS / "plane.css").read_text(encoding="utf8"),
        js="\n".join((COMPONENTS / name).read_text(encoding="utf8") for name in SCRIPTS),
        isolate_styles=False,
    )
