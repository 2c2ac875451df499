"""Nearest neighbours by cosine, and whether they share a label."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..linalg.rows import need_whole, unit_rows

BLOCK_ROWS = 512  # rows whose products with all others are held at a time
# Squared distances below this share of a row's own |a|^2 are asked again in float64: there the
# float32 product, off by about 1e-7 |a|^2, leaves fewer than three digits.
SURE = 1e-4

# what may look at every block of products as it passes: (rows, scores), see ``closest``
Watch = Callable[[slice, np.ndarray], None]


def nearest(X: np.ndarray, row: int, *, k: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest other rows of row ``row`` by cosine: (indices (k,), cosines (k,)).

    X : (n, d), no zero row.   k is cut to n - 1. Ties keep the lower index first.
    """
    need_whole("k", k, at_least=1)
    U = unit_rows(X)
    if not 0 <= row < len(U):
        raise IndexError(f"row {row} is not one of the {len(U)} rows")
    cosines = U @ U[row]
    cosines[row] = -np.inf
    order = np.argsort(-cosines, kind="stable")[: min(k, len(U) - 1)]
    return order, cosines[order].clip(-1.0, 1.0)


def nearest_of_all(X: np.ndarray, *, k: int = 5, block_rows: int = BLOCK_ROWS) -> np.ndarray:
    """Indices (n, k) of each row's k nearest other rows by cosine, nearest first.

    X : (n, d), no zero row.   k is cut to n - 1.
    """
    need_whole("k", k, at_least=1)
    need_whole("block_rows", block_rows, at_least=1)
    return closest(unit_rows(X), k, block_rows=block_rows)


def closest(
    A: np.ndarray, k: int, *, block_rows: int = BLOCK_ROWS, watch: Watch | None = None
) -> np.ndarray:
    """Indices (n, k) of each row's k nearest other rows by distance, nearest first.

    A : (n, d) float64, of a size whose squares float32 holds.   k is cut to n - 1. For unit rows
    this is the order of cosines: |u - v|^2 = 2 - 2 cos.

    One blocked float32 product of the rows about their mean, which no distance notices, and which
    gives float32 its digits back where all rows lie in a needle; what is still too close to tell
    is asked again in float64. ``watch(rows, S)`` sees each block (m, n) of scores
    S_ij = a_i'a_j - |a_j|^2 / 2 about the mean, -inf at j = i.
    """
    A = A - A.mean(axis=0)
    n, d = A.shape
    k = min(k, n - 1)
    half = np.einsum("nd,nd->n", A, A) / 2
    left = np.ones((n, d + 1), dtype=np.float32)
    left[:, :d] = A
    right = left.copy()
    right[:, d] = -half  # the product then holds the whole score
    found = np.empty((n, k), dtype=np.int64)
    for start in range(0, n, block_rows):
        rows = slice(start, min(start + block_rows, n))
        scores = left[rows] @ right.T  # (m, n)
        np.fill_diagonal(scores[:, start:], -np.inf)
        if watch:
            watch(rows, scores)
        found[rows], last = _largest(scores, k)
        unsure = np.flatnonzero(half[rows] - last < SURE * half[rows])
        if len(unsure):
            again = start + unsure
            exact = A[again] @ A.T - half
            exact[np.arange(len(again)), again] = -np.inf
            found[again] = _largest(exact, k)[0]
    return found


def closest_both_ways(A: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(the k nearest by cosine (n, k), the 3 nearest by distance (n, 3)) from one product.

    A : (n, d) float64, n > max(k, 3), no zero row. In float32 alone, so for rows whose distances
    are of the order of their lengths: Gaussian data in many dimensions.
    """
    n = len(A)
    half = (np.einsum("nd,nd->n", A, A) / 2).astype(np.float32)
    single, shorten = A.astype(np.float32), 1 / np.sqrt(2 * half)
    by_cosine, by_distance = np.empty((n, k), dtype=np.int64), np.empty((n, 3), dtype=np.int64)
    for start in range(0, n, BLOCK_ROWS):
        rows = slice(start, min(start + BLOCK_ROWS, n))
        products = single[rows] @ single.T
        np.fill_diagonal(products[:, start:], -np.inf)
        by_distance[rows] = _largest(products - half, 3)[0]
        products *= shorten
        by_cosine[rows] = _largest(products, k)[0]
    return by_cosine, by_distance


def _largest(scores: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(indices (m, k) of the k largest in each row, largest first; the smallest of these (m,)).

    The k-th largest of the maxima over interleaved columns is a lower bound of the k-th largest
    score, and few scores exceed it: that costs a fifth of a partition of every row.
    """
    m, n = scores.shape
    if k == 0:
        return np.empty((m, 0), dtype=np.int64), np.full(m, -np.inf)
    lanes = min(n, 8 * k)
    maxima = scores[:, :lanes].copy()
    for start in range(lanes, n - lanes + 1, lanes):
        np.maximum(maxima, scores[:, start : start + lanes], out=maxima)
    bound = np.partition(maxima, lanes - k, axis=1)[:, lanes - k]
    rows, columns = np.divmod(np.flatnonzero(scores >= bound[:, None]), n)
    values = scores[rows, columns]
    order = np.lexsort((columns, -values, rows))
    first = np.searchsorted(rows, np.arange(m))
    top = order[first[:, None] + np.arange(k)]
    return columns[top], values[top[:, -1]]


def chance_agreement(labels: Sequence[object]) -> float:
    """``label_agreement`` of neighbours drawn at random: the mean share of *other* rows alike."""
    counts = np.unique(np.asarray(labels, dtype=str), return_counts=True)[1]
    n = int(counts.sum())
    return float((counts * (counts - 1)).sum()) / (n * (n - 1))


def label_agreement(X: np.ndarray, labels: Sequence[object], *, k: int = 5) -> float:
    """Mean share of a row's k nearest neighbours that carry its label, in [0, 1].

    For 12 equal topics chance is about 1/12.
    """
    if len(labels) != len(X):
        raise ValueError(f"{len(labels)} labels for {len(X)} rows")
    _, codes = np.unique(np.asarray(labels, dtype=str), return_inverse=True)
    return float((codes[nearest_of_all(X, k=k)] == codes[:, None]).mean())
