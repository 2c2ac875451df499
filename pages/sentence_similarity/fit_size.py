"""How many sentences a fit needs: scores of the same pairs by the rows in the fit."""

from __future__ import annotations

import numpy as np
import streamlit as st

from geometry.encode.encoder import Layer
from geometry.evaluate.bootstrap import PairScore
from geometry.evaluate.fit_size import RETAINED, WHITENINGS, SizedScore, scores_by_fit_size
from geometry.figures.curves import Axes, Curve, curves_figure
from pages.common import jobs
from pages.common.cache import kept
from pages.common.downloads import CsvCell, csv_bytes, offer_csv, short_number
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import current_theme
from pages.common.scores import hundred
from pages.common.seed import SEED
from pages.common.treatment_names import treatment_words
from pages.common.words import _, labelled, markdown, prose

from . import PAGE
from .choices import cell_words, measured_on, score_title
from .scene import EncodedPairs, Scene

TREATMENTS = ("none", *WHITENINGS)
CUT = WHITENINGS[1]  # retains RETAINED directions
MARGIN = 1.08  # factor between the outermost sizes and the ends of the axis


def show_fit_sizes(scene: Scene) -> None:
    """Three whitenings on the same axes, with raw as a horizontal line and n = d marked."""
    choice = scene.choice
    sizes = jobs.kept_or_made(
        _sized_scores,
        *(scene.encoded, choice.layer, choice.pooling),
        what=_("Fitting on more and more sentences"),
        lane="measure",
        passing=True,
    )
    n = np.array([size.n for size in sizes])
    curves = [_curve(each, place, n, sizes) for place, each in enumerate(TREATMENTS)]
    heights = np.concatenate([curve.y for curve in curves])
    d = choice.encoder.dimension
    if n[0] < d < n[-1]:
        ends = np.array([np.nanmin(heights), np.nanmax(heights)])
        curves.append(Curve(np.array([d, d]), ends, _("n = d = {d}").format(d=d)))
    axes = Axes(
        _("sentences in the fit"),
        score_title(choice),
        log_x=True,
        x_range=(float(n[0]) / MARGIN, float(n[-1]) * MARGIN),
        x_ticks=tuple(map(float, _ticks(n))),
    )
    figure = curves_figure(curves, axes, current_theme(), height=380)
    show_chart(
        chart_of(figure),
        key="sts-sizes",
        file_name="sentence-similarity-fit-size",
        alt=_("; ").join(labelled(f"n = {size.n:,}", _spoken(size)) for size in sizes),
    )
    values = {
        "cell": cell_words(choice.layer, choice.pooling),
        "fit": markdown(choice.fit.name),
        "most": f"{sizes[-1].n:,}",
        "d": f"{d}",
        "k": f"{RETAINED}",
        **{
            name: hundred(sizes[-1].scores[treatment].spearman)
            for name, treatment in zip(("raw", "full", "kept", "shrunk"), TREATMENTS, strict=True)
        },
    }
    st.markdown(prose(PAGE, "sizes", values))
    cut = [size.n for size in sizes if size.n_directions.get(CUT, RETAINED) < RETAINED]
    if cut:
        values |= {"cut": f"{max(cut):,}"}
        st.markdown(prose(PAGE, "sizes-cut", values))
    if choice.fit.is_target:
        st.markdown(prose(PAGE, "sizes-target"))
    caption = " · ".join(
        [
            measured_on(choice),
            cell_words(choice.layer, choice.pooling),
            _("fitted on 10 to {n} sentences of {name}").format(
                n=f"{sizes[-1].n:,}", name=choice.fit.name
            ),
        ]
    )
    st.caption(markdown(caption))
    offer_csv(
        _("Download curve (CSV)"),
        "sentence-similarity-fit-size",
        lambda: sizes_csv(sizes, caption),
    )


@kept(64)
def _sized_scores(
    encoded: EncodedPairs, layer: Layer, pooling: str, report: jobs.Progress = jobs.no_report
) -> tuple[SizedScore, ...]:
    return scores_by_fit_size(
        encoded.vectors(layer, pooling),
        encoded.fit_rows(layer, pooling),
        encoded.bootstrap,
        similarity=encoded.similarity,
        random_state=SEED,
        progress=report,
    )


def _ticks(n: np.ndarray) -> np.ndarray:
    """The sizes with a number on the axis, far enough apart to be legible."""
    ticks = [n[0]]
    for size in n[1:-1]:
        if size >= 1.4 * ticks[-1] and n[-1] >= 1.4 * size:
            ticks.append(size)
    return np.array([*ticks, n[-1]] if len(n) > 1 else ticks)


def _curve(treatment: str, place: int, n: np.ndarray, sizes: tuple[SizedScore, ...]) -> Curve:
    """The curve of a treatment. Only raw is shaded, because overlaid shades are illegible."""
    scores = [size.scores[treatment] for size in sizes]
    name, values = treatment_words(treatment), _values(scores, "spearman")
    if treatment != "none":
        return Curve(n, values, name, place)
    return Curve(n, values, name, place, low=_values(scores, "low"), high=_values(scores, "high"))


def _values(scores: list[PairScore], name: str) -> np.ndarray:
    """(sizes,) × 100; NaN for an undefined score."""
    return 100 * np.array([getattr(score, name) for score in scores], dtype=np.float64)


def _spoken(size: SizedScore) -> str:
    return _(", ").join(
        f"{treatment_words(treatment)} {hundred(score.spearman)}"
        for treatment, score in size.scores.items()
    )


def sizes_csv(sizes: tuple[SizedScore, ...], caption: str) -> bytes:
    rows: list[list[CsvCell]] = [
        [
            str(size.n),
            (treatment, treatment_words(treatment)),
            str(size.n_directions.get(treatment, "")),
            *map(short_number, (score.spearman, score.low, score.high)),
        ]
        for size in sizes
        for treatment, score in size.scores.items()
    ]
    return csv_bytes(["n_fit", "treatment", "k", "spearman", "low", "high"], rows, caption)
