"""The best cell, chosen on dev: its score on pairs that had no part in the choice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from geometry.evaluate.bootstrap import PairBootstrap
from geometry.evaluate.cells import Cell, Chosen, Grid, choose_on_dev
from geometry.evaluate.from_encoder import POOLINGS_SHOWN
from geometry.halves import halves
from geometry.model_errors import DataSetError

from . import cached, jobs
from .cached import SEED
from .controls import choose
from .sts_choices import treatment_words
from .sts_errors import data_error_text
from .sts_pairs import ScoredSet, dev_code, is_private, pair_labels, pair_set
from .sts_scene import DRAWS, Asked, encode_all, measured_grid, scored_column
from .sts_words import cell_words, hundred, with_interval
from .words import Translate, prose

PAGE = "sentence_similarity"
HALVES = "halves"
NONE = "none"


def show_best(asked: Asked, grid: Grid, _: Translate) -> None:
    """Which pairs choose, the cell that they choose, and its score on the pairs of the page."""
    labels = {HALVES: _("one half of these pairs, drawn by the seed"), **pair_labels(_)}
    labels.pop(asked.pairs.code)
    code = choose(
        st.selectbox,
        _("Choose the best cell on (dev)"),
        list(labels),
        key="sts-dev",
        default=dev_code(asked.pairs.code) or HALVES,
        labels=labels,
        private=[code for code in labels if is_private(code)],
    )
    try:
        if code == HALVES:
            chosen = chosen_on_half(asked, _)
            names = (_("one half of the pairs"), _("the other half"))
        else:
            dev = pair_set(code, _)
            chosen = choose_on_dev(_offered(_dev_grid(asked, dev, _), asked), _offered(grid, asked))
            names = (dev.name(_), asked.pairs.name(_))
    except DataSetError as error:
        st.warning(data_error_text(error, _))
    except ValueError:  # too few pairs, or two sets of one name
        st.info(prose(PAGE, "best-none"))
    else:
        values = best_values(asked, chosen, _offered(grid, asked).best(), names, _)
        st.markdown(prose(PAGE, "best-on-dev", values))


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


def _offered(grid: Grid, asked: Asked) -> Grid:
    """The cells that the heatmaps show: what is chosen among."""
    offered = (NONE, asked.after)
    return replace(grid, cells=tuple(c for c in grid.cells if c.treatment in offered))


def _dev_grid(asked: Asked, dev: ScoredSet, _: Translate) -> Grid:
    """The same cells on other pairs; what is fitted on the sentences scored is so there, too."""
    fit = replace(asked.fit, corpus=dev.corpus) if asked.fit.is_target else asked.fit
    there = replace(asked, pairs=dev, fit=fit)
    encode_all(there, _)
    return measured_grid(there, _)


def chosen_on_half(asked: Asked, _: Translate) -> Chosen:
    """Kept, else as a job. Raises ValueError for pairs that have no halves."""
    key = f"{asked.key}/{asked.after}/halves"
    kept: Chosen | None = cached.measures_if_ready(key)
    if kept is not None:
        return kept
    dev, test = halves(asked.pairs.pairs.gold_scores, random_state=SEED)
    what = _("Choosing a cell on one half of the pairs")
    made: Chosen = jobs.wait_for(
        key,
        lambda report: _on_half(asked, dev, test, report),
        _,
        what,
        lane="measure",
        passing=True,
    )
    cached.keep_measures(key, made)
    return made


def _on_half(asked: Asked, dev: np.ndarray, test: np.ndarray, report: jobs.Report) -> Chosen:
    gold = asked.pairs.pairs.gold_scores
    bootstrap = PairBootstrap(gold[dev], 1, SEED)  # to choose takes no intervals
    places = [(layer, pooling) for layer in range(asked.last + 1) for pooling in POOLINGS_SHOWN]
    cells: list[Cell] = []
    for done, (layer, pooling) in enumerate(places):
        report(done, len(places))
        one = scored_column(asked, layer, pooling, (NONE, asked.after), bootstrap, dev)
        cells += one.cells
    on_dev = replace(one, cells=tuple(cells), evaluated_on="dev half")
    best = on_dev.best()
    there = PairBootstrap(gold[test], DRAWS, SEED)
    on_test = scored_column(
        asked, int(str(best.layer)), best.pooling, (NONE, asked.after), there, test
    )
    return choose_on_dev(on_dev, replace(on_test, evaluated_on="test half"))
