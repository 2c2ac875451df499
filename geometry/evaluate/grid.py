"""Layers by poolings by treatments, each cell scored on the same pairs with the same resamples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..encode.layers import resolve_layers
from ..encode.precision import is_too_narrow
from ..linalg.rows import UndefinedMeasure
from ..measure.cosines import mean_cosine
from ..transform.treatments import Treatment
from .bootstrap import PairBootstrap, difference
from .cells import Cell, Grid, LayerName
from .fitting import FitSet, FitVectors, Layers, average_layers
from .scores import PairScore
from .similarities import SIMILARITIES, pair_similarities
from .specs import LADDER, TreatmentSpec, parse_treatment, parse_treatments

Progress = Callable[[int, int], None]  # (cells done, cells in all); raise in it to stop
THESE = "evaluation sentences"  # the fit set where none is given: the very ones that are scored
RAW = parse_treatment("none")


def evaluate_grid(
    vectors: Mapping[str, np.ndarray],
    gold_scores: np.ndarray,
    *,
    layers: Sequence[LayerName] | None = None,
    treatments: Sequence[str] = LADDER,
    fit_vectors: FitVectors | None = None,
    fit_on: str | None = None,
    evaluated_on: str = "",
    similarity: str = "cosine",
    draws: int = 1000,
    seed: int = 0,
    bootstrap: PairBootstrap | None = None,
    is_approximate: bool = False,
    progress: Progress | None = None,
) -> Grid:
    """Score every layer, pooling and treatment against gold_scores (n,).

    vectors : {pooling: (n_layers + 1, 2n, d)}, the n left sentences, then the n right ones, as
    ``Encoder.encode_layers([*left, *right])`` gives them; static vectors are one layer.
    layers : indices, or what else ``Encoder.encode`` takes; None is every one.
    treatments : texts for ``parse_treatment``.
    fit_vectors : what treatments are fitted on: {pooling: (n_layers + 1, m, d)}, or a function of
    (layer indices, pooling) to (m, d) or to ``Moments``; None is the 2n rows themselves.
    fit_on : the name of that set, without which no fitted cell may stand.   evaluated_on : that of
    the pairs.   bootstrap : resamples drawn before, with these gold scores; else draws and seed.
    is_approximate : whether vectors are an encoder's in bfloat16. Where they lie too close for it
    no cell of that layer and pooling has a score ("too_narrow").
    Each cell's difference is to the raw vectors of its layer and pooling, paired. A cell whose
    score does not exist ([CLS] of the embedding layer) says why instead.
    progress : called with (cells done, cells); an exception raised in it ends the work.
    Raises ValueError for bad input.
    """
    _check_names(similarity, fit_vectors, fit_on)
    specs = parse_treatments(treatments)
    bootstrap = _resamples(gold_scores, bootstrap, draws, seed)
    check_vectors(vectors, 2 * bootstrap.n)
    count = min(len(hidden) for hidden in vectors.values())
    named = tuple(range(count)) if layers is None else tuple(dict.fromkeys(layers))
    scorer = _Scorer(
        bootstrap, similarity, specs, vectors, fit_vectors, fit_on or THESE, is_approximate
    )
    total = len(named) * len(vectors) * len(specs)
    cells: list[Cell] = []
    for cell in scorer.cells(named, count):
        cells.append(cell)
        if progress is not None:
            progress(len(cells), total)
    return Grid(
        tuple(cells),
        evaluated_on,
        bootstrap.n,
        similarity,
        bootstrap.draws,
        bootstrap.seed,
        bootstrap.how,
        bootstrap.subsets,
    )


@dataclass(frozen=True)
class _Scorer:
    bootstrap: PairBootstrap
    similarity: str
    specs: tuple[TreatmentSpec, ...]
    vectors: Mapping[str, np.ndarray]
    fit_vectors: FitVectors | None
    fit_on: str
    is_approximate: bool

    def cells(self, layers: Sequence[LayerName], count: int) -> Iterator[Cell]:
        """Every cell, layer by layer, of vectors that have ``count`` layers."""
        for layer in layers:
            indices = resolve_layers(layer, n_layers=count - 1, name="the model")
            shown = indices[0] if isinstance(layer, int | np.integer) else layer
            for pooling in self.vectors:
                yield from self._column(shown, indices, pooling)

    def _column(self, layer: LayerName, indices: Layers, pooling: str) -> Iterator[Cell]:
        """All cells of one layer and pooling, from one reading of its fit set."""
        X = average_layers(self.vectors[pooling], indices)
        fit_rows = self._fit_rows(X, indices, pooling)
        too_narrow = self.is_approximate and is_too_narrow(X)
        fit_set = FitSet(fit_rows, eps=float(np.finfo(X.dtype).eps))
        if fit_set.d != X.shape[1]:
            raise ValueError(
                f"fit_vectors have {fit_set.d} columns and vectors {X.shape[1]} at layer {layer}, "
                f"{pooling}; take both from one model"
            )
        X = X.astype(np.float64)  # in a narrow cone a float32 product reorders the pairs
        raw: PairScore | None = None
        for spec in self.specs:
            fitted = fit_set.fit(spec)
            if too_narrow:
                score, cosine, raw = self._without("too_narrow"), None, self._without("too_narrow")
            else:
                score, cosine = self._scored(X, fitted, fit_set)
            if raw is None:
                raw = score if not spec.is_fitted else self._scored(X, fit_set.fit(RAW), fit_set)[0]
            yield Cell.of(
                (layer, pooling, spec),
                fitted,
                self.fit_on,
                score=score,
                mean_cosine=cosine,
                difference=difference(raw, score) if spec.is_fitted else None,
            )

    def _fit_rows(self, X: np.ndarray, indices: Layers, pooling: str) -> np.ndarray:
        if self.fit_vectors is None:
            return X
        if callable(self.fit_vectors):
            return self.fit_vectors(indices, pooling)  # type: ignore[return-value]
        if pooling not in self.fit_vectors:
            raise ValueError(f"fit_vectors lack the pooling {pooling}; encode them with it")
        return average_layers(self.fit_vectors[pooling], indices)

    def _scored(
        self, X: np.ndarray, fitted: Treatment, fit_set: FitSet
    ) -> tuple[PairScore, float | None]:
        """The score of X (2n, d) once treated, and the mean cosine of all its rows."""
        if getattr(fitted.fitted, "leaves_nothing", False):
            return self._without("nothing_left"), None
        Z = fitted.apply(X).kept
        is_mahalanobis = self.similarity == "mahalanobis"
        precision = fit_set.precision_after(fitted) if is_mahalanobis else None
        try:
            cosine: float | None = mean_cosine(Z)
        except UndefinedMeasure:
            cosine = None
        left, right = Z[: self.bootstrap.n], Z[self.bootstrap.n :]
        try:
            alike = pair_similarities(left, right, self.similarity, precision=precision)
        except UndefinedMeasure as reason:
            return self._without(reason.code), cosine
        return self.bootstrap.score(alike, similarity=self.similarity), cosine

    def _without(self, code: str) -> PairScore:
        return PairScore.without(
            code, n=self.bootstrap.n, similarity=self.similarity, seed=self.bootstrap.seed
        )


def _check_names(similarity: str, fit_vectors: FitVectors | None, fit_on: str | None) -> None:
    if similarity not in SIMILARITIES:
        raise ValueError(f"similarity must be one of {', '.join(SIMILARITIES)}; got {similarity!r}")
    if (fit_vectors is None) != (fit_on is None):
        raise ValueError(
            "fit_vectors and fit_on, the name of that set, come together; leave out both to fit "
            "on the evaluation sentences"
        )


def _resamples(
    gold_scores: np.ndarray, bootstrap: PairBootstrap | None, draws: int, seed: int
) -> PairBootstrap:
    if bootstrap is None:
        return PairBootstrap(gold_scores, draws, seed)
    if not np.array_equal(bootstrap.gold_scores, np.asarray(gold_scores, dtype=np.float64)):
        raise ValueError("bootstrap was drawn for other gold scores; draw it for these")
    return bootstrap


def check_vectors(vectors: Mapping[str, np.ndarray], n_rows: int) -> None:
    """Raise ValueError unless every pooling holds (layers, n_rows, d)."""
    if not vectors:
        raise ValueError("vectors are empty; give {pooling: (layers, 2n, d)}")
    for pooling, hidden in vectors.items():
        shape = np.shape(hidden)
        if len(shape) != 3 or shape[1] != n_rows:
            raise ValueError(
                f"vectors[{pooling!r}] must be (layers, {n_rows}, d), the left sentences of "
                f"{n_rows // 2} pairs, then the right ones; got shape {shape}"
            )
