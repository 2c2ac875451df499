"""The controls of the page ``cosine_basis``, whose state is in the URL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry.data.number_text import signed
from geometry.projection.plane import POINTS, Plane
from pages.common.classroom.visit import current, may_show, note_truth, own_answer
from pages.common.controls import choose
from pages.common.words import _

from .scene import Scene

POINT_KEYS = tuple(f"{name}_{axis}" for name in "abc" for axis in "xy")
BASIS = {"len1": 1.0, "len2": 1.0, "angle": 90.0, "turn": 0.0, "shift_x": 0.0, "shift_y": 0.0}
STANDARD = {**BASIS, **dict(zip(POINT_KEYS, POINTS.ravel().tolist(), strict=True))}
DEFAULTS = {**STANDARD, "len2": 2.0}  # both pictures are equal under the standard basis
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
# the key of each axis's length, and its direction in degrees
AXES: dict[str, tuple[str, Callable[[Mapping[str, float]], float]]] = {
    "e1": ("len1", lambda state: state["turn"]),
    "e2": ("len2", lambda state: state["turn"] + state["angle"]),
}
WHITEN = ("no", "cloud", "points")
READINGS = ("coordinates", "position")


def state_of(scene: Scene) -> dict[str, float]:
    """The numbers of the basis and the points by their keys in the URL."""
    plane = scene.plane
    basis = (plane.length_1, plane.length_2, plane.angle, plane.turn, *plane.shift)
    return dict(zip(STANDARD, (*basis, *scene.points.ravel().tolist()), strict=True))


def presets() -> dict[str, dict[str, float]]:
    """All numbers of each preset."""
    return {name: {**STANDARD, **changed} for name, changed in PRESETS.items()}


def accept_move(moved: Mapping[str, Any]) -> None:
    """Set the controls to the numbers of the picture. Call it before the controls are drawn.

    moved : "serial", and any of "whiten" and the keys of ``STANDARD``. A value that is not a finite
    number is ignored. A number beyond a control's limits becomes the limit.
    """
    for key, (low, high) in LIMITS.items():
        value = moved.get(key)
        if isinstance(value, int | float) and np.isfinite(value):
            st.session_state[key] = min(max(float(value), low), high)
    if moved.get("whiten") in WHITEN:
        st.session_state["whiten"] = moved["whiten"]
    # the browser numbers its messages and ignores an answer to an earlier one
    serial = moved.get("serial")
    st.session_state["plane-serial"] = serial if isinstance(serial, int) else 0


def preset_labels() -> dict[str, str]:
    """The label of each preset's button."""
    return {
        "standard": _("Standard basis"),
        "diagonal": _(", ").join(["e₁ = (1, 0)", "e₂ = (0, 2)"]),
        "shear": _(", ").join(["e₁ = (1, 0)", "e₂ = (1, 1)"]),
        "half-shear": _(", ").join(["e₁ = (1, 0)", "e₂ = (½, 1)"]),
        "longer-e1": _("Longer e₁: (2, 0), (0, 1)"),
        "shift": _("Shift by (3, 3): a cone"),
    }


def _show_presets(now: Mapping[str, float]) -> None:
    """A button for each preset. The button of the current state is highlighted."""
    wanted = presets()
    with st.container(horizontal=True, key="basis-presets", gap="xsmall"):
        for name, label in preset_labels().items():
            st.button(
                label,
                key=f"preset-{name}",
                type="primary" if wanted[name] == now else "secondary",
                on_click=st.session_state.update,
                args=(wanted[name],),
            )


def _read_plane() -> tuple[float, float, float, tuple[float, float], float]:
    """The sliders: lengths of the axes, angle between them, shift, turn."""
    with st.container(key="basis-sliders"):
        first = _slider(_("Length of e₁"), "len1", 0.05)
        second = _slider(_("Length of e₂"), "len2", 0.05)
        between = _slider(_("Angle from e₁ to e₂"), "angle", 1.0, "%.1f°")
        turn = _slider(_("Rotation of both axes"), "turn", 1.0, "%.1f°")
        x = _slider(_("Shift along x"), "shift_x", 0.1, "%.2f")
        y = _slider(_("Shift along y"), "shift_y", 0.1, "%.2f")
    return first, second, between, (x, y), turn


def _slider(label: str, key: str, step: float, shown: str = "%.3f") -> float:
    low, high = LIMITS[key]
    return float(
        st.slider(label, low, high, DEFAULTS[key], step, key=key, format=shown, bind="query-params")
    )


def _read_points() -> np.ndarray:
    """(3, 2) coordinates of a, b, c."""
    values = []
    for column, name in zip(st.columns(3), "abc", strict=True):
        with column:
            values += [
                st.number_input(
                    label.format(name=name),
                    *LIMITS[key],
                    DEFAULTS[key],
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


def _choose_whitening() -> str:
    return choose(
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
        help=_(
            "Whitening is usually fitted on a cloud that does not contain a, b, c. Fitted on them "
            "alone it has too few points: three in two dimensions."
        ),
    )


def _choose_reading() -> str:
    return choose(
        st.radio,
        _("How to read the three points"),
        READINGS,
        key="reading",
        default="coordinates",
        labels={"coordinates": _("By coordinates"), "position": _("By position")},
        captions=[
            _(
                "The numbers are coordinates in your basis. "
                "Their cosine is the same in every basis."
            ),
            _("The numbers are positions, already skewed. Cosine is that of the drawn arrows."),
        ],
    )


def read_scene(above: DeltaGenerator, more: DeltaGenerator) -> Scene:
    """The scene that the controls choose. A drag in the picture has set them before.

    The presets ``above`` are drawn last, because the sliders read the address first.
    """
    sliders = _read_plane()
    whiten = _choose_whitening()
    with more:
        reading = _choose_reading()
        circle = st.toggle(
            _("Show the points of length 1, by coordinates and in your basis"),
            True,
            key="circle",
            bind="query-params",
        )
        points = _read_points()
    scene = Scene(Plane(*sliders), reading, whiten, circle, points)
    with above:
        _show_presets(state_of(scene))
    return scene


# ---- the guess ----


SHOWN_KEY = "basis-seen"  # in the session: the second picture was shown


def skip_for_link() -> None:
    """Skip the question if the address has settings.

    Call it before the controls are drawn, because they remove their defaults from the address.
    """
    linked = any(key in st.query_params for key in (*DEFAULTS, "whiten", "reading", "circle"))
    if linked:
        st.session_state[SHOWN_KEY] = True


def hide_before_guess(scene: Scene) -> Scene:
    """The scene with ``is_hidden`` set.

    It is True until the reader has guessed, has skipped the question or has changed a control.
    """
    is_first_view = state_of(scene) == DEFAULTS and scene.whiten == "no"
    if current() is not None:  # a class sees it when its teacher shows the answer
        return replace(scene, is_hidden=is_first_view and not _class_may_see())
    if not is_first_view:
        st.session_state[SHOWN_KEY] = True
    return replace(scene, is_hidden=not st.session_state.get(SHOWN_KEY))


def _answers() -> dict[str, str]:
    return {"smaller": _("smaller"), "same": _("still 90°"), "larger": _("larger")}


def _question() -> str:
    return _(
        "**Guess first.** The coordinates of a, b, c stay the same, and e₂ becomes twice "
        "as long. The angle between a and b was 90°. It is now …"
    )


def _class_may_see() -> bool:
    guess, codes = st.session_state.get("basis-guess"), list(_answers())
    chosen = codes.index(guess) if guess else None
    question = _question().replace("**", "")
    is_shown = may_show("cosine_basis", question, list(_answers().values()), chosen)
    note_truth("cosine_basis", codes.index("larger"))
    return is_shown


def ask_for_guess(scene: Scene) -> None:
    """The question, or whether the answer was right."""
    answers, codes = _answers(), list(_answers())
    if scene.is_hidden:
        st.markdown(_question())
        with st.container(horizontal=True, key="guess", gap="xsmall"):
            for name, label in answers.items():
                st.button(label, key=f"guess-{name}", on_click=_answer, args=(name,))
            if current() is None:
                text = _("Skip")
                st.button(text, key="guess-skip", type="tertiary", on_click=_answer, args=("",))
        return
    guess = st.session_state.get("basis-guess")
    own = own_answer(codes.index(guess) if guess else None)
    if (own is None and current() is None) or state_of(scene) != DEFAULTS:
        return
    coordinates, true = (
        signed(float(found[0]), 3) for found in (scene.cosines.coordinates, scene.cosines.true)
    )
    text = _(
        "It is “{truth}”: in your basis the cosine is {true}, that of the coordinates is still "
        "{coordinates}."
    )
    if own is not None:
        text = _(
            "You guessed “{guess}”. It is “{truth}”: in your basis the cosine is {true}, that "
            "of the coordinates is still {coordinates}."
        )
    values = {"truth": answers["larger"], "true": true, "coordinates": coordinates}
    st.info(text.format(guess=answers[codes[own or 0]], **values))


def _answer(name: str) -> None:
    st.session_state["basis-guess"] = name
    st.session_state[SHOWN_KEY] = True
