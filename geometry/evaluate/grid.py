"""Layers by poolings by treatments: each cell scored on the same pairs with the same resamples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..encode.encoder import Layer
from ..encode.layers import resolve_layers
from ..encode.precision import is_too_narrow
from ..hub.download import Progress
from ..linalg.rows import UndefinedMeasure
from ..measure.cosines import mean_cosine
from ..transform.treatments import LADDER, Treatment
from .bootstrap import DRAWS, Difference, PairBootstrap, PairScore, difference
from .fitting import FitSet, FitVectors, Layers, average_layers
from .similarities import SIMILARITIES, pair_similarities
from .specs import TreatmentSpec, parse_treatment, parse_treatments

THESE = "evaluation sentences"  # name of the fit set if none is given: the scored sentences
RAW = parse_treatment("none")


@dataclass(frozen=True)
class Cell:
    """One layer, pooling and treatment, scored.

    Attributes
    ----------
    layer : Layer
        Index from 0 (the embedding layer), or the name of an average.
    pooling : str
    treatment : str
        Text for ``parse_treatment``.
    fit_on, n_fit : str, int or None
        Name and rows of the set the treatment was fitted on; None for "none".
    score : PairScore
    mean_cosine : float in [-1, 1] or None
        Mean cosine of all treated sentences; None if one of them is zero.
    difference : Difference or None
        To the raw vectors of this layer and pooling; None for "none".
    rank : int or None
        Rank of the fit set's covariance; None if the treatment needs none.
    n_requested, n_directions : int or None
        For a whitening with k: k, and the directions retained. For "abtt" and "svd": the directions
        to remove, and those removed.
    is_simplex : bool
        The fit maps its own rows to the corners of a simplex, so scores on them are noise.
    """

    layer: Layer
    pooling: str
    treatment: str
    fit_on: str | None
    n_fit: int | None
    score: PairScore
    mean_cosine: float | None
    difference: Difference | None
    rank: int | None = None
    n_requested: int | None = None
    n_directions: int | None = None
    is_simplex: bool = False

    @classmethod
    def of(
        cls,
        place: tuple[Layer, str, TreatmentSpec],
        fitted: Treatment,
        fit_on: str,
        *,
        score: PairScore,
        mean_cosine: float | None,
        difference: Difference | None,
    ) -> Cell:
        """The cell of a place in the grid, with the facts of its fit.

        Parameters
        ----------
        place : (layer, pooling, TreatmentSpec)
        fitted : Treatment
        fit_on : str
            Name of the fit set.
        score : PairScore
        mean_cosine : float or None
            Mean cosine of the treated vectors; None if it is not defined.
        difference : Difference or None
            To the raw cell of the same layer and pooling.
        """
        layer, pooling, spec = place
        n_requested, n_directions = _directions(spec, fitted)
        return cls(
            layer=layer,
            pooling=pooling,
            treatment=spec.text,
            fit_on=fit_on if spec.is_fitted else None,
            n_fit=fitted.n_rows if spec.is_fitted else None,
            score=score,
            mean_cosine=mean_cosine,
            difference=difference,
            rank=fitted.rank if spec.is_fitted else None,
            n_requested=n_requested,
            n_directions=n_directions,
            is_simplex=bool(getattr(fitted.fitted, "makes_simplex", False)),
        )

    @property
    def is_clamped(self) -> bool:
        """True if the rank allowed fewer directions than requested."""
        return self.n_requested is not None and self.n_directions != self.n_requested

    @property
    def note(self) -> str:
        """Caveats to print beside the score, in English; may be empty."""
        caveats = []
        if self.is_clamped:
            caveats.append(
                f"{self.n_directions} directions, not {self.n_requested}: all there are "
                f"(rank {self.rank})"
            )
        if self.is_simplex:
            caveats.append("the fit makes a simplex of its own rows")
        if self.score.undefined:
            caveats.append(f"undefined: {self.score.undefined}")
        return "; ".join(caveats)


@dataclass(frozen=True)
class Grid:
    """Cells in the order of layers, poolings, treatments.

    Attributes
    ----------
    cells : tuple of Cell
    evaluated_on : str
        Name of the pairs.
    n : int
        Number of the pairs.
    similarity, draws, seed
        Settings of every cell, as in ``evaluate_grid``.
    aggregation : str
        One of ``AGGREGATIONS``: how subsets became one score.
    subsets : tuple of (name, number of pairs)
        Empty if the pairs are one set.
    """

    cells: tuple[Cell, ...]
    evaluated_on: str
    n: int
    similarity: str
    draws: int
    seed: int
    aggregation: str = "all"
    subsets: tuple[tuple[str, int], ...] = ()

    @property
    def layers(self) -> tuple[Layer, ...]:
        return tuple(dict.fromkeys(cell.layer for cell in self.cells))

    @property
    def poolings(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(cell.pooling for cell in self.cells))

    @property
    def treatments(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(cell.treatment for cell in self.cells))

    def cell(self, layer: Layer, pooling: str, treatment: str = "none") -> Cell:
        """The cell of a layer, pooling and treatment.

        Parameters
        ----------
        layer : int or str
        pooling : str
        treatment : str
            As in ``parse_treatment``, such as "zca" or "pca:64".

        Raises
        ------
        KeyError
            If the grid has no such cell.
        """
        for cell in self.cells:
            if (cell.layer, cell.pooling, cell.treatment) == (layer, pooling, treatment):
                return cell
        raise KeyError(f"no cell for layer {layer}, pooling {pooling}, treatment {treatment}")

    def matrix(self, treatment: str, value: str = "spearman") -> np.ndarray:
        """(layers, poolings) of one value of that treatment's cells; NaN if a cell has none.

        value : "spearman", "pearson", "low", "high", "mean_cosine", "difference",
        "difference_low" or "difference_high".
        """
        if value not in _VALUES:
            raise ValueError(f"value must be one of {', '.join(_VALUES)}; got {value!r}")
        read = _VALUES[value]
        rows = [
            [read(self.cell(layer, pooling, treatment)) for pooling in self.poolings]
            for layer in self.layers
        ]
        return np.array(rows, dtype=np.float64)  # None becomes NaN

    def best(self) -> Cell:
        """The cell with the highest Spearman, the first of equals; ValueError if none has one.

        The maximum over many cells is biased upwards: choose the cell on other pairs instead
        (``choose_on_dev``).
        """
        scored = [cell for cell in self.cells if cell.score.spearman is not None]
        if not scored:
            raise ValueError("no cell of the grid has a score")
        return max(scored, key=lambda cell: float(cell.score.spearman or 0.0))


def evaluate_grid(
    vectors: Mapping[str, np.ndarray],
    gold_scores: np.ndarray,
    *,
    layers: Sequence[Layer] | None = None,
    treatments: Sequence[str] = LADDER,
    fit_vectors: FitVectors | None = None,
    fit_on: str | None = None,
    evaluated_on: str = "",
    similarity: str = "cosine",
    draws: int = DRAWS,
    seed: int = 0,
    bootstrap: PairBootstrap | None = None,
    raw_score: PairScore | None = None,
    is_approximate: bool = False,
    progress: Progress | None = None,
) -> Grid:
    """Score every layer, pooling and treatment against gold_scores (n,).

    The difference of a cell is to the raw vectors of its layer and pooling, paired. A cell whose
    score is undefined ([CLS] of the embedding layer) gives the reason instead.

    Parameters
    ----------
    vectors : mapping of pooling to (n_layers + 1, 2n, d) array
        The n left sentences, then the n right ones, as ``Encoder.encode_layers([*left, *right])``
        returns them. Static vectors are one layer.
    gold_scores : (n,) array of float
    layers : sequence, optional
        Indices, or other layers that ``Encoder.encode`` takes; by default every layer.
    treatments : sequence of str
        Texts for ``parse_treatment``.
    fit_vectors : mapping or callable, optional
        The fit set: {pooling: (n_layers + 1, m, d)}, or a function of (layer indices, pooling)
        that returns (m, d) or ``Moments``. By default the 2n rows themselves.
    fit_on : str, optional
        Name of the fit set; needed with ``fit_vectors``.
    evaluated_on : str
        Name of the pairs.
    similarity : str
        One of ``SIMILARITIES``.
    draws : int
        Resamples, if ``bootstrap`` is None.
    seed : int
        Seed of these resamples.
    bootstrap : PairBootstrap, optional
        Resamples with the same gold scores.
    raw_score : PairScore, optional
        Score of the raw vectors by the same resamples, where it is known. For one layer and pooling
        only.
    is_approximate : bool
        Whether the vectors come from an encoder in bfloat16. Vectors of a layer and pooling that
        lie too close for bfloat16 have no scores ("too_narrow").
    progress : callable, optional
        Called with (cells done, cells). An exception raised in it ends the work.

    Raises
    ------
    ValueError
        For bad input.
    """
    _check_names(similarity, fit_vectors, fit_on)
    specs = parse_treatments(treatments)
    bootstrap = _resamples(gold_scores, bootstrap, draws, seed)
    check_vectors(vectors, 2 * bootstrap.n)
    count = min(len(hidden) for hidden in vectors.values())
    named = tuple(range(count)) if layers is None else tuple(dict.fromkeys(layers))
    if raw_score is not None and len(named) * len(vectors) > 1:
        raise ValueError("raw_score is of one layer and pooling; leave it out for several")
    scorer = _Scorer(
        bootstrap,
        similarity,
        specs,
        vectors,
        fit_vectors,
        fit_on or THESE,
        raw_score,
        is_approximate,
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
    raw_score: PairScore | None
    is_approximate: bool

    def cells(self, layers: Sequence[Layer], count: int) -> Iterator[Cell]:
        """Every cell, layer by layer; the vectors have ``count`` layers."""
        for layer in layers:
            indices = resolve_layers(layer, n_layers=count - 1, name="the model")
            shown = indices[0] if isinstance(layer, int | np.integer) else layer
            for pooling in self.vectors:
                yield from self._column(shown, indices, pooling)

    def _column(self, layer: Layer, indices: Layers, pooling: str) -> Iterator[Cell]:
        """All cells of one layer and pooling; the fit set is read once for all treatments."""
        X = average_layers(self.vectors[pooling], indices)
        fit_rows = self._fit_rows(X, indices, pooling)
        too_narrow = self.is_approximate and is_too_narrow(X)
        fit_set = FitSet(fit_rows, eps=float(np.finfo(X.dtype).eps))
        if fit_set.d != X.shape[1]:
            raise ValueError(
                f"fit_vectors have {fit_set.d} columns and vectors {X.shape[1]} at layer {layer}, "
                f"{pooling}; take both from one model"
            )
        X = X.astype(np.float64)  # in a narrow cone float32 products change the order of pairs
        raw = self.raw_score
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
        """The score of X (2n, d) after the treatment, and the mean cosine of the treated rows."""
        if getattr(fitted.fitted, "leaves_nothing", False):
            return self._without("nothing_left"), None
        Z = fitted.apply(X).retained
        is_mahalanobis = self.similarity == "mahalanobis"
        precision = fit_set.precision_after(fitted) if is_mahalanobis else None
        try:
            cosine: float | None = mean_cosine(Z)
        except UndefinedMeasure:
            cosine = None
        left, right = Z[: self.bootstrap.n], Z[self.bootstrap.n :]
        try:
            similarities = pair_similarities(left, right, self.similarity, precision=precision)
        except UndefinedMeasure as reason:
            return self._without(reason.code), cosine
        return self.bootstrap.score(similarities, similarity=self.similarity), cosine

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
    """Raise ValueError unless the array of every pooling is (layers, n_rows, d)."""
    if not vectors:
        raise ValueError("vectors are empty; give {pooling: (layers, 2n, d)}")
    for pooling, hidden in vectors.items():
        shape = np.shape(hidden)
        if len(shape) != 3 or shape[1] != n_rows:
            raise ValueError(
                f"vectors[{pooling!r}] must be (layers, {n_rows}, d), the left sentences of "
                f"{n_rows // 2} pairs, then the right ones; got shape {shape}"
            )


def _directions(spec: TreatmentSpec, fitted: Treatment) -> tuple[int | None, int | None]:
    if spec.knobs.n_components is not None:
        return spec.knobs.n_components, len(fitted.fitted.components)
    if spec.knobs.n_removed is not None:
        return spec.knobs.n_removed, len(fitted.fitted.weights)
    return None, None


def _of_difference(name: str) -> Callable[[Cell], float | None]:
    return lambda cell: None if cell.difference is None else getattr(cell.difference, name)


_VALUES: dict[str, Callable[[Cell], float | None]] = {
    "spearman": lambda cell: cell.score.spearman,
    "pearson": lambda cell: cell.score.pearson,
    "low": lambda cell: cell.score.low,
    "high": lambda cell: cell.score.high,
    "mean_cosine": lambda cell: cell.mean_cosine,
    "difference": _of_difference("value"),
    "difference_low": _of_difference("low"),
    "difference_high": _of_difference("high"),
}
