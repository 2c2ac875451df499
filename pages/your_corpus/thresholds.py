"""The finding thresholds: cosines of related and of unrelated pairs, raw and after each cure."""

from __future__ import annotations

import numpy as np
import streamlit as st

from geometry.diagnosis import Diagnosis, threshold_sentences
from geometry.diagnosis.thresholds import EDGES, PairCosines
from geometry.figures.histogram import HistogramWords, pairs_histogram_figure
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import current_theme
from pages.common.words import _, markdown, markdown_table


def show_thresholds(diagnosis: Diagnosis) -> None:
    """Sentences, two histograms with the threshold of the best F1, and the tables."""
    found = diagnosis.thresholds
    if found is None:
        return
    names = threshold_sentences.labels(_)
    st.markdown(f"**{names['title']}**")
    st.markdown(markdown(threshold_sentences.summary(diagnosis, _)))
    raw, centred = found.arm("leave"), found.arm("centre")
    drawn = [each for each in (raw, centred) if each is not None and each.related is not None]
    if drawn:
        for box, arm in zip(st.columns(2), drawn, strict=False):
            with box:
                _draw(arm, names)
    with st.container(key="thresholds"):
        for head, rows in (
            threshold_sentences.cosine_table(diagnosis, _),
            threshold_sentences.cut_table(diagnosis, _),
        ):
            if rows:
                table = [head, ["---", *["---:"] * (len(head) - 1)]]
                table += [[markdown(cell) for cell in row] for row in rows]
                st.markdown(markdown_table(table))
    st.caption(markdown(threshold_sentences.basis(diagnosis, _)))


def _draw(arm: PairCosines, names: dict[str, str]) -> None:
    best = arm.threshold("f1")
    if best is None:
        return
    caption = names["picture-raw" if arm.kind == "leave" else "picture-centre"]
    show_chart(
        chart_of(
            pairs_histogram_figure(
                np.array(arm.unrelated_shares),
                np.array(arm.related_shares),
                EDGES,
                best.cosine,
                HistogramWords(
                    raw=names["unrelated"],
                    white=names["related"],
                    reference=names["line"],
                    x=names["axis-cosine"],
                    y=names["share-of-pairs"],
                ),
                current_theme(),
            )
        ),
        key=f"chart-thresholds-{arm.kind}",
        file_name="narrow-cone-thresholds",
        alt=caption,
    )
    st.caption(caption)
