"""Scores of every layer and pooling as a heatmap, and of every similarity as tables."""

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from geometry import evaluate
from geometry.data.number_text import signed, with_sign
from geometry.encode.layers import resolve_layers
from geometry.encode.precision import NARROWEST
from geometry.evaluate.bootstrap import PairScore, difference
from geometry.evaluate.grid import Cell, Grid
from geometry.evaluate.similarities import SIMILARITIES
from geometry.figures.heatmap import cells_figure
from pages.common.controls import choose, pooling_names
from pages.common.downloads import CsvCell, csv_bytes, offer_csv, short_number
from pages.common.draw.charts import show_chart
from pages.common.draw.clouds import current_theme
from pages.common.scores import clear_sign, hundred, moved_words, score_words, similarity_names
from pages.common.treatment_names import treatment_words
from pages.common.words import _, aligned_table, labelled, markdown, prose

from . import PAGE
from .choices import ScoringChoice, cell_words, cut_words, fitted_on, measured_on
from .scene import SimilarityScene, cell_of, similarity_scores

ROW = 40  # pixels of a layer's row
HEAD = 90  # pixels above and below the rows
MOST_NAMED = 4  # cells named in a sentence


def show_grid(scene: SimilarityScene) -> None:
    choice = scene.choice
    grid = scene.grid
    before, after = (
        [cell for cell in grid.cells if cell.treatment == each] for each in ("none", choice.after)
    )
    names = {"before": _("Before"), "after": _("After"), "difference": _("Difference")}
    kind = choose(st.segmented_control, _("Scores shown"), names, key="sts-grid", required=True)
    st.markdown(prose(PAGE, f"grid-{kind}", {"treatment": treatment_words(choice.after)}))
    if kind == "difference":  # the same distance below and above zero
        texts = [*map(_difference_text, after)]
        reach = 100 * max(abs(_gap(cell)) for cell in after) or 1.0
        limits = (-reach, reach)
    else:  # colours are the same before and after
        texts = [*map(_score_text, before if kind == "before" else after)]
        scores = [cell.score.spearman for cell in [*before, *after]]
        known = [100 * score for score in scores if score is not None] or [0.0, 1.0]
        limits = (min(known), max(known))
    _heat(kind, grid, texts, limits, choice.encoder.n_layers)
    for line in verdict(choice, after):
        st.markdown(line)
    about = [measured_on(choice), fitted_on(choice)]
    ranks = [cell.rank for cell in after if cell.rank is not None and not cell.score.undefined]
    if ranks:
        ends = "–".join(map(str, sorted({min(ranks), max(ranks)})))
        of_fit = _("rank of the fit {rank} of {d}")
        about.append(of_fit.format(rank=ends, d=choice.encoder.dimension))
    caption = " · ".join(about)
    st.caption(markdown(caption))
    name = "sentence-similarity-grid"
    offer_csv(_("Download grid (CSV)"), name, lambda: grid_csv(choice, grid, caption))


def warn_of_shared_sentences(scene: SimilarityScene) -> None:
    pairs = scene.choice.pairs.pairs
    if scene.encoded.bootstrap.is_linked:
        values = {"pairs": f"{len(pairs):,}", "sentences": f"{len(pairs.sentence_counts):,}"}
        st.warning(prose(PAGE, "shared-sentences", values))


CellText = tuple[float, str, str]  # value × 100, text in the cell, hover text


def _score_text(cell: Cell) -> CellText:
    score = cell.score
    value = np.nan if score.spearman is None else 100 * score.spearman
    about = _("{cell}: {score}; mean cosine {cosine}").format(
        cell=cell_words(cell.layer, cell.pooling),
        score=score_words(score),
        cosine="—" if cell.mean_cosine is None else signed(cell.mean_cosine, 3),
    )
    if cell.rank is not None:
        about += " · " + _("rank {rank}").format(rank=cell.rank)
    if cell.is_clamped and not score.undefined:
        about += " · " + cut_words(cell)
    # the word "undefined" is wider than a cell on a telephone; the hover text has it
    return value, "—" if score.spearman is None else hundred(score.spearman), about


def _difference_text(cell: Cell) -> CellText:
    difference = cell.difference
    place = cell_words(cell.layer, cell.pooling)
    if difference is None or difference.value is None:
        return np.nan, "—", labelled(place, _("undefined"))
    about = labelled(place, moved_words(difference))
    text = with_sign(100 * difference.value, 1)
    return 100 * difference.value, f"<b>{text}</b>" if difference.is_clear else text, about


def _heat(
    kind: str, grid: Grid, texts: Sequence[CellText], limits: tuple[float, float], n_layers: int
) -> None:
    shape = (len(grid.layers), len(grid.poolings))
    of_layers = [resolve_layers(layer, n_layers=n_layers, name="") for layer in grid.layers]
    # "4", "1+6", or for consecutive layers "3–6": short enough for a telephone
    names = [
        "+".join(map(str, each)) if len(each) < 3 else f"{each[0]}–{each[-1]}" for each in of_layers
    ]
    values, written, about = zip(*texts, strict=True)
    figure = cells_figure(
        np.reshape(values, shape),
        np.reshape(written, shape).tolist(),
        np.reshape(about, shape).tolist(),
        (names, [pooling_names()[pooling] for pooling in grid.poolings]),
        current_theme(),
        limits=limits,
        diverging=kind == "difference",
        titles=(_("pooling"), _("layer")),
        height=HEAD + ROW * shape[0],
    )
    show_chart(
        figure,
        key="sts-grid-chart",
        file_name=f"sentence-similarity-{kind}",
        alt=_("; ").join(about),
        zoom=False,
    )


def verdict(choice: ScoringChoice, after: Sequence[Cell]) -> list[str]:
    """The cells that become clearly better or clearly worse, and the number of the others."""
    n = sum(cell.difference is not None and cell.difference.value is not None for cell in after)
    helped, hurt = ([c for c in after if clear_sign(c.difference) == sign] for sign in (1, -1))
    values = {
        "treatment": treatment_words(choice.after),
        "fit": markdown(choice.fit.name),
        "n_fit": f"{len(choice.fit.corpus):,}",
        "cells": f"{n}",
        "helped": f"{len(helped)}",
        "hurt": f"{len(hurt)}",
        "neither": f"{n - len(helped) - len(hurt)}",
        "best": _named(sorted(helped, key=_gap, reverse=True)),
        "worst": _named(sorted(hurt, key=_gap)),
    }
    lines = [prose(PAGE, "grid-verdict", values)]
    if helped:
        lines.append(prose(PAGE, "grid-helps", values))
    lines.append(prose(PAGE, "grid-hurts" if hurt else "grid-hurts-none", values))
    if choice.fit.is_target and any(cell.is_simplex for cell in after):
        lines.append(prose(PAGE, "grid-simplex", values))
    if n := sum(cell.score.undefined == "too_narrow" for cell in after):
        narrow = {"narrow": f"{n}", "limit": f"{NARROWEST:g}"}
        lines.append(prose(PAGE, "grid-too-narrow", narrow))
    return lines


def _gap(cell: Cell) -> float:
    return 0.0 if cell.difference is None else float(cell.difference.value or 0.0)


def _named(cells: Sequence[Cell]) -> str:
    named = [
        labelled(cell_words(cell.layer, cell.pooling), moved_words(cell.difference))
        for cell in cells[:MOST_NAMED]
    ]
    words = _("{names} …") if len(cells) > MOST_NAMED else "{names}"
    return words.format(names=_("; ").join(named))


def grid_csv(choice: ScoringChoice, grid: Grid, caption: str) -> bytes:
    encoder = choice.encoder
    text = evaluate.grid_csv(
        grid, model=encoder.name, revision=encoder.revision, measured_on=caption
    )
    return text.encode("utf-8-sig")  # with a byte order mark, so that spreadsheets read Chinese


SimilarityScores = Mapping[tuple[str, str], PairScore]  # by treatment and similarity
COSINE = ("none", SIMILARITIES[0])


def show_similarities(scene: SimilarityScene) -> None:
    choice = scene.choice
    scores = similarity_scores(scene)
    values = {
        "cell": cell_words(choice.layer, choice.pooling),
        "treatment": treatment_words(choice.after),
        "fit": markdown(choice.fit.name),
    }
    st.markdown(prose(PAGE, "similarities", values))
    for box, treatment in zip(st.columns(2), ("none", choice.after), strict=True):
        name = _("Raw") if treatment == "none" else treatment_words(treatment)
        box.markdown(f"**{name}**\n\n{similarity_table(scores, treatment)}")
    full = cell_of(scene.encoded, choice.layer, choice.pooling, "pca")
    if choice.fit.is_target and full.is_simplex:
        st.warning(prose(PAGE, "similarities-simplex"))
    st.markdown(prose(PAGE, "similarities-exact"))
    caption = measured_on(choice, fitted_on(choice))
    st.caption(markdown(caption))
    name = "sentence-similarity-similarities"
    offer_csv(_("Download similarities (CSV)"), name, lambda: similarities_csv(scores, caption))


def similarity_table(scores: SimilarityScores, treatment: str) -> str:
    lines = []
    for key, score in scores.items():
        if key[0] == treatment:
            change = difference(scores[COSINE], score)
            moved = "—" if key == COSINE else moved_words(change)
            moved = f"**{moved}**" if change.is_clear else moved
            lines.append([similarity_names()[key[1]], score_words(score), moved])
    titles = [_("similarity"), _("Spearman × 100"), _("change against cosine, raw")]
    return aligned_table(titles, lines)


def similarities_csv(scores: SimilarityScores, caption: str) -> bytes:
    head = ["similarity", "treatment", "spearman", "low", "high"]
    head += ["change", *(f"change_{end}" for end in ("low", "high"))]
    rows: list[list[CsvCell]] = []
    for (treatment, similarity), score in scores.items():
        change = difference(scores[COSINE], score)
        values = (score.spearman, score.low, score.high, change.value, change.low, change.high)
        names = similarity_names()[similarity], treatment_words(treatment)
        rows.append([(similarity, names[0]), (treatment, names[1]), *map(short_number, values)])
    return csv_bytes(head, rows, caption)
