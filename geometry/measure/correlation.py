"""Correlation: Pearson, and Spearman of ranks with ties averaged."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from ..linalg.rows import UndefinedMeasure

ROUNDING = 16 * float(np.finfo(np.float64).eps)  # a smaller spread, relative to size, is rounding


@dataclass(frozen=True)
class TieGroups:
    """Values (n,) sorted once, equal values in one group."""

    order: np.ndarray  # (n,), the rows in ascending order
    starts: np.ndarray  # (g,), where each group begins in ``order``

    @classmethod
    def of(cls, values: np.ndarray) -> Self:
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        is_new = np.append(True, ordered[1:] != ordered[:-1])
        return cls(order, np.flatnonzero(is_new))

    @property
    def sizes(self) -> np.ndarray:
        return np.diff(np.append(self.starts, len(self.order)))

    def sums(self, rows: np.ndarray) -> np.ndarray:
        """(g, b) sums of rows (n, b) over each group."""
        ordered = rows[self.order]
        if len(self.starts) == len(self.order):  # no ties, so every sum has one term
            return ordered
        return np.asarray(np.add.reduceat(ordered, self.starts, axis=0))

    def ranks(self) -> np.ndarray:
        """(n,) ranks from 1; equal values share the mean of their ranks."""
        sizes = self.sizes
        ranks = np.empty(len(self.order))
        ranks[self.order] = np.repeat(self.starts + (sizes + 1) / 2, sizes)
        return ranks


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Spearman's rho, in [-1, 1]; UndefinedMeasure "constant_scores" if x or y is constant."""
    x, y = (np.asarray(values, dtype=np.float64) for values in (x, y))
    if is_constant(x) or is_constant(y):
        raise UndefinedMeasure("constant_scores")
    return pearson(TieGroups.of(x).ranks(), TieGroups.of(y).ranks())


def pearson(x: np.ndarray, y: np.ndarray) -> float:
    """Pearson's r of x (n,) and y (n,), in [-1, 1]; neither may be constant."""
    x, y = (values - values.mean() for values in (x, y))
    x, y = (values / np.abs(values).max() for values in (x, y))  # squares stay inside float64
    return float(np.clip(x @ y / np.sqrt((x @ x) * (y @ y)), -1.0, 1.0))


def is_constant(values: np.ndarray) -> bool:
    """Whether the values differ by rounding alone, so that their order means nothing."""
    return bool(np.ptp(values) <= ROUNDING * np.abs(values).max())


def ranks_in_rows(X: np.ndarray) -> np.ndarray:
    from scipy.stats import rankdata  # takes a second to import

    return np.asarray(rankdata(X, axis=1))
