"""Three causes of anisotropy: for each a toy picture, a number of the clouds, and a remedy."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from html import escape

import numpy as np
import streamlit as st

from geometry import UndefinedMeasure, mean_norm_share
from geometry.data.number_text import signed
from geometry.measure.dimensions import (
    independent_correlation,
    mean_absolute_correlation,
    widest_variance,
)
from geometry.palette import Theme
from pages.common.cache import kept
from pages.common.draw.clouds import current_theme
from pages.common.words import _

from .scene import Scene, Side

MEASURES: tuple[Callable[[np.ndarray], float], ...] = (
    mean_norm_share,
    widest_variance,
    mean_absolute_correlation,
)
TOYS = (  # shift and matrix that are applied to round points
    ((1.1, 0.7), ((0.4, 0.0), (0.0, 0.4))),
    ((0.0, 0.0), ((0.9, 0.0), (0.0, 0.25))),
    ((0.0, 0.0), ((0.6, 0.5), (0.5, 0.6))),
)
TOY_POINTS = 60


def show_causes(scene: Scene) -> None:
    """A figure for each cause: shift of the mean, unequal axes, correlated dimensions."""
    before, now = (_values_of(side) for side in (scene.raw, scene.white))
    n = len(scene.points.cloud)
    independent = _("independent: {value}").format(value=f"{independent_correlation(n):.3f}")
    parts = (
        (
            _("Shift of the mean"),
            _("share of the mean in the squared lengths"),
            _("none: {value}").format(value="0.000"),
            _("Centring undoes it."),
        ),
        (
            _("Unequal axes"),
            _("widest variance ÷ mean variance"),
            _("equal: {value}").format(value="1.00"),
            _("Strength undoes it; so does standardising (page Whitening)."),
        ),
        (
            _("Correlated dimensions"),
            _("mean |correlation| of two dimensions"),
            independent,
            _("Strength undoes it; standardising does not."),
        ),
    )
    figures = [
        _figure(*part, _change(old, new, decimals), picture)
        for part, old, new, decimals, picture in zip(
            parts, before, now, (3, 2, 3), _toys(), strict=True
        )
    ]
    st.subheader(_("Three causes"))
    st.html(f'<div class="causes">{"".join(figures)}</div>')


@kept(2000)
def _values_of(side: Side) -> tuple[float | None, ...]:
    """The three numbers of a side, in all dimensions."""
    return tuple(_or_none(measure, side.vectors) for measure in MEASURES)


def _or_none(measure: Callable[[np.ndarray], float], X: np.ndarray) -> float | None:
    try:
        return measure(X)
    except UndefinedMeasure:
        return None


def _change(old: float | None, new: float | None, decimals: int) -> str:
    """The raw cloud's number, and that of the second picture if it differs."""
    texts = ["—" if value is None else signed(value, decimals) for value in (old, new)]
    return texts[0] if texts[0] == texts[1] else " → ".join(texts)


def _figure(title: str, label: str, reference: str, remedy: str, value: str, picture: str) -> str:
    title, label, reference, remedy = map(escape, (title, label, reference, remedy))
    return (
        f"<figure>{picture}<figcaption><strong>{title}</strong><br><b>{escape(value)}</b><br>"
        f"<small>{label} · {reference}</small><br>{remedy}</figcaption></figure>"
    )


def _toys() -> list[str]:
    """Round points after each matrix and shift, with the origin as a cross."""
    theme = current_theme()
    round_points = np.random.default_rng(0).standard_normal((TOY_POINTS, 2))
    return [_picture(round_points @ np.transpose(matrix) + shift, theme) for shift, matrix in TOYS]


def _picture(points: np.ndarray, theme: Theme) -> str:
    # lines of no length with round ends: a third of the bytes of circles
    dots = "".join(f"M{x:.2f} {-y:.2f}h0" for x, y in points)
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2.4 -2.4 4.8 4.8">'
        f'<path d="M-2.3 0H2.3M0 -2.3V2.3" stroke="{theme.ink}" stroke-width="0.03" />'
        f'<path d="{dots}" stroke="{theme.raw}" stroke-width="0.14" stroke-linecap="round" /></svg>'
    )
    return f'<img alt="" src="data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}">'
