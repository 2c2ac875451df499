"""Measures from nearest neighbours: who is everybody's neighbour, and how fast balls fill."""

from __future__ import annotations

import numpy as np

from ..neighbours import closest
from ..rows import UndefinedMeasure, finite_rows, in_range, need_rows, need_whole, unit_rows

DISCARDED = 0.1  # of the ratios, the largest: the tail that Facco et al. leave out of the fit


def hubness(X: np.ndarray, *, k: int = 10) -> float:
    """Skewness of the k-occurrence: how often a row is among the k nearest of the others.

    X : (n, d), n > k + 1 >= 2, no zero row; nearest by cosine.   0 where all rows are chosen about
    equally often; above 1, a few hubs are everybody's neighbours. Grows with the dimension even
    for isotropic data, so hold it against isotropic data of the same n and d.
    Radovanovic, Nanopoulos, Ivanovic 2010, equation 1 (the skewness of N_k).
    """
    need_whole("k", k, at_least=1)
    U = unit_rows(X)
    need_rows(len(U), k + 2)
    return occurrence_skewness(np.bincount(closest(U, k).ravel(), minlength=len(U)))


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

    X : (n, d) with at least 3 distinct rows; duplicates are dropped first, for their nearest
    distance is 0.   With mu = r2/r1, -log(1 - F(mu)) = dimension * log mu: a line through the
    origin, fitted without the largest tenth of the ratios. Only local distances count, so a shift
    or a cone does not change it. Far below d for real embeddings; and for isotropic data, too,
    once d is large against log n: hold it against those.
    Facco et al. 2017, equation 4 and the algorithm after it.
    """
    A = distinct_rows(finite_rows(X, at_least=3))[0]
    return twonn(two_distances(A))


def distinct_rows(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(distinct rows of X about their mean, at unit rms length; the row each first was)."""
    whole = np.ascontiguousarray(X + 0.0)  # -0.0 is 0.0
    first = np.sort(
        np.unique(whole.view(f"V{whole.itemsize * whole.shape[1]}").ravel(), return_index=True)[1]
    )
    if len(first) < 3:
        raise UndefinedMeasure(
            "too_few_distinct", f"needs at least 3 distinct rows; got {len(first)}"
        )
    A = in_range(whole[first])
    A = A - A.mean(axis=0)
    peak = np.abs(A).max()
    A = A / peak if peak > 0 else A
    return A / np.sqrt(np.einsum("nd,nd->", A, A) / len(A)), first


def two_distances(A: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
    """Distances (n, 2), in float64, of each row of A (n, d) to its two nearest others.

    near (n, 3) : the nearest rows, where they are known.
    """
    if near is None:
        near = closest(A, 3)  # one more, for a tie that float32 may have turned round
    distances = np.empty(near.shape)
    for start in range(0, len(A), 512):
        rows = slice(start, start + 512)
        gaps = A[near[rows]] - A[rows, None, :]  # (m, 3, d)
        distances[rows] = np.sqrt(np.einsum("mkd,mkd->mk", gaps, gaps))
    return np.sort(distances, axis=1)[:, :2]


def twonn(distances: np.ndarray) -> float:
    """``intrinsic_dimension`` from the two nearest distances (n, 2) of each row, none 0."""
    apart = distances[distances[:, 0] > 0]
    n = len(apart)
    kept = min(max(1, int(n * (1 - DISCARDED))), n - 1)
    x = np.sort(np.log(apart[:, 1] / apart[:, 0]))[:kept]
    y = -np.log1p(-np.arange(1, kept + 1) / n)  # F at the i-th smallest is i / n
    squares = float(x @ x)
    if squares == 0:
        raise UndefinedMeasure(
            "equal_distances", "each row's two nearest are equally far: no dimension fits"
        )
    return float(x @ y) / squares
