"""The pictures of Cosine and basis, their numbers and the page's claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from geometry.data.csv_cells import csv_cell
from geometry.data.number_text import signed
from geometry.projection.plane import PAIRS, POINTS
from pages.common.downloads import offer_csv
from pages.common.draw.charts import send_plane
from pages.common.draw.clouds import current_theme
from pages.common.measures import NoControl, State, Verdict
from pages.common.words import _, paragraph, prose

from . import PAGE
from .controls import (
    CLOUD_N,
    CLOUD_SEED,
    LIMITS,
    PRESETS,
    BasisScene,
    accept_move,
    background,
    state_of,
)


def show_reading(scene: BasisScene) -> None:
    values = {
        "points": _(", ").join(map(_pair, scene.points)),
        "coordinates": _(", ").join(map(number, scene.cosines.coordinates)),
        "true": _(", ").join(map(number, scene.cosines.true)),
    }
    st.markdown(prose(PAGE, f"reading-{scene.reading}", values))


def warn_of_points(scene: BasisScene) -> None:
    if np.isnan(scene.cosines.true).any():
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
    """Cosine of coordinates and cosine with the Gram matrix, for a and b as they are set."""
    plane, (a, b, _c) = scene.plane, scene.points
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
    inner, first, second = (float(x @ gram @ y) for x, y in ((a, b), (a, a), (b, b)))
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
    return "({})".format(", ".join(_term(value).replace("-", "−") for value in values))


def _term(value: float) -> str:
    return f"{round(float(value), 3) + 0.0:g}"


def _three(value: float) -> str:
    return f"{round(value, 3) + 0.0:.3f}"


def provenance(scene: BasisScene) -> str:
    """What every number on the page depends on."""
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


def offer_downloads(scene: BasisScene) -> None:
    with st.container(horizontal=True):
        for name, label, table in (
            ("points", _("Download points (CSV)"), points_table),
            ("cosines", _("Download cosines (CSV)"), cosines_table),
        ):
            offer_csv(label, f"cosine-basis-{name}", partial(_csv, table, scene))


def _csv(table: Callable[[BasisScene], pd.DataFrame], scene: BasisScene) -> str:
    return str(table(scene).map(csv_cell).to_csv(index=False))


def points_table(scene: BasisScene) -> pd.DataFrame:
    """Every point of the right picture: coordinates, position, and whitened position if any."""
    coordinates = np.concatenate([scene.points, background()])
    placed = scene.plane.place(coordinates)
    table = pd.DataFrame(
        {
            "point": ["a", "b", "c"] + ["cloud"] * CLOUD_N,
            "coordinate_1": coordinates[:, 0],
            "coordinate_2": coordinates[:, 1],
            "x": placed[:, 0],
            "y": placed[:, 1],
        }
    )
    white = scene.whitened(coordinates)
    if white is not None:
        table[["whitened_x", "whitened_y"]] = white
    return table


def cosines_table(scene: BasisScene) -> pd.DataFrame:
    """The three pairs' cosines with all that they depend on. An empty cell means undefined."""
    found, plane = scene.cosines, scene.plane
    table = pd.DataFrame(
        {
            "pair": [f"{first}-{second}" for first, second in PAIRS],
            "coordinate_cosine": found.coordinates,
            "true_cosine": found.true,
        }
    )
    if found.whitened is not None:
        table["whitened_cosine"] = found.whitened
    return table.assign(
        length_e1=plane.length_1,
        length_e2=plane.length_2,
        angle_degrees=plane.angle,
        turn_degrees=plane.turn,
        shift_x=plane.shift[0],
        shift_y=plane.shift[1],
        whitening_fitted_on=scene.whiten,
        cloud_n=CLOUD_N,
        cloud_seed=CLOUD_SEED,
    )


# ---- pictures ----


KEY = "plane"


def show_pictures(scene: BasisScene) -> None:
    """Both pictures with their cosines. A drag there sets the controls.

    Before a guess, page.css hides the second picture and its cosines.
    """

    def accept() -> None:
        moved = st.session_state[KEY].get("moved")
        if isinstance(moved, Mapping):
            accept_move(moved)

    theme = current_theme()
    message = {
        "serial": st.session_state.get("plane-serial", 0),
        "plane": state_of(scene),
        "choices": {
            "whiten": scene.whiten,
            "reading": scene.reading,
            "circle": scene.unit_circle,
        },
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
        send_plane("plane", KEY, message, accept)


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


# ---- claim ----


EQUAL = 5e-4  # largest difference of cosines that are printed alike


def basis_verdict(scene: BasisScene) -> Verdict:
    """Whether the cosine of the coordinates is the cosine of the angle, for the three points."""
    gaps = np.abs(scene.cosines.true - scene.cosines.coordinates)
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
