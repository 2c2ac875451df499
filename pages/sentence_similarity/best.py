"""The best cell, chosen on dev: its score on pairs that had no part in the choice."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from geometry.evaluate.best_cell import Chosen, choose_on_dev
from geometry.evaluate.from_encoder import POOLINGS_SHOWN
from geometry.evaluate.grid import Cell, Grid
from geometry.hub.model_errors import DataSetError
from pages.common.controls import choose
from pages.common.messages.data_errors import data_error_text
from pages.common.words import Translate, prose

from .choices import treatment_words
from .pairs import ScoredSet, dev_code, is_private, pair_labels, pair_set
from .scene import Asked, Measured, encode_all, measured_grid
from .words import cell_words, hundred, with_interval

PAGE = "sentence_similarity"
HALVES = "halves"
CHOSEN_FOR = "sts-dev-for"  # the pairs on the page when the choice was last made


def show_best(asked: Asked, measured: Measured, _: Translate) -> None:
    """Which pairs choose, the cell that they choose, and its score on the pairs of the page."""
    labels = {HALVES: _("one half of these pairs, drawn by the seed"), **pair_labels(_)}
    labels.pop(asked.pairs.code)
    if st.session_state.setdefault(CHOSEN_FOR, asked.pairs.code) != asked.pairs.code:
        # other pairs have another default; what was chosen by hand is in the address
        st.session_state[CHOSEN_FOR] = asked.pairs.code
        st.session_state.pop("sts-dev", None)
    code = choose(
        st.selectbox,
        _("Choose the best cell on (dev)"),
        list(labels),
        key="sts-dev",
        default=dev_code(asked.pairs.code) or HALVES,
        labels=labels,
        private=[code for code in labels if is_private(code)],
    )
    shown = _shown(measured.grid, asked)
    try:
        if code != HALVES:
            dev = pair_set(code, _)
            names = (dev.name(_), asked.pairs.name(_))
            chosen: Chosen | None = choose_on_dev(_shown(_dev_grid(asked, dev, _), asked), shown)
        else:
            names = (_("one half of the pairs"), _("the other half"))
            chosen = measured.on_half
    except DataSetError as error:
        st.warning(data_error_text(error, _))
        return
    except ValueError:  # both sets are one by name, or no cell has a score
        chosen = None
    if chosen is None:
        st.info(prose(PAGE, "best-none"))
    else:
        st.markdown(prose(PAGE, "best-on-dev", best_values(asked, chosen, shown.best(), names, _)))


def best_values(
    asked: Asked, chosen: Chosen, top: Cell, names: tuple[str, str], _: Translate
) -> dict[str, str]:
    """What the sentence quotes.   top : the best cell where all pairs of the page choose."""
    dev, test = chosen.cell_on_dev, chosen.cell_on_test
    score = test.score
    return {
        "cells": f"{chosen.n_cells}",
        "layers": f"{asked.last + 1}",
        "poolings": f"{len(POOLINGS_SHOWN)}",
        "treatment": treatment_words(asked.after, _),
        "dev": names[0],
        "n_dev": f"{dev.score.n:,}",
        "dev_score": hundred(dev.score.spearman, _),
        "cell": named_cell(dev, _),
        "test": names[1],
        "n_test": f"{score.n:,}",
        "score": with_interval(score.spearman, score.low, score.high, _),
        "top": named_cell(top, _),
        "top_score": hundred(top.score.spearman, _),
    }


def named_cell(cell: Cell, _: Translate) -> str:
    """Layer, pooling and treatment."""
    return f"{cell_words(cell.layer, cell.pooling, _)}, {treatment_words(cell.treatment, _)}"


def _shown(grid: Grid, asked: Asked) -> Grid:
    """The cells that the heatmaps show: what is chosen among."""
    return replace(grid, cells=tuple(c for c in grid.cells if c.treatment in asked.shown))


def _dev_grid(asked: Asked, dev: ScoredSet, _: Translate) -> Grid:
    """The same cells on other pairs; what is fitted on the sentences scored is so there, too."""
    fit = replace(asked.fit, corpus=dev.corpus) if asked.fit.is_target else asked.fit
    there = replace(asked, pairs=dev, fit=fit)
    encode_all(there, _)
    return measured_grid(there, _).grid
