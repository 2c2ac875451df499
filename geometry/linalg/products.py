"""Products of many rows, block by block: sums over rows, and rows times a matrix.

A float32 product Z'Z takes half the time of a float64 one. Its noise is about NOISE times the root
mean square eigenvalue, the same in every direction. It hides weak directions, of which a LayerNorm
leaves one to three. The first block shows which they are. For a weak direction v, Z'(Z v) is summed
as well: Z v is small there, and so is the noise of this product.
"""

from typing import Any

import numpy as np

from .rows import refuse_not_finite, slices

BLOCK_ROWS = 4096  # rows in one product: few enough for the processor's cache
SHIFT_ROWS = 512  # rows whose mean is subtracted first; the sums correct for what it misses
BLOCK_ROWS_PER_DIMENSION = 4  # fewer rows would not show which directions are weak
ROWS_PER_DIMENSION = 16  # with fewer, the eigenproblem costs as much as float32 saves
# at most 4.6e-7 was measured, for normal, skewed, ill-conditioned and one-axis clouds in 384 and
# 768 dimensions
NOISE = 5e-7
SAFE = 1e3  # an eigenvalue this many times the noise is exact to a thousandth
MARGIN = 2  # directions below this many levels in the first block count as weak
MOST_ALONG = 16  # levels: the products along a direction of this variance are exact to 5e-6
LIFT = 32  # the noise is far below level / LIFT, so that the lifted matrix can be inverted
SPARE = 8  # extra directions in the inverse iteration, so that it converges
MOST_WEAK = 1 / 16  # share of weak directions above which float64 throughout is as fast
LEAST_VARIANCE, MOST_VARIANCE = 1e-12, 1e12  # range in which third powers fit into float32


def sums_in_float32(X: np.ndarray, likely_weak: np.ndarray | None = None) -> dict[str, Any] | None:
    """Fields of ``Moments`` of float32 rows X (n, d), from float32 products summed in float64.

    ``likely_weak`` (d, m), the weak directions of earlier rows of the same cloud, saves a search.
    None if float64 products are as fast or necessary.
    """
    n, d = X.shape
    if n < max(ROWS_PER_DIMENSION * d, BLOCK_ROWS):
        return None
    found = None if likely_weak is None else _sums_with(X, likely_weak)
    return found or _sums_with(X, None)


def _sums_with(X: np.ndarray, weak: np.ndarray | None) -> dict[str, Any] | None:
    """The sums with these weak directions (d, m); if None, those of the first block."""
    n, d = X.shape
    block_rows = max(BLOCK_ROWS, BLOCK_ROWS_PER_DIMENSION * d)
    shift = X[:SHIFT_ROWS].mean(axis=0, dtype=np.float64).astype(np.float32)
    products = np.zeros((d + 2, d + 2))  # sum y y' of y = (z, 1, |z|^2)
    quartic = 0.0
    Y = np.empty((min(n, block_rows), d + 2), dtype=np.float32)
    Y[:, d] = 1
    with np.errstate(over="ignore", invalid="ignore"):  # the sums are checked
        for rows in slices(n, block_rows):
            y = Y[: rows.stop - rows.start]
            z = np.subtract(X[rows], shift, out=y[:, :d])
            squared = np.vecdot(z, z, out=y[:, d + 1])
            products += y.T @ y  # BLAS computes half of it, because both factors are one array
            quartic += float(np.square(squared, dtype=np.float64).sum())
            if rows.start == 0:
                if not _is_in_range(products):
                    return None
                if weak is None:
                    first = products[:d, :d]
                    weak = _directions_below(first, MARGIN * _level(first))
                if weak is None:
                    return None
                single = weak.astype(np.float32)
                along = np.zeros((d + 2, weak.shape[1]))  # sum y (z' weak)
            along += y.T @ (z @ single)
    if not _is_in_range(products):
        return None
    uncentred = products[:d, :d]
    total, cubic = products[d:, :d]
    s = total / n
    scatter = uncentred - np.outer(n * s, s)
    level = _level(uncentred)
    weak = single.astype(np.float64)  # exactly the directions of the sums along them
    if np.linalg.eigvalsh(weak.T @ uncentred @ weak).max(initial=0) > MOST_ALONG * level:
        return None
    error = along[:d] - np.outer(s, along[d]) - scatter @ weak  # (d, m)
    scatter += error @ weak.T + weak @ error.T - weak @ (weak.T @ error) @ weak.T
    lifted = scatter + np.trace(scatter) / d * weak @ weak.T  # along the weak directions
    if not _is_above(lifted, level):
        return None
    ss = float(s @ s)
    Ss = uncentred @ s
    trace = float(np.trace(uncentred))
    quartic += -4 * float(s @ cubic) + 4 * float(s @ Ss) + 2 * ss * trace - 3 * n * ss**2
    cubic = cubic - 2 * Ss + (2 * n * ss - trace) * s
    mean = shift + s
    return {"mean": mean, "scatter": scatter, "cubic": cubic, "quartic": quartic, "weak": weak}


def _is_in_range(products: np.ndarray) -> bool:
    """Whether sums (d + 2, d + 2) of float32 products are finite and within its range."""
    d = len(products) - 2
    variance = np.trace(products[:d, :d]) / (products[d, d] * d)
    return bool(LEAST_VARIANCE < variance < MOST_VARIANCE and np.isfinite(products).all())


def _level(S: np.ndarray) -> float:
    """The eigenvalue of S (d, d) at or below which a direction is weak."""
    return SAFE * NOISE * float(np.linalg.norm(S)) / np.sqrt(len(S))


def centred_product(X: np.ndarray, shift: np.ndarray, W: np.ndarray) -> np.ndarray:
    """(X - shift) W by blocks of rows, in one precision; ValueError for NaN or infinity in X."""
    sizes = []
    Z = np.empty((len(X), W.shape[1]), dtype=X.dtype)
    centred = np.empty((min(len(X), BLOCK_ROWS), X.shape[1]), dtype=X.dtype)
    for rows in slices(len(X), BLOCK_ROWS):
        block = np.subtract(X[rows], shift, out=centred[: rows.stop - rows.start])
        with np.errstate(over="ignore", invalid="ignore"):  # an overflow is no error
            sizes.append(np.vdot(block, block))
            np.matmul(block, W, out=Z[rows])
    if not np.isfinite(sizes).all():
        refuse_not_finite(X)
    return Z


def _directions_below(S: np.ndarray, level: float) -> np.ndarray | None:
    """(d, m) directions of S (d, d) with eigenvalues at or below the level; None if many.

    A step of inverse iteration with S^2 takes a tenth of the time of all eigenvectors. The
    directions need not be exact: the caller checks that what is left of the whole sum is above.
    """
    d = len(S)
    if _is_above(S, level):
        return np.empty((d, 0))
    Q = np.random.default_rng(0).standard_normal((d, min(d, int(MOST_WEAK * d) + SPARE)))
    lifted = S.copy()
    lifted.flat[:: d + 1] += level / LIFT
    Q = np.linalg.qr(np.linalg.solve(lifted @ lifted, Q))[0]
    values, turn = np.linalg.eigh(Q.T @ S @ Q)
    weak: np.ndarray = (Q @ turn)[:, values <= level]
    return weak if weak.shape[1] <= MOST_WEAK * d else None


def _is_above(S: np.ndarray, level: float) -> bool:
    lowered = S.copy()
    lowered.flat[:: len(S) + 1] -= level
    try:
        np.linalg.cholesky(lowered)
    except np.linalg.LinAlgError:
        return False
    return True
