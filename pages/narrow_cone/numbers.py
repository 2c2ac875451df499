"""The numbers under the pictures with their provenance, the table, and the histogram."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from geometry.figures.histogram import HistogramWords, cosine_histogram_figure
from geometry.measure import Measured, isotropic_baselines
from geometry.measure.cosines import isotropic_cosine_shares
from pages.common.big_numbers import BigNumber, measure_numbers, show_big_numbers
from pages.common.corpus_cloud import coverage_of
from pages.common.cosine_histogram import EDGES, SAMPLE_ROWS
from pages.common.coverage_notes import coverage_line
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import current_theme
from pages.common.glosses import explained, explained_caption
from pages.common.measures import (
    agreement_label,
    measure_label,
    no_value,
    print_value,
    unit_of,
)
from pages.common.messages import encoder_errors_shown
from pages.common.seed import SEED
from pages.common.words import _, prose

from . import PAGE
from .pictures import picture_notes, side_title
from .provenance import provenance
from .scene import HEADLINES, MEASURES, Scene, Side, histogram, measured
from .verdicts import STAGES, steps_of

# measures whose value for isotropic data depends on n and d
SIZED = ("opening_angle", "opening_angle_90", "mean_norm_share", "isoscore")


def show_headlines(scene: Scene) -> None:
    """Three numbers under each picture, and what they were measured on."""
    with st.container(key="headlines"):
        boxes = st.columns(2)
    for box, side in zip(boxes, (scene.raw, scene.white), strict=True):
        with box:
            title = side_title(side, scene)
            show_big_numbers(title, _headlines(side, scene), key=f"headline-{side.name}")
    explained_caption(provenance(scene))


def _headlines(side: Side, scene: Scene) -> list[BigNumber]:
    """Mean cosine, share of positive cosines, IsoScore; of the second picture with their change."""
    raw = None if side.content_key == scene.raw.content_key else measured(scene.raw)
    found = measure_numbers(measured(side), raw, names=HEADLINES)
    if raw is not None and is_set_by_fit(side, scene):
        why = _("above it: fitted on these points")
        found[-1] = replace(found[-1], note=f"{found[-1].note} · {why}")
    return found


def is_set_by_fit(side: Side, scene: Scene) -> bool:
    """True if the IsoScore is above that of isotropic data: the map was fitted on these points."""
    row = measured(side)["isoscore"]
    return (row.value or 0.0) > (row.baseline or 0.0)


def show_all_measures(scene: Scene) -> None:
    """A table and notes for each picture, and the histogram."""
    with st.container(key="numbers"):
        boxes = st.columns(2)
    for box, side in zip(boxes, (scene.raw, scene.white), strict=True):
        box.markdown(f"**{side_title(side, scene)}**\n\n{numbers_table(side, scene)}")
        notes = " · ".join(picture_notes(side, scene))
        box.caption(notes, help=explained(notes))
    if scene.points.model is not None:
        with encoder_errors_shown():
            st.caption(coverage_line(coverage_of(scene.points.corpus)))
    whitening = scene.whitening
    if is_set_by_fit(scene.white, scene):
        st.caption(
            _(
                "The whitened cloud's IsoScore exceeds that of new isotropic data with the same n "
                "and d, because the map was fitted on these points."
            )
        )
    elif scene.is_white and whitening.shrinkage:
        st.caption(
            _(
                "The whitened cloud's IsoScore stays below that of new isotropic data with the "
                "same n and d, because shrinkage leaves the cloud oblong. “In full” makes it round."
            )
        )
    _histogram(scene)


def warn_of_simplex(scene: Scene) -> None:
    """An error message if a full whitening of few points makes the picture meaningless."""
    whitening = scene.whitening
    if scene.fit == "full" and whitening.is_simplex:
        n = {"n": f"{whitening.n_rows:,}", "distinct": f"{whitening.n_distinct:,}"}
        section = "simplex-warning" if whitening.is_regular else "simplex-warning-uneven"
        st.error(prose(PAGE, section, n))


def numbers_table(side: Side, scene: Scene) -> str:
    """The numbers of one side as a Markdown table, with the values for isotropic data."""
    rows = _number_rows(side, scene)
    steps, at = steps_of(scene), (scene.whitening.centring, scene.whitening.strength)
    stage = (0.0, 0.0) if side.name == "raw" else at
    if steps is not None and stage in STAGES:
        share, label = (
            steps.agreements[STAGES.index(stage)],
            agreement_label(scene.points.corpus),
        )
        by_chance = _("{share} by chance").format(share=f"{steps.chance:.1%}")
        rows.append(
            (_("{measure}, rows not fitted on").format(measure=label), f"{share:.1%}", by_chance)
        )
    head = (_("measure"), _("value"), _("reference"))
    lines = [head, ("---", "---:", "---:"), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _number_rows(side: Side, scene: Scene) -> list[tuple[str, str, str]]:
    """(measure, value, reference) of each measure of the table."""
    n, d = len(scene.points.cloud), side.d
    found = measured(side, MEASURES)
    references = {
        "mean_cosine": "0",
        "positive_cosine_share": "0.5",
        **{name: _isotropic(name, n, d) for name in SIZED},
        "effective_rank": _("at most {d}").format(d=min(n - 1, d)),
        "effective_rank_uncentred": _("at most {d}").format(d=min(n, d)),
    }
    return [
        (measure_label(name), _value(found[name]), reference)
        for name, reference in references.items()
    ]


def _isotropic(name: str, n: int, d: int) -> str:
    """The measure of n isotropic rows in d dimensions, in words; "" if it is undefined."""
    value = isotropic_baselines([name], n, d, seed=SEED)[name]
    if value is None:
        return ""
    return _("{value} at this n, d").format(value=print_value(name, value) + unit_of(name))


def _value(row: Measured) -> str:
    if row.value is None:
        return no_value(row.undefined)
    # nearly all cosines of a cone are positive: three decimals would round to 1
    decimals = 4 if row.name == "positive_cosine_share" else None
    return print_value(row.name, row.value, decimals) + unit_of(row.name)


def _histogram(scene: Scene) -> None:
    (raw, pairs), (white, _pairs) = histogram(scene.raw), histogram(scene.white)
    d = scene.white.d
    st.markdown(_("**Cosines of pairs, before and after**"))
    show_chart(
        chart_of(
            cosine_histogram_figure(
                raw,
                white,
                isotropic_cosine_shares(EDGES, d),
                EDGES,
                HistogramWords(
                    raw=side_title(scene.raw, scene),
                    white=side_title(scene.white, scene),
                    reference=_("isotropic directions, d = {d}").format(d=d),
                    x=_("cosine of a pair"),
                    y=_("share of pairs"),
                ),
                current_theme(),
            )
        ),
        key="chart-histogram",
        file_name="narrow-cone-cosines",
        alt=_(
            "Histogram of {n} pairwise cosines: raw around {raw}, whitened around {white}."
        ).format(
            n=f"{pairs:,}",
            raw=_mean_cosine(scene.raw, scene),
            white=_mean_cosine(scene.white, scene),
        ),
    )
    if pairs < len(scene.points.cloud) * (len(scene.points.cloud) - 1) // 2:
        st.caption(
            _("Pairs of a sample of {n} points, seed {seed}.").format(
                n=f"{SAMPLE_ROWS:,}", seed=SEED
            )
        )


def _mean_cosine(side: Side, scene: Scene) -> str:
    return print_value("mean_cosine", measured(side)["mean_cosine"].value, 2)
