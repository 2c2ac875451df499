"""Exact nearest rows by cosine: of queries, and of every row among the others.

The scores are symmetric, so the search of all rows computes each product of two blocks once. A
block is searched only for scores above the k-th best so far, of which there are soon few.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ..linalg.rows import UndefinedMeasure, float_rows, need_whole, slices, unit_rows
from ..linalg.threads import in_threads
from .neighbours import SURE, largest, squared_distances

BLOCK_ROWS = 2048  # rows of both sides of a product: 16 MB of scores
QUERY_SCORES = 2**24  # scores in memory at a time, for queries
UNSURE_ROWS = 64  # rows of the search of all that are searched again at a time
THREADS = 2  # blocks multiplied at a time, where the caller limits each product to one thread

# scores that may be among the best of a row: row, column and score of each, (m,)
_Candidates = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Nearest:
    """The k nearest of m rows, nearest first."""

    rows: np.ndarray  # (m, k) int
    cosines: np.ndarray  # (m, k) float64

    @property
    def k(self) -> int:
        """How many neighbours each row has."""
        return int(self.rows.shape[1])

    def first(self, k: int) -> Self:
        """Only the k nearest."""
        return replace(self, rows=self.rows[:, :k], cosines=self.cosines[:, :k])


class Search:
    """Rows X (n, d), none of them zero, that are searched by cosine.

    The rows are multiplied in float32, minus their mean: |u - v|^2 = 2 - 2 cos stays the same, and
    rows in a needle have more digits. A row is searched again in float64 if rounding could change
    its k-th neighbour.
    """

    def __init__(self, X: np.ndarray) -> None:
        X = float_rows(X, at_least=1)
        zero = np.flatnonzero(~X.any(axis=1))
        if len(zero):
            raise UndefinedMeasure("zero_row", row=zero[0] + 1, n_zero=len(zero), n=len(X))
        parts = slices(len(X), BLOCK_ROWS)
        # by blocks, because a million rows would take gigabytes in float64
        self._mean = sum((unit_rows(X[part]).sum(axis=0) for part in parts), np.zeros(1)) / len(X)
        self._rows: np.ndarray = np.empty(X.shape, dtype=np.float32)
        for part in parts:
            self._rows[part] = unit_rows(X[part]) - self._mean
        self._half = np.einsum("nd,nd->n", self._rows, self._rows, dtype=np.float64) / 2
        self._single_half = self._half.astype(np.float32)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def nbytes(self) -> int:
        """Bytes of the rows in memory."""
        return self._rows.nbytes + self._half.nbytes + self._single_half.nbytes

    def cosines(self, queries: np.ndarray) -> np.ndarray:
        """Cosines (m, n) of queries (m, d) with every row, to the precision of float32."""
        Q = unit_rows(queries) - self._mean
        distances = np.einsum("md,md->m", Q, Q)[:, None] / 2 - Q.astype(np.float32) @ self._rows.T
        distances += self._single_half
        return np.clip(1 - distances, -1.0, 1.0)

    def nearest(self, queries: np.ndarray, k: int) -> Nearest:
        """The k nearest rows of each query (m, d); k is cut to n.

        Of equal cosines the lower row comes first. A query that is itself among the rows has itself
        as its first neighbour; ``nearest_to_row`` leaves it out.
        """
        need_whole("k", k, at_least=1)
        Q = unit_rows(queries) - self._mean
        k = min(k, len(self))
        found = np.empty((len(Q), k), dtype=np.int64)
        block = max(1, QUERY_SCORES // len(self))
        for part in slices(len(Q), block):
            single = Q[part].astype(np.float32)
            # (n, d) @ (d, m): for one query BLAS then reads the rows once, in their own order
            scores = np.ascontiguousarray((self._rows @ single.T).T)
            scores -= self._single_half
            found[part], kth = largest(scores, k)
            half = np.einsum("md,md->m", Q[part], Q[part]) / 2
            for query in part.start + np.flatnonzero(half - kth < SURE * half):
                found[query] = largest(self._exact(Q[[query]]), k)[0][0]
        return self._sorted(Q, found)

    def nearest_except(
        self, queries: np.ndarray, k: int, left_out: Sequence[Collection[int]]
    ) -> Nearest:
        """The k nearest rows of each query, without the rows left out for it.

        Parameters
        ----------
        queries : (m, d) array, without a zero row
        k : int >= 1, cut to the number of rows that are left for every query
        left_out : sequence of m collections of row numbers
        """
        most = max(map(len, left_out), default=0)
        near = self.nearest(queries, k + most)
        k = min(k, len(self) - most)
        places = [
            np.flatnonzero(~np.isin(rows, [*own]))[:k]
            for rows, own in zip(near.rows, left_out, strict=True)
        ]
        chosen = np.array(places, dtype=np.int64).reshape(len(places), k)
        found = (np.take_along_axis(each, chosen, axis=1) for each in (near.rows, near.cosines))
        return Nearest(*found)

    def nearest_to_row(self, row: int, k: int) -> Nearest:
        """The k nearest other rows of a row; k is cut to n - 1."""
        if not 0 <= row < len(self):
            raise IndexError(f"row {row} is not one of the {len(self)} rows")
        return self.nearest_except(self._rows[[row]] + self._mean, k, [(row,)])

    def nearest_of_all(
        self,
        k: int,
        *,
        block_rows: int = BLOCK_ROWS,
        threads: int = THREADS,
        progress: Callable[[int, int], None] | None = None,
    ) -> Nearest:
        """The k nearest other rows of every row; k is cut to n - 1.

        Parameters
        ----------
        k : int, >= 1
        block_rows : int, rows of both sides of a product
        threads : int, products at a time
        progress : callable, optional
            Called with (pairs of blocks done, pairs of blocks in all).
        """
        need_whole("k", k, at_least=1)
        n = len(self)
        k = min(k, n - 1)
        if not k:
            return self._sorted(self._rows, np.empty((n, 0), dtype=np.int64))
        blocks = slices(n, block_rows)
        pairs = [(a, b) for i, a in enumerate(blocks) for b in blocks[i:]]
        best = _Best(n, k)
        # rows (n, d + 2) whose product is u'v - |u|^2 / 2 - |v|^2 / 2
        one = np.ones((n, 1), dtype=np.float32)
        half = -self._single_half[:, None]
        left, right = np.hstack([self._rows, half, one]), np.hstack([self._rows, one, half])

        def scored(pair: tuple[slice, slice]) -> list[_Candidates]:
            a, b = pair
            scores = left[a] @ right[b].T  # (rows of a, rows of b): -|u - v|^2 / 2
            if a == b:
                np.fill_diagonal(scores, -np.inf)
                return [best.above(scores, a, b)]
            return [best.above(scores, a, b), best.above(scores.T, b, a)]

        for done, found in enumerate(in_threads(scored, pairs, threads)):
            for candidates in found:
                best.take(*candidates)
            if progress is not None:
                progress(done + 1, len(pairs))
        unsure = np.flatnonzero(-best.scores[:, -1] < SURE * self._half)
        for some in slices(len(unsure), UNSURE_ROWS):
            rows = unsure[some]
            scores = self._exact(self._rows[rows].astype(np.float64))
            scores[np.arange(len(rows)), rows] = -np.inf
            best.rows[rows] = largest(scores, k)[0]
        return self._sorted(self._rows, best.rows)

    def _exact(self, queries: np.ndarray) -> np.ndarray:
        """Scores (m, n) of queries (m, d), in float64."""
        return np.asarray(queries @ self._rows.astype(np.float64).T - self._half)

    def _sorted(self, Q: np.ndarray, found: np.ndarray) -> Nearest:
        """The rows found (m, k) with their cosines to Q (m, d), in float64, nearest first."""
        cosines = 1 - squared_distances(Q, self._rows, found) / 2
        order = np.lexsort((found, -cosines), axis=1)
        found, cosines = (np.take_along_axis(each, order, axis=1) for each in (found, cosines))
        return Nearest(found, cosines.clip(-1.0, 1.0))


class _Best:
    """The k >= 1 best scores of each row so far, best first.

    Scores of a row arrive by ascending columns. So of equal scores the lower column stays.
    """

    def __init__(self, n: int, k: int) -> None:
        self.rows = np.zeros((n, k), dtype=np.int64)
        self.scores = np.full((n, k), -np.inf, dtype=np.float32)

    def above(self, scores: np.ndarray, rows: slice, columns: slice) -> _Candidates:
        """The scores (m, p) above the k-th best of their rows.

        Other threads may have changed the k-th best since. It only grows, so there are then some
        candidates too many, and none too few.
        """
        k = self.rows.shape[1]
        least = self.scores[rows, -1]
        if np.isneginf(least[0]) and scores.shape[1] > k:  # the first block of these rows
            at = np.repeat(np.arange(len(scores)), k)
            found = largest(np.ascontiguousarray(scores), k)[0].ravel()
        elif scores.flags.c_contiguous:
            at, found = np.divmod(np.flatnonzero(scores > least[:, None]), scores.shape[1])
        else:  # a transposed block is read in its own order
            found, at = np.divmod(np.flatnonzero(least < scores.T), len(scores))
        return at + rows.start, found + columns.start, scores[at, found]

    def take(self, rows: np.ndarray, columns: np.ndarray, scores: np.ndarray) -> None:
        """Merge candidates into the best of their rows."""
        if not len(rows):
            return
        touched, place = np.unique(rows, return_inverse=True)
        k = self.rows.shape[1]
        row = np.concatenate([np.repeat(np.arange(len(touched)), k), place])
        column = np.concatenate([self.rows[touched].ravel(), columns])
        score = np.concatenate([self.scores[touched].ravel(), scores])
        order = np.lexsort((column, -score, row))
        starts = np.searchsorted(row[order], np.arange(len(touched)))
        chosen = order[starts[:, None] + np.arange(k)]
        self.rows[touched] = column[chosen]
        self.scores[touched] = score[chosen]
