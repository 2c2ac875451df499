"""Measures from nearest neighbours: who is everybody's neighbour, and how fast balls fill."""

from __future__ import annotations

import numpy as np

from ..linalg.rows import (
    UndefinedMeasure,
    directions,
    finite_rows,
    half_digits,
    in_range,
    need_rows,
    need_whole,
)
from .neighbours import closest

DISCARDED = 0.1  # of the ratios, the largest: the tail that Facco et al. leave out of the fit
# Between rows that differ by rounding and rows that differ: 10,000 for whitened sentences in
# float32. Among rows that all differ, the smallest distance lies so far below the next in one
# cloud of GAP on a line, in one of GAP^D in D dimensions, and then a pair of rows counts as one.
GAP = 1000.0


def hubness(X: np.ndarray, *, k: int = 10) -> float:
    """Skewness of the k-occurrence: how often a row is among the k nearest of the others.

    X : (n, d), n > k + 1 >= 2, no zero row; nearest by cosine.   0 where all rows are chosen about
    equally often; above 1, a few hubs are everybody's neighbours. Grows with the dimension even
    for isotropic data, so hold it against isotropic data of the same n and d.
    Radovanovic, Nanopoulos, Ivanovic 2010, equation 1 (the skewness of N_k).
    """
    need_whole("k", k, at_least=1)
    X = finite_rows(X, at_least=1)
    U = directions(X)
    need_rows(len(U), k + 2)
    near = closest(U, 2 * k)
    refuse_ties(U, near, k=k, equal=half_digits(X))
    return occurrence_skewness(np.bincount(near[:, :k].ravel(), minlength=len(U)))


def refuse_ties(U: np.ndarray, near: np.ndarray, *, k: int, equal: float) -> None:
    """UndefinedMeasure where most rows have their k nearest by rounding alone.

    U : (n, d) unit rows.   near (n, 2k or n - 1) : their nearest, nearest first.   equal : the
    share of 1 - cos that is rounding. Such a row has its k-th and its 2k-th nearest at one cosine:
    on a simplex, which is what a full whitening makes of n <= d + 1 rows, and among copies.
    """
    kth, later = (np.einsum("nd,nd->n", U, U[near[:, at]]) for at in (k - 1, -1))
    mean = (U @ U.sum(axis=0) - 1) / (len(U) - 1)
    if np.mean(kth - later <= equal * (1 - mean)) > 0.5:
        raise UndefinedMeasure(
            "equal_distances", f"most rows have more than {k} others equally near, no nearest {k}"
        )


def occurrence_skewness(occurrences: np.ndarray) -> float:
    """Skewness m3 / m2^(3/2) of the k-occurrences (n,)."""
    z = occurrences - occurrences.mean()
    variance = float((z * z).mean())
    if variance == 0:
        raise UndefinedMeasure(
            "no_spread", "every row is chosen equally often: there is no skewness"
        )
    return float((z**3).mean()) / variance**1.5


def intrinsic_dimension(X: np.ndarray) -> float:
    """TwoNN: the dimension in which the ratio of the two nearest distances fits, above 0.

    X : (n, d) with at least 3 distinct rows; duplicates, which may differ by rounding, are
    dropped first, for their nearest distance is 0.   With mu = r2/r1, -log(1 - F(mu)) =
    dimension * log mu: a line through the origin, fitted without the largest tenth of the ratios.
    Only local distances count, so a shift or a cone does not change it. Far below d for real
    embeddings; and for isotropic data, too, once d is large against log n: hold it against those.
    Facco et al. 2017, equation 4 and the algorithm after it.
    """
    X = finite_rows(X, at_least=3)
    return twonn(distinct_distances(X)[0], equal=half_digits(X))


def distinct_distances(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(distances (m, 2) of each row of X to its two nearest others; which rows these are (m,)).

    Of rows that differ by rounding only one is among the m.
    """
    A, first = distinct_rows(X)
    doubtful = half_digits(X)
    while True:
        near = closest(A, 3)
        distances = three_distances(A, near)
        same = distances <= largest_rounding(distances, doubtful)
        repeated = (same & (near < np.arange(len(A))[:, None])).any(axis=1)
        if not repeated.any():
            return np.sort(distances, axis=1)[:, :2], first
        A, first = A[~repeated], first[~repeated]
        _need_three(len(A))


def largest_rounding(distances: np.ndarray, doubtful: float) -> float:
    """The distance at or below which rows are equal but for rounding; 0 where none are.

    distances : of rows to their nearest, of rms length 1.   How much a map blew rounding up, the
    rows do not tell; that nothing lies between does: the last gap of a factor GAP above a
    distance below ``doubtful``. Rows that are near, but at all distances, have no such gap.
    """
    if distances.min() > doubtful:
        return 0.0
    values = np.sort(distances[distances > 0])
    below = values[:-1][values[:-1] < doubtful]
    gaps = np.flatnonzero(values[1 : len(below) + 1] > GAP * below)
    return float(below[gaps[-1]]) if len(gaps) else 0.0


def distinct_rows(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(distinct rows of X about their mean, at unit rms length; the row each first was)."""
    whole = np.ascontiguousarray(X + 0.0)  # -0.0 is 0.0
    first = np.sort(
        np.unique(whole.view(f"V{whole.itemsize * whole.shape[1]}").ravel(), return_index=True)[1]
    )
    _need_three(len(first))
    A = in_range(whole[first])
    A = A - A.mean(axis=0)
    peak = np.abs(A).max()
    A = A / peak if peak > 0 else A
    return A / np.sqrt(np.einsum("nd,nd->", A, A) / len(A)), first


def _need_three(distinct: int) -> None:
    if distinct < 3:
        raise UndefinedMeasure(
            "too_few_distinct", f"needs at least 3 distinct rows; got {distinct}"
        )


def two_distances(A: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Distances (n, 2) of each row of A (n, d) to its two nearest others, known from ``near``."""
    return np.sort(three_distances(A, near), axis=1)[:, :2]


def three_distances(A: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Distances (n, 3), in float64, of each row of A (n, d) to the rows near (n, 3).

    The three nearest in float32: one more, for a tie that it may have turned round.
    """
    distances = np.empty(near.shape)
    for start in range(0, len(A), 512):
        rows = slice(start, start + 512)
        gaps = A[near[rows]] - A[rows, None, :]  # (m, 3, d)
        distances[rows] = np.sqrt(np.einsum("mkd,mkd->mk", gaps, gaps))
    return distances


def twonn(distances: np.ndarray, *, equal: float) -> float:
    """``intrinsic_dimension`` from the two nearest distances (n, 2) of each row, none 0.

    equal : relative to a distance, what may be rounding.
    """
    apart = distances[distances[:, 0] > 0]
    n = len(apart)
    kept = min(max(1, int(n * (1 - DISCARDED))), n - 1)
    x = np.sort(np.log(apart[:, 1] / apart[:, 0]))[:kept]
    y = -np.log1p(-np.arange(1, kept + 1) / n)  # F at the i-th smallest is i / n
    if not len(x) or x[-1] <= equal:
        raise UndefinedMeasure(
            "equal_distances", "each row's two nearest are equally far: no dimension fits"
        )
    return float(x @ y) / float(x @ x)
