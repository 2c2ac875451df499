"""A cloud, or the cloud without one group of its rows, as the measures of a table see it."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..linalg.rows import UndefinedMeasure, need_rows
from .partition import min_over_max
from .shared import OCCURRENCE_K, Shared


class View:
    """Everything of ``shared`` but the group ``left_out`` (None: all rows)."""

    def __init__(self, shared: Shared, left_out: int | None = None) -> None:
        self.shared, self.left_out = shared, left_out
        self.d = shared.d
        self._gone = slice(0, 0) if left_out is None else shared.groups[left_out]
        self.n = shared.n - (self._gone.stop - self._gone.start)

    def _kept_sum(self, by_group: np.ndarray) -> np.ndarray:
        whole = by_group.sum(axis=0)
        return whole if self.left_out is None else whole - by_group[self.left_out]

    @cached_property
    def _shift(self) -> np.ndarray:
        """Mean of the rows left, minus the mean of all, (d,)."""
        return -self.shared.centred[self._gone].sum(axis=0) / self.n

    @cached_property
    def mean(self) -> np.ndarray:
        """(d,)."""
        return self.shared.mean if self.left_out is None else self.shared.mean + self._shift

    @cached_property
    def second(self) -> float:
        """E|x|^2."""
        squares = self.shared.squares
        return float(squares.sum() - squares[self._gone].sum()) / self.n

    @cached_property
    def covariance(self) -> np.ndarray:
        """(d, d), over n."""
        if self.left_out is None:
            return self.shared.scatter / self.n
        Z = self.shared.centred[self._gone]
        return (self.shared.scatter - Z.T @ Z) / self.n - np.outer(self._shift, self._shift)

    @cached_property
    def eigenvalues(self) -> np.ndarray:
        """Of the covariance, (d,), ascending."""
        return np.linalg.eigvalsh(self.covariance)

    @property
    def second_moment(self) -> np.ndarray:
        """E[x x'], (d, d)."""
        return self.covariance + np.outer(self.mean, self.mean)

    @cached_property
    def uncentred(self) -> tuple[np.ndarray, np.ndarray]:
        """(eigenvalues (d,), eigenvectors (d, d) as columns) of E[x x']."""
        return np.linalg.eigh(self.second_moment)

    @property
    def uncentred_eigenvalues(self) -> np.ndarray:
        """Of E[x x'], (d,), ascending."""
        if "eigenvectors" in self.shared.uses:
            return self.uncentred[0]
        return np.linalg.eigvalsh(self.second_moment)

    @cached_property
    def partition_at_rms(self) -> float:
        """Partition isotropy of the rows divided by their rms length."""
        if self.second == 0:
            raise UndefinedMeasure("all_zero", "every row is zero")
        V = self.uncentred[1]
        if self.left_out is None:
            return min_over_max(self.shared.X @ (V / np.sqrt(self.second)))
        V = (V * (self.shared.size / np.sqrt(self.second))).astype(np.float32)
        P = np.empty((self.n, self.d), dtype=np.float32)
        np.matmul(self.shared.single[: self._gone.start], V, out=P[: self._gone.start])
        np.matmul(self.shared.single[self._gone.stop :], V, out=P[self._gone.start :])
        return min_over_max(P)

    @cached_property
    def unit_sum(self) -> np.ndarray:
        """Sum of the unit rows, (d,)."""
        need_rows(self.n, 2)
        return self._kept_sum(self.shared.unit_sums)

    @cached_property
    def unit_squares(self) -> np.ndarray:
        """Sum of the squares of the unit rows' entries, (d,)."""
        return self._kept_sum(self.shared.unit_square_sums)

    def pair_mean(self, name: str) -> float:
        """Mean over ordered pairs of "positive" or "kernel" (see PairSums)."""
        sums = getattr(self.shared.pairs, name)
        total = float(sums.sum())
        if self.left_out is not None:  # its rows to all, all to its rows, less its own pairs twice
            within = getattr(self.shared.pairs, f"{name}_within")[self.left_out]
            total -= 2 * float(sums[self.left_out]) - float(within)
        return total / (self.n * (self.n - 1))

    @cached_property
    def occurrences(self) -> np.ndarray:
        """How often each row is among the OCCURRENCE_K nearest of the others, (n,)."""
        need_rows(self.n, OCCURRENCE_K + 2)
        near, group_of = self.shared.near, self.shared.group_of
        if self.left_out is None:
            return np.bincount(near[:, :OCCURRENCE_K].ravel(), minlength=self.n)
        near = near[group_of != self.left_out]
        chosen = group_of[near] != self.left_out
        chosen &= np.cumsum(chosen, axis=1, dtype=np.int16) <= OCCURRENCE_K
        counts = np.bincount(near[chosen], minlength=self.shared.n)
        return counts[group_of != self.left_out]

    @cached_property
    def two_distances(self) -> np.ndarray:
        """Distances to the two nearest distinct rows, (m, 2).

        They are left out with their row, and measured to all rows: were the rows gone as
        neighbours too, all distances would change, and intervals be twice as wide as they should.
        """
        distances, group_of = self.shared.distances
        return distances if self.left_out is None else distances[group_of != self.left_out]
