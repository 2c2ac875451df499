"""What the sentence-similarity page measures: one grid, and what single cells need beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from geometry import Corpus, Encoder
from geometry.encode import ArrayStore
from geometry.encode.pool import POOLINGS
from geometry.encode.precision import refuse_too_narrow
from geometry.encode.recall import BYTES_AT_ONCE, recalled_vectors
from geometry.evaluate.best_cell import Chosen, HalfChoice, RecordingBootstrap
from geometry.evaluate.fit_size import SizedScore, scores_by_fit_size
from geometry.evaluate.fitting import treated_similarities
from geometry.evaluate.from_encoder import POOLINGS_SHOWN, fit_moments
from geometry.evaluate.grid import Cell, Grid, evaluate_grid
from geometry.evaluate.ranks import RankMoves
from geometry.evaluate.scores import PairBootstrap
from geometry.linalg.moments import Moments
from pages.common import cached, jobs
from pages.common.cached import SEED, CloudSpec
from pages.common.words import Translate

from .choices import FitChoice, advised_whitening, is_whitening
from .pairs import ScoredSet

DRAWS = 1000
MOST_ROWS = 4000  # of a large fit set, in the curve by the rows in the fit
ALL = 10**9  # points: no sample of the sentences is drawn


@dataclass(frozen=True)
class Asked:
    """What the reader chose. after : a text for ``parse_treatment``.   similarity : of all."""

    pairs: ScoredSet
    fit: FitChoice
    after: str
    layer: int
    pooling: str
    similarity: str
    encoder: Encoder

    @property
    def key(self) -> str:
        """Names model, pairs, scores, fit set and similarity."""
        return ArrayStore.key(
            *(self.encoder.fingerprint, self.pairs.key),
            *(self.fit.corpus.sha256, self.fit.code, self.similarity, SEED),
        )

    @property
    def whitening(self) -> str:
        """The treatment where it is a whitening, else the one recommended for this fit set.

        The claim is about whitening, so one of its bars always is.
        """
        if is_whitening(self.after):
            return self.after
        return advised_whitening(len(self.fit.corpus), self.encoder.dimension)

    @property
    def treatments(self) -> tuple[str, ...]:
        """The treatment, and the whitening where that is another."""
        return tuple(dict.fromkeys((self.after, self.whitening)))

    @property
    def shown(self) -> tuple[str, str]:
        """The treatments of the heatmaps: none, and the reader's."""
        return ("none", self.after)

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
    return recalled_vectors(encoder, corpus, layer=layer, pooling=pooling, store=cached.store())


def encode_all(asked: Asked, _: Translate) -> None:
    """Every layer and pooling of the pairs and of the fit set, with progress and cancel.

    A large set is encoded by one pooling after the other; of a large fit set that is no pairs'
    own only the sums are kept. Raises PrecisionError where the chosen cell is too close for
    bfloat16; the others of the grid say so themselves.
    """
    pairs, fit = asked.pairs.corpus, asked.fit.corpus
    for pooling in POOLINGS_SHOWN if is_large(asked.encoder, pairs) else POOLINGS_SHOWN[:1]:
        cached.cloud(pairs, CloudSpec("sentences", asked.last, pooling, max_points=ALL), _)
    if asked.encoder.is_approximate:
        refuse_too_narrow(asked.vectors(asked.layer, asked.pooling))
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
    """True where all layers and poolings are too much to keep, as ``recalled_vectors`` judges."""
    row = encoder.dimension * np.float32().nbytes * (encoder.n_layers + 1) * len(POOLINGS)
    return len(corpus) * row > BYTES_AT_ONCE


@st.cache_resource(max_entries=2, show_spinner=False)
def _kept_sums(key: str) -> dict[str, Callable[[tuple[int, ...], str], Moments]]:
    """Where the sums over a large fit set are kept: layers and pooling to moments."""
    return {}


@dataclass(frozen=True)
class Measured:
    """The cells, and the best of those shown, chosen on one half; None where there are no halves.

    The whitening of the claim has cells of its own where the treatment is none, of the mean only.
    """

    grid: Grid
    on_half: Chosen | None


def measured_grid(asked: Asked, _: Translate) -> Measured:
    """Raw and treated, every layer and pooling; kept, else as a job."""
    key = f"{asked.key}/{asked.after}/grid"
    kept: Measured | None = cached.measures_if_ready(key)
    if kept is not None:
        return kept
    cells = (asked.last + 1) * len(POOLINGS_SHOWN)
    what = _("Scoring {n} layers and poolings, raw and treated").format(n=cells)
    made: Measured = jobs.wait_for(
        key, lambda report: _measured(asked, report), _, what, lane="measure", passing=True
    )
    cached.keep_measures(key, made)
    return made


def _measured(asked: Asked, report: jobs.Report) -> Measured:
    """One layer and pooling after the other, so that no more than one is ever held."""
    gold = asked.pairs.pairs.gold_scores
    bootstrap, choice = RecordingBootstrap(gold, DRAWS, SEED), _half_choice(gold)
    places = [(layer, pooling) for layer in range(asked.last + 1) for pooling in POOLINGS_SHOWN]
    cells: list[Cell] = []
    for done, (layer, pooling) in enumerate(places):
        report(done, len(places))
        treated = asked.treatments if pooling == "mean" else (asked.after,)
        grid = scored_column(asked, layer, pooling, ("none", *treated), bootstrap)
        cells += grid.cells
        if choice is not None:
            choice.add([c for c in grid.cells if c.treatment in asked.shown], bootstrap.recorded)
        bootstrap.recorded.clear()
    on_half = None
    if choice is not None and any(cell.score.spearman is not None for cell in cells):
        on_half = choice.chosen(draws=DRAWS, seed=SEED)
    return Measured(replace(grid, cells=tuple(cells)), on_half)


def _half_choice(gold: np.ndarray) -> HalfChoice | None:
    try:
        return HalfChoice(gold, random_state=SEED)
    except ValueError:
        return None


def scored_column(
    asked: Asked,
    layer: int,
    pooling: str,
    treatments: Sequence[str],
    bootstrap: PairBootstrap,
    rows: np.ndarray | None = None,
) -> Grid:
    """The cells of one layer and pooling.   rows : of the pairs that are scored, None is all.

    bootstrap : of these pairs' gold scores. What treatments are fitted on is the same for any rows.
    """
    X = asked.vectors(layer, pooling)
    if rows is not None:
        X = X[np.concatenate([rows, rows + len(asked.pairs)])]
    is_own = asked.fit.is_target and rows is None
    grid = evaluate_grid(
        {pooling: X[np.newaxis]},
        bootstrap.gold_scores,
        treatments=treatments,
        fit_vectors=None if is_own else lambda _layers, _pooling: asked.fit_vectors(layer, pooling),
        fit_on=None if is_own else asked.fit.name,
        evaluated_on=asked.pairs.pairs.name,
        similarity=asked.similarity,
        bootstrap=bootstrap,
        is_approximate=asked.encoder.is_approximate,
    )
    return replace(grid, cells=tuple(replace(cell, layer=layer) for cell in grid.cells))


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
            similarity=asked.similarity,
            random_state=SEED,
            progress=report,
        )

    what = _("Fitting on more and more sentences")
    made: tuple[SizedScore, ...] = jobs.wait_for(key, work, _, what, lane="measure", passing=True)
    cached.keep_measures(key, made)
    return made


@dataclass(frozen=True, eq=False)
class Moves:
    """Similarities (n,) of the pairs before and after, and how their ranks moved."""

    before: np.ndarray
    after: np.ndarray
    ranks: RankMoves


def moves_of(asked: Asked) -> Moves:
    """At the chosen layer and pooling. Raises UndefinedMeasure where a treated row is zero."""
    key = f"{asked.key}/{asked.after}/{asked.layer}/{asked.pooling}/moves"

    def make() -> Moves:
        X = asked.vectors(asked.layer, asked.pooling)
        fit = asked.fit_vectors(asked.layer, asked.pooling)
        before, after = (
            treated_similarities(X, fit, code, similarity=asked.similarity)
            for code in ("none", asked.after)
        )
        return Moves(before, after, RankMoves.of(asked.pairs.pairs.gold_scores, before, after))

    made: Moves = cached.lab_value(key, make)
    return made
