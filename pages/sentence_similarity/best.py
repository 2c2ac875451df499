"""The best cell, chosen on dev, and its score on the pairs of the page."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from geometry.evaluate.best_cell import Chosen, choose_on_dev
from geometry.evaluate.from_encoder import POOLINGS_SHOWN
from geometry.evaluate.grid import Cell, Grid
from geometry.hub.model_errors import DataSetError
from pages.common.controls import choose
from pages.common.escape import markdown
from pages.common.messages import error_text
from pages.common.scores import hundred, with_interval
from pages.common.treatment_names import treatment_words
from pages.common.words import _, prose

from . import PAGE
from .choices import ScoringChoice
from .pairs import ScoredSet, dev_code, is_private, pair_labels, pair_set
from .scene import Scene, score_grid
from .words import cell_words

HALVES = "halves"
CHOSEN_FOR = "sts-dev-for"  # the pairs of the page when dev was last chosen


def show_best(scene: Scene) -> None:
    """Choose the dev pairs; show the best cell on them and its score on the pairs of the page."""
    choice, scores = scene.choice, scene.scores
    labels = {HALVES: _("one half of these pairs, drawn by the seed"), **pair_labels()}
    labels.pop(choice.pairs.code)
    if st.session_state.setdefault(CHOSEN_FOR, choice.pairs.code) != choice.pairs.code:
        # other pairs have another default; the reader's own choice stays in the address
        st.session_state[CHOSEN_FOR] = choice.pairs.code
        st.session_state.pop("sts-dev", None)
    code = choose(
        st.selectbox,
        _("Choose the best cell on (dev)"),
        list(labels),
        key="sts-dev",
        default=dev_code(choice.pairs.code) or HALVES,
        labels=labels,
        private=[code for code in labels if is_private(code)],
    )
    if code == HALVES:
        names = (_("one half of the pairs"), _("the other half"))
        chosen: Chosen | None = scores.on_half
    else:
        try:
            dev = pair_set(code)
        except DataSetError as error:
            st.warning(error_text(error))
            return
        names = (markdown(dev.name()), markdown(choice.pairs.name()))
        on_dev = _dev_grid(choice, dev)
        try:
            chosen = choose_on_dev(on_dev, scores.grid)
        except ValueError:  # both sets have one name, or no cell has a score
            chosen = None
    if chosen is None:
        st.info(prose(PAGE, "best-none"))
    else:
        st.markdown(
            prose(PAGE, "best-on-dev", best_values(choice, chosen, scores.grid.best(), names))
        )


def best_values(
    choice: ScoringChoice, chosen: Chosen, top: Cell, names: tuple[str, str]
) -> dict[str, str]:
    """The values in the sentence about the best cell.

    Parameters
    ----------
    choice : ScoringChoice
    chosen : Chosen
        The cell chosen on dev.
    top : Cell
        The best cell on the pairs of the page.
    names : (str, str)
        Of the dev pairs and of the test pairs.
    """
    dev, test = chosen.cell_on_dev, chosen.cell_on_test
    score = test.score
    return {
        "cells": f"{chosen.n_cells}",
        "layers": f"{choice.encoder.n_layers + 1}",
        "poolings": f"{len(POOLINGS_SHOWN)}",
        "treatment": treatment_words(choice.after),
        "dev": names[0],
        "n_dev": f"{dev.score.n:,}",
        "dev_score": hundred(dev.score.spearman),
        "cell": named_cell(dev),
        "test": names[1],
        "n_test": f"{score.n:,}",
        "score": with_interval(score.spearman, score.low, score.high),
        "top": named_cell(top),
        "top_score": hundred(top.score.spearman),
    }


def named_cell(cell: Cell) -> str:
    """Layer, pooling and treatment."""
    return f"{cell_words(cell.layer, cell.pooling)}, {treatment_words(cell.treatment)}"


def _dev_grid(choice: ScoringChoice, dev: ScoredSet) -> Grid:
    """The same cells on dev; a fit on the scored sentences becomes a fit on dev's sentences."""
    fit = replace(choice.fit, corpus=dev.corpus) if choice.fit.is_target else choice.fit
    return score_grid(replace(choice, pairs=dev, fit=fit)).grid
