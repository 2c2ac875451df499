"""Cosines between rows: their mean, their sign, their distribution, and what isotropy gives."""

from __future__ import annotations

import numpy as np

from ..linalg.rows import need_rows, need_whole, unit_rows

KERNEL_BLOCK = 1024


def mean_cosine(X: np.ndarray) -> float:
    """Mean cosine over all pairs i != j; near 1 means a narrow cone.

    X : (n, d) float, n >= 2, no zero row.   Returns a float in [-1/(n - 1), 1].
    Raises ValueError naming the first zero row.
    (|sum of unit rows|^2 - n) / (n (n - 1)): O(nd), no n x n matrix.
    Ethayarajh 2019, section 3.
    """
    U = unit_rows(X)
    need_rows(len(U), 2)
    return mean_cosine_of_sum(U.sum(axis=0), len(U))


def mean_cosine_of_sum(total: np.ndarray, n: int) -> float:
    """``mean_cosine`` from the sum (d,) of n unit rows."""
    return float((total @ total - n) / (n * (n - 1)))


def pairwise_cosines(X: np.ndarray, *, max_rows: int | None = None, seed: int = 0) -> np.ndarray:
    """Cosines of all pairs i < j, (m (m - 1) / 2,) float32, in [-1, 1].

    X : (n, d).   ``max_rows`` : draw that many rows without replacement (a pair is never a
    row with itself), 2 or more; None takes all. 1,200 rows are 719,400 pairs.
    """
    if max_rows is not None:
        need_whole("max_rows", max_rows, at_least=2)
    U = unit_rows(X)
    need_rows(len(U), 2)
    if max_rows is not None and len(U) > max_rows:
        rows = np.random.default_rng(seed).choice(len(U), max_rows, replace=False)
        U = U[np.sort(rows)]
    C = U.astype(np.float32) @ U.astype(np.float32).T
    return C[np.triu_indices(len(U), k=1)].clip(-1.0, 1.0)


def cosine_shares(cosines: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Share of the cosines in each bin, (m,) for edges (m + 1,); the shares sum to 1."""
    counts, _ = np.histogram(cosines, edges)
    return counts / max(1, len(cosines))


def isotropic_cosine_shares(edges: np.ndarray, d: int) -> np.ndarray:
    """What ``cosine_shares`` would be for independent uniform directions in d >= 3 dimensions.

    The density is proportional to (1 - c^2)^((d - 3)/2), that is (1 + c)/2 follows
    Beta((d - 1)/2, (d - 1)/2): mean 0, standard deviation 1/sqrt(d). Gauss-Legendre in each
    bin; edges cover [-1, 1].
    """
    edges = np.asarray(edges, dtype=np.float64)
    nodes, weights = np.polynomial.legendre.leggauss(16)
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    c = middle[:, None] + half[:, None] * nodes  # (m, 16)
    density = (1 - c**2).clip(min=0.0) ** ((d - 3) / 2)
    shares = half * (density @ weights)
    return shares / shares.sum()


def isotropic_angle_spread(d: int) -> float:
    """Standard deviation, in degrees, of the angle between random directions: about 90 +- this.

    asin(1/sqrt(d)): 2.9 degrees at d = 384.
    """
    return float(np.degrees(np.arcsin(1 / np.sqrt(d))))


def positive_cosine_share(X: np.ndarray, *, block_rows: int = 2048) -> float:
    """Share of pairs i != j whose cosine is above 0, in [0, 1]; .5 for an isotropic cloud."""
    need_whole("block_rows", block_rows, at_least=1)
    U = unit_rows(X)
    n = len(U)
    need_rows(n, 2)
    positive = sum(
        int(np.count_nonzero(U[start : start + block_rows] @ U.T > 0))
        for start in range(0, n, block_rows)
    )
    return (positive - n) / (n * (n - 1))  # a row's cosine with itself is 1: n of them


def uniformity(X: np.ndarray) -> float:
    """log of the mean of exp(-2 |u - v|^2) over pairs of unit rows i < j, in [-8, 0].

    X : (n, d), n >= 2, no zero row; rows are normalised first.   Lower is more uniform; 0 where
    all directions are one. ``uniformity_baseline(d)`` is what isotropic directions give.
    Wang, Isola 2020, equation 5 (t = 2).
    """
    U = unit_rows(X)
    n = len(U)
    need_rows(n, 2)
    total = 0.0
    for start in range(0, n, KERNEL_BLOCK):
        cosines = U[start : start + KERNEL_BLOCK] @ U.T
        total += float(np.exp(4 * (cosines - 1)).sum())  # |u - v|^2 = 2 - 2 cos
    return float(np.log((total - n) / (n * (n - 1))))  # a row's own kernel is 1: n of them


def uniformity_baseline(d: int) -> float:
    """What ``uniformity`` gives for independent uniform directions in d dimensions; -4 as d grows.

    log of the mean of exp(4 cos t - 4) under the density sin(t)^(d - 2) of the angle t; a mean
    over pairs, so n does not bias it. By trapezoids, to 1e-6.
    """
    need_whole("d", d, at_least=1)
    if d == 1:
        return float(np.log((1 + np.exp(-8)) / 2))
    t = np.linspace(0, np.pi, 4001)[1:-1] if d > 2 else (np.arange(4000) + 0.5) * np.pi / 4000
    log_density = (d - 2) * np.log(np.sin(t))
    density = np.exp(log_density - log_density.max())
    return float(np.log(density @ np.exp(4 * np.cos(t) - 4) / density.sum()))


def alignment(left: np.ndarray, right: np.ndarray) -> float:
    """Mean of |u - v|^2 over the positive pairs (left_i, right_i), in [0, 4]; 0 is aligned.

    left, right : (n, d), no zero row; rows are normalised first. Independent isotropic
    directions give 2. Read it beside ``uniformity``: a cloud shrunk to a point is aligned.
    Wang, Isola 2020, equation 4 (alpha = 2).
    """
    if np.shape(left) != np.shape(right):
        raise ValueError(
            f"left and right hold one pair a row, and their shapes differ: {np.shape(left)}, "
            f"{np.shape(right)}"
        )
    difference = unit_rows(left) - unit_rows(right)
    return float(np.einsum("nd,nd->", difference, difference)) / len(difference)
