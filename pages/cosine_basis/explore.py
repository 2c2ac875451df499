"""Cosine and basis: its controls, whose state is in the URL, pictures, numbers and claim."""

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
from pages.common.downloads import csv_bytes, offer_csv, short_number
from pages.common.draw.charts import send_plane
from pages.common.draw.clouds import current_theme
from pages.common.lesson import note_facts
from pages.common.measures import NoControl, State, Verdict, show_verdict
from pages.common.shell import picture_place, show_question
from pages.common.words import _, paragraph, prose

from . import PAGE

CLOUD_N, CLOUD_SEED = 80, 9  # a seed whose cloud is hardly wider than the three points


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
    def cosines(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the three pairs: of their coordinates, and the true ones."""
        return pair_cosines(self.points), self.plane.true_cosines(self.points)

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
    coordinates, true = scene.cosines
    plane = scene.plane
    facts = {"length_1": plane.length_1, "length_2": plane.length_2, "angle": plane.angle}
    facts["usual"] = float(scene.has_usual_points and plane == Plane(length_2=2.0))
    facts |= {"ab": float(true[0]), "ac": float(true[1]), "ab_coordinates": float(coordinates[0])}
    white = scene.whitened(scene.points)
    return facts if white is None else facts | {"ab_whitened": float(pair_cosines(white)[0])}


POINT_KEYS = tuple(f"{name}_{axis}" for name in "abc" for axis in "xy")
BASIS = {"len1": 1.0, "len2": 1.0, "angle": 90.0, "turn": 0.0, "shift_x": 0.0, "shift_y": 0.0}
STANDARD = {**BASIS, **dict(zip(POINT_KEYS, POINTS.ravel().tolist(), strict=True))}
DEFAULTS = {**STANDARD, "len2": 2.0}  # both pictures are equal under the standard basis
PRESETS = {
    "standard": STANDARD,
    "diagonal": DEFAULTS,
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


def state_of(scene: BasisScene) -> dict[str, float]:
    """The numbers of the basis and the points by their keys in the URL."""
    plane = scene.plane
    basis = (plane.length_1, plane.length_2, plane.angle, plane.turn, *plane.shift)
    return dict(zip(STANDARD, (*basis, *scene.points.ravel().tolist()), strict=True))


def accept_move(moved: object) -> None:
    """Set the controls, before they are drawn, to the picture's numbers that are finite."""
    if not isinstance(moved, Mapping):
        return
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


def read_scene(above: DeltaGenerator, more: DeltaGenerator) -> BasisScene:
    """The scene; the presets ``above`` are drawn last: the sliders read the address first."""
    with st.container(key="basis-sliders"):
        first = _slider(_("Length of e₁"), "len1", 0.05)
        second = _slider(_("Length of e₂"), "len2", 0.05)
        between = _slider(_("Angle from e₁ to e₂"), "angle", 1.0, "%.1f°")
        turn = _slider(_("Rotation of both axes"), "turn", 1.0, "%.1f°")
        x = _slider(_("Shift along x"), "shift_x", 0.1, "%.2f")
        y = _slider(_("Shift along y"), "shift_y", 0.1, "%.2f")
    whiten = choose(
        st.radio,
        _("Whiten"),
        {
            "no": _("No"),
            "cloud": _("Fitted on the background cloud"),
            "points": _("Fitted on a, b, c alone"),
        },
        key="whiten",
        help=_(
            "Whitening is usually fitted on a cloud that does not contain a, b, c. Fitted on them "
            "alone it has too few points: three in two dimensions."
        ),
    )
    by_coordinates = _(
        "The numbers are coordinates in your basis. Their cosine is the same in every basis."
    )
    by_position = _(
        "The numbers are positions, already skewed. Cosine is that of the drawn arrows."
    )
    with more:
        reading = choose(
            st.radio,
            _("How to read the three points"),
            {"coordinates": _("By coordinates"), "position": _("By position")},
            key="reading",
            captions=[by_coordinates, by_position],
        )
        circle = st.toggle(
            _("Show the points of length 1, by coordinates and in your basis"),
            True,
            key="circle",
            bind="query-params",
        )
        numbers = [
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
    points = np.array(numbers, dtype=float).reshape(3, 2)
    scene = BasisScene(Plane(first, second, between, (x, y), turn), reading, whiten, circle, points)
    with above:
        _show_presets(state_of(scene))
    return scene


# ---- the guess ----


SHOWN_KEY = "basis-seen"  # in the session: the second picture was shown


def hide_before_guess(scene: BasisScene) -> BasisScene:
    """The scene, hidden until the reader has guessed, skipped the question or changed a control."""
    is_first_view = state_of(scene) == DEFAULTS and scene.whiten == "no"
    if current() is not None:  # a class sees it when its teacher shows the answer
        answers = list(_answers().values())
        may_see = may_show("cosine_basis", _question().replace("**", ""), answers, _guessed())
        note_truth("cosine_basis", list(_answers()).index("larger"))
        return replace(scene, is_hidden=is_first_view and not may_see)
    if not is_first_view:
        st.session_state[SHOWN_KEY] = True
    return replace(scene, is_hidden=not st.session_state.get(SHOWN_KEY))


def _answers() -> dict[str, str]:
    return {"smaller": _("smaller"), "same": _("still 90°"), "larger": _("larger")}


def _guessed() -> int | None:
    guess = st.session_state.get("basis-guess")
    return list(_answers()).index(guess) if guess else None


def _question() -> str:
    return _(
        "**Guess first.** The coordinates of a, b, c stay the same, and e₂ becomes twice "
        "as long. The angle between a and b was 90°. It is now …"
    )


def ask_for_guess(scene: BasisScene) -> None:
    answers = _answers()
    if scene.is_hidden:
        st.markdown(_question())
        with st.container(horizontal=True, key="guess", gap="xsmall"):
            for name, label in answers.items():
                st.button(label, key=f"guess-{name}", on_click=_answer, args=(name,))
            if current() is None:
                st.button(_("Skip"), key="guess-skip", type="tertiary", on_click=_answer)
        return
    own = own_answer(_guessed())
    if (own is None and current() is None) or state_of(scene) != DEFAULTS:
        return
    coordinates, true = (signed(float(found[0]), 3) for found in scene.cosines)
    text = _(
        "It is “{truth}”: in your basis the cosine is {true}, that of the coordinates is still "
        "{coordinates}."
    )
    if own is not None:
        text = _(
            "You guessed “{guess}”. It is “{truth}”: in your basis the cosine is {true}, that "
            "of the coordinates is still {coordinates}."
        )
    guess = list(answers.values())[own or 0]
    truth = answers["larger"]
    st.info(text.format(guess=guess, truth=truth, true=true, coordinates=coordinates))


def _answer(name: str = "") -> None:
    st.session_state["basis-guess"] = name
    st.session_state[SHOWN_KEY] = True


# ---- numbers and texts ----


def warn_of_points(scene: BasisScene) -> None:
    if np.isnan(scene.cosines[1]).any():
        st.warning(
            _("A point lies on the origin. It has no direction, so its cosines are undefined."),
            icon=":material/radio_button_unchecked:",
        )
    spread = scene.points - scene.points.mean(axis=0)
    if scene.whiten == "points" and np.linalg.matrix_rank(spread, tol=1e-6) < 2:
        st.warning(
            _(
                "a, b, c lie on one line. Whitening fitted on them does not change the direction "
                "across that line."
            ),
            icon=":material/linear_scale:",
        )


def number(value: float) -> str:
    """Three decimals with a real minus sign; "undefined" for nan."""
    return _("undefined") if np.isnan(value) else signed(float(value), 3)


def show_condition(scene: BasisScene) -> None:
    plane = scene.plane
    sentence = _("**‖e₁‖ > ‖e₂‖.** The signs are reversed: cos(a, b) positive, cos(a, c) negative.")
    if plane.first_axis_shorter:
        sentence = _(
            "**‖e₁‖ < ‖e₂‖ holds.** In your basis cos(a, b) is negative, cos(a, c) positive."
        )
    elif plane.length_1 == plane.length_2:
        sentence = _(
            "**‖e₁‖ = ‖e₂‖.** In your basis both are 0, whatever the angle between the axes."
        )
    if any(plane.shift):
        sentence = _("Before the shift: ") + sentence
    if not scene.has_usual_points:
        sentence = _("For a(2, 2), b(2, −2), c(−2, 2), which you have moved: ") + sentence
    if plane.first_axis_shorter:
        st.success(sentence, icon=":material/lightbulb:")
    else:
        st.info(sentence, icon=":material/lightbulb_outline:")


def show_formula(scene: BasisScene) -> None:
    plane = scene.plane
    a, b, _c = scene.points
    coordinates, true = (_(", ").join(map(number, found)) for found in scene.cosines)
    points = _(", ").join(map(_pair, scene.points))
    values = {"points": points, "coordinates": coordinates, "true": true}
    st.markdown(prose(PAGE, f"reading-{scene.reading}", values))
    st.markdown(prose(PAGE, "formula-coordinates"))
    st.latex(_cosine_lines(SUMS, a, b, np.eye(2)))
    st.markdown(prose(PAGE, "formula-gram"))
    (g11, g12), (_g21, g22) = ([_term(value) for value in row] for row in plane.gram)
    st.latex(
        rf"\small G = P^\top P = \begin{{pmatrix}} {g11} & {g12} \\ {g12} & {g22} \end{{pmatrix}}"
    )
    st.latex(_cosine_lines(WITH_GRAM, a, b, plane.gram))
    st.markdown(prose(PAGE, "formula-fixed", fixed_values(scene)))
    if not scene.has_usual_points:
        return
    st.markdown(prose(PAGE, "formula-usual"))
    squared = f"({g12})^2" if g12.startswith("-") else rf"{g12}^2"
    st.latex(
        r"\small\begin{aligned}\cos(a, b) &= \frac{g_{11} - g_{22}}"
        r"{\sqrt{(g_{11} + g_{22})^2 - 4 g_{12}^2}}\\[4pt]"
        rf"&= \frac{{{g11} - {g22}}}{{\sqrt{{({g11} + {g22})^2 - 4 \cdot {squared}}}}}"
        rf" = {_three(plane.cosine_by_formula())}\end{{aligned}}"
    )
    st.caption(prose(PAGE, "formula"))


SUMS = r"\frac{\sum_i x_i y_i}{\sqrt{\sum_i x_i^2}\,\sqrt{\sum_i y_i^2}}"
WITH_GRAM = r"\frac{x^\top G\, y}{\sqrt{x^\top G\, x}\,\sqrt{y^\top G\, y}}"


def _cosine_lines(form: str, a: np.ndarray, b: np.ndarray, gram: np.ndarray) -> str:
    """The formula for x and y, and below it the numbers of a and b under that Gram matrix."""
    inner = float(a @ gram @ b)
    first = float(a @ gram @ a)
    second = float(b @ gram @ b)
    shown = f" = {_three(inner / np.sqrt(first * second))}" if first and second else ""
    return (
        rf"\small\begin{{aligned}}\cos(x, y) &= {form}\\[12pt]"
        rf"\cos(a, b) &= \frac{{{_term(inner)}}}{{\sqrt{{{_term(first)}}}\,"
        rf"\sqrt{{{_term(second)}}}}}{shown}\end{{aligned}}"
    )


def fixed_values(scene: BasisScene) -> dict[str, str]:
    """Where a and b are before the shift, and their cosine there."""
    unshifted = replace(scene.plane, shift=(0.0, 0.0))
    a, b, _c = (_pair(place) for place in unshifted.place(scene.points))
    return {"a": a, "b": b, "cosine": number(unshifted.true_cosines(scene.points)[0])}


def _pair(values: np.ndarray) -> str:
    x, y = (_term(value).replace("-", "−") for value in values)
    return f"({x}, {y})"


def _term(value: float) -> str:
    return f"{round(float(value), 3) + 0.0:g}"


def _three(value: float) -> str:
    return f"{round(value, 3) + 0.0:.3f}"


def provenance(scene: BasisScene) -> str:
    fitted = {
        "no": _("no whitening"),
        "cloud": _(
            "whitening fitted on the cloud (n = {n}), which does not contain a, b, c"
        ).format(n=CLOUD_N),
        "points": _("whitening fitted on a, b, c alone (n = 3)"),
    }[scene.whiten]
    return _(
        "Background cloud: n = {n}, seed {seed}, equally wide in every direction of the standard "
        "basis, with the same change of basis and the same shift; {fitted}."
    ).format(n=CLOUD_N, seed=CLOUD_SEED, fitted=fitted)


def points_csv(scene: BasisScene) -> bytes:
    """Every point of the right picture: coordinates, position, and whitened position if any."""
    coordinates = np.concatenate([scene.points, background()])
    head = ["point", "coordinate_1", "coordinate_2", "x", "y"]
    columns = [coordinates, scene.plane.place(coordinates)]
    white = scene.whitened(coordinates)
    if white is not None:
        head += ["whitened_x", "whitened_y"]
        columns.append(white)
    names = ["a", "b", "c"] + ["cloud"] * CLOUD_N
    rows = [
        [name, *map(short_number, row)] for name, row in zip(names, np.hstack(columns), strict=True)
    ]
    return csv_bytes(head, rows, provenance(scene))


# ---- pictures ----


def show_pictures(scene: BasisScene) -> None:
    """Both pictures; a drag sets the controls. page.css hides the second one before a guess."""
    theme = current_theme()
    message = {
        "serial": st.session_state.get("plane-serial", 0),
        "plane": state_of(scene),
        "choices": {"whiten": scene.whiten, "reading": scene.reading, "circle": scene.unit_circle},
        "words": plane_words() | {"provenance": provenance(scene)},
        "colours": {
            **{name: getattr(theme, name) for name in ("ink", "grid", "paper", "raw", "white")},
            **dict(zip(("basis", "metric", "b", "c"), theme.lines, strict=True)),
            "a": theme.ink,
        },
        "limits": LIMITS,
        "snaps": snaps(),
        "cloud": background().tolist(),
    }
    with st.container(key="plane-hidden" if scene.is_hidden else "plane-shown"):
        send_plane("plane", "plane", message, accept_move)


def snaps() -> dict[str, Any]:
    """The positions that a handle snaps to: exactly those of the presets, each once."""
    states = PRESETS.values()
    axes = {
        "e1": [(state["len1"], state["turn"]) for state in states],
        "e2": [(state["len2"], state["turn"] + state["angle"]) for state in states],
    }
    return {
        "homes": dict(zip("abc", POINTS.tolist(), strict=True)),
        "shifts": list(dict.fromkeys((state["shift_x"], state["shift_y"]) for state in states)),
        "angles": list(dict.fromkeys(state["angle"] for state in states)),
        "axes": {
            name: [{"length": length, "degrees": turn} for length, turn in dict.fromkeys(ends)]
            for name, ends in axes.items()
        },
    }


def plane_words() -> dict[str, Any]:
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
        "comma": _(", "),
        "spoken": _("{column}: {cosines}"),
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


# ---- the page ----


def show_body() -> None:
    # a link with settings has no question; controls later remove defaults from it
    if any(key in st.query_params for key in (*DEFAULTS, "whiten", "reading", "circle")):
        st.session_state[SHOWN_KEY] = True
    presets, guess = st.container(), st.container()
    picture_box, control_box = st.columns([4, 1], gap="medium")
    notes = st.container()
    more = st.expander(_("More controls and downloads"), key="more-controls")
    with control_box:
        scene = hide_before_guess(read_scene(presets, more))
    with guess:
        ask_for_guess(scene)
    with picture_box, picture_place():
        show_pictures(scene)
    note_facts(lambda: facts_of(scene))
    with notes:
        warn_of_points(scene)
        if not scene.is_hidden:
            show_condition(scene)
            show_verdict(basis_verdict(scene), key="basis")
        show_question(PAGE, "sign")
        show_question(PAGE, "shift")
        show_question(PAGE, "minus-half", {"cloud_n": CLOUD_N})
        label, icon = _("The formula with your numbers"), ":material/function:"
        with st.expander(label, key="formula", icon=icon):
            show_formula(scene)
    with more:
        label = _("Download points (CSV)")
        offer_csv(label, "cosine-basis-points", lambda: points_csv(scene))


# ---- claim ----


EQUAL = 5e-4  # largest difference of cosines that are printed alike


def basis_verdict(scene: BasisScene) -> Verdict:
    gaps = np.abs(np.subtract(*scene.cosines))
    largest = float(gaps.max())
    plane = scene.plane
    is_standard = abs(plane.length_1 - plane.length_2) < EQUAL and abs(plane.angle - 90) < EQUAL
    state: State = "holds"
    if np.isnan(gaps).any():
        state = "unknown"
        measured = _("A point on the origin has no direction and no cosine.")
    elif is_standard and not any(plane.shift):
        measured = _(
            "Your axes are perpendicular and equally long. The two cosines of each pair are equal."
        )
    elif largest > EQUAL:
        measured = _(
            "Your axes are not perpendicular, not equally long or shifted. The two cosines of a "
            "pair differ by up to **{gap}**."
        ).format(gap=signed(largest, 3))
    else:
        state = "partly"
        measured = _(
            "Your axes are not perpendicular or shifted, but the two cosines of these three points "
            "are equal all the same. Move a point to see a difference."
        )
    return Verdict(
        claim=_(
            "The cosine of coordinates is the cosine of the angle only if the axes are "
            "perpendicular and equally long."
        ),
        source=_("Su et al. (2021)"),
        state=state,
        measured=measured,
        control=NoControl(_("both cosines are worked out exactly for the same three points.")),
        basis=paragraph(
            [_("Three points, worked out exactly: there is no interval."), provenance(scene)]
        ),
    )
