"""Controls of the page ``cosine_basis``; their state is in the URL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import streamlit as st

from geometry.toy import Plane

from .controls import choose
from .words import Translate

STANDARD = {"len1": 1.0, "len2": 1.0, "angle": 90.0, "shift_x": 0.0, "shift_y": 0.0}
ON_ARRIVAL = {**STANDARD, "len2": 2.0}  # the standard basis would show two equal pictures
PRESETS: dict[str, Mapping[str, float]] = {
    "standard": {},
    "diagonal": {"len2": 2.0},
    "shear": {"len2": 2**0.5, "angle": 45.0},
    "half-shear": {"len2": 1.25**0.5, "angle": float(np.degrees(np.arctan2(1.0, 0.5)))},
    "longer-e1": {"len1": 2.0},
    "shift": {"shift_x": 3.0, "shift_y": 3.0},
}
WHITEN = ("no", "cloud", "points")
READINGS = ("coordinates", "position")


@dataclass(frozen=True)
class Settings:
    """What the reader has set."""

    plane: Plane
    reading: str
    whiten: str
    unit_circle: bool


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


def _show_presets(plane: Plane, _: Translate) -> None:
    """One button a preset; the one that is on stands out."""
    now = dict(
        zip(STANDARD, (plane.length_1, plane.length_2, plane.angle, *plane.shift), strict=True)
    )
    with st.container(horizontal=True):
        for name, label in preset_labels(_).items():
            preset = {**STANDARD, **PRESETS[name]}
            st.button(
                label,
                key=f"preset-{name}",
                type="primary" if preset == now else "secondary",
                on_click=st.session_state.update,
                args=(preset,),
            )


def _read_plane(_: Translate) -> tuple[Plane, bool]:
    """The five sliders of the basis and the shift, and whether to draw the unit circle."""
    lengths, angle, shift = st.columns(3)
    with lengths:
        first = _slider(_("Length of e₁"), "len1", 0.25, 3.0, 0.05)
        second = _slider(_("Length of e₂"), "len2", 0.25, 3.0, 0.05)
    with angle:
        between = _slider(_("Angle from e₁ to e₂"), "angle", 15.0, 165.0, 1.0, "%.1f°")
        circle = st.toggle(
            _("Dashed: the unit circle, carried along"), True, key="circle", bind="query-params"
        )
    with shift:
        x = _slider(_("Shift along x"), "shift_x", -4.0, 4.0, 0.1, "%.2f")
        y = _slider(_("Shift along y"), "shift_y", -4.0, 4.0, 0.1, "%.2f")
    return Plane(first, second, between, (x, y)), circle


def _slider(
    label: str, key: str, low: float, high: float, step: float, shown: str = "%.3f"
) -> float:
    return float(
        st.slider(
            label, low, high, ON_ARRIVAL[key], step, key=key, format=shown, bind="query-params"
        )
    )


def read_settings(_: Translate) -> Settings:
    """All controls of the page but the whitening button, which stands by the picture."""
    presets = st.container()  # above the sliders, which say first where a shared address stands
    plane, circle = _read_plane(_)
    with presets:
        _show_presets(plane, _)
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
    return Settings(plane, reading, whiten, circle)
