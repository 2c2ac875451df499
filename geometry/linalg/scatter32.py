"""Sums over many float32 rows by float32 products, twice as fast, only where nothing is lost.

A float32 product Z'Z leaves noise of about NOISE times the root mean square eigenvalue, the same
in every direction. Where every eigenvalue is far above it that is nothing; a weak direction v
drowns in it. So its products Z'(Zv) are taken apart: they are as small as the direction is, and
so is their noise. There are few such directions (a LayerNorm leaves one to three null ones). What
remains is checked at the end, and refused where it is weak too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .bordered import is_above
from .threads import by_threads, even_blocks, near_slices

BLOCK_ROWS = 4096  # rows in one product: few enough for the cache that processors share
PROBE = 2  # rows per dimension that show which directions are weak, and that are worth a product
# of the root mean square eigenvalue; measured at most 4.6e-7, for normal, skewed, ill-conditioned
# and one-axis clouds of 384 and 768 dimensions
NOISE = 5e-7
SAFE = 1e3  # an eigenvalue this many times the noise is right to a thousandth, and mostly better
MOST_WEAK = 1 / 16  # share of weak directions beyond which float64 throughout is as fast

LEAST_VARIANCE, MOST_VARIANCE = 1e-12, 1e12
SPARE = 8  # directions more than those of use, for the inverse iteration


@dataclass(frozen=True)
class Sums:
    """Over rows z about their own mean: scatter = sum z z', cubic = sum |z|^2 z and
    quartic = sum |z|^4."""

    mean: np.ndarray
    scatter: np.ndarray
    cubic: np.ndarray
    quartic: float


def weak_directions(covariance: np.ndarray) -> np.ndarray:
    """(d, m) directions of a probe's covariance that are too close to float32's noise.

    All of them where the cloud is so large or small that float32 could not hold its third powers.
    """
    d = len(covariance)
    if not LEAST_VARIANCE < np.trace(covariance) / d < MOST_VARIANCE:
        return np.eye(d)
    level = 2 * _safe_level(covariance)  # a margin for what the probe missed
    values, V = _smallest(covariance, level)
    return V[:, values <= level]


def in_float32(X: np.ndarray, mean: np.ndarray, weak: np.ndarray) -> Sums | None:
    """Sums over float32 rows X (n, d), of which a probe had this mean and these weak directions.

    None where float32 can't give them: too many weak directions, or others than the probe's.
    """
    d, m = weak.shape
    if m > MOST_WEAK * d:
        return None
    shift, thin = mean.astype(np.float32), weak.astype(np.float32)
    weak = thin.astype(np.float64)
    blocks = even_blocks(len(X), BLOCK_ROWS)
    parts = by_threads(lambda some: _sums_about(X, shift, thin, some, blocks.step), blocks)
    products, quartic = parts[0]
    for more in parts[1:]:
        products, quartic = products + more[0], quartic + more[1]
    scatter, (total, cubic, *thinly) = products[:d, :d].copy(), products[d:, :d]
    level = _safe_level(scatter)
    # a row far outside what the probe showed, or one that holds NaN
    if not np.isfinite(level + quartic + np.abs(cubic).sum()):
        return None
    if m:
        error = np.transpose(thinly) - scatter @ weak  # (d, m); then scatter @ weak is right
        scatter += error @ weak.T + weak @ error.T - weak @ (weak.T @ error) @ weak.T
    sums = _about_their_mean(len(X), total, scatter, cubic, quartic, shift)
    beside = np.trace(scatter) / d * weak @ weak.T  # the weak ones are seen to, so lift them
    return sums if is_above(sums.scatter + beside, level) else None


def _sums_about(
    X: np.ndarray, shift: np.ndarray, thin: np.ndarray, starts: Sequence[int], rows: int
) -> tuple[np.ndarray, float]:
    """Over the blocks of so many rows that begin there, with z = x - shift: the products sum y y'
    of y = (z, 1, |z|^2, thin' z), (d + 2 + m) squared, and sum |z|^4."""
    d, m = thin.shape
    width = d + 2 + m
    products, quartic = np.zeros((width, width)), 0.0
    # in one array, so that one product gives every sum. The rows' odd length is welcome too: where
    # it is a power of two, copying the product's one half to the other is slow
    Y = np.empty((min(len(X), rows), width), dtype=np.float32)
    Y[:, d] = 1
    product = np.empty((width, width), dtype=np.float32)
    with np.errstate(over="ignore", invalid="ignore"):  # told by the caller
        for start in starts:
            block = X[start : start + rows]
            ready = Y[: len(block)]
            for near in near_slices(len(block)):
                Z = np.subtract(block[near], shift, out=ready[near, :d])
                np.einsum("nd,nd->n", Z, Z, out=ready[near, d + 1])
                np.matmul(Z, thin, out=ready[near, d + 2 :])
            # BLAS does half the work of one array with itself
            products += np.matmul(ready.T, ready, out=product)
            quartic += float(np.square(ready[:, d + 1], dtype=np.float64).sum())
    return products, quartic


def _smallest(S: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """The smallest eigenvalues and their directions, as far as they are below the level.

    Two steps of inverse iteration on slightly more directions than are of use: a third of what
    solving for all of them costs. Directions need not be exact, only their products.
    """
    d = len(S)
    Q = np.random.default_rng(0).standard_normal((d, min(d, int(MOST_WEAK * d) + SPARE)))
    lifted = S.copy()
    lifted.flat[:: d + 1] += level / SAFE
    for _ in range(2):  # two solutions take less than one inverse
        Q = np.linalg.qr(np.linalg.solve(lifted, Q))[0]
    values, turn = np.linalg.eigh(Q.T @ S @ Q)
    return values, Q @ turn


def _about_their_mean(
    n: int,
    total: np.ndarray,
    scatter: np.ndarray,
    cubic: np.ndarray,
    quartic: float,
    centre: np.ndarray,
) -> Sums:
    """From sums about a centre, with total = sum z."""
    s = total / n
    ss, Ss, trace = float(s @ s), scatter @ s, float(np.trace(scatter))
    return Sums(
        mean=centre + s,
        scatter=scatter - np.outer(n * s, s),
        cubic=cubic - 2 * Ss + (2 * n * ss - trace) * s,
        quartic=quartic - 4 * float(s @ cubic) + 4 * float(s @ Ss) + 2 * ss * trace - 3 * n * ss**2,
    )


def _safe_level(S: np.ndarray) -> float:
    return float(SAFE * NOISE * np.linalg.norm(S) / np.sqrt(len(S)))
