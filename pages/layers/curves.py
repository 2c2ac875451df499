"""A measure layer by layer: curves of tokens, of poolings, and of publications."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from geometry.evaluate.published import published_tables
from geometry.figures.curves import Axes, Curve, curves_figure
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import current_theme
from pages.common.escape import markdown
from pages.common.measures import measure_label, print_value
from pages.common.words import _

from .choices import choose_measure
from .film import Table
from .provenance import sample_note
from .scene import Scene
from .series import TOKENS, Series, series_name
from .sweep import CONTEXTUAL, Sweep

HEIGHT = 320
PUBLISHED = ("ethayarajh_bert", "ethayarajh_gpt2", "ethayarajh_elmo")


def show_curves(scene: Scene) -> str:
    """The chart of a measure that the reader chooses; returns the measure's name."""
    measure = choose_measure()
    label = measure_label(measure, with_unit=True)
    axes = Axes(_("layer (0 is the input)"), label)
    curves = drawn_curves(scene, measure)
    figure = curves_figure(curves, axes, current_theme(), height=HEIGHT)
    figure.update_xaxes(dtick=1 if scene.film.last <= 12 else None)
    show_chart(
        chart_of(figure),
        key="layer-curves",
        file_name=f"layers-{measure}",
        alt=_alternative(scene.tables_of(measure), measure, label),
    )
    st.caption(markdown(_note(measure, scene)))
    return measure


def drawn_curves(scene: Scene, measure: str) -> list[Curve]:
    """The measure of each series, of isotropic data, and in publications."""
    tables = scene.tables_of(measure)
    curves = [
        _curve(tables[name], measure, series_name(name), place)
        for place, name in enumerate(scene.series)
        if name in tables
    ]
    return curves + references(scene, measure)


def _curve(tables: Sequence[Table], measure: str, name: str, place: int) -> Curve:
    rows = [table[measure] for table in tables]
    values, low, high = (
        np.array([np.nan if end is None else end for end in ends])
        for ends in (
            [row.value for row in rows],
            [row.low for row in rows],
            [row.high for row in rows],
        )
    )
    has_interval = not np.isnan(low).all()
    return Curve(
        np.arange(len(rows)),
        values,
        name,
        place,
        low=low if has_interval else None,
        high=high if has_interval else None,
        dots=True,
    )


def references(scene: Scene, measure: str) -> list[Curve]:
    """Isotropic data with the n and d of the drawn cloud or of the tokens; published curves."""
    name = TOKENS if measure in CONTEXTUAL else scene.film.name
    rows = [table[measure] for table in scene.tables_of(measure)[name]]
    x = np.arange(len(rows), dtype=float)
    found = []
    baseline = [np.nan if row.baseline is None else row.baseline for row in rows]
    if not np.isnan(baseline).all():
        title = _("isotropic, as many as {series}").format(series=series_name(name))
        found.append(Curve(x, np.array(baseline), title))
    if measure == "mean_cosine":
        found += published_curves(scene.film.last)
    return found


def published_curves(last: int) -> list[Curve]:
    """Ethayarajh's curves, stretched from the layers of those models to 0 … ``last``."""
    tables = {table.key: table for table in published_tables()}
    curves = []
    for key in PUBLISHED:
        ((name, values),) = tables[key].rows.items()
        heights = np.array([np.nan if value is None else value for value in values])
        depth = np.linspace(0, 1, len(heights))
        if key == "ethayarajh_gpt2":  # the input and the last two of 12 layers
            heights = np.array([heights[0], np.nan, *heights[1:]])
            depth = np.array([0, 0.5, 11 / 12, 1])
        title = _("{model}, published").format(model=name)
        curves.append(Curve(depth * last, heights, title, dots=True))
    return curves


def _alternative(tables: Sweep, measure: str, label: str) -> str:
    said = [
        f"{series_name(name)}: "
        + ", ".join(print_value(measure, table[measure].value) or "—" for table in each)
        for name, each in tables.items()
    ]
    return f"{label}, {_('layer (0 is the input)')}. " + "; ".join(said)


def _note(measure: str, scene: Scene) -> str:
    shown = [scene.series[name] for name in scene.tables_of(measure)]
    parts = [
        _("Shaded: 95% intervals by leaving out sentences; angles by subsamples of them."),
    ]
    if measure in CONTEXTUAL:
        parts = [
            _(
                "Each minus its anisotropy baseline of the same tokens: Ethayarajh (2019). Shaded: "
                "95% intervals by leaving out sentences, or types where those vary more."
            )
        ]
    parts += [_("Texts of the curves: {note}.").format(note=each) for each in sample_note(shown[0])]
    parts += special_tokens_note(shown)
    if measure == "mean_cosine":
        parts.append(
            _(
                "Published: tokens of other models and texts, by Ethayarajh (2019). Their layers "
                "are stretched to the width of the chart."
            )
        )
    if scene.unresolved:
        names = ", ".join(series_name(name) for name in scene.unresolved)
        parts.append(
            _("Left out, because bfloat16 can't resolve them: {names}.").format(names=names)
        )
    return " ".join(parts)


def special_tokens_note(shown: Sequence[Series]) -> list[str]:
    """What is done with special tokens and word pieces, for tokens and for sentences."""
    parts = []
    if any(each.name == TOKENS for each in shown):
        parts.append(_("Tokens: special tokens left out, word pieces included."))
    sentences = [each.first.spec for each in shown if each.name not in (TOKENS, "cls")]
    if not sentences or not shown[0].first.encoder.special_tokens:
        return parts
    if all(spec.special_tokens for spec in sentences):
        with_them = _(
            "Sentences: special tokens are pooled too; “More controls and downloads” can leave "
            "them out."
        )
        return [*parts, with_them]
    return [*parts, _("Sentences: pooled without special tokens, except [CLS].")]
