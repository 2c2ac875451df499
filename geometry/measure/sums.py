"""Sums over the rows and pairs of one cloud, each computed once, and the same without some rows.

A jackknife replicate subtracts one group's sums and computes nothing anew.
"""

from collections.abc import Callable
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..linalg.rows import UndefinedMeasure, directions, finite_rows, in_range, need_rows
from ..linalg.spectrum import eigh_of_rank, eigvalsh_of_rank
from .cone import ANGLE_QUANTILES, angles_to
from .intervals import DRAWS, GROUPS, MIN_ROWS, halves, units_of
from .neighbours import closest, distinct_distances
from .spectrum import centred_rows, min_over_max

OCCURRENCE_K = 10  # neighbours that hubness counts
FOUND_K = 2 * OCCURRENCE_K  # neighbours found: later ones show whether many are equally near
DOUBTFUL = 3e-7  # float32 does not give the sign of a smaller cosine, which counts as 0
# For x = 4 - 4 cos up to this, x^2/2 - x equals exp(-x) - 1 to float32's precision
NEEDLE = 1e-3
PAIRED_WITH = 8  # other units with which each is paired to estimate the variance of pairs
# Parts that are computed only if a measure reads them. Neighbours and kernels of pairs double the
# time that the signs of the cosines take; eigenvectors of the second moment double that of its
# eigenvalues
COSTLY = ("neighbours", "eigenvectors")


class PairSums(NamedTuple):
    """Neighbours and sums over ordered pairs, from one float32 product of all directions.

    Where ``Shared`` does not use "neighbours", near is (n, 0) and the kernels are 0.
    """

    near: np.ndarray  # (n, FOUND_K) nearest rows by cosine
    positive: np.ndarray  # (n,) number of other rows with a cosine above 0 to each row
    kernel: np.ndarray  # (n,) sums of exp(4 cos - 4) - 1 over the other rows


class Shared:
    """Rows X (n, d) in a seeded random order, so that each cluster and each group is a slice.

    Rows of one unit, such as the tokens of one sentence, are a cluster and left out together.
    No measure of a table depends on scale, so rows of a size that overflows are rescaled.
    """

    def __init__(
        self,
        X: np.ndarray,
        *,
        seed: int = 0,
        uses: frozenset[str] = frozenset(COSTLY),
        units: np.ndarray | None = None,
    ) -> None:
        X = in_range(finite_rows(X, at_least=1))
        self.n, self.d = X.shape
        self.seed = seed
        self.uses = uses
        unit = units_of(units, self.n)
        n_units = int(unit.max()) + 1
        place = np.argsort(np.random.default_rng(seed).permutation(n_units))
        # rows that are all equal say nothing of other rows
        self.n_groups = GROUPS if n_units >= MIN_ROWS and np.ptp(X, axis=0).any() else 0
        cuts = np.linspace(0, n_units, max(1, self.n_groups) + 1).astype(int)
        order = np.argsort(place[unit], kind="stable")
        self.X = X[order]
        self.cluster_sizes = np.bincount(place[unit])
        ends = np.cumsum(self.cluster_sizes)
        self.cluster_starts = ends - self.cluster_sizes
        bounds = np.concatenate([[0], ends])[cuts]
        self.groups = [slice(a, b) for a, b in pairwise(bounds.tolist())]
        self.group_of = np.repeat(np.arange(len(self.groups)), np.diff(bounds))  # (n,)

    def by_cluster(self, values: np.ndarray) -> np.ndarray:
        """Sums (u, ...) over the rows of each cluster, of values (n, ...)."""
        return np.add.reduceat(values, self.cluster_starts, axis=0)

    def within_clusters(
        self, of: Callable[[np.ndarray], np.ndarray], rows: np.ndarray
    ) -> np.ndarray:
        """(u,) sums of ``of(rows rows')`` over the ordered pairs of different rows of a cluster."""
        sums = np.zeros(len(self.cluster_sizes))
        for place in np.flatnonzero(self.cluster_sizes > 1):
            start = self.cluster_starts[place]
            members = rows[start : start + self.cluster_sizes[place]]
            values = of(members @ members.T).astype(np.float64)
            sums[place] = values.sum() - np.trace(values)
        return sums

    def products(self, Z: np.ndarray, apart: int) -> np.ndarray:
        """(u - apart,) |z w'|^2 of the rows z of each cluster and w of the cluster after it."""
        if len(self.cluster_sizes) == self.n:
            return np.asarray(np.einsum("nd,nd->n", Z[:-apart], Z[apart:]) ** 2)
        rows = np.split(Z, self.cluster_starts[1:])
        both = zip(rows, rows[apart:], strict=False)
        return np.array([np.sum((z @ w.T) ** 2) for z, w in both])

    @cached_property
    def centred_correction(self) -> float:
        return correction(self, self.centred)

    @cached_property
    def mean(self) -> np.ndarray:
        return np.asarray(self.X.mean(axis=0))

    @cached_property
    def squares(self) -> np.ndarray:
        return np.einsum("nd,nd->n", self.X, self.X)

    @cached_property
    def centred(self) -> np.ndarray:
        need_rows(self.n, 2)
        return centred_rows(self.X)

    @cached_property
    def scatter(self) -> np.ndarray:
        return self.centred.T @ self.centred

    @cached_property
    def size(self) -> float:
        return float(np.sqrt(self.squares.sum() / self.n))

    @cached_property
    def single(self) -> np.ndarray:
        """X / size in float32, for replicates only: four digits of them suffice."""
        return (self.X / self.size).astype(np.float32)

    @cached_property
    def unit(self) -> np.ndarray:
        """Unit rows, (n, d); UndefinedMeasure "zero_row" for a zero row, which has no direction."""
        return directions(self.X)

    @cached_property
    def unit_sum(self) -> np.ndarray:
        need_rows(self.n, 2)
        return np.asarray(self.unit.sum(axis=0))

    @cached_property
    def unit_squares(self) -> np.ndarray:
        return np.asarray(np.einsum("nd,nd->d", self.unit, self.unit))

    @cached_property
    def pairs(self) -> PairSums:
        need_rows(self.n, 2)
        about = self.unit - self.unit.mean(axis=0)
        positive, kernel = np.zeros(self.n), np.zeros(self.n)
        half = (np.einsum("nd,nd->n", about, about) / 2).astype(np.float32)[:, None]
        is_needle = 16 * half.max() < NEEDLE  # |u - v|^2 is at most (2 max |about|)^2
        has_kernel = "neighbours" in self.uses

        def add_block(rows: slice, scores: np.ndarray) -> None:
            """scores : (m, n), cos = scores - half + 1, and -inf at j = i."""
            positive[rows] = np.count_nonzero(scores > half[rows] - 1 + DOUBTFUL, axis=1)
            if not has_kernel:
                return
            scores -= half[rows]  # cos - 1 = -|u - v|^2 / 2
            np.fill_diagonal(scores[:, rows.start :], 0.0)  # no pair with itself
            scores *= 4
            if is_needle:  # for such a small gap float32 gives exp(gap) = 1
                scores += scores * scores / 2
            else:
                np.exp(scores, out=scores)
                scores -= 1
            kernel[rows] = scores.sum(axis=1, dtype=np.float64)

        near = closest(self.unit, FOUND_K if has_kernel else 0, watch=add_block)
        return PairSums(near, positive, kernel)

    def pair_mean(self, name: str) -> float:
        """Mean over ordered pairs of "positive" or "kernel" (see PairSums)."""
        return float(getattr(self.pairs, name).sum()) / (self.n * (self.n - 1))

    @cached_property
    def distances(self) -> tuple[np.ndarray, np.ndarray]:
        """(distances (m, 2) of each distinct row to its two nearest, their groups (m,))."""
        need_rows(self.n, 3)
        distances, first = distinct_distances(self.X)
        return distances, self.group_of[first]

    @cached_property
    def angle_replicates(self) -> np.ndarray:
        """Opening angles of subsamples of half the units, (DRAWS, len(ANGLE_QUANTILES))."""
        chosen = np.zeros((DRAWS, len(self.cluster_sizes)), dtype=bool)
        np.put_along_axis(chosen, halves(len(self.cluster_sizes), self.seed), True, axis=1)
        chosen = np.repeat(chosen, self.cluster_sizes, axis=1)  # (DRAWS, n)
        means = chosen.astype(np.float64) @ self.X  # (DRAWS, d), up to a factor
        axes = means / np.linalg.norm(means, axis=1, keepdims=True)  # of each subsample
        pairs = zip(angles_to(self.unit, axes.T).T, chosen, strict=True)
        return np.array([np.quantile(row[rows], ANGLE_QUANTILES) for row, rows in pairs])


def correction(shared: Shared, Z: np.ndarray) -> float:
    """Standard error of the participation ratio over that of its jackknife, in [sqrt(1/2), 1].

    The ratio is a^2 / b, a = tr S and b = |S|^2 of the second moment S = Z'Z, Z (n, d). Each unit
    adds its A = z'z. The variance is V1 + V2: V1 of single units, by the first derivative along
    A - S/u, and V2 of pairs of units, by the second. A jackknife has V1 + 2 V2 (Efron, Stein 1981).
    The effective rank takes the same factor: near a round cloud both are functions of one sum.
    """
    size = np.sqrt(np.vdot(Z, Z))
    if size == 0:
        return 1.0
    Z = Z / size  # no power of the sums overflows
    u = len(shared.cluster_sizes)
    S = Z.T @ Z
    a, b = float(np.trace(S)), float(np.vdot(S, S))
    trace = shared.by_cluster(np.einsum("nd,nd->n", Z, Z)) - a / u
    along = shared.by_cluster(np.einsum("nd,nd->n", Z @ S, Z)) - b / u  # <A - S/u, S>
    first = 2 * a / b * trace - 2 * a**2 / b**2 * along
    second = []
    for apart in range(1, PAIRED_WITH + 1):  # units are in a random order
        s, t = trace[:-apart], trace[apart:]
        p, q = along[:-apart], along[apart:]
        inner = shared.products(Z, apart) - (p + q) / u - b / u**2  # <A - S/u, B - S/u>
        of_pair = (
            2 * s * t / b
            - 4 * a / b**2 * (s * q + t * p)
            + 2 * a**2 / b**2 * (4 / b * p * q - inner)
        )
        second.append(np.mean(of_pair**2))
    jackknife = float(np.sum(first**2))
    of_pairs = u * (u - 1) / 2 * float(np.mean(second))
    return float(np.sqrt(max(0.5, 1 - of_pairs / jackknife))) if jackknife else 1.0


class View:
    """A cloud without one group of its rows, or the whole cloud (``left_out`` is None)."""

    def __init__(self, shared: Shared, left_out: int | None = None) -> None:
        self.shared, self.left_out = shared, left_out
        self.d = shared.d
        self._left_out_rows = slice(0, 0) if left_out is None else shared.groups[left_out]
        self.n = shared.n - (self._left_out_rows.stop - self._left_out_rows.start)

    @cached_property
    def _shift(self) -> np.ndarray:
        return -self.shared.centred[self._left_out_rows].sum(axis=0) / self.n

    @cached_property
    def mean(self) -> np.ndarray:
        return self.shared.mean if self.left_out is None else self.shared.mean + self._shift

    @cached_property
    def second(self) -> float:
        squares = self.shared.squares
        return float(squares.sum() - squares[self._left_out_rows].sum()) / self.n

    @cached_property
    def covariance(self) -> np.ndarray:
        Z = self.shared.centred[self._left_out_rows]
        return (self.shared.scatter - Z.T @ Z) / self.n - np.outer(self._shift, self._shift)

    @property
    def second_moment(self) -> np.ndarray:
        return self.covariance + np.outer(self.mean, self.mean)

    @cached_property
    def uncentred(self) -> tuple[np.ndarray, np.ndarray]:
        return eigh_of_rank(self.second_moment, self.n)

    @property
    def uncentred_eigenvalues(self) -> np.ndarray:
        if "eigenvectors" in self.shared.uses:
            return self.uncentred[0]
        return eigvalsh_of_rank(self.second_moment, self.n)

    @cached_property
    def partition_at_rms(self) -> float:
        if self.second == 0:
            raise UndefinedMeasure("all_zero")
        V = self.uncentred[1]
        if self.left_out is None:
            return min_over_max(self.shared.X @ (V / np.sqrt(self.second)))
        V = (V * (self.shared.size / np.sqrt(self.second))).astype(np.float32)
        return min_over_max(np.delete(self.shared.single, self._left_out_rows, axis=0) @ V)

    @property
    def two_distances(self) -> np.ndarray:
        """Distances (m, 2) to the two nearest distinct rows; a row left out stays a neighbour."""
        distances, group_of = self.shared.distances
        return distances if self.left_out is None else distances[group_of != self.left_out]
