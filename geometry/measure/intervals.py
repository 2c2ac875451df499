"""Intervals of a measure: the jackknife and subsampling, never the bootstrap.

A bootstrap sample holds a third of its rows twice or more. Repeated rows have a cosine of 1, lower
every measure of spread, and lie at distance 0: an IsoScore of .1496 lay outside its own bootstrap
interval. Both methods here draw rows without replacement.

**Jackknife**: leave out one row at a time where that has a closed form (``leave_one_out``), else
one of G random groups; of few groups the width itself is chancy, by 1 / sqrt(2 (G - 1)). Right
for means over rows or pairs and for smooth functions of them, and for measures that change with n
(effective rank, TwoNN): only the spread of the replicates is used, never their level. Conservative
where the measure is nearly blind to single rows (Efron, Stein 1981). Shao, Wu 1989; Kott 2001.

**Subsampling**: draw m of the n rows, many times; the spread of the replicates, times
sqrt(m / (n - m)), is that of n rows, the finite-population form of sqrt(m / n). Right for
quantiles, where leaving out few rows is not. Politis, Romano 1994.

An interval tells where the measure lies for clouds of *this size* from the same source: hold it
against a baseline of the same n and d.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..linalg.rows import refuse_missing

MIN_ROWS = 40  # below that a group of rows is too few for a spread
GROUPS = 10  # of a table's rows: each costs an eigenproblem or two
MORE_GROUPS = 20  # where a replicate is cheap
DRAWS = 100
_T = {GROUPS: 2.262157, MORE_GROUPS: 2.093024}  # 97.5% of Student's t, one degree fewer
_NORMAL = 1.959964  # the same of a normal


def jackknife_interval(
    of: Callable[..., float], *arrays: np.ndarray, units: np.ndarray | None = None, seed: int = 0
) -> tuple[float, float]:
    """95% interval (low, high) of ``of(*arrays)``, leaving out each of MORE_GROUPS groups of rows.

    arrays : each (n, ...), cut by the same rows; n >= MIN_ROWS.   units (n,) : rows of one unit
    (tokens of one sentence, occurrences of one type) stay together; groups are then of units, of
    which there must be MIN_ROWS.
    """
    n = _rows(arrays)
    names = np.arange(n) if units is None else np.asarray(units)
    refuse_missing(names.ravel(), "unit")
    _, unit = np.unique(names, return_inverse=True)
    n_units = int(unit.max(initial=-1)) + 1
    if unit.shape != (n,) or n_units < MIN_ROWS:
        raise ValueError(
            f"an interval needs at least {MIN_ROWS} units, one for each row; got {n_units} units "
            f"for {unit.size} of {n} rows"
        )
    group = np.empty(n_units, dtype=np.int64)
    group[np.random.default_rng(seed).permutation(n_units)] = np.arange(n_units) % MORE_GROUPS
    replicates = [
        of(*(np.asarray(array)[group[unit] != left_out] for array in arrays))
        for left_out in range(MORE_GROUPS)
    ]
    return around(of(*arrays), jackknife_reach(replicates))


def subsampling_interval(
    of: Callable[..., float], *arrays: np.ndarray, seed: int = 0
) -> tuple[float, float]:
    """95% interval (low, high) of ``of(*arrays)``, from DRAWS subsamples of half the rows.

    arrays : each (n, ...), cut by the same rows; n >= MIN_ROWS.
    """
    n = _rows(arrays)
    if n < MIN_ROWS:
        raise ValueError(f"an interval needs at least {MIN_ROWS} rows; got {n}")
    replicates = [of(*(np.asarray(array)[rows] for array in arrays)) for rows in halves(n, seed)]
    return around(of(*arrays), subsampling_reach(replicates, n // 2, n))


def _rows(arrays: Sequence[np.ndarray]) -> int:
    """How many rows the arrays have; all the same number."""
    shapes = [np.shape(array) for array in arrays]
    if not shapes or any(not shape for shape in shapes) or len({shape[0] for shape in shapes}) > 1:
        raise ValueError(f"expected arrays (n, ...) of one n, cut by rows; got shapes {shapes}")
    return int(shapes[0][0])


def jackknife_reach(replicates: Sequence[float]) -> float:
    """Half-width from the values with each group left out, or each of very many rows."""
    values = np.asarray(replicates, dtype=np.float64)
    groups = len(values)
    # (G - 1)/G sum (v - mean)^2
    return _T.get(groups, _NORMAL) * float(np.sqrt((groups - 1) * values.var()))


def subsampling_reach(replicates: Sequence[float], m: int, n: int) -> float:
    """Half-width from the values of subsamples of m of n rows."""
    return _NORMAL * float(np.std(replicates)) * float(np.sqrt(m / (n - m)))


def around(value: float, reach: float) -> tuple[float, float]:
    """(value - reach, value + reach)."""
    return value - reach, value + reach


def halves(n: int, seed: int) -> np.ndarray:
    """(DRAWS, n // 2) row numbers, each line drawn without replacement."""
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(n)[: n // 2] for _ in range(DRAWS)])
