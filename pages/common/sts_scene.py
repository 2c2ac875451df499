"""What the sentence-similarity page measures: one grid, and what single cells need beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from geometry import ArrayStore, Corpus, Encoder
from geometry.evaluate.bootstrap import PairBootstrap
from geometry.evaluate.cells import Cell, Grid
from geometry.evaluate.from_encoder import POOLINGS_SHOWN, fit_moments
from geometry.evaluate.grid import evaluate_grid
from geometry.moments import Moments
from geometry.pool import POOLINGS
from geometry.rank_moves import RankMoves
from geometry.recall import BYTES_AT_ONCE, sentence_vectors
from geometry.treated_pairs import SizedScore, scores_by_fit_size, treated_similarities

from . import cached, jobs
from .cached import SEED, CloudSpec
from .model_words import model_line
from .sts_choices import FitChoice, treatment_words
from .sts_pairs import ScoredSet
from .words import Translate, signed

DRAWS = 1000
MOST_ROWS = 4000  # of a large fit set, in the curve by the rows in the fit
ALL = 10**9  # points: no sample of the sentences is drawn


@dataclass(frozen=True)
class Asked:
    """What the reader chose. after : a text for ``parse_treatment``."""

    pairs: ScoredSet
    fit: FitChoice
    after: str
    layer: int
    pooling: str
    encoder: Encoder

    @property
    def key(self) -> str:
        """Names model, pairs, scores and fit set."""
        return ArrayStore.key(
            self.encoder.fingerprint, self.pairs.key, self.fit.corpus.sha256, self.fit.code, SEED
        )

    @property
    def last(self) -> int:
        """The last layer."""
        return self.encoder.n_layers

    def vectors(self, layer: int, pooling: str) -> np.ndarray:
        """(2n, d) float32 of the pairs' sentences."""
        return _vectors(self.encoder, self.pairs.corpus, layer, pooling)

    def fit_vectors(self, layer: int, pooling: str) -> np.ndarray | Moments:
        """(m, d) float32 of the fit set's sentences, or their sums where they are very many."""
        if self.fit.is_target:
            return self.vectors(layer, pooling)
        if is_large(self.encoder, self.fit.corpus):
            return _kept_sums(self.sums_key)["sums"]((layer,), pooling)
        return _vectors(self.encoder, self.fit.corpus, layer, pooling)

    def fit_rows(self, layer: int, pooling: str) -> np.ndarray:
        """(m, d) float32 of the fit set's sentences; of very many, a sample by the seed."""
        corpus = self.fit.corpus
        drawn = np.arange(len(corpus))
        if is_large(self.encoder, corpus):
            order = np.random.default_rng(SEED).permutation(len(corpus))
            drawn = np.sort(order[:MOST_ROWS])
        if self.fit.is_target:
            return self.vectors(layer, pooling)[drawn]
        some = Corpus(corpus.name, tuple(corpus.texts[i] for i in drawn))
        return _vectors(self.encoder, some, layer, pooling)

    @property
    def sums_key(self) -> str:
        """Names the sums over a large fit set."""
        return ArrayStore.key(self.encoder.fingerprint, self.fit.corpus.sha256, "sums")


def _vectors(encoder: Encoder, corpus: Corpus, layer: int, pooling: str) -> np.ndarray:
    return sentence_vectors(encoder, corpus, layer=layer, pooling=pooling, store=cached.store())


def encode_all(asked: Asked, _: Translate) -> None:
    """Every layer and pooling of the pairs and of the fit set, with progress and cancel.

    A large set is encoded by one pooling after the other; of a large fit set that is no pairs'
    own only the sums are kept.
    """
    pairs, fit = asked.pairs.corpus, asked.fit.corpus
    for pooling in POOLINGS_SHOWN if is_large(asked.encoder, pairs) else POOLINGS_SHOWN[:1]:
        cached.cloud(pairs, CloudSpec("sentences", asked.last, pooling, max_points=ALL), _)
    if asked.fit.is_target:
        return
    if not is_large(asked.encoder, fit):
        cached.cloud(fit, CloudSpec("sentences", asked.last, POOLINGS_SHOWN[0], max_points=ALL), _)
    elif "sums" not in _kept_sums(asked.sums_key):
        layers = tuple(range(asked.last + 1))
        _kept_sums(asked.sums_key)["sums"] = jobs.wait_for(
            asked.sums_key,
            lambda report: fit_moments(
                asked.encoder, fit.texts, layers, POOLINGS_SHOWN, progress=report
            ),
            _,
            _("Encoding {n} sentences").format(n=f"{len(fit):,}"),
        )


def is_large(encoder: Encoder, corpus: Corpus) -> bool:
    """True where all layers and poolings are too much to keep, as ``sentence_vectors`` judges."""
    row = encoder.dimension * np.float32().nbytes * (encoder.n_layers + 1) * len(POOLINGS)
    return len(corpus) * row > BYTES_AT_ONCE


@st.cache_resource(max_entries=2, show_spinner=False)
def _kept_sums(key: str) -> dict[str, Callable[[tuple[int, ...], str], Moments]]:
    """Where the sums over a large fit set are kept: layers and pooling to moments."""
    return {}


def measured_grid(asked: Asked, _: Translate) -> Grid:
    """Raw and treated, every layer and pooling; kept, else as a job."""
    key = f"{asked.key}/{asked.after}/grid"
    kept: Grid | None = cached.measures_if_ready(key)
    if kept is not None:
        return kept
    cells = (asked.last + 1) * len(POOLINGS_SHOWN)
    what = _("Scoring {n} layers and poolings, raw and treated").format(n=cells)
    made: Grid = jobs.wait_for(
        key, lambda report: _grid(asked, report), _, what, lane="measure", passing=True
    )
    cached.keep_measures(key, made)
    return made


def _grid(asked: Asked, report: jobs.Report) -> Grid:
    """One layer and pooling after the other, so that no more than one is ever held."""
    bootstrap = PairBootstrap(asked.pairs.pairs.gold_scores, DRAWS, SEED)
    places = [(layer, pooling) for layer in range(asked.last + 1) for pooling in POOLINGS_SHOWN]
    cells: list[Cell] = []
    for done, (layer, pooling) in enumerate(places):
        report(done, len(places))
        grid = evaluate_grid(
            {pooling: asked.vectors(layer, pooling)[np.newaxis]},
            bootstrap.gold_scores,
            treatments=("none", asked.after),
            fit_vectors=None if asked.fit.is_target else partial(_fit_of, asked, layer),
            fit_on=None if asked.fit.is_target else asked.fit.name,
            evaluated_on=asked.pairs.pairs.name,
            bootstrap=bootstrap,
        )
        cells += [replace(cell, layer=layer) for cell in grid.cells]
    return replace(grid, cells=tuple(cells))


def _fit_of(asked: Asked, layer: int, _indices: tuple[int, ...], pooling: str) -> Any:
    """As ``evaluate_grid`` asks: the grid above has one layer, whose index is 0."""
    return asked.fit_vectors(layer, pooling)


def measured_sizes(asked: Asked, _: Translate) -> tuple[SizedScore, ...]:
    """Scores by the rows in the fit, at the chosen layer and pooling."""
    key = f"{asked.key}/{asked.layer}/{asked.pooling}/sizes"
    kept: tuple[SizedScore, ...] | None = cached.measures_if_ready(key)
    if kept is not None:
        return kept

    def work(report: jobs.Report) -> tuple[SizedScore, ...]:
        return scores_by_fit_size(
            asked.vectors(asked.layer, asked.pooling),
            asked.fit_rows(asked.layer, asked.pooling),
            PairBootstrap(asked.pairs.pairs.gold_scores, DRAWS, SEED),
            random_state=SEED,
            progress=report,
        )

    what = _("Fitting on more and more sentences")
    made: tuple[SizedScore, ...] = jobs.wait_for(key, work, _, what, lane="measure", passing=True)
    cached.keep_measures(key, made)
    return made


@dataclass(frozen=True, eq=False)
class Moves:
    """Cosines (n,) of the pairs before and after, and how their ranks moved."""

    before: np.ndarray
    after: np.ndarray
    ranks: RankMoves


def moves_of(asked: Asked) -> Moves:
    """At the chosen layer and pooling. Raises UndefinedMeasure where a treated row is zero."""
    key = f"{asked.key}/{asked.after}/{asked.layer}/{asked.pooling}/moves"

    def make() -> Moves:
        X = asked.vectors(asked.layer, asked.pooling)
        fit = asked.fit_vectors(asked.layer, asked.pooling)
        before, after = (treated_similarities(X, fit, code) for code in ("none", asked.after))
        return Moves(before, after, RankMoves.of(asked.pairs.pairs.gold_scores, before, after))

    made: Moves = cached.lab_value(key, make)
    return made


def hundred(value: float | None, _: Translate) -> str:
    """A correlation as the tables of this field write it: × 100, one decimal."""
    return _("undefined") if value is None else signed(100 * value, 1)


def with_interval(
    value: float | None, low: float | None, high: float | None, _: Translate, *, sign: bool = False
) -> str:
    """56.7 [51.2, 61.3], unbroken; ``sign`` writes a plus too."""
    told = hundred(value, _)
    if value is None:
        return told
    plus = "+" if sign and value > 0 and not told.startswith("−") else ""
    if low is None or high is None:
        return plus + told
    return f"{plus}{told} [{hundred(low, _)},\u00a0{hundred(high, _)}]"


def measured_on(asked: Asked, _: Translate) -> str:
    """n, pairs, model, resamples, seed: what every number of the page shares."""
    return " · ".join(
        [
            _("n = {n} pairs, {name}").format(n=f"{len(asked.pairs):,}", name=asked.pairs.name(_)),
            model_line(asked.encoder, _),
            _("Spearman × 100 on cosine"),
            _("95% intervals from {n} resamples of the pairs").format(n=f"{DRAWS:,}"),
            _("seed {seed}").format(seed=SEED),
        ]
    )


def fitted_on(asked: Asked, _: Translate) -> str:
    """The treatment and the set it was fitted on."""
    n, d = len(asked.fit.corpus), asked.encoder.dimension
    return _("{treatment}, fitted on {name} ({n} sentences, n/d = {ratio})").format(
        treatment=treatment_words(asked.after, _),
        name=asked.fit.name,
        n=f"{n:,}",
        ratio=f"{n / d:.2f}",
    )
