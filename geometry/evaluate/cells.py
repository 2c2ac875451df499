"""A grid of scores: its cells, its axes, and its best cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..transform.treatments import Treatment
from .scores import Difference, PairScore
from .specs import TreatmentSpec

LayerName = int | str | tuple[int, ...]


@dataclass(frozen=True)
class Cell:
    """One layer, pooling and treatment, scored.

    layer : its index from 0, the embedding layer, or the name of an average.   treatment : a text
    for ``parse_treatment``.   fit_on, n_fit : the set it was fitted on and its rows; None for
    "none".   rank : of that set's covariance, None where none was taken.   n_asked, n_kept :
    directions asked for and what the rank allowed, of a whitening; directions to remove and
    removed, of "abtt"; None elsewhere.   is_simplex : the fit carries its own rows to a simplex,
    so that scores on them are noise.   mean_cosine : of all treated sentences, in [-1, 1]; None
    where one of them is zero.   difference : to the raw vectors of this layer and pooling, None
    for "none".
    """

    layer: LayerName
    pooling: str
    treatment: str
    fit_on: str | None
    n_fit: int | None
    score: PairScore
    mean_cosine: float | None
    difference: Difference | None
    rank: int | None = None
    n_asked: int | None = None
    n_kept: int | None = None
    is_simplex: bool = False

    @classmethod
    def of(
        cls,
        place: tuple[LayerName, str, TreatmentSpec],
        fitted: Treatment,
        fit_on: str,
        *,
        score: PairScore,
        mean_cosine: float | None,
        difference: Difference | None,
    ) -> Cell:
        """The cell of that place, with what is known of its fit."""
        layer, pooling, spec = place
        asked, kept = _directions(spec, fitted)
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
            n_asked=asked,
            n_kept=kept,
            is_simplex=bool(getattr(fitted.fitted, "makes_simplex", False)),
        )

    @property
    def is_clamped(self) -> bool:
        """True where fewer directions were there than asked for."""
        return self.n_asked is not None and self.n_kept != self.n_asked

    @property
    def note(self) -> str:
        """What a reader of the score must know, in English; empty where there is nothing."""
        told = []
        if self.is_clamped:
            told.append(
                f"{self.n_kept} directions, not {self.n_asked}: all there are (rank {self.rank})"
            )
        if self.is_simplex:
            told.append("the fit makes a simplex of its own rows")
        if self.score.undefined:
            told.append(f"undefined: {self.score.undefined}")
        return "; ".join(told)


@dataclass(frozen=True)
class Grid:
    """Cells in the order of layers, poolings, treatments.

    evaluated_on, n : the pairs and their number.   similarity, draws, seed : of every cell.
    aggregation : of ``AGGREGATIONS``, how its subsets became one score.   subsets : their names
    and pairs of each; none where the pairs are one set.
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
    def layers(self) -> tuple[LayerName, ...]:
        return tuple(dict.fromkeys(cell.layer for cell in self.cells))

    @property
    def poolings(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(cell.pooling for cell in self.cells))

    @property
    def treatments(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(cell.treatment for cell in self.cells))

    def cell(self, layer: LayerName, pooling: str, treatment: str = "none") -> Cell:
        """The cell there; KeyError naming what is missing."""
        for cell in self.cells:
            if (cell.layer, cell.pooling, cell.treatment) == (layer, pooling, treatment):
                return cell
        raise KeyError(f"no cell for layer {layer}, pooling {pooling}, treatment {treatment}")

    def matrix(self, treatment: str, value: str = "spearman") -> np.ndarray:
        """(layers, poolings) of one value of that treatment's cells; NaN where there is none.

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
        """The cell with the highest Spearman, the first of equals; ValueError where none has one.

        Of many cells the best one's score flatters: choose it on other pairs (``choose_on_dev``).
        """
        scored = [cell for cell in self.cells if cell.score.spearman is not None]
        if not scored:
            raise ValueError("no cell of the grid has a score")
        return max(scored, key=lambda cell: float(cell.score.spearman or 0.0))


@dataclass(frozen=True)
class Chosen:
    """The best cell on dev, and the same cell on test, whose score was no part of the choice.

    n_cells : among how many it was chosen.
    """

    cell_on_dev: Cell
    cell_on_test: Cell
    n_cells: int


def choose_on_dev(dev_grid: Grid, test_grid: Grid) -> Chosen:
    """The cell that scores best on dev, and its score on test.

    Of test only that cell is asked for, so its other scores can't sway the choice.
    Raises ValueError where both grids are of one set of pairs by name, where they measure by
    different similarities or aggregate in different ways, or where the cell is not in the test
    grid.
    """
    if dev_grid.evaluated_on and dev_grid.evaluated_on == test_grid.evaluated_on:
        raise ValueError(
            f"both grids are of {dev_grid.evaluated_on}; choose on pairs that are not scored after"
        )
    if dev_grid.similarity != test_grid.similarity:
        raise ValueError(
            f"dev is measured by {dev_grid.similarity} and test by {test_grid.similarity}; use one"
        )
    if dev_grid.aggregation != test_grid.aggregation:
        raise ValueError(
            f"dev is aggregated by {dev_grid.aggregation} and test by {test_grid.aggregation}; "
            "use one way"
        )
    best = dev_grid.best()
    try:
        there = test_grid.cell(best.layer, best.pooling, best.treatment)
    except KeyError as missing:
        raise ValueError(f"{missing.args[0]} on test; evaluate both on the same grid") from missing
    return Chosen(best, there, len(dev_grid.cells))


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
