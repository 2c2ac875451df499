"""Scores of sentence pairs by layer, pooling and treatment, and of word vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import product
from typing import Any

import numpy as np

from geometry import Corpus, CorpusError, Encoder, UndefinedMeasure
from geometry.data.words import stop_list
from geometry.encode import ArrayStore
from geometry.encode.cloud import is_stored, type_averages, type_averages_key
from geometry.encode.disk_cache import BYTES_AT_ONCE, recall_one, recalled_vectors
from geometry.encode.encoder import Layer
from geometry.encode.errors import PrecisionError
from geometry.encode.pool import POOLINGS
from geometry.encode.precision import refuse_too_narrow
from geometry.evaluate.bootstrap import Difference, PairBootstrap, PairScore, resamples_of
from geometry.evaluate.fitting import treated_similarities
from geometry.evaluate.from_encoder import POOLINGS_SHOWN, fit_moments
from geometry.evaluate.from_words import AveragedPairs, average_pairs, evaluate_averages
from geometry.evaluate.grid import Cell, Grid, evaluate_grid
from geometry.evaluate.ranks import RankMoves
from geometry.evaluate.similarities import SIMILARITIES, pair_similarities
from geometry.linalg.moments import Moments
from geometry.process import send_progress
from pages.common import jobs
from pages.common.cache import kept
from pages.common.corpus_cloud import CloudSpec, encode_corpus, store, takes_long
from pages.common.encoding_worker import ENCODING
from pages.common.models import glove_table
from pages.common.reading import apart
from pages.common.seed import SEED
from pages.common.treatment_names import treatment_words
from pages.common.words import _

from .choices import FitTexts, ScoredSet, ScoringChoice, layers_offered

MOST_AT_ONCE = 2000  # pairs that are averaged in the server's own process
STOP_WORDS = "sklearn"
UNKNOWN = ("too_few_known_pairs", "too_few_known_texts", "too_large")  # codes of errors
REMOVED = ("abtt:1", "abtt:3")  # treatments of GloVe that the ladder shows


@dataclass(frozen=True, eq=False)
class StaticScores:
    name: str
    short: str  # a shorter name, or the same
    averages: AveragedPairs
    raw: Cell
    removed: tuple[Cell, ...]  # with 1 and 3 directions removed; of GloVe's whole table only


def own_static(choice: ScoringChoice) -> StaticScores:
    what = _("Averaging the model’s input vectors")
    averages = jobs.kept_or_made(_own_averages, choice.encoder, choice.pairs, what=what)
    name = _("the model’s input vectors")
    return _scored(name, name, averages, choice, what, ())


@kept(6)
def _own_averages(
    encoder: Encoder, pairs: ScoredSet, report: jobs.Progress = jobs.no_report
) -> AveragedPairs:
    texts = pairs.corpus.texts
    key = type_averages_key(encoder, pairs.corpus)
    averages = recall_one(store(), key, lambda: type_averages(encoder, texts, progress=report))
    return AveragedPairs(pairs.pairs, {"static": averages}, np.ones(len(pairs), dtype=bool))


def glove_statics(choice: ScoringChoice) -> tuple[StaticScores, ...]:
    """GloVe, averaged: of all words, and without English stop words; () if it knows no pairs."""
    name = glove_table().name
    what = _("Averaging {name}").format(name=name)
    sets = choice.pairs, choice.fit
    words = _("scikit-learn’s {n} English stop words").format(n=f"{len(stop_list(STOP_WORDS)):,}")
    named = _("{name} without {words}").format(name=name, words=words)
    short = _("{name} without stop words").format(name=name)
    try:
        of_all = jobs.kept_or_made(_glove_averages, *sets, "none", what=what)
        without = jobs.kept_or_made(_glove_averages, *sets, STOP_WORDS, what=what)
        return (
            _scored(name, name, of_all, choice, what, REMOVED),
            _scored(named, short, without, choice, what, ()),
        )
    except CorpusError as error:
        if error.code not in UNKNOWN:
            raise
        return ()


@kept(12)
def _glove_averages(
    pairs: ScoredSet, fit: FitTexts, stop_words: str, report: jobs.Progress = jobs.no_report
) -> AveragedPairs:
    report(0, len(pairs))
    call = partial(
        average_pairs,
        glove_table(),
        pairs.pairs,
        fit_texts=None if fit.is_target else fit.corpus.texts,
        stop_words=stop_words,
        tokenizer="ascii",  # as published STS figures are computed
    )
    found: AveragedPairs = apart(call, report) if len(pairs) > MOST_AT_ONCE else call()
    return found


def _scored(
    name: str,
    short: str,
    averages: AveragedPairs,
    choice: ScoringChoice,
    what: str,
    removed: tuple[str, ...],
) -> StaticScores:
    how = averages, choice.fit, removed, choice.pairs.private
    raw, *without = jobs.kept_or_made(_cells, *how, what=what)
    return StaticScores(name, short, averages, raw, tuple(without))


@kept(256)
def _cells(
    averages: AveragedPairs, fit: FitTexts, removed: tuple[str, ...], private: bool
) -> tuple[Cell, ...]:
    treatments = ("none", *removed)
    fit_on = None if averages.fit is None else fit.name
    found = evaluate_averages(averages, treatments=treatments, fit_on=fit_on, seed=SEED)
    return found.grid.cells


CONTROL = "centred"  # of the verdict on whitening: a part of each whitening
FIRST_LAST = "first-last"  # the mean of the first and the last layer, as papers take it
Column = tuple[int | str, str]  # layer and pooling
FitSums = Callable[[tuple[int, ...], str], Moments]  # of layers and pooling


@dataclass(frozen=True, eq=False)
class Moves:
    """Similarities (n,) of the pairs before and after the treatment, and their rank moves."""

    before: np.ndarray
    after: np.ndarray
    ranks: RankMoves


CellKey = tuple[Layer, str, str]  # layer, pooling, treatment


@dataclass(frozen=True)
class EncodedPairs:
    """Sentence vectors of the pairs and of the fit set; each is read from the store when used."""

    encoder: Encoder
    pairs: ScoredSet
    fit: FitTexts
    bootstrap: PairBootstrap  # resamples of the pairs
    fit_sums: FitSums | None = None  # moments of the fit set if it is too large for the store
    similarity: str = "cosine"  # by which the pairs are scored

    @property
    def content_key(self) -> str:
        sets = (self.pairs.content_key, self.fit.content_key)
        return ArrayStore.key(self.encoder.content_key, *sets, self.similarity)

    @property
    def private(self) -> bool:
        return self.pairs.private or self.fit.private

    def vectors(self, layer: Layer, pooling: str) -> np.ndarray:
        """(2n, d) float32 of the sentences of the pairs."""
        return _vectors(self.encoder, self.pairs.corpus, layer, pooling)

    def fit_vectors(self, layer: Layer, pooling: str) -> np.ndarray | Moments:
        """(m, d) float32 of the sentences of the fit set, or their moments."""
        if self.fit.is_target:
            return self.vectors(layer, pooling)
        if self.fit_sums is not None:
            return self.fit_sums(self.encoder.layer_indices(layer), pooling)
        return _vectors(self.encoder, self.fit.corpus, layer, pooling)


@dataclass(frozen=True, eq=False)
class SimilarityScene:
    """The choices of the reader and what is scored with them; the argument of every panel."""

    choice: ScoringChoice
    encoded: EncodedPairs
    cells: Mapping[CellKey, Cell]  # of the ladder
    own_static: StaticScores  # the model's own input vectors
    glove: tuple[StaticScores, ...]  # all words, and without stop words; () for texts that it lacks

    def cell(self, layer: Layer, pooling: str, treatment: str = "none") -> Cell:
        return self.cells[layer, pooling, treatment]

    @property
    def output(self) -> tuple[Cell, Cell]:
        """The mean of the last layer, raw and treated: what most models give as their output."""
        last = self.choice.encoder.n_layers
        return self.cell(last, "mean"), self.cell(last, "mean", self.choice.after)

    @property
    def statics(self) -> tuple[StaticScores, ...]:
        return (self.own_static, *self.glove)

    @cached_property
    def grid(self) -> Grid:
        columns = grid_columns(self.choice.encoder)
        encoded = encode_pairs(self.choice, columns)
        what = _("Scoring {n} layers and poolings, raw and treated").format(n=len(columns))
        return jobs.kept_or_made(_scores, encoded, self.choice.after, what=what, passing=True)


def build_scene(choice: ScoringChoice) -> SimilarityScene:
    encoded = encode_pairs(choice, ladder_columns(choice))
    keys = _ladder_keys(choice)
    calls = [(encoded, *key) for key in keys]
    what = _("Scoring the ladder")
    cells = jobs.all_kept_or_made(cell_of, calls, what=what, passing=True)
    found = dict(zip(keys, cells, strict=True))
    return SimilarityScene(choice, encoded, found, own_static(choice), glove_statics(choice))


@kept(4)
def _resamples(pairs: ScoredSet) -> PairBootstrap:
    return resamples_of(pairs.pairs, seed=SEED)


def are_stored(encoded: EncodedPairs, columns: Sequence[Column]) -> bool:
    return all(
        is_stored(encoded.encoder, corpus, **asdict(CloudSpec("sentences", *column)), store=store())
        for corpus in dict.fromkeys((encoded.pairs.corpus, encoded.fit.corpus))
        for column in columns
    )


@kept(2000)  # for each rung; small
def cell_of(encoded: EncodedPairs, layer: Layer, pooling: str, treatment: str) -> Cell:
    raw = None if treatment == "none" else cell_of(encoded, layer, pooling, "none").score
    [cell] = score_column(encoded, layer, pooling, (treatment,), raw=raw).cells
    return cell


def _ladder_keys(choice: ScoringChoice) -> list[CellKey]:
    keys: list[CellKey] = []
    for layer, pooling in ladder_columns(choice):
        keys.append((layer, pooling, "none"))
        if layer != FIRST_LAST or layer == choice.layer:
            keys.append((layer, pooling, choice.after))
        if (layer, pooling) == (choice.encoder.n_layers, "mean"):
            keys.append((layer, pooling, CONTROL))
    return keys


def ladder_columns(choice: ScoringChoice) -> tuple[Column, ...]:
    last = choice.encoder.n_layers
    columns: list[Column] = [(choice.layer, each) for each in ("cls", "mean", choice.pooling)]
    if last > 1:
        columns.append((FIRST_LAST, "mean"))
    return tuple(dict.fromkeys([*columns, (last, "mean")]))


def encode_pairs(choice: ScoringChoice, columns: Sequence[Column]) -> EncodedPairs:
    """Encode the pairs and the fit set, if the store lacks them; of a large fit set only sums.

    PrecisionError if the chosen cell's vectors are too close together for bfloat16; other such
    cells of the grid are shown as undefined.
    """
    encoder = choice.encoder
    fit = choice.fit.corpus
    _encode(encoder, choice.pairs, columns)
    encoded = EncodedPairs(encoder, choice.pairs, choice.fit, _resamples(choice.pairs))
    if encoder.is_approximate:
        refuse_too_narrow(encoded.vectors(choice.layer, choice.pooling))
    if choice.fit.is_target:
        return encoded
    if not is_large(encoder, fit):
        _encode(encoder, choice.fit, columns)
        return encoded
    what = _("Encoding {n} sentences").format(n=f"{len(fit):,}")
    sums = jobs.kept_or_made(
        _sums, encoder, fit, choice.fit.private, what=what, lane="encode", is_long=takes_long(fit)
    )
    return replace(encoded, fit_sums=sums)


@kept(2)
def _sums(
    encoder: Encoder, fit: Corpus, private: bool, report: jobs.Progress = jobs.no_report
) -> FitSums:
    sets = fit.texts, layers_offered(encoder), POOLINGS_SHOWN
    return ENCODING.run(partial(fit_moments, encoder, *sets, progress=send_progress), report)


def _encode(encoder: Encoder, texts: ScoredSet | FitTexts, columns: Sequence[Column]) -> None:
    """Encode what is missing. One pass stores all layers and, for a small corpus, all poolings."""
    for layer, pooling in columns:
        spec = CloudSpec("sentences", layer, pooling)
        if not is_stored(encoder, texts.corpus, **asdict(spec), store=store()):
            # the error is raised after all vectors were stored; the grid shows those cells
            with suppress(PrecisionError):
                encode_corpus(texts.corpus, spec, private=texts.private)


def _vectors(encoder: Encoder, corpus: Corpus, layer: Layer, pooling: str) -> np.ndarray:
    return recalled_vectors(encoder, corpus, layer=layer, pooling=pooling, store=store())


def is_large(encoder: Encoder, corpus: Corpus) -> bool:
    """True if all layers and poolings are too large to store, by ``recalled_vectors``' limit."""
    row = encoder.dimension * np.float32().nbytes * (encoder.n_layers + 1) * len(POOLINGS)
    return len(corpus) * row > BYTES_AT_ONCE


def grid_columns(encoder: Encoder) -> list[Column]:
    return list(product(layers_offered(encoder), POOLINGS_SHOWN))


@kept(64)
def _scores(encoded: EncodedPairs, after: str, report: jobs.Progress = jobs.no_report) -> Grid:
    """Score one layer and pooling at a time, so that only their vectors are in memory."""
    columns = grid_columns(encoded.encoder)
    cells: list[Cell] = []
    for done, (layer, pooling) in enumerate(columns):
        report(done, len(columns))
        grid = score_column(encoded, layer, pooling, ("none", after))
        cells += grid.cells
    return replace(grid, cells=tuple(cells))


def score_column(
    encoded: EncodedPairs,
    layer: Layer,
    pooling: str,
    treatments: Sequence[str],
    *,
    bootstrap: PairBootstrap | None = None,  # of the scored pairs; by default of all
    rows: np.ndarray | None = None,  # the scored pairs; the fit set does not depend on them
    raw: PairScore | None = None,  # if it is known
) -> Grid:
    bootstrap = bootstrap or encoded.bootstrap
    X = encoded.vectors(layer, pooling)
    if rows is not None:
        X = X[np.concatenate([rows, rows + len(encoded.pairs)])]
    others: dict[str, Any] = {}  # what is fitted on, if it is not X
    if not encoded.fit.is_target or rows is not None:
        others["fit_vectors"] = lambda _layers, _pooling: encoded.fit_vectors(layer, pooling)
        others["fit_on"] = encoded.fit.name
    grid = evaluate_grid(
        {pooling: X[np.newaxis]},
        bootstrap.gold_scores,
        treatments=treatments,
        evaluated_on=encoded.pairs.pairs.name,
        similarity=encoded.similarity,
        bootstrap=bootstrap,
        raw_score=raw,
        is_approximate=encoded.encoder.is_approximate,
        **others,
    )
    return replace(grid, cells=tuple(replace(cell, layer=layer) for cell in grid.cells))


def similarity_scores(scene: SimilarityScene) -> dict[tuple[str, str], PairScore]:
    choice = scene.choice
    keys = list(product(("none", choice.after), SIMILARITIES))
    calls = [
        (replace(scene.encoded, similarity=each), choice.layer, choice.pooling, treatment)
        for treatment, each in keys
    ]
    what = _("Scoring every similarity")
    cells = jobs.all_kept_or_made(cell_of, calls, what=what, passing=True)
    return {key: cell.score for key, cell in zip(keys, cells, strict=True)}


@kept(64)
def pair_moves(encoded: EncodedPairs, layer: Layer, pooling: str, after: str) -> Moves | None:
    X = encoded.vectors(layer, pooling)
    fit = encoded.fit_vectors(layer, pooling)
    try:
        before, moved = (
            treated_similarities(X, fit, treatment, similarity=encoded.similarity)
            for treatment in ("none", after)
        )
    except UndefinedMeasure:
        return None
    return Moves(before, moved, RankMoves.of(encoded.pairs.pairs.gold_scores, before, moved))


@kept(16)
def _extreme_pairs(encoded: EncodedPairs) -> dict[str, float | str]:
    """Texts, scores and cosines of the pairs a and b of ``facts_of``, by the last layer's means."""
    pairs = encoded.pairs.pairs
    low, high = pairs.score_range
    share = (pairs.gold_scores - low) / (high - low)
    last = encoded.vectors(encoded.encoder.n_layers, "mean")
    left, right = np.split(last.astype(float), 2)
    cosines = pair_similarities(left, right)
    found: dict[str, float | str] = {}
    for name, among, best in (("a", share <= 0.2, np.argmax), ("b", share >= 0.8, np.argmin)):
        rows = np.flatnonzero(among)
        if len(rows):
            row = rows[best(cosines[rows])]
            found |= {f"{name}_left": pairs.left[row], f"{name}_right": pairs.right[row]}
            found[f"{name}_score"] = float(pairs.gold_scores[row])
            found[f"{name}_cosine"] = float(cosines[row])
    return found


def facts_of(scene: SimilarityScene) -> dict[str, float | str]:
    """Scores × 100 at the last layer, and two pairs that the model orders as nobody would.

    Pair a has the highest cosine of those that people score low, pair b the lowest of high ones.
    """
    raw, treated = scene.output
    low, high = scene.choice.pairs.pairs.score_range
    facts: dict[str, float | str] = {"least_score": low, "most_score": high}
    facts["treatment"] = treatment_words(scene.choice.after)
    moved = treated.difference or Difference(None, None, None)
    numbers = {"raw": raw.score.spearman, "treated": treated.score.spearman}
    numbers |= {"gain": moved.value, "gain_low": moved.low, "gain_high": moved.high}
    if scene.glove:
        numbers["glove"] = scene.glove[0].raw.score.spearman
    facts |= {name: 100 * value for name, value in numbers.items() if value is not None}
    facts |= _extreme_pairs(scene.encoded)
    for name, more, less in (
        ("over_glove", "raw", "glove"),
        ("meant_gap", "b_score", "a_score"),
        ("cosine_gap", "b_cosine", "a_cosine"),
    ):
        if {more, less} <= facts.keys():
            facts[name] = float(facts[more]) - float(facts[less])
    return facts
