"""How many sentences a fit needs: the score of the same pairs against the rows in the fit."""

from __future__ import annotations

import numpy as np
import streamlit as st

from geometry.evaluate.fit_size import KEPT, WHITENINGS, SizedScore
from geometry.evaluate.scores import PairScore
from geometry.figures.curves import Axes, Curve, curves_figure
from pages.common.downloads import csv_bytes, offer_csv, short_number
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import current_theme
from pages.common.words import Translate, prose

from .choices import treatment_words
from .scene import Asked, measured_sizes
from .words import cell_words, hundred, measured_on, score_title

PAGE = "sentence_similarity"
HEIGHT = 380
FEWER = WHITENINGS[1]  # keeps KEPT directions
ROOM = 1.08  # beside the first and the last size


def show_sizes(asked: Asked, _: Translate) -> None:
    """The three whitenings on the same axes, raw as a level line, n = d marked."""
    st.markdown("#### 5 · " + _("How many sentences does a fit need?"))
    sizes = measured_sizes(asked, _)
    n = np.array([one.n for one in sizes])
    curves = [_curve("none", 0, n, sizes, _, is_shaded=True)]
    curves += [_curve(way, place, n, sizes, _) for place, way in enumerate(WHITENINGS, start=1)]
    heights = np.concatenate([curve.y for curve in curves])
    d = asked.encoder.dimension
    if n[0] < d < n[-1]:
        ends = np.array([np.nanmin(heights), np.nanmax(heights)])
        curves.append(Curve(np.array([d, d]), ends, _("n = d = {d}").format(d=d)))
    axes = Axes(
        _("sentences in the fit"),
        score_title(asked, _),
        log_x=True,
        x_range=(float(n[0]) / ROOM, float(n[-1]) * ROOM),
        x_ticks=tuple(map(float, _ticks(n))),
    )
    figure = curves_figure(curves, axes, current_theme(), height=HEIGHT)
    show_chart(
        chart_of(figure),
        key="sts-sizes",
        file_name="sentence-similarity-fit-size",
        alt=_alternative(sizes, _),
    )
    values = {
        "cell": cell_words(asked.layer, asked.pooling, _),
        "fit": asked.fit.name,
        "most": f"{sizes[-1].n:,}",
        "d": f"{d}",
        "k": f"{KEPT}",
        **{name: hundred(value, _) for name, value in _ends(sizes).items()},
    }
    st.markdown(prose(PAGE, "sizes", values))
    cut = [one.n for one in sizes if one.kept.get(FEWER, KEPT) < KEPT]
    if cut:
        values |= {"cut": f"{max(cut):,}"}
        st.markdown(prose(PAGE, "sizes-cut", values))
    if asked.fit.is_target:
        st.markdown(prose(PAGE, "sizes-target"))
    told = " · ".join(
        [
            measured_on(asked, _),
            cell_words(asked.layer, asked.pooling, _),
            _("fitted on 10 to {n} sentences of {name}").format(
                n=f"{sizes[-1].n:,}", name=asked.fit.name
            ),
        ]
    )
    st.caption(told)
    offer_csv(
        _("Take the curve away (CSV)"),
        "sentence-similarity-fit-size",
        lambda: sizes_csv(sizes, told),
    )


def _ticks(n: np.ndarray) -> np.ndarray:
    """Sizes that are numbered: closer ones would run into each other."""
    kept = [n[0]]
    for size in n[1:-1]:
        if size >= 1.4 * kept[-1] and n[-1] >= 1.4 * size:
            kept.append(size)
    return np.array([*kept, n[-1]] if len(n) > 1 else kept)


def _ends(sizes: tuple[SizedScore, ...]) -> dict[str, float | None]:
    last = sizes[-1].scores
    names = ("raw", "full", "kept", "shrunk")
    return {
        name: last[way].spearman for name, way in zip(names, ("none", *WHITENINGS), strict=True)
    }


def _curve(
    way: str,
    place: int,
    n: np.ndarray,
    sizes: tuple[SizedScore, ...],
    _: Translate,
    *,
    is_shaded: bool = False,
) -> Curve:
    """Raw's interval is shaded; four of them over each other would say nothing."""
    scores = [one.scores[way] for one in sizes]
    return Curve(
        n,
        _values(scores, "spearman"),
        treatment_words(way, _),
        place,
        low=_values(scores, "low") if is_shaded else None,
        high=_values(scores, "high") if is_shaded else None,
    )


def _values(scores: list[PairScore], name: str) -> np.ndarray:
    """(sizes,) × 100; NaN where there is none."""
    return 100 * np.array([getattr(score, name) for score in scores], dtype=np.float64)


def _alternative(sizes: tuple[SizedScore, ...], _: Translate) -> str:
    lines = [
        f"n = {one.n:,}: "
        + ", ".join(
            f"{treatment_words(way, _)} {hundred(score.spearman, _)}"
            for way, score in one.scores.items()
        )
        for one in sizes
    ]
    return "; ".join(lines)


def sizes_csv(sizes: tuple[SizedScore, ...], told: str) -> bytes:
    """One row a size and treatment, with its interval."""
    rows = [
        [str(one.n), way, str(one.kept.get(way, ""))]
        + ["" if v is None else short_number(v) for v in (score.spearman, score.low, score.high)]
        for one in sizes
        for way, score in one.scores.items()
    ]
    return csv_bytes(["n_fit", "treatment", "k", "spearman", "low", "high"], rows, told)
