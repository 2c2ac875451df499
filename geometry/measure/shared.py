"""One cloud's sums, each computed once, and what is left of them without one group of rows.

All measures of a table are functions of a few sums over rows or pairs. Sums are kept by group, so
that a jackknife replicate subtracts a group and computes nothing anew.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np

from ..linalg.rows import directions, finite_rows, half_digits, in_range, need_rows
from .cone import subsampled_angles
from .neighbours import closest
from .popularity import distinct_distances
from .resample import GROUPS, MIN_ROWS, halves
from .spectrum import centred_rows

OCCURRENCE_K = 10  # neighbours that hubness counts
# Neighbours looked up, so that enough remain when a tenth of the rows is left out: that 16 of 25
# fall into one random tenth has odds of 1e-10
SPARE_K = 25
ANGLE_QUANTILES = (0.5, 0.9)
DOUBTFUL = 1e-6  # a cosine within this of 0 has no sure sign in float32
# Largest x = 4 - 4 cos at which x^2/2 - x is exp(-x) - 1 to float32's precision
NEEDLE = 1e-3
# Beside the signs of the cosines, the pairs' neighbours and kernels triple the time; beside the
# eigenvalues of the second moment, its eigenvectors double it
COSTLY = ("neighbours", "eigenvectors")


class Shared:
    """Rows X (n, d) in a seeded random order, so that each group of rows is a slice.

    No measure of a table depends on scale, so rows of a size that overflows are rescaled.
    uses : which of COSTLY some measure reads; the others are not computed.
    """

    def __init__(
        self, X: np.ndarray, *, seed: int = 0, uses: frozenset[str] = frozenset(COSTLY)
    ) -> None:
        X = in_range(finite_rows(X, at_least=1))
        self.n, self.d = X.shape
        self.seed = seed
        self.uses = uses
        self.X = X[np.random.default_rng(seed).permutation(self.n)]
        self.n_groups = GROUPS if self.n >= MIN_ROWS else 0
        bounds = np.linspace(0, self.n, max(1, self.n_groups) + 1).astype(int)
        self.groups = [slice(a, b) for a, b in pairwise(bounds)]
        self.group_of = np.repeat(np.arange(len(self.groups)), np.diff(bounds))  # (n,)

    @cached_property
    def mean(self) -> np.ndarray:
        """(d,)."""
        return np.asarray(self.X.mean(axis=0))

    @cached_property
    def squares(self) -> np.ndarray:
        """|x|^2 of each row, (n,)."""
        return np.einsum("nd,nd->n", self.X, self.X)

    @cached_property
    def centred(self) -> np.ndarray:
        """Rows about their mean, (n, d)."""
        need_rows(self.n, 2)
        return centred_rows(self.X)

    @cached_property
    def scatter(self) -> np.ndarray:
        """Sum of z z' over the centred rows, (d, d)."""
        return self.centred.T @ self.centred

    @cached_property
    def size(self) -> float:
        """Root mean square length of the rows."""
        return float(np.sqrt(self.squares.sum() / self.n))

    @cached_property
    def single(self) -> np.ndarray:
        """X / size in float32, for replicates only: of these no digit beyond the fourth is used."""
        return (self.X / self.size).astype(np.float32)

    @cached_property
    def unit(self) -> np.ndarray:
        """Unit rows, (n, d); UndefinedMeasure "zero_row" where one has no direction."""
        return directions(self.X)

    @cached_property
    def unit_sums(self) -> np.ndarray:
        """Sums of the unit rows, by group, (G, d)."""
        return np.array([self.unit[rows].sum(axis=0) for rows in self.groups])

    @cached_property
    def unit_square_sums(self) -> np.ndarray:
        """Sums of the squares of the unit rows' entries, by group, (G, d)."""
        return np.array(
            [np.einsum("nd,nd->d", U, U) for U in map(self.unit.__getitem__, self.groups)]
        )

    @cached_property
    def pairs(self) -> PairSums:
        """One pass over all cosines."""
        need_rows(self.n, 2)
        return PairSums(self)

    @cached_property
    def near(self) -> np.ndarray:
        """Each row's nearest rows by cosine, (n, OCCURRENCE_K or more)."""
        return self.pairs.near

    @cached_property
    def distances(self) -> tuple[np.ndarray, np.ndarray]:
        """(distances (m, 2) of each distinct row to its two nearest, their groups (m,))."""
        need_rows(self.n, 3)
        distances, first = distinct_distances(self.X)
        return distances, self.group_of[first]

    @cached_property
    def half_digits(self) -> float:
        """What may be rounding, relative to a row: see ``rows.half_digits``."""
        return half_digits(self.X)

    @cached_property
    def angle_replicates(self) -> np.ndarray:
        """Opening angles of subsamples of half the rows, (DRAWS, len(ANGLE_QUANTILES))."""
        rows = halves(self.n, self.seed)
        return subsampled_angles(self.X, self.unit, rows, ANGLE_QUANTILES)


class PairSums:
    """What one blocked float32 product of all directions gives.

    near (n, SPARE_K) : nearest rows by cosine.   positive, kernel (G,) : ordered pairs with a
    cosine above 0, and the sum of exp(4 cos - 4) - 1, from each group's rows to all others.
    positive_within, kernel_within (G,) : the same to rows of their own group.
    positive_by_row, kernel_by_row (n,) : the same from each row, to the precision of an interval.
    Where ``shared`` does not use "neighbours", near is (n, 0) and the kernels are 0.
    """

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._about = shared.unit - shared.unit.mean(axis=0)
        groups = len(shared.groups)
        self.positive, self.positive_within = np.zeros(groups), np.zeros(groups)
        self.kernel, self.kernel_within = np.zeros(groups), np.zeros(groups)
        self.positive_by_row, self.kernel_by_row = np.zeros(shared.n), np.zeros(shared.n)
        half = np.einsum("nd,nd->n", self._about, self._about) / 2
        self._half = half.astype(np.float32)[:, None]
        self._needle = 16 * half.max() < NEEDLE  # |u - v|^2 is at most (2 max |about|)^2
        k = SPARE_K if "neighbours" in shared.uses else 0
        self.near = closest(shared.unit, k, watch=self._watch)
        del self._about, self._half

    def _watch(self, rows: slice, scores: np.ndarray) -> None:
        gaps = scores - self._half[rows]  # (m, n), cos - 1 = -|u - v|^2 / 2, and -inf at j = i
        self.positive_by_row[rows] = [np.count_nonzero(row) for row in gaps > DOUBTFUL - 1]
        for g, members in enumerate(self._shared.groups):
            start, stop = max(rows.start, members.start), min(rows.stop, members.stop)
            if start >= stop:
                continue
            block = gaps[start - rows.start : stop - rows.start]
            self.positive[g] += self._count_positive(block, slice(start, stop), slice(None))
            self.positive_within[g] += self._count_positive(
                block[:, members], slice(start, stop), members
            )
            if "neighbours" not in self._shared.uses:
                continue
            np.fill_diagonal(block[:, start:], 0.0)  # no row is a pair with itself
            block *= 4
            self._exponentiate(block)
            of_rows = self._less_ones(block)
            self.kernel_by_row[start:stop] = of_rows
            self.kernel[g] += of_rows.sum()
            self.kernel_within[g] += self._less_ones(block[:, members]).sum()

    def _exponentiate(self, block: np.ndarray) -> None:
        """exp(block) in place; of a needle less 1, of which float32 would leave nothing."""
        if self._needle:
            block += block * block / 2
        else:
            np.exp(block, out=block)

    def _less_ones(self, block: np.ndarray) -> np.ndarray:
        """(m,) sums of the block's rows, of kernels less 1."""
        of_rows: np.ndarray = block.sum(axis=1, dtype=np.float64)
        return of_rows if self._needle else of_rows - block.shape[1]

    def _count_positive(self, gaps: np.ndarray, rows: slice, columns: slice) -> int:
        sure = int(np.count_nonzero(gaps > DOUBTFUL - 1))
        if np.count_nonzero(gaps >= -DOUBTFUL - 1) == sure:
            return sure
        left, right = self._shared.unit[rows], self._shared.unit[columns]
        i, j = np.nonzero(np.abs(gaps + 1) <= DOUBTFUL)
        if len(i) < 4096:
            return sure + int(np.count_nonzero(np.einsum("pd,pd->p", left[i], right[j]) > 0))
        return sure + int(np.count_nonzero((left @ right.T)[i, j] > 0))
