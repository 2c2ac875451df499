"""Every similarity beside cosine: another function of the same vectors, or other vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from geometry.evaluate.bootstrap import Difference, PairScore, difference
from geometry.evaluate.similarities import SIMILARITIES
from pages.common.downloads import CsvCell, csv_bytes, offer_csv, short_number
from pages.common.scores import with_interval
from pages.common.treatment_names import treatment_words
from pages.common.words import _, markdown, markdown_table, prose

from . import PAGE
from .choices import cell_words, fitted_on, similarity_names
from .ladder import paired_basis
from .scene import Scene, makes_simplex, similarity_scores


@dataclass(frozen=True)
class Compared:
    """A similarity on raw or treated vectors, and its change against cosine on the raw ones."""

    similarity: str
    treatment: str
    score: PairScore
    change: Difference


def show_similarities(scene: Scene) -> None:
    """Tables of all similarities at the chosen layer and pooling, raw and treated."""
    choice = scene.choice
    compared = compare_similarities(scene)
    values = {
        "cell": cell_words(choice.layer, choice.pooling),
        "treatment": treatment_words(choice.after),
        "fit": markdown(choice.fit.name),
    }
    st.markdown(prose(PAGE, "similarities", values))
    treatments = dict.fromkeys(each.treatment for each in compared)
    for box, treatment in zip(st.columns(len(treatments)), treatments, strict=True):
        rows = [each for each in compared if each.treatment == treatment]
        name = _("Raw") if treatment == "none" else treatment_words(treatment)
        box.markdown(f"**{name}**\n\n{similarity_table(rows)}")
    if makes_simplex(scene):
        st.warning(prose(PAGE, "similarities-simplex"))
    st.markdown(prose(PAGE, "similarities-exact"))
    caption = paired_basis(choice, fitted_on(choice))
    st.caption(caption)
    offer_csv(
        _("Download similarities (CSV)"),
        "sentence-similarity-similarities",
        lambda: similarities_csv(compared, caption),
    )


def compare_similarities(scene: Scene) -> list[Compared]:
    """Raw, then treated, each by every similarity. The first, cosine on raw, has no change."""
    scores = similarity_scores(scene)
    cosine = scores[SIMILARITIES[0], "none"]
    return [
        Compared(similarity, treatment, score, difference(cosine, score))
        for (similarity, treatment), score in scores.items()
    ]


def similarity_table(compared: Sequence[Compared]) -> str:
    """A Markdown table with a row for each similarity."""
    titles = [_("similarity"), _("Spearman × 100"), _("change against cosine, raw")]
    lines = [titles, ["---", "--:", "--:"]]
    for each in compared:
        score, change = each.score, each.change
        moved = with_interval(change.value, change.low, change.high, sign=True)
        if (each.similarity, each.treatment) == (SIMILARITIES[0], "none"):
            moved = "—"
        lines.append(
            [
                similarity_names()[each.similarity],
                with_interval(score.spearman, score.low, score.high),
                f"**{moved}**" if change.is_clear else moved,
            ]
        )
    return markdown_table(lines)


def similarities_csv(compared: list[Compared], caption: str) -> bytes:
    """A row for each similarity and treatment."""
    head = ["similarity", "treatment", "spearman", "low", "high", "change"]
    head += [f"change_{end}" for end in ("low", "high")]
    rows: list[list[CsvCell]] = []
    for each in compared:
        score, change = each.score, each.change
        values = (score.spearman, score.low, score.high, change.value, change.low, change.high)
        numbers = ["" if value is None else short_number(value) for value in values]
        name = each.similarity, similarity_names()[each.similarity]
        rows.append([name, (each.treatment, treatment_words(each.treatment)), *numbers])
    return csv_bytes(head, rows, caption)
