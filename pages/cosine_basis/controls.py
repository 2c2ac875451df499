"""Controls of the page ``cosine_basis``; their state is in the URL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import streamlit as st

from geometry.projection.toy import POINTS, Plane
from pages.common.controls import choose
from pages.common.words import Translate

POINT_KEYS = tuple(f"{name}_{axis}" for name in "abc" for axis in "xy")
BASIS = {"len1": 1.0, "len2": 1.0, "angle": 90.0, "turn": 0.0, "shift_x": 0.0, "shift_y": 0.0}
STANDARD = {**BASIS, **dict(zip(POINT_KEYS, POINTS.ravel().tolist(), strict=True))}
ON_ARRIVAL = {**STANDARD, "len2": 2.0}  # the standard basis would show two equal pictures
PRESETS: dict[str, Mapping[str, float]] = {
    "standard": {},
    "diagonal": {"len2": 2.0},
    "shear": {"len2": 2**0.5, "angle": 45.0},
    "half-shear": {"len2": 1.25**0.5, "angle": float(np.degrees(np.arctan2(1.0, 0.5)))},
    "longer-e1": {"len1": 2.0},
    "shift": {"shift_x": 3.0, "shift_y": 3.0},
}
LIMITS = {
    **dict.fromkeys(("len1", "len2"), (0.25, 3.0)),
    "angle": (15.0, 165.0),
    "turn": (-180.0, 180.0),
    **dict.fromkeys(("shift_x", "shift_y", *POINT_KEYS), (-4.0, 4.0)),
}
# of each axis: the key of its length, and its direction in degrees
AXES: dict[str, tuple[str, Callable[[Mapping[str, float]], float]]] = {
    "e1": ("len1", lambda state: state["turn"]),
    "e2": ("len2", lambda state: state["turn"] + state["angle"]),
}
WHITEN = ("no", "cloud", "points")
READINGS = ("coordinates", "position")


@dataclass(frozen=True, eq=False)
class Settings:
    """What the reader has set; points (3, 2) are the coordinates of a, b, c."""

    plane: Plane
    reading: str
    whiten: str
    unit_circle: bool
    points: np.ndarray = field(default_factory=POINTS.copy)

    @property
    def is_at_home(self) -> bool:
        """Whether a, b, c are the three points that the page's sentences speak of."""
        return bool(np.array_equal(self.points, POINTS))


def state_of(settings: Settings) -> dict[str, float]:
    """The numbers of a setting under the names that they have in the URL."""
    plane = settings.plane
    basis = (plane.length_1, plane.length_2, plane.angle, plane.turn, *plane.shift)
    return dict(zip(STANDARD, (*basis, *settings.points.ravel().tolist()), strict=True))


def presets() -> dict[str, dict[str, float]]:
    """Every preset in full."""
    return {name: {**STANDARD, **changed} for name, changed in PRESETS.items()}


def accept_move(told: Mapping[str, Any]) -> None:
    """Set the controls to where the picture was left; before the run that draws them.

    told : {"serial": n, and any of STANDARD's names and "whiten"}. What is no finite number is
    left out, what lies beyond a control's limits stands at the limit.
    """
    for key, (low, high) in LIMITS.items():
        value = told.get(key)
        if isinstance(value, int | float) and np.isfinite(value):
            st.session_state[key] = min(max(float(value), low), high)
    if told.get("whiten") in WHITEN:
        st.session_state["whiten"] = told["whiten"]
    # the browser numbers what it says, and takes no answer to an earlier word for the latest
    serial = told.get("serial")
    st.session_state["plane-serial"] = serial if isinstance(serial, int) else 0


def preset_labels(_: Translate) -> dict[str, str]:
    """What each preset's button says."""
    return {
        "standard": _("Standard basis"),
        "diagonal": "e₁ = (1, 0), e₂ = (0, 2)",
        "shear": "e₁ = (1, 0), e₂ = (1, 1)",
        "half-shear": "e₁ = (1, 0), e₂ = (½, 1)",
        "longer-e1": _("Longer e₁: (2, 0), (0, 1)"),
        "shift": _("Shift by (3, 3): a cone"),
    }


def _show_presets(now: Mapping[str, float], _: Translate) -> None:
    """One button a preset; the one that is on stands out."""
    wanted = presets()
    with st.container(horizontal=True):
        for name, label in preset_labels(_).items():
            st.button(
                label,
                key=f"preset-{name}",
                type="primary" if wanted[name] == now else "secondary",
                on_click=st.session_state.update,
                args=(wanted[name],),
            )


def _read_plane(_: Translate) -> tuple[Plane, bool]:
    """The sliders of the basis and the shift, and whether to draw the circles of length 1."""
    lengths, angle, shift = st.columns(3)
    with lengths:
        first = _slider(_("Length of e₁"), "len1", 0.05)
        second = _slider(_("Length of e₂"), "len2", 0.05)
    with angle:
        between = _slider(_("Angle from e₁ to e₂"), "angle", 1.0, "%.1f°")
        turn = _slider(_("Turn of both"), "turn", 1.0, "%.1f°")
    with shift:
        x = _slider(_("Shift along x"), "shift_x", 0.1, "%.2f")
        y = _slider(_("Shift along y"), "shift_y", 0.1, "%.2f")
    circle = st.toggle(
        _("Show the points of length 1, by coordinates and in truth"),
        True,
        key="circle",
        bind="query-params",
    )
    return Plane(first, second, between, (x, y), turn), circle


def _slider(label: str, key: str, step: float, shown: str = "%.3f") -> float:
    low, high = LIMITS[key]
    return float(
        st.slider(
            label, low, high, ON_ARRIVAL[key], step, key=key, format=shown, bind="query-params"
        )
    )


def _read_points(_: Translate) -> np.ndarray:
    """(3, 2) coordinates of a, b, c."""
    values = []
    with st.expander(_("Coordinates of a, b, c"), key="coordinates"):
        for column, name in zip(st.columns(3), "abc", strict=True):
            with column:
                values += [
                    st.number_input(
                        label.format(name=name),
                        *LIMITS[key],
                        ON_ARRIVAL[key],
                        0.1,
                        format="%.2f",
                        key=key,
                        bind="query-params",
                    )
                    for label, key in (
                        (_("{name}, along e₁"), f"{name}_x"),
                        (_("{name}, along e₂"), f"{name}_y"),
                    )
                ]
    return np.array(values, dtype=float).reshape(3, 2)


def read_settings(_: Translate) -> Settings:
    """All controls of the page but the handles, which are in the picture."""
    above = st.container()  # above the sliders, which say first where a shared address stands
    plane, circle = _read_plane(_)
    points = _read_points(_)
    left, right = st.columns(2)
    with left:
        reading = choose(
            st.radio,
            _("How to read the three points"),
            READINGS,
            key="reading",
            default="coordinates",
            labels={"coordinates": _("By coordinates"), "position": _("By position")},
            captions=[
                _("The numbers are coordinates in your basis. Cosine cannot see the basis."),
                _("The numbers are positions, already skewed. Cosine sees what is drawn."),
            ],
        )
    with right:
        whiten = choose(
            st.radio,
            _("Whiten"),
            WHITEN,
            key="whiten",
            default="no",
            labels={
                "no": _("No"),
                "cloud": _("Fitted on the background cloud"),
                "points": _("Fitted on a, b, c alone"),
            },
            captions=[
                _("The points stay where your basis puts them."),
                _("The usual way: a, b, c are not in the fit."),
                _("Three points in two dimensions: too few."),
            ],
        )
    settings = Settings(plane, reading, whiten, circle, points)
    with above:
        _show_presets(state_of(settings), _)
    return settings
