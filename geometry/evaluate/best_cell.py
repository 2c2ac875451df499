"""The best cell of a grid, chosen on pairs that are not scored afterwards: a dev set, or a half."""

from dataclasses import dataclass

import numpy as np

from .bootstrap import LEAST_PAIRS, checked_gold
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
