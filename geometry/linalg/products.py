"""Products of many rows, block by block: sums over rows, and rows times a matrix.

A float32 product Z'Z takes half the time of a float64 one. Its noise is about NOISE times the root
mean square eigenvalue, the same in every direction. It hides weak directions, of which a LayerNorm
leaves one to three. Z'(Z v) of a weak direction v is computed in a second pass: Z v is small there,
and so is its noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

BLOCK_ROWS = 4096  # rows in one product: few enough for the processor's cache
THIN_ROWS = 256  # rows in one product with few columns
ROWS_PER_DIMENSION = 16  # with fewer, the eigenproblem costs as much as float32 saves
# at most 4.6e-7 was measured, for normal, skewed, ill-conditioned and one-axis clouds in 384 and
# 768 dimensions
NOISE = 5e-7
SAFE = 1e3  # an eigenvalue this many times the noise is exact to a thousandth
LIFT = 32  # the noise is far below level / LIFT, so that the lifted matrix can be inverted
SPARE = 8  # directions more than those of use, for the inverse iteration
MOST_WEAK = 1 / 16  # share of weak directions above which float64 throughout is as fast
LEAST_VARIANCE, MOST_VARIANCE = 1e-12, 1e12  # float32 holds the third powers of rows within


@dataclass(frozen=True)
class Sums:
    """Sums over rows z about their own mean, float64.

    mean : (d,)
    scatter : (d, d), sum z z'
    cubic : (d,), sum |z|^2 z
    quartic : sum |z|^4
    weak : (d, m), the directions of a second pass
    """

    mean: np.ndarray
    scatter: np.ndarray
    cubic: np.ndarray
    quartic: float
    weak: np.ndarray


def sums_in_float32(X: np.ndarray, likely_weak: np.ndarray | None = None) -> Sums | None:
    """Sums over float32 rows X (n, d), from float32 products that are summed in float64.

    ``likely_weak`` (d, m) holds the weak directions of earlier rows of the same cloud. It saves a
    search, and changes no sum but by rounding.

    None if float64 products are as fast or necessary: few rows, many weak directions, third powers
    outside float32's range, NaN or infinity.
    """
    n, d = X.shape
    if n < max(ROWS_PER_DIMENSION * d, BLOCK_ROWS):
        return None
    shift = X[:BLOCK_ROWS].mean(axis=0, dtype=np.float64).astype(np.float32)
    products, quartic = _products_about(X, shift)
    uncentred, (total, cubic) = products[:d, :d], products[d:, :d]
    variance = np.trace(uncentred) / (n * d)
    if not (LEAST_VARIANCE < variance < MOST_VARIANCE and np.isfinite(products).all()):
        return None
    s = total / n
    scatter = uncentred - np.outer(n * s, s)
    level = SAFE * NOISE * float(np.linalg.norm(uncentred)) / np.sqrt(d)
    weak = _directions_below(scatter, level, likely_weak)
    if weak is None:
        return None
    mean = shift + s
    if weak.shape[1]:
        single = weak.astype(np.float32)
        weak = single.astype(np.float64)  # exactly the directions of the second pass
        error = _scatter_along(X, mean.astype(np.float32), single) - scatter @ weak  # (d, m)
        scatter += error @ weak.T + weak @ error.T - weak @ (weak.T @ error) @ weak.T
    ss, Ss, trace = float(s @ s), uncentred @ s, float(np.trace(uncentred))
    return Sums(
        mean=mean,
        scatter=scatter,
        cubic=cubic - 2 * Ss + (2 * n * ss - trace) * s,
        quartic=quartic - 4 * float(s @ cubic) + 4 * float(s @ Ss) + 2 * ss * trace - 3 * n * ss**2,
        weak=weak,
    )


def centred_product(X: np.ndarray, shift: np.ndarray, W: np.ndarray) -> np.ndarray:
    """(X - shift) W, computed by blocks of rows.

    Parameters
    ----------
    X : (n, d) array
        All three arrays have the same precision.
    shift : (d,) array
    W : (d, k) array

    Returns
    -------
    (n, k) array
    """
    Z = np.empty((len(X), W.shape[1]), dtype=X.dtype)
    centred = np.empty((min(len(X), BLOCK_ROWS), X.shape[1]), dtype=X.dtype)
    for start in range(0, len(X), BLOCK_ROWS):
        rows = X[start : start + BLOCK_ROWS]
        block = np.subtract(rows, shift, out=centred[: len(rows)])
        np.matmul(block, W, out=Z[start : start + BLOCK_ROWS])
    return Z


def _products_about(X: np.ndarray, shift: np.ndarray) -> tuple[np.ndarray, float]:
    """Sum y y' (d + 2, d + 2) of y = (z, 1, |z|^2), and sum |z|^4, with z = x - shift."""
    d = X.shape[1]
    products, quartic = np.zeros((d + 2, d + 2)), 0.0
    Y = np.empty((BLOCK_ROWS, d + 2), dtype=np.float32)
    Y[:, d] = 1
    with np.errstate(over="ignore", invalid="ignore"):  # the caller checks the sums
        for start in range(0, len(X), BLOCK_ROWS):
            rows = X[start : start + BLOCK_ROWS]
            y = Y[: len(rows)]
            z = np.subtract(rows, shift, out=y[:, :d])
            squared = np.einsum("nd,nd->n", z, z, out=y[:, d + 1])
            products += y.T @ y  # BLAS computes half of it, because both factors are one array
            quartic += float(np.square(squared, dtype=np.float64).sum())
    return products, quartic


def _directions_below(
    S: np.ndarray, level: float, likely: np.ndarray | None = None
) -> np.ndarray | None:
    """(d, m) directions of S (d, d) with eigenvalues at or below the level; None if many.

    The likely ones (d, m) are the answer if S is below the level along all of them, and above it
    along all others. Two steps of inverse iteration take a tenth of the time of all eigenvectors.
    The directions need not be exact: what is left of S must be above the level, which Cholesky's
    factor shows.
    """
    d = len(S)
    found = np.empty((d, 0))
    if likely is not None and (np.linalg.eigvalsh(likely.T @ S @ likely) <= level).all():
        found = likely
    if _is_above(_lifted_along(found, S), level):
        return found
    Q = np.random.default_rng(0).standard_normal((d, min(d, int(MOST_WEAK * d) + SPARE)))
    lifted = S.copy()
    lifted.flat[:: d + 1] += level / LIFT
    for _ in range(2):
        Q = np.linalg.qr(np.linalg.solve(lifted, Q))[0]
    values, turn = np.linalg.eigh(Q.T @ S @ Q)
    weak: np.ndarray = (Q @ turn)[:, values <= level]
    is_all = weak.shape[1] <= MOST_WEAK * d and _is_above(_lifted_along(weak, S), level)
    return weak if is_all else None


def _lifted_along(directions: np.ndarray, S: np.ndarray) -> np.ndarray:
    """S with the mean eigenvalue added along orthonormal directions (d, m)."""
    return S + np.trace(S) / len(S) * directions @ directions.T


def _is_above(S: np.ndarray, level: float) -> bool:
    """Whether every eigenvalue of S is above this level."""
    lowered = S.copy()
    lowered.flat[:: len(S) + 1] -= level
    try:
        np.linalg.cholesky(lowered)
    except np.linalg.LinAlgError:
        return False
    return True


def _scatter_along(X: np.ndarray, mean: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Z'(Z V) (d, m), with Z = X - mean and few directions V (d, m), float32.

    The noise of these products is as small as Z V is.
    """
    found = np.zeros(directions.shape)
    centred = np.empty((THIN_ROWS, X.shape[1]), dtype=np.float32)
    for start in range(0, len(X), THIN_ROWS):
        rows = X[start : start + THIN_ROWS]
        Z = np.subtract(rows, mean, out=centred[: len(rows)])
        found += Z.T @ (Z @ directions)
    return found
