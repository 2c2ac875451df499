"""Every similarity beside cosine: another function of the same vectors, or other vectors."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from geometry.evaluate.bootstrap import PairScore, difference
from geometry.evaluate.similarities import SIMILARITIES
from pages.common.downloads import CsvCell, csv_bytes, offer_csv, short_number
from pages.common.scores import moved_words, score_words
from pages.common.treatment_names import treatment_words
from pages.common.words import _, markdown, markdown_table, prose

from . import PAGE
from .choices import cell_words, fitted_on, measured_on, similarity_names
from .scene import SimilarityScene, cell_of, similarity_scores

Scores = Mapping[tuple[str, str], PairScore]  # by similarity and treatment
COSINE = (SIMILARITIES[0], "none")


def show_similarities(scene: SimilarityScene) -> None:
    choice = scene.choice
    scores = similarity_scores(scene)
    values = {
        "cell": cell_words(choice.layer, choice.pooling),
        "treatment": treatment_words(choice.after),
        "fit": markdown(choice.fit.name),
    }
    st.markdown(prose(PAGE, "similarities", values))
    treatments = dict.fromkeys(treatment for _similarity, treatment in scores)
    for box, treatment in zip(st.columns(len(treatments)), treatments, strict=True):
        name = _("Raw") if treatment == "none" else treatment_words(treatment)
        box.markdown(f"**{name}**\n\n{similarity_table(scores, treatment)}")
    full = cell_of(scene.encoded, choice.layer, choice.pooling, "pca")
    if choice.fit.is_target and full.is_simplex:
        st.warning(prose(PAGE, "similarities-simplex"))
    st.markdown(prose(PAGE, "similarities-exact"))
    caption = markdown(measured_on(choice, fitted_on(choice)))
    st.caption(caption)
    offer_csv(
        _("Download similarities (CSV)"),
        "sentence-similarity-similarities",
        lambda: similarities_csv(scores, caption),
    )


def similarity_table(scores: Scores, treatment: str) -> str:
    titles = [_("similarity"), _("Spearman × 100"), _("change against cosine, raw")]
    lines = [titles, ["---", "--:", "--:"]]
    for key, score in scores.items():
        if key[1] == treatment:
            change = difference(scores[COSINE], score)
            moved = "—" if key == COSINE else moved_words(change)
            moved = f"**{moved}**" if change.is_clear else moved
            lines.append([similarity_names()[key[0]], score_words(score), moved])
    return markdown_table(lines)


def similarities_csv(scores: Scores, caption: str) -> bytes:
    head = ["similarity", "treatment", "spearman", "low", "high", "change"]
    head += [f"change_{end}" for end in ("low", "high")]
    rows: list[list[CsvCell]] = []
    for (similarity, treatment), score in scores.items():
        change = difference(scores[COSINE], score)
        values = (score.spearman, score.low, score.high, change.value, change.low, change.high)
        names = similarity_names()[similarity], treatment_words(treatment)
        rows.append([(similarity, names[0]), (treatment, names[1]), *map(short_number, values)])
    return csv_bytes(head, rows, caption)
