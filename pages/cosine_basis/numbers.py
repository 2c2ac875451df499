"""The numbers of the page ``cosine_basis``: readings, sign condition, Gram matrix, files.

The table of cosines stands beside the pictures and follows the hand (assets/components).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from geometry.projection.toy import PAIRS, Plane
from pages.common.downloads import offer_csv
from pages.common.words import Translate, prose

from .controls import Settings
from .panels import (
    CLOUD_N,
    CLOUD_SEED,
    Cosines,
    cloud,
    cosines,
    number,
    whitened,
)

PAGE = "cosine_basis"


def show_numbers(settings: Settings, _: Translate) -> None:
    """What cosine sees in this reading, and what the numbers depend on."""
    found = cosines(settings)
    values = reading_values(settings, found, _)
    st.markdown(prose(PAGE, f"reading-{settings.reading}", values))
    if np.isnan(found.true).any():
        st.warning(
            _("A point lies on the origin. It has no direction, so its cosines are undefined."),
            icon=":material/radio_button_unchecked:",
        )
    if settings.whiten == "points" and np.linalg.matrix_rank(_spread(settings), tol=1e-6) < 2:
        st.warning(
            _("a, b, c lie on one line: whitening fitted on them leaves the way across as it is."),
            icon=":material/linear_scale:",
        )
    st.caption(provenance(settings, _))


def _spread(settings: Settings) -> np.ndarray:
    """a, b, c (3, 2) about their mean."""
    return settings.points - settings.points.mean(axis=0)


def reading_values(settings: Settings, found: Cosines, _: Translate) -> dict[str, str]:
    """What the prose of a reading quotes."""
    points = [", ".join(_term(part).replace("-", "−") for part in row) for row in settings.points]
    return {
        "points": ", ".join(f"({point})" for point in points),
        "coordinates": ", ".join(number(value, _) for value in found.coordinates),
        "true": ", ".join(number(value, _) for value in found.true),
    }


def show_condition(settings: Settings, _: Translate) -> None:
    """The sign condition, lit when it holds, and what follows from it."""
    plane = settings.plane
    say = (_("Before the shift: ") if any(plane.shift) else "") + _sign_sentence(plane, _)
    if not settings.is_at_home:
        say = _("For a(2, 2), b(2, −2), c(−2, 2), which you have moved: ") + say
    if plane.first_axis_shorter:
        st.success(say, icon=":material/lightbulb:")
    else:
        st.info(say, icon=":material/lightbulb_outline:")


def _sign_sentence(plane: Plane, _: Translate) -> str:
    if plane.first_axis_shorter:
        return _("**‖e₁‖ < ‖e₂‖ holds.** The true cos(a, b) is negative, cos(a, c) positive.")
    if plane.length_1 == plane.length_2:
        return _("**‖e₁‖ = ‖e₂‖.** Both true cosines are 0, whatever the angle between the axes.")
    return _("**‖e₁‖ > ‖e₂‖.** The signs are reversed: cos(a, b) positive, cos(a, c) negative.")


def show_formula(settings: Settings) -> None:
    """The Gram matrix and the formula, with the current numbers, and what it says."""
    plane = settings.plane
    (g11, g12), (_g21, g22) = ([_term(value) for value in row] for row in plane.gram)
    st.latex(
        rf"\small G = P^\top P = \begin{{pmatrix}} {g11} & {g12} \\ {g12} & {g22} \end{{pmatrix}}"
    )
    if not settings.is_at_home:
        st.latex(_general_formula(settings))
        st.caption(prose(PAGE, "formula-moved"))
        return
    squared = f"({g12})^2" if g12.startswith("-") else rf"{g12}^2"
    st.latex(
        r"\small\begin{aligned}\cos(a, b) &= \frac{g_{11} - g_{22}}"
        r"{\sqrt{(g_{11} + g_{22})^2 - 4 g_{12}^2}}\\[4pt]"
        rf"&= \frac{{{g11} - {g22}}}{{\sqrt{{({g11} + {g22})^2 - 4 \cdot {squared}}}}}"
        rf" = {_three(plane.cosine_by_formula())}\end{{aligned}}"
    )
    st.caption(prose(PAGE, "formula"))


def _general_formula(settings: Settings) -> str:
    """cos(a, b) under G for any a and b, before a shift."""
    plane = settings.plane
    a, b, _c = settings.points
    inner, first, second = (_term(x @ plane.gram @ y) for x, y in ((a, b), (a, a), (b, b)))
    value = float(replace(plane, shift=(0.0, 0.0)).true_cosines(settings.points)[0])
    shown = "" if np.isnan(value) else f" = {_three(value)}"
    return (
        r"\small\cos(a, b) = \frac{a^\top G\, b}{\sqrt{a^\top G\, a \cdot b^\top G\, b}}"
        rf" = \frac{{{inner}}}{{\sqrt{{{first} \cdot {second}}}}}{shown}"
    )


def _term(value: float) -> str:
    return f"{round(float(value), 3) + 0.0:g}"


def _three(value: float) -> str:
    return f"{round(value, 3) + 0.0:.3f}"


def provenance(settings: Settings, _: Translate) -> str:
    """What every number on the page depends on."""
    fitted = {
        "no": _("no whitening"),
        "cloud": _("whitening fitted on the cloud (n = {n}), a, b, c not among it").format(
            n=CLOUD_N
        ),
        "points": _("whitening fitted on a, b, c alone (n = 3)"),
    }[settings.whiten]
    return _(
        "Background cloud: n = {n}, seed {seed}, as wide in every direction of the standard "
        "basis, carried by the same basis and shift; {fitted}."
    ).format(n=CLOUD_N, seed=CLOUD_SEED, fitted=fitted)


def show_downloads(settings: Settings, _: Translate) -> None:
    """Points and cosines as CSV; the pictures have a button of their own."""
    with st.container(horizontal=True):
        for name, label, table in (
            ("points", _("Points (CSV)"), points_table(settings)),
            ("cosines", _("Cosines (CSV)"), cosines_table(settings)),
        ):
            offer_csv(label, f"cosine-basis-{name}", partial(table.to_csv, index=False))


def points_table(settings: Settings) -> pd.DataFrame:
    """Every point of the right panel: coordinates, position, and the whitened one if there is."""
    coordinates = np.concatenate([settings.points, cloud()])
    placed = settings.plane.place(coordinates)
    table = pd.DataFrame(
        {
            "point": ["a", "b", "c"] + ["cloud"] * len(cloud()),
            "coordinate_1": coordinates[:, 0],
            "coordinate_2": coordinates[:, 1],
            "x": placed[:, 0],
            "y": placed[:, 1],
        }
    )
    white = whitened(settings, coordinates)
    if white is not None:
        table[["whitened_x", "whitened_y"]] = white
    return table


def cosines_table(settings: Settings) -> pd.DataFrame:
    """The three pairs' cosines with all that they depend on; an empty cell is undefined."""
    found, plane = cosines(settings), settings.plane
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
        whitening_fitted_on=settings.whiten,
        cloud_n=CLOUD_N,
        cloud_seed=CLOUD_SEED,
    )
