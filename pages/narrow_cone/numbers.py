"""The numbers under the panels, what each was measured on, the histogram, the data to take away."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from geometry.figures.histogram import HistogramWords, cosine_histogram_figure
from geometry.measure import Measured
from geometry.measure.cosines import isotropic_cosine_shares
from pages.common import cached
from pages.common.coverage_notes import coverage_line
from pages.common.downloads import csv_bytes, offer_csv, points_csv, short_number
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import current_theme
from pages.common.measures import measure_label, no_value, print_value, unit_of
from pages.common.messages.model_errors import model_line
from pages.common.words import Translate, prose

from .panels import side_title
from .scene import Scene, Side


def show_numbers(scene: Scene, _: Translate) -> None:
    """A table under each panel, the line that says what they are about, and the histogram."""
    with st.container(key="numbers"):
        boxes = st.columns(2)
    for box, side in zip(boxes, (scene.raw, scene.white), strict=True):
        box.markdown(f"**{side_title(side, scene, _)}**\n\n{numbers_table(side, _)}")
    st.caption(provenance(scene, _))
    st.caption(coverage_line(cached.coverage(scene.corpus), _))
    whitening = scene.twin.whitening
    if scene.fit == "full" and whitening.is_simplex:
        n = {"n": f"{whitening.n_rows:,}", "distinct": f"{whitening.n_distinct:,}"}
        section = "simplex-warning" if whitening.is_regular else "simplex-warning-uneven"
        st.error(prose("narrow_cone", section, n))
    white = scene.white.numbers.measured["isoscore"]
    above = (white.value or 0.0) - (white.baseline or 0.0)
    if above > 0:
        st.caption(
            _(
                "White's IsoScore exceeds what fresh isotropic data of this n and d give, because "
                "the map was fitted on these very points."
            )
        )
    elif scene.is_white and whitening.shrinkage and above < 0:
        st.caption(
            _(
                "White's IsoScore stays below what fresh isotropic data of this n and d give: "
                "shrinkage leaves the cloud oblong. “In full” makes it round."
            )
        )
    _histogram(scene, _)


def provenance(scene: Scene, _: Translate) -> str:
    """n, model, layer, pooling, centring, strength, fit set, n/d, rank, shrinkage, seed."""
    whitening = scene.twin.whitening
    cloud, spec = scene.cloud, scene.spec
    n, d = cloud.vectors.shape
    units = {"sentences": _("sentences"), "tokens": _("tokens"), "types": _("types")}
    count = f"n = {n:,} {units[cloud.unit]}"
    if cloud.n_available > n:
        available = f"{cloud.n_available:,}"
        count = _("{count} (a sample of {n})").format(count=count, n=available)
    encoder = cached.encoder()
    parts = [_("corpus {name}").format(name=scene.corpus.name), count, model_line(encoder, _)]
    if cloud.unit == "types":
        parts.append(_("input embeddings"))
    else:
        parts.append(_("layer {layer} of {last}").format(layer=spec.layer, last=encoder.n_layers))
    if cloud.unit == "sentences":
        parts.append(_("pooling {name}").format(name=spec.pooling))
        if not spec.special_tokens:
            parts.append(_("without special tokens"))
    parts += [
        _("centring {s}").format(s=f"{whitening.centring:.2f}"),
        _("strength {t}").format(t=f"{whitening.strength:.2f}"),
        _("whitening fitted on the same {n} {unit}").format(n=f"{n:,}", unit=units[cloud.unit]),
        _("n/d = {ratio}").format(ratio=f"{n / d:.2f}"),
        _("rank {rank} of {d}").format(rank=whitening.rank, d=d),
        _("Ledoit-Wolf shrinkage {a}").format(a=f"{whitening.shrinkage:.3f}")
        if whitening.shrinkage
        else _("no shrinkage"),
    ]
    if len(whitening.components) < d:
        parts.append(_("directions kept: {k}").format(k=len(whitening.components)))
    return " · ".join([*parts, _("seed {seed}").format(seed=spec.seed)])


def numbers_table(side: Side, _: Translate) -> str:
    """The numbers of one side as a Markdown table, with what isotropy would give."""
    rows = _number_rows(side, _)
    if side.numbers.agreement is not None:
        chance = _("{share} by chance").format(share=f"{side.numbers.chance:.1%}")
        rows.append((_("topic agreement of 5 neighbours"), f"{side.numbers.agreement:.1%}", chance))
    head = (_("measure"), _("value"), _("reference"))
    lines = [head, ("---", "---:", "---:"), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _number_rows(side: Side, _: Translate) -> list[tuple[str, str, str]]:
    """(measure, value, reference) of each measure of the table."""
    n, d = side.kept_vectors.shape
    measured = side.numbers.measured
    isotropic = print_value("isoscore", measured["isoscore"].baseline)
    references = {
        "mean_cosine": "0",
        "positive_cosine_share": "0.5",
        "opening_angle": "90°",
        "opening_angle_90": "",
        "mean_norm_share": "0",
        "isoscore": _("{value} at this n, d").format(value=isotropic) if isotropic else "",
        "effective_rank": _("at most {d}").format(d=min(n - 1, d)),
        "effective_rank_uncentred": _("at most {d}").format(d=min(n, d)),
    }
    return [
        (measure_label(name, _), _value(measured[name], _), reference)
        for name, reference in references.items()
    ]


def _value(row: Measured, _: Translate) -> str:
    if row.value is None:
        return no_value(row, _)
    # nearly all cosines of a cone are positive: three decimals would round to 1
    decimals = 4 if row.name == "positive_cosine_share" else None
    return print_value(row.name, row.value, decimals) + unit_of(row.name)


def _histogram(scene: Scene, _: Translate) -> None:
    pairs = scene.raw.numbers.pairs
    d = scene.white.kept_vectors.shape[1]
    st.markdown(_("**Cosines of pairs, before and after**"))
    show_chart(
        chart_of(
            cosine_histogram_figure(
                scene.raw.numbers.shares,
                scene.white.numbers.shares,
                isotropic_cosine_shares(cached.EDGES, d),
                cached.EDGES,
                HistogramWords(
                    raw=side_title(scene.raw, scene, _),
                    white=side_title(scene.white, scene, _),
                    reference=_("isotropic directions, d = {d}").format(d=d),
                    x=_("cosine of a pair"),
                    y=_("share of pairs"),
                ),
                current_theme(),
            )
        ),
        key="chart-histogram",
        file_name="narrow-cone-cosines",
        alt=_("Histogram of {n} pairwise cosines: raw around {raw}, white around {white}.").format(
            n=f"{pairs:,}",
            raw=_mean_cosine(scene.raw),
            white=_mean_cosine(scene.white),
        ),
    )
    if pairs < len(scene.cloud) * (len(scene.cloud) - 1) // 2:
        st.caption(
            _("Pairs of a sample of {n} points, seed {seed}.").format(
                n=f"{cached.HISTOGRAM_ROWS:,}", seed=cached.SEED
            )
        )


def _mean_cosine(side: Side) -> str:
    return print_value("mean_cosine", side.numbers.measured["mean_cosine"].value, 2)


def take_away(scene: Scene, _: Translate) -> None:
    """The pictures' data as CSV; the pictures themselves have a camera button."""
    view = _("view {name}").format(name=scene.raw.projection.method)
    factor = _("white drawn × {factor}").format(factor=f"{scene.factor:.4g}")
    told = " · ".join([provenance(scene, _), view, factor])
    with st.container(horizontal=True):
        offer_csv(
            _("Take the points away (CSV)"), "narrow-cone-points", partial(panels_csv, scene, told)
        )
        offer_csv(
            _("Take the histogram away (CSV)"),
            "narrow-cone-cosines",
            partial(histogram_csv, scene, told),
        )


def panels_csv(scene: Scene, told: str) -> bytes:
    """Raw and white coordinates as drawn."""
    axes = "xyz"[: scene.raw.projection.n_components]
    columns = [f"{side}_{axis}" for side in ("raw", "white") for axis in axes]
    white = scene.white.projection.around_origin * scene.factor
    places = np.hstack([scene.raw.projection.around_origin, white])
    return points_csv(scene.cloud, columns, places, told)


def histogram_csv(scene: Scene, told: str) -> bytes:
    """One row a bin: its edges, the share of pairs in it for both clouds and if isotropic."""
    d = scene.white.kept_vectors.shape[1]
    reference = isotropic_cosine_shares(cached.EDGES, d)
    columns = (
        cached.EDGES[:-1],
        cached.EDGES[1:],
        scene.raw.numbers.shares,
        scene.white.numbers.shares,
        reference,
    )
    return csv_bytes(
        ["cosine_from", "cosine_to", "raw", "white", "isotropic"],
        [[short_number(value) for value in row] for row in zip(*columns, strict=True)],
        told,
    )
