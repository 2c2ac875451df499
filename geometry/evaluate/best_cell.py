"""The best cell of a grid, chosen on pairs that are not scored afterwards: a dev set, or a half."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..measure.correlation import is_constant, spearman
from ..measure.intervals import units_of
from .bootstrap import DRAWS, LEAST_PAIRS, PairBootstrap, PairScore, checked_gold
from .fit_size import split_halves
from .grid import Cell, Grid


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


def halves(
    gold_scores: np.ndarray, *, units: np.ndarray | None = None, random_state: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Sorted row numbers (dev, test) of two random halves; pairs of one unit stay in one half."""
    gold = np.asarray(gold_scores)
    if units is None or len(np.unique(units)) == len(gold):
        order = np.random.default_rng(random_state).permutation(len(gold))
        dev, test = np.sort(order[: len(gold) // 2]), np.sort(order[len(gold) // 2 :])
    else:
        test, dev = map(np.sort, split_halves(len(gold), units, random_state=random_state))
    try:
        for half in (dev, test):
            checked_gold(gold[half])
    except ValueError as reason:
        raise ValueError(
            f"{len(gold)} pairs can't be cut into halves of at least {LEAST_PAIRS} with scores "
            "that are not all the same; choose on other pairs"
        ) from reason
    return dev, test


class RecordingBootstrap(PairBootstrap):
    """A bootstrap that records (score, similarities): ``HalfChoice`` needs no second fit."""

    def __init__(self, gold_scores: np.ndarray, draws: int = DRAWS, seed: int = 0) -> None:
        super().__init__(gold_scores, draws, seed)
        self.recorded: list[tuple[PairScore, np.ndarray]] = []

    def score(self, similarities: np.ndarray, *, similarity: str = "cosine") -> PairScore:
        score = super().score(similarities, similarity=similarity)
        self.recorded.append((score, np.asarray(similarities, dtype=np.float64)))
        return score


class HalfChoice:
    """The best cell on one half of the pairs, scored on the other half; cells come in columns."""

    def __init__(
        self, gold_scores: np.ndarray, *, units: np.ndarray | None = None, random_state: int = 0
    ) -> None:
        self._gold = np.asarray(gold_scores, dtype=np.float64)
        self._units = np.arange(len(self._gold)) if units is None else np.asarray(units)
        self._dev, self._test = halves(self._gold, units=units, random_state=random_state)
        self._cells: list[Cell] = []
        self._best = -np.inf
        self._similarities: np.ndarray | None = None

    def add(self, cells: Sequence[Cell], recorded: Sequence[tuple[PairScore, np.ndarray]]) -> None:
        for cell in cells:
            similarities = next((s for score, s in recorded if score is cell.score), None)
            value = None
            if similarities is not None and not is_constant(similarities[self._dev]):
                value = spearman(similarities[self._dev], self._gold[self._dev])
                if value > self._best:
                    self._best, self._similarities = value, similarities
            reason = None if value is not None else cell.score.undefined or "constant_scores"
            score = PairScore(
                value,
                *(None, None, None),
                len(self._dev),
                cell.score.similarity,
                seed=cell.score.seed,
                undefined=reason,
            )
            self._cells.append(replace(cell, score=score, difference=None))

    def chosen(self, *, draws: int = DRAWS, seed: int = 0) -> Chosen:
        """The best cell on the dev half; its test score has an interval."""
        on_dev = Grid(tuple(self._cells), "one half", len(self._dev), "", 0, seed)
        best = on_dev.best()
        assert self._similarities is not None  # the similarities of the best cell
        units = units_of(self._units[self._test], len(self._test))
        bootstrap = PairBootstrap(self._gold[self._test], draws, seed, units=units)
        score = bootstrap.score(self._similarities[self._test], similarity=best.score.similarity)
        on_test = Grid((replace(best, score=score),), "the other half", score.n, "", draws, seed)
        return choose_on_dev(on_dev, on_test)
