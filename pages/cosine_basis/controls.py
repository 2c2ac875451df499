"""The controls of the page ``cosine_basis``, whose state is in the URL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry.data.number_text import signed
from geometry.projection.plane import POINTS, Plane, background_cloud, pair_cosines, whiten_points
from pages.common.classroom.visit import current, may_show, note_truth, own_answer
from pages.common.controls import choose
from pages.common.words import _

CLOUD_N, CLOUD_SEED = 80, 9  # a seed whose cloud is hardly wider than the three points


@dataclass(frozen=True, eq=False)
class Cosines:
    """Cosines of the three pairs; ``whitened`` is None without whitening."""

    coordinates: np.ndarray
    true: np.ndarray
    whitened: np.ndarray | None


@dataclass(frozen=True, eq=False)
class BasisScene:
    plane: Plane
    reading: str  # "coordinates" or "position": how the text reads the numbers of a, b, c
    whiten: str  # "no", or fitted on the "cloud" or the "points"
    unit_circle: bool
    points: np.ndarray = field(default_factory=POINTS.copy)
    is_hidden: bool = False  # before a guess: only the first picture is shown

    @property
    def has_usual_points(self) -> bool:
        """True if a, b, c are the three points that the page's text names."""
        return bool(np.array_equal(self.points, POINTS))

    @cached_property
    def cosines(self) -> Cosines:
        """The cosines of a, b, c: of their coordinates, as placed, and after whitening."""
        points = self.whitened(self.points)
        return Cosines(
            coordinates=pair_cosines(self.points),
            true=self.plane.true_cosines(self.points),
            whitened=None if points is None else pair_cosines(points),
        )

    def whitened(self, coordinates: np.ndarray) -> np.ndarray | None:
        """Whitened positions (n, 2) of coordinates (n, 2); None without whitening."""
        if self.whiten == "no":
            return None
        fit_on = {"cloud": background(), "points": self.points}[self.whiten]
        return whiten_points(self.plane, fit_on, coordinates)


@cache
def background() -> np.ndarray:
    return background_cloud(CLOUD_N, seed=CLOUD_SEED)


def facts_of(scene: BasisScene) -> dict[str, float]:
    """The cosines of a, b and of a, c, and the basis, for the lesson's sentences."""
    found, plane = scene.cosines, scene.plane
    facts = {"length_1": plane.length_1, "length_2": plane.length_2, "angle": plane.angle}
    facts["usual"] = float(scene.has_usual_points and plane == Plane(length_2=2.0))
    facts |= {"ab": float(found.true[0]), "ac": float(found.true[1])}
    facts["ab_coordinates"] = float(found.coordinates[0])
    if found.whitened is not None:
        facts["ab_whitened"] = float(found.whitened[0])
    return facts


POINT_KEYS = tuple(f"{name}_{axis}" for name in "abc" for axis in "xy")
BASIS = {"len1": 1.0, "len2": 1.0, "angle": 90.0, "turn": 0.0, "shift_x": 0.0, "shift_y": 0.0}
STANDARD = {**BASIS, **dict(zip(POINT_KEYS, POINTS.ravel().tolist(), strict=True))}
DEFAULTS = {**STANDARD, "len2": 2.0}  # both pictures are equal under the standard basis
PRESETS = {
    "standard": STANDARD,
    "diagonal": {**STANDARD, "len2": 2.0},
    "shear": {**STANDARD, "len2": 2**0.5, "angle": 45.0},
    "half-shear": {**STANDARD, "len2": 1.25**0.5, "angle": float(np.degrees(np.arctan2(1, 0.5)))},
    "longer-e1": {**STANDARD, "len1": 2.0},
    "shift": {**STANDARD, "shift_x": 3.0, "shift_y": 3.0},
}
LIMITS = {
    **dict.fromkeys(("len1", "len2"), (0.25, 3.0)),
    "angle": (15.0, 165.0),
    "turn": (-180.0, 180.0),
    **dict.fromkeys(("shift_x", "shift_y", *POINT_KEYS), (-4.0, 4.0)),
}
WHITEN = ("no", "cloud", "points")
READINGS = ("coordinates", "position")


def state_of(scene: BasisScene) -> dict[str, float]:
    """The numbers of the basis and the points by their keys in the URL."""
    plane = scene.plane
    basis = (plane.length_1, plane.length_2, plane.angle, plane.turn, *plane.shift)
    return dict(zip(STANDARD, (*basis, *scene.points.ravel().tolist()), strict=True))


def accept_move(moved: Mapping[str, Any]) -> None:
    """Set the controls, before they are drawn, to the picture's numbers that are finite."""
    for key, (low, high) in LIMITS.items():
        value = moved.get(key)
        if isinstance(value, int | float) and np.isfinite(value):
            st.session_state[key] = min(max(float(value), low), high)
    if moved.get("whiten") in WHITEN:
        st.session_state["whiten"] = moved["whiten"]
    # the browser numbers its messages and ignores an answer to an earlier one
    serial = moved.get("serial")
    st.session_state["plane-serial"] = serial if isinstance(serial, int) else 0


def _show_presets(now: Mapping[str, float]) -> None:
    """A button for each preset. The button of the current state is highlighted."""
    labels = {
        "standard": _("Standard basis"),
        "diagonal": _(", ").join(["e₁ = (1, 0)", "e₂ = (0, 2)"]),
        "shear": _(", ").join(["e₁ = (1, 0)", "e₂ = (1, 1)"]),
        "half-shear": _(", ").join(["e₁ = (1, 0)", "e₂ = (½, 1)"]),
        "longer-e1": _("Longer e₁: (2, 0), (0, 1)"),
        "shift": _("Shift by (3, 3): a cone"),
    }
    with st.container(horizontal=True, key="basis-presets", gap="xsmall"):
        for name, label in labels.items():
            st.button(
                label,
                key=f"preset-{name}",
                type="primary" if PRESETS[name] == now else "secondary",
                on_click=st.session_state.update,
                args=(PRESETS[name],),
            )


def _slider(label: str, key: str, step: float, shown: str = "%.3f") -> float:
    low, high = LIMITS[key]
    return float(
        st.slider(label, low, high, DEFAULTS[key], step, key=key, format=shown, bind="query-params")
    )


def _read_points() -> np.ndarray:
    values = [
        column.number_input(
            label.format(name=name),
            *LIMITS[f"{name}_{axis}"],
            DEFAULTS[f"{name}_{axis}"],
            0.1,
            format="%.2f",
            key=f"{name}_{axis}",
            bind="query-params",
        )
        for column, name in zip(st.columns(3), "abc", strict=True)
        for axis, label in (("x", _("{name}, along e₁")), ("y", _("{name}, along e₂")))
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


def read_scene(above: DeltaGenerator, more: DeltaGenerator) -> BasisScene:
    """The scene; the presets ``above`` are drawn last: the sliders read the address first."""
    with st.container(key="basis-sliders"):
        first = _slider(_("Length of e₁"), "len1", 0.05)
        second = _slider(_("Length of e₂"), "len2", 0.05)
        between = _slider(_("Angle from e₁ to e₂"), "angle", 1.0, "%.1f°")
        turn = _slider(_("Rotation of both axes"), "turn", 1.0, "%.1f°")
        x = _slider(_("Shift along x"), "shift_x", 0.1, "%.2f")
        y = _slider(_("Shift along y"), "shift_y", 0.1, "%.2f")
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
    scene = BasisScene(Plane(first, second, between, (x, y), turn), reading, whiten, circle, points)
    with above:
        _show_presets(state_of(scene))
    return scene


# ---- the guess ----


SHOWN_KEY = "basis-seen"  # in the session: the second picture was shown


def skip_for_link() -> None:
    """Skip the question for a link with settings. Controls later remove defaults from it."""
    linked = any(key in st.query_params for key in (*DEFAULTS, "whiten", "reading", "circle"))
    if linked:
        st.session_state[SHOWN_KEY] = True


def hide_before_guess(scene: BasisScene) -> BasisScene:
    """The scene, hidden until the reader has guessed, skipped the question or changed a control."""
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


def ask_for_guess(scene: BasisScene) -> None:
    """The question, or whether the answer was right."""
    answers, codes = _answers(), list(_answers())
    if scene.is_hidden:
        st.markdown(_question())
        with st.container(horizontal=True, key="guess", gap="xsmall"):
            for name, label in answers.items():
                st.button(label, key=f"guess-{name}", on_click=_answer, args=(name,))
            if current() is None:
                st.button(
                    _("Skip"), key="guess-skip", type="tertiary", on_click=_answer, args=("",)
                )
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
