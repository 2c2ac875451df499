"""Layers by poolings by treatments: each cell scored on the same pairs with the same resamples."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..data.csv_cells import csv_text
from ..encode.encoder import Layer
from ..encode.layers import resolve_layers
from ..encode.precision import is_too_narrow
from ..linalg.rows import UndefinedMeasure
from ..measure.cosines import mean_cosine
from ..process import Progress, no_report
from ..transform.treatments import LADDER, Treatment
from .bootstrap import DRAWS, Difference, PairBootstrap, PairScore, difference
from .fitting import FitSet, FitVectors, Layers, average_layers
from .similarities import SIMILARITIES, pair_similarities
from .specs import TreatmentSpec, parse_treatments

THESE = "evaluation sentences"  # name of the fit set if none is given: the scored sentences
OF_CELL = ("pooling", "treatment", "fit_on", "n_fit", "rank")
OF_SCORE = ("spearman", "low", "high", "pearson", "pearson_low", "pearson_high")
VALUES: tuple[str, ...] = ("spearman", "pearson", "low", "high", "mean_cosine")
VALUES += ("difference", "difference_low", "difference_high")


@dataclass(frozen=True)
class Cell:
    """One layer, pooling and treatment, scored."""

    layer: Layer  #: index from 0 (the embedding layer), or the name of an average
    pooling: str
    treatment: str  #: text for ``parse_treatment``
    #: fit_on, n_fit: name and rows of the set the treatment was fitted on; None for "none"
    fit_on: str | None
    n_fit: int | None
    score: PairScore
    mean_cosine: float | None  #: of all treated sentences; None if one of them is zero
    difference: Difference | None  #: to the raw vectors of this layer and pooling; None for "none"
    rank: int | None = None  #: Rank of the fit set's covariance; None if the treatment needs none
    #: n_requested, n_directions: For a whitening with k: k, and the directions retained. For "abtt"
    #: and "svd": the directions to remove, and those removed.
    n_requested: int | None = None
    n_directions: int | None = None
    #: the fit maps its own rows to the corners of a simplex, so scores on them are noise
    is_simplex: bool = False

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
    """Cells in the order of layers, poolings, treatments."""

    cells: tuple[Cell, ...]
    evaluated_on: str  #: name of the pairs
    n: int  #: number of the pairs
    #: similarity, draws, seed: settings of every cell, as in ``evaluate_grid``
    similarity: str
    draws: int
    seed: int
    aggregation: str = "all"  #: one of ``AGGREGATIONS``: how subsets became one score
    #: (name, number of pairs) of each; empty if the pairs are one set
    subsets: tuple[tuple[str, int], ...] = ()
    is_linked: bool = False  #: as ``PairBootstrap``: shared sentences make the intervals too narrow

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
        """The cell of a layer, pooling and treatment; KeyError if the grid has none.

        Parameters
        ----------
        layer : int or str
        pooling : str
        treatment : str, as in ``parse_treatment``, such as "zca" or "pca:64"
        """
        for cell in self.cells:
            if (cell.layer, cell.pooling, cell.treatment) == (layer, pooling, treatment):
                return cell
        raise KeyError(f"no cell for layer {layer}, pooling {pooling}, treatment {treatment}")

    def matrix(self, treatment: str, value: str = "spearman") -> np.ndarray:
        """(layers, poolings) of one of VALUES of that treatment's cells; NaN if a cell has none."""
        if value not in VALUES:
            raise ValueError(f"value must be one of {', '.join(VALUES)}; got {value!r}")
        rows = [
            [cell_row(self.cell(layer, pooling, treatment))[value] for pooling in self.poolings]
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
    treatments : sequence of str, texts for ``parse_treatment``
    fit_vectors : mapping or callable, optional
        The fit set: {pooling: (n_layers + 1, m, d)}, or a function of (layer indices, pooling)
        that returns (m, d) or ``Moments``. By default the 2n rows themselves.
    fit_on : str, optional
        Name of the fit set; needed with ``fit_vectors``.
    evaluated_on : str, name of the pairs
    similarity : str, one of ``SIMILARITIES``
    draws : int, resamples, if ``bootstrap`` is None
    seed : int, of these resamples
    bootstrap : PairBootstrap, optional
        Resamples with the same gold scores; with units where pairs share sentences.
    raw_score : PairScore, optional
        Score of the raw vectors by the same resamples, where it is known. For one layer and pooling
        only.
    is_approximate : bool
        Whether the vectors come from an encoder in bfloat16. Vectors of a layer and pooling that
        lie too close for bfloat16 have no scores ("too_narrow").
    progress : callable, optional
        Called with (cells done, cells). An exception raised in it ends the work.
    """
    if similarity not in SIMILARITIES:
        raise ValueError(f"similarity must be one of {', '.join(SIMILARITIES)}; got {similarity!r}")
    if (fit_vectors is None) != (fit_on is None):
        raise ValueError(
            "fit_vectors and fit_on, the name of that set, come together; leave out both to fit "
            "on the evaluation sentences"
        )
    specs = parse_treatments(treatments)
    if bootstrap is None:
        bootstrap = PairBootstrap(gold_scores, draws, seed)
    elif not np.array_equal(bootstrap.gold_scores, np.asarray(gold_scores, dtype=np.float64)):
        raise ValueError("bootstrap was drawn for other gold scores; draw it for these")
    if not vectors:
        raise ValueError("vectors are empty; give {pooling: (layers, 2n, d)}")
    for pooling, hidden in vectors.items():
        shape = np.shape(hidden)
        if len(shape) != 3 or shape[1] != 2 * bootstrap.n:
            raise ValueError(
                f"vectors[{pooling!r}] must be (layers, {2 * bootstrap.n}, d), the left sentences "
                f"of {bootstrap.n} pairs, then the right ones; got shape {shape}"
            )
    count = min(len(hidden) for hidden in vectors.values())
    named = tuple(range(count)) if layers is None else tuple(dict.fromkeys(layers))
    if raw_score is not None and len(named) * len(vectors) > 1:
        raise ValueError("raw_score is of one layer and pooling; leave it out for several")
    cells: list[Cell] = []
    for layer in named:
        indices = resolve_layers(layer, n_layers=count - 1, name="the model")
        shown = indices[0] if isinstance(layer, int | np.integer) else layer
        for pooling, hidden in vectors.items():
            X = average_layers(hidden, indices)
            fit_set = _fit_set(fit_vectors, X, indices, pooling)
            why = "too_narrow" if is_approximate and is_too_narrow(X) else ""
            # in a narrow cone float32 products change the order of pairs
            scored = partial(_scored, X.astype(np.float64), fit_set, bootstrap, similarity, why)
            raw = raw_score
            for spec in specs:
                fitted = fit_set.fit(spec)
                score, cosine = scored(fitted)
                if raw is None:
                    raw = scored(fit_set.fit("none"))[0] if spec.is_fitted else score
                n_requested, n_directions = _directions(spec, fitted)
                cell = Cell(
                    layer=shown,
                    pooling=pooling,
                    treatment=spec.text,
                    fit_on=(fit_on or THESE) if spec.is_fitted else None,
                    n_fit=fitted.n_rows if spec.is_fitted else None,
                    score=score,
                    mean_cosine=cosine,
                    difference=difference(raw, score) if spec.is_fitted else None,
                    rank=fitted.rank if spec.is_fitted else None,
                    n_requested=n_requested,
                    n_directions=n_directions,
                    is_simplex=bool(getattr(fitted.fitted, "makes_simplex", False)),
                )
                cells.append(cell)
                (progress or no_report)(len(cells), len(named) * len(vectors) * len(specs))
    drawn = (bootstrap.draws, bootstrap.seed, bootstrap.how, bootstrap.subsets, bootstrap.is_linked)
    return Grid(tuple(cells), evaluated_on, bootstrap.n, similarity, *drawn)


def _scored(
    X: np.ndarray,
    fit_set: FitSet,
    bootstrap: PairBootstrap,
    similarity: str,
    why: str,
    fitted: Treatment,
) -> tuple[PairScore, float | None]:
    """The score of treated pairs and their mean cosine; ``why`` is a reason to score none."""
    if not why and getattr(fitted.fitted, "leaves_nothing", False):
        why = "nothing_left"
    if why:
        return bootstrap.undefined(why, similarity), None
    Z = fitted.apply(X).retained
    left, right = np.split(Z, 2)
    precision = fit_set.precision_after(fitted) if similarity == "mahalanobis" else None
    cosine = None
    with suppress(UndefinedMeasure):
        cosine = mean_cosine(Z)
    try:
        found = pair_similarities(left, right, similarity, precision=precision)
    except UndefinedMeasure as reason:
        return bootstrap.undefined(reason.code, similarity), cosine
    return bootstrap.score(found, similarity=similarity), cosine


def _fit_set(
    fit_vectors: FitVectors | None, X: np.ndarray, indices: Layers, pooling: str
) -> FitSet:
    rows: Any = X
    if callable(fit_vectors):
        rows = fit_vectors(indices, pooling)
    elif fit_vectors is not None:
        if pooling not in fit_vectors:
            raise ValueError(f"fit_vectors lack the pooling {pooling}; encode them with it")
        rows = average_layers(fit_vectors[pooling], indices)
    found = FitSet(rows, eps=float(np.finfo(X.dtype).eps))
    if found.d != X.shape[1]:
        raise ValueError(
            f"fit_vectors have {found.d} columns and vectors {X.shape[1]} at layers {indices}, "
            f"{pooling}; take both from one model"
        )
    return found


def _directions(spec: TreatmentSpec, fitted: Treatment) -> tuple[int | None, int | None]:
    if spec.knobs.n_components is not None:
        return spec.knobs.n_components, len(fitted.fitted.components)
    if spec.knobs.n_removed is not None:
        return spec.knobs.n_removed, len(fitted.fitted.weights)
    return None, None


# ---- the best cell ----


@dataclass(frozen=True)
class Chosen:
    """The best cell on dev, and the same cell on test, whose score had no part in the choice.

    ``n_cells`` is the number of cells to choose from.
    """

    cell_on_dev: Cell
    cell_on_test: Cell
    n_cells: int


def choose_on_dev(dev_grid: Grid, test_grid: Grid) -> Chosen:
    """The cell that scores best on dev, and its score on test.

    Only that cell is read from the test grid, so other test scores have no influence.
    Raises ValueError if both grids name the same pairs, differ in similarity or aggregation, or if
    the cell is not in the test grid.
    """
    if dev_grid.evaluated_on and dev_grid.evaluated_on == test_grid.evaluated_on:
        raise ValueError(
            f"both grids are of {dev_grid.evaluated_on}; choose on pairs that are not scored after"
        )
    for name in ("similarity", "aggregation"):
        first, second = getattr(dev_grid, name), getattr(test_grid, name)
        if first != second:
            raise ValueError(f"dev is measured by {first} and test by {second}; use one {name}")
    best = dev_grid.best()
    try:
        on_test = test_grid.cell(best.layer, best.pooling, best.treatment)
    except KeyError as missing:
        raise ValueError(f"{missing.args[0]} on test; evaluate both on the same grid") from missing
    return Chosen(best, on_test, len(dev_grid.cells))


# ---- as rows, CSV and JSON ----


def grid_rows(grid: Grid) -> list[dict[str, Any]]:
    """One flat dictionary a cell; a missing value is None, correlations are in [-1, 1]."""
    return [
        {
            "evaluated_on": grid.evaluated_on,
            "aggregation": grid.aggregation,
            "subsets": "; ".join(f"{name} {n}" for name, n in grid.subsets),
            **cell_row(cell),
            "similarity": grid.similarity,
            "draws": grid.draws,
            "seed": grid.seed,
        }
        for cell in grid.cells
    ]


def grid_csv(grid: Grid, **settings: Any) -> str:
    """The rows as CSV with a header; settings, such as the model, are the first columns."""
    return csv_text([{**settings, **row} for row in grid_rows(grid)])


def grid_json(grid: Grid, *, chosen: Chosen | None = None, **settings: Any) -> str:
    """Settings, cells, and the cell chosen on dev, as JSON.

    Parameters
    ----------
    grid : Grid
    chosen : Chosen, optional, the result of ``choose_on_dev``
    **settings
        Other settings of the measurement, such as model and revision.
    """
    rows = grid_rows(grid)
    if grid.subsets:
        for row, cell in zip(rows, grid.cells, strict=True):
            row["by_subset"] = {
                name: {"n_pairs": part.n} | {key: getattr(part, key) for key in OF_SCORE[:3]}
                for name, part in cell.score.by_subset.items()
            }
    document: dict[str, Any] = {**settings, "cells": rows}
    if chosen is not None:
        document["chosen_on_dev"] = {
            "among": chosen.n_cells,
            "dev": cell_row(chosen.cell_on_dev),
            "test": cell_row(chosen.cell_on_test),
        }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def layer_text(layer: Layer) -> str:
    """ "4", "first-last", "1+6"."""
    return "+".join(map(str, layer)) if isinstance(layer, tuple) else str(layer)


def cell_row(cell: Cell) -> dict[str, Any]:
    score, difference = cell.score, cell.difference
    return {
        "layer": layer_text(cell.layer),
        **{name: getattr(cell, name) for name in OF_CELL},
        "k": cell.n_directions,
        "n_pairs": score.n,
        **{name: getattr(score, name) for name in OF_SCORE},
        "difference": difference.value if difference else None,
        "difference_low": difference.low if difference else None,
        "difference_high": difference.high if difference else None,
        "mean_cosine": cell.mean_cosine,
        "undefined": score.undefined,
        "note": cell.note,
    }
