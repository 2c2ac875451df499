"""What the page shows in one run: encoded pairs, the ladder, word vectors, the grid, moves."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial

import numpy as np

from geometry import Corpus, Encoder, UndefinedMeasure
from geometry.encode import ArrayStore
from geometry.encode.cloud import is_stored
from geometry.encode.disk_cache import BYTES_AT_ONCE, recalled_vectors
from geometry.encode.encoder import Layer
from geometry.encode.pool import POOLINGS
from geometry.encode.precision import PrecisionError, refuse_too_narrow
from geometry.evaluate.best_cell import Chosen, HalfChoice, RecordingBootstrap
from geometry.evaluate.bootstrap import DRAWS, PairBootstrap, PairScore
from geometry.evaluate.fitting import treated_similarities
from geometry.evaluate.from_encoder import POOLINGS_SHOWN, fit_moments
from geometry.evaluate.grid import Cell, Grid, evaluate_grid
from geometry.evaluate.ranks import RankMoves
from geometry.linalg.moments import Moments
from geometry.process import send_progress
from pages.common import jobs
from pages.common.cache import Cache
from pages.common.corpus_cloud import CloudSpec, encode_corpus, store, takes_long
from pages.common.encoding_worker import ENCODING
from pages.common.seed import SEED
from pages.common.treatment_names import offered
from pages.common.words import _

from .choices import ScoringChoice
from .word_vectors import Static, own_static, uploaded_static

AHEAD_VARIABLE = "NARROW_CONE_SCORE_AHEAD"  # "0": a rung is scored when it is first shown
AHEAD_AFTER = 3.0  # seconds after the first visit; until then the browser is drawing
MOST_AHEAD = 2000  # pairs; all rungs of 935 pairs take 10 s of a core
SAMPLE_ROWS = 4000  # rows of a large fit set, in the curve by the rows in the fit
FIRST_LAST = "first-last"  # the mean of the first and the last layer, as papers take it
Column = tuple[int | str, str]  # layer and pooling
FitSums = Callable[[tuple[int, ...], str], Moments]  # of layers and pooling


@dataclass(frozen=True)
class Scores:
    """The grid, and its best cell chosen on one half of the pairs; None without halves."""

    grid: Grid
    on_half: Chosen | None


@dataclass(frozen=True, eq=False)
class Moves:
    """Similarities (n,) of the pairs before and after the treatment, and their rank moves."""

    before: np.ndarray
    after: np.ndarray
    ranks: RankMoves


CellKey = tuple[Layer, str, str]  # layer, pooling, treatment

_BOOTSTRAPS: Cache[PairBootstrap] = Cache("resamples of pairs", max_entries=4)
# for each rung; shared by all readers, and small
_CELLS: Cache[Cell] = Cache("cells of ladders", max_entries=2000)
_SCORES: Cache[Scores] = Cache("pair scores", max_entries=64)
_MOVES: Cache[Moves | None] = Cache("pair moves", max_entries=64)
_SUMS: Cache[FitSums] = Cache("sums of fit sets", max_entries=2)

_ahead: set[str] = set()  # keys of the choices whose rungs are scored in the background
_lock = threading.Lock()  # so that one thread at a time scores in the background


@dataclass(frozen=True)
class EncodedPairs:
    """Sentence vectors of the pairs and of the fit set; each is read from the store when used.

    fit_sums : moments of the fit set if it is too large for the store.
    """

    choice: ScoringChoice
    fit_sums: FitSums | None = None

    def vectors(self, layer: Layer, pooling: str) -> np.ndarray:
        """(2n, d) float32 of the sentences of the pairs."""
        return _vectors(self.choice.encoder, self.choice.pairs.corpus, layer, pooling)

    def fit_vectors(self, layer: Layer, pooling: str) -> np.ndarray | Moments:
        """(m, d) float32 of the sentences of the fit set, or their moments."""
        if self.choice.fit.is_target:
            return self.vectors(layer, pooling)
        if self.fit_sums is not None:
            return self.fit_sums(self.choice.encoder.layer_indices(layer), pooling)
        return _vectors(self.choice.encoder, self.choice.fit.corpus, layer, pooling)

    def fit_rows(self, layer: int, pooling: str) -> np.ndarray:
        """(m, d) float32 of the sentences of the fit set; a seeded sample of a large one."""
        corpus = self.choice.fit.corpus
        drawn = np.arange(len(corpus))
        if is_large(self.choice.encoder, corpus):
            order = np.random.default_rng(SEED).permutation(len(corpus))
            drawn = np.sort(order[:SAMPLE_ROWS])
        if self.choice.fit.is_target:
            return self.vectors(layer, pooling)[drawn]
        return _vectors(self.choice.encoder, corpus.take(drawn), layer, pooling)


@dataclass(frozen=True, eq=False)
class Scene:
    """The choices of the reader and what is scored with them; the argument of every panel.

    Attributes
    ----------
    encoded : EncodedPairs
    cells : mapping of (layer, pooling, treatment) to Cell
        The cells of the ladder.
    own_static : Static
        The model's own input vectors.
    """

    encoded: EncodedPairs
    cells: Mapping[CellKey, Cell]
    own_static: Static

    @property
    def choice(self) -> ScoringChoice:
        """The choices of the reader."""
        return self.encoded.choice

    def cell(self, layer: Layer, pooling: str, treatment: str = "none") -> Cell:
        """A cell of the ladder.

        Parameters
        ----------
        layer : int, str or tuple of int
            As in ``Encoder.encode``.
        pooling : str
        treatment : str
            A text for ``parse_treatment``; "none" for the raw cell.
        """
        return self.cells[layer, pooling, treatment]

    @property
    def output(self) -> tuple[Cell, Cell]:
        """The mean of the last layer, raw and treated: what most models give as their output."""
        last, after = self.choice.encoder.n_layers, self.choice.after
        return self.cell(last, "mean"), self.cell(last, "mean", after)

    @cached_property
    def uploaded_static(self) -> Static | str | None:
        """The uploaded word vectors, or why they have no score; None without a file."""
        return uploaded_static(self.choice)

    @property
    def statics(self) -> tuple[Static, ...]:
        """The averages of word vectors: the model's own, and uploaded ones."""
        uploaded = self.uploaded_static
        return (self.own_static, uploaded) if isinstance(uploaded, Static) else (self.own_static,)

    @cached_property
    def scores(self) -> Scores:
        """Every layer and pooling, raw and treated."""
        return score_grid(self.choice)

    @cached_property
    def moves(self) -> Moves | None:
        """The rank moves of the pairs at the chosen layer and pooling."""
        return moves_of(self.encoded)


def build_scene(choice: ScoringChoice) -> Scene:
    """Encode the pairs, score the ladder and the model's own input vectors.

    Long work runs as a job with progress and Cancel.
    """
    encoded = encode_pairs(choice, ladder_columns(choice))
    keys = _ladder_keys(choice)
    cells = _known_cells(choice, keys)
    missing = [key for key in keys if key not in cells]
    if missing:
        bootstrap = _resamples(choice)
        made: dict[CellKey, Cell] = jobs.wait_for(
            f"{choice.key}/{missing}",
            lambda report: _score_cells(encoded, missing, cells, bootstrap, report),
            _("Scoring the ladder"),
            lane="measure",
            passing=True,
        )
        for key, cell in made.items():
            cells[key] = _put_cell(choice, key, cell)
    _begin_ahead(encoded)
    return Scene(encoded, cells, own_static(choice))


def _resamples(choice: ScoringChoice) -> PairBootstrap:
    return _BOOTSTRAPS.get_or_make(
        choice.pairs.key,
        lambda: PairBootstrap(choice.pairs.pairs.gold_scores, DRAWS, SEED),
        private=choice.is_private,
    )


def _begin_ahead(encoded: EncodedPairs) -> None:
    """Score all rungs of these pairs in the background, once a server.

    Without it the page waits 0.2 to 0.4 s for a new rung.
    """
    choice = encoded.choice
    if choice.is_private or encoded.fit_sums is not None or len(choice.pairs) > MOST_AHEAD:
        return
    if choice.key in _ahead or os.environ.get(AHEAD_VARIABLE) == "0":
        return
    if _are_stored(choice):  # else the server's own process would encode
        _ahead.add(choice.key)
        timer = threading.Timer(AHEAD_AFTER, _score_ahead, [encoded])
        timer.name, timer.daemon = "score-ahead", True
        timer.start()


def _are_stored(choice: ScoringChoice) -> bool:
    """True if the vectors of all rungs are on the disk."""
    corpora = dict.fromkeys((choice.pairs.corpus, choice.fit.corpus))
    specs = [
        CloudSpec("sentences", layer, pooling)
        for layer in range(choice.encoder.n_layers + 1)
        for pooling in POOLINGS_SHOWN
    ]
    return all(
        is_stored(choice.encoder, corpus, **asdict(spec), store=store())
        for corpus in corpora
        for spec in specs
    )


def _score_ahead(encoded: EncodedPairs) -> None:
    choice = encoded.choice
    near = sorted(range(choice.encoder.n_layers + 1), key=lambda i: abs(i - choice.layer))
    treatments = dict.fromkeys(("none", *choice.treatments, *offered(of_moments=True)))
    columns = [(layer, pooling) for layer in near for pooling in POOLINGS_SHOWN]
    with _lock:
        for layer, pooling in columns:
            keys = [(layer, pooling, name) for name in treatments]
            known = _known_cells(choice, keys)
            missing = [key for key in keys if key not in known]
            _score_cells(encoded, missing, known, _resamples(choice), lambda done, total: None)


def _known_cells(choice: ScoringChoice, keys: Sequence[CellKey]) -> dict[CellKey, Cell]:
    found = {key: _CELLS.get(f"{choice.key}/{key}", private=choice.is_private) for key in keys}
    return {key: cell for key, cell in found.items() if cell is not None}


def _put_cell(choice: ScoringChoice, key: CellKey, cell: Cell) -> Cell:
    return _CELLS.put(f"{choice.key}/{key}", cell, private=choice.is_private)


def _ladder_keys(choice: ScoringChoice) -> list[CellKey]:
    """The cells of the rungs."""
    return [
        (layer, pooling, treatment)
        for layer, pooling in ladder_columns(choice)
        for treatment in ("none", *(() if layer == FIRST_LAST else choice.treatments))
    ]


def ladder_columns(choice: ScoringChoice) -> tuple[Column, ...]:
    """Layer and pooling of the rungs, from [CLS] to the last layer."""
    last = choice.encoder.n_layers
    columns: list[Column] = [(choice.layer, "cls"), (choice.layer, "mean")]
    columns.append((choice.layer, choice.pooling))
    if last > 1:
        columns.append((FIRST_LAST, "mean"))
    return tuple(dict.fromkeys([*columns, (last, "mean")]))


def _score_cells(
    encoded: EncodedPairs,
    keys: Sequence[CellKey],
    known: Mapping[CellKey, Cell],
    bootstrap: PairBootstrap,
    report: jobs.Progress,
) -> dict[CellKey, Cell]:
    """Score column by column, without cells that another reader's job has scored meanwhile."""
    choice = encoded.choice
    found = dict(known)
    columns = dict.fromkeys((layer, pooling) for layer, pooling, _treatment in keys)
    for done, column in enumerate(columns):
        report(done, len(columns))
        wanted = [key for key in keys if key[:2] == column]
        if not choice.is_private:  # a session's own cache can't be read in a job
            found |= _known_cells(choice, wanted)
        treatments = [key[2] for key in wanted if key not in found]
        if treatments:
            raw = found.get((*column, "none"))
            grid = score_column(
                encoded, *column, treatments, bootstrap, raw=None if raw is None else raw.score
            )
            for cell in grid.cells:
                key = (*column, cell.treatment)
                found[key] = cell if choice.is_private else _put_cell(choice, key, cell)
    return found


def encode_pairs(choice: ScoringChoice, columns: Sequence[Column]) -> EncodedPairs:
    """Encode the pairs and the fit set in these layers and poolings, if the store lacks them.

    Of a large fit set of other sentences only sums are stored. Raises PrecisionError if the vectors
    of the chosen cell are too close together for bfloat16. Other such cells of the grid are shown
    as undefined.
    """
    encoder, fit = choice.encoder, choice.fit.corpus
    _encode(encoder, choice.pairs.corpus, columns)
    encoded = EncodedPairs(choice)
    if encoder.is_approximate:
        refuse_too_narrow(encoded.vectors(choice.layer, choice.pooling))
    if choice.fit.is_target:
        return encoded
    if not is_large(encoder, fit):
        _encode(encoder, fit, columns)
        return encoded
    last = encoder.n_layers
    key = ArrayStore.key(encoder.fingerprint, fit.sha256, "sums")
    layers: tuple[Layer, ...] = (*range(last + 1), *((FIRST_LAST,) if last > 1 else ()))
    sets = fit.texts, layers, POOLINGS_SHOWN
    sums = jobs.cached(
        _SUMS,
        key,
        lambda report: ENCODING.run(
            partial(fit_moments, encoder, *sets, progress=send_progress), report
        ),
        _("Encoding {n} sentences").format(n=f"{len(fit):,}"),
        is_long=takes_long(fit),
    )
    return EncodedPairs(choice, sums)


def _encode(encoder: Encoder, corpus: Corpus, columns: Sequence[Column]) -> None:
    """Encode what is missing. One pass stores all layers and, for a small corpus, all poolings."""
    for layer, pooling in columns:
        spec = CloudSpec("sentences", layer, pooling)
        if not is_stored(encoder, corpus, **asdict(spec), store=store()):
            # the error is raised after all vectors were stored; the grid shows those cells
            with suppress(PrecisionError):
                encode_corpus(corpus, spec)


def _vectors(encoder: Encoder, corpus: Corpus, layer: Layer, pooling: str) -> np.ndarray:
    return recalled_vectors(encoder, corpus, layer=layer, pooling=pooling, store=store())


def is_large(encoder: Encoder, corpus: Corpus) -> bool:
    """True if all layers and poolings are too large to store, by ``recalled_vectors``' limit."""
    row = encoder.dimension * np.float32().nbytes * (encoder.n_layers + 1) * len(POOLINGS)
    return len(corpus) * row > BYTES_AT_ONCE


def score_grid(choice: ScoringChoice) -> Scores:
    """Every layer and pooling, raw and treated."""
    columns = [
        (layer, pooling)
        for layer in range(choice.encoder.n_layers + 1)
        for pooling in POOLINGS_SHOWN
    ]
    encoded = encode_pairs(choice, columns)
    return jobs.cached(
        _SCORES,
        f"{choice.key}/{choice.after}/grid",
        lambda report: _scores(encoded, columns, report),
        _("Scoring {n} layers and poolings, raw and treated").format(n=len(columns)),
        private=choice.is_private,
        lane="measure",
        passing=True,
    )


def _scores(encoded: EncodedPairs, columns: Sequence[Column], report: jobs.Progress) -> Scores:
    """Score one layer and pooling at a time, so that only their vectors are in memory."""
    choice = encoded.choice
    gold = choice.pairs.pairs.gold_scores
    bootstrap, half_choice = RecordingBootstrap(gold, DRAWS, SEED), _half_choice(gold)
    cells: list[Cell] = []
    for done, (layer, pooling) in enumerate(columns):
        report(done, len(columns))
        grid = score_column(encoded, layer, pooling, choice.treatments_shown, bootstrap)
        cells += grid.cells
        if half_choice is not None:
            half_choice.add(grid.cells, bootstrap.recorded)
        bootstrap.recorded.clear()
    on_half = None
    if half_choice is not None and any(cell.score.spearman is not None for cell in cells):
        on_half = half_choice.chosen(draws=DRAWS, seed=SEED)
    return Scores(replace(grid, cells=tuple(cells)), on_half)


def _half_choice(gold: np.ndarray) -> HalfChoice | None:
    try:
        return HalfChoice(gold, random_state=SEED)
    except ValueError:
        return None


def score_column(
    encoded: EncodedPairs,
    layer: Layer,
    pooling: str,
    treatments: Sequence[str],
    bootstrap: PairBootstrap,
    rows: np.ndarray | None = None,
    raw: PairScore | None = None,
) -> Grid:
    """The cells of one layer and pooling.

    Parameters
    ----------
    encoded : EncodedPairs
    layer : int or str
    pooling : str
    treatments : sequence of str
        As in ``evaluate_grid``.
    bootstrap : PairBootstrap
        Of the gold scores of the scored pairs.
    rows : (m,) array of int, optional
        The scored pairs; None is all. The fit set does not depend on them.
    raw : PairScore, optional
        The score of the raw vectors, if it is known.
    """
    choice = encoded.choice
    X = encoded.vectors(layer, pooling)
    if rows is not None:
        X = X[np.concatenate([rows, rows + len(choice.pairs)])]
    is_own = choice.fit.is_target and rows is None
    grid = evaluate_grid(
        {pooling: X[np.newaxis]},
        bootstrap.gold_scores,
        treatments=treatments,
        fit_vectors=None
        if is_own
        else lambda _layers, _pooling: encoded.fit_vectors(layer, pooling),
        fit_on=None if is_own else choice.fit.name,
        evaluated_on=choice.pairs.pairs.name,
        similarity=choice.similarity,
        bootstrap=bootstrap,
        raw_score=raw,
        is_approximate=choice.encoder.is_approximate,
    )
    return replace(grid, cells=tuple(replace(cell, layer=layer) for cell in grid.cells))


def moves_of(encoded: EncodedPairs) -> Moves | None:
    """The rank moves at the chosen layer and pooling; None if a sentence has no similarity."""
    choice = encoded.choice

    def make() -> Moves | None:
        X = encoded.vectors(choice.layer, choice.pooling)
        fit = encoded.fit_vectors(choice.layer, choice.pooling)
        try:
            before, after = (
                treated_similarities(X, fit, treatment, similarity=choice.similarity)
                for treatment in choice.treatments_shown
            )
        except UndefinedMeasure:
            return None
        return Moves(before, after, RankMoves.of(choice.pairs.pairs.gold_scores, before, after))

    return _MOVES.get_or_make(f"{choice.cell_key}/moves", make, private=choice.is_private)
