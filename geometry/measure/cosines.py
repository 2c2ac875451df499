"""Cosines between rows: mean, signs, distribution, each dimension's share, isotropic baselines."""

from collections.abc import Callable

import numpy as np
from scipy.special import bdtrc, betainc, erfc, hyp0f1

from ..linalg.rows import UndefinedMeasure, need_rows, need_whole, slices, some_rows, unit_rows

KERNEL_BLOCK = 1024
ROTATIONS = 1000


def mean_cosine(X: np.ndarray) -> float:
    """Mean cosine over all pairs i != j, in [-1/(n - 1), 1]; near 1 means a narrow cone.

    Computed as (|sum of unit rows|^2 - n) / (n (n - 1)): O(nd), no n x n matrix. X (n, d), n >= 2.
    A zero row raises UndefinedMeasure, a ValueError; the message names the first.

    Ethayarajh 2019, section 3.
    """
    U = unit_rows(X, at_least=2)
    return mean_cosine_of_sum(U.sum(axis=0), len(U))


def mean_cosine_of_sum(total: np.ndarray, n: int) -> float:
    """``mean_cosine`` from the sum (d,) of n unit rows."""
    return float(min((total @ total - n) / (n * (n - 1)), 1.0))


def mean_cosine_spread(n: int, d: int) -> float:
    """Standard deviation of ``mean_cosine`` over draws of n >= 2 isotropic directions in R^d.

    Cosines of two pairs are uncorrelated, each with the variance 1/d.
    """
    need_rows(n, 2)
    need_whole("d", d, at_least=1)
    return float(np.sqrt(2 / (n * (n - 1) * d)))


def pairwise_cosines(X: np.ndarray, *, max_rows: int | None = None, seed: int = 0) -> np.ndarray:
    """Cosines of all pairs i < j, (m (m - 1) / 2,) float32, in [-1, 1].

    Parameters
    ----------
    X : (n, d) array of float, without a zero row
    max_rows : int, >= 2, optional
        Draw that many rows without replacement, so that no pair is a row with itself. None takes
        all. 1,200 rows are 719,400 pairs.
    seed : int, of the draw
    """
    U = unit_rows(X, at_least=2)
    if max_rows is not None:
        need_whole("max_rows", max_rows, at_least=2)
        U = U[some_rows(len(U), max_rows, seed)]
    C = U.astype(np.float32) @ U.astype(np.float32).T
    return C[np.triu_indices(len(U), k=1)].clip(-1.0, 1.0)


def cosine_shares(cosines: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Share of the cosines in each bin, (m,) for edges (m + 1,); the shares sum to 1."""
    return np.histogram(cosines, edges)[0] / max(1, len(cosines))


def isotropic_cosine_shares(edges: np.ndarray, d: int) -> np.ndarray:
    """``cosine_shares`` of independent uniform directions in d >= 3 dimensions.

    Edges cover [-1, 1]. (1 + c)/2 follows Beta((d - 1)/2, (d - 1)/2).
    """
    a = (d - 1) / 2
    return np.diff(betainc(a, a, (1 + np.asarray(edges, dtype=np.float64)) / 2))


def isotropic_angle_spread(d: int) -> float:
    """Standard deviation, in degrees, of the angle between random directions: asin(1/sqrt(d))."""
    return float(np.degrees(np.arcsin(1 / np.sqrt(d))))


def positive_cosine_share(X: np.ndarray) -> float:
    """Share of pairs i != j whose cosine is above 0, in [0, 1]; .5 for an isotropic cloud."""
    return _mean_over_pairs(X, lambda cosines: cosines > 1e-12)  # 0 but for rounding


def uniformity(X: np.ndarray) -> float:
    """log of the mean of exp(-2 |u - v|^2) over pairs of unit rows i < j, in [-8, 0].

    Lower is more uniform; 0 where all directions are equal. ``uniformity_baseline(d)`` is the value
    for isotropic directions. X (n, d), n >= 2, has no zero row; rows are normalised first.

    Wang, Isola 2020, equation 5 (t = 2).
    """
    # |u - v|^2 = 2 - 2 cos
    return float(np.log(_mean_over_pairs(X, lambda cosines: np.exp(4 * (cosines - 1)))))


def _mean_over_pairs(X: np.ndarray, of: Callable[[np.ndarray], np.ndarray]) -> float:
    """The mean of ``of(cosines)`` over pairs i != j; ``of(1)`` is 1, for a row with itself."""
    U = unit_rows(X, at_least=2)
    n = len(U)
    total = sum(float(of(U[rows] @ U.T).sum()) for rows in slices(n, KERNEL_BLOCK))
    return (total - n) / (n * (n - 1))


def uniformity_baseline(d: int) -> float:
    """``uniformity`` of independent uniform directions in d dimensions; it tends to -4 as d grows.

    log of the mean of exp(4 cos t - 4) under the density sin(t)^(d - 2) of the angle t, which is
    0F1(; d/2; 4) exp(-4). It is a mean over pairs, so n does not bias it.
    """
    need_whole("d", d, at_least=1)
    return float(np.log(hyp0f1(d / 2, 4.0))) - 4


def alignment(left: np.ndarray, right: np.ndarray) -> float:
    """Mean of |u - v|^2 over the positive pairs (left_i, right_i), in [0, 4]; 0 is aligned.

    Independent isotropic directions give 2. Read it with ``uniformity``: a cloud shrunk to a point
    is aligned too. Both sides are (n, d), without a zero row; rows are normalised first.

    Wang, Isola 2020, equation 4 (alpha = 2).
    """
    if np.shape(left) != np.shape(right):
        raise ValueError(
            f"left and right need one pair a row, and their shapes differ: {np.shape(left)}, "
            f"{np.shape(right)}"
        )
    difference = unit_rows(left) - unit_rows(right)
    return float(np.einsum("nd,nd->", difference, difference)) / len(difference)


def cosine_contributions(X: np.ndarray) -> np.ndarray:
    """Each dimension's share of the mean cosine over pairs i != j, (d,), summing to 1.

    A share may be negative. In a cone, one to three dimensions often have most of the mean cosine
    (rogue dimensions). The mean share is 1/d. The largest is several times that where no dimension
    differs from the others: ``top_contribution_baseline(d)``.

    Computed by sum_{i != j} u_ik u_jk = (sum_i u_ik)^2 - sum_i u_ik^2. UndefinedMeasure (a
    ValueError) if the mean cosine is 0 to rounding, and for a zero row.

    Timkey, van Schijndel 2021, equation 2.
    """
    return shares_of(cosine_parts(X))


def cosine_parts(X: np.ndarray) -> np.ndarray:
    """Each dimension's part of the mean cosine over pairs i != j, (d,); they sum to it.

    ``cosine_contributions`` are these parts over their sum. The parts themselves are defined where
    the mean cosine is 0, so they can be compared before and after standardising.
    """
    U = unit_rows(X, at_least=2)
    n = len(U)
    total = U.sum(axis=0)
    return np.asarray((total * total - np.einsum("nd,nd->d", U, U)) / (n * (n - 1)))


def top_contribution(X: np.ndarray, *, k: int = 1) -> float:
    """The k largest ``cosine_contributions`` together; see ``top_contribution_baseline``."""
    return largest_share(cosine_contributions(X), k)


def rotated_top_contributions(d: int, signal: float, *, k: int = 1, seed: int = 0) -> np.ndarray:
    """``top_contribution`` of n rows after random rotations of their axes, (ROTATIONS,).

    A rotation R keeps the mean cosine c and turns the sum t of the unit rows, |t|^2 = n + n(n-1)c.
    A share is then ((Rt)_k^2 - q_k) / (|t|^2 - n). The sum of squares q_k is taken as its mean n/d,
    so the share is m_k^2 + (m_k^2 - 1/d) / ``signal``, with m a random direction, signal (n - 1)c.
    """
    squares = np.random.default_rng(seed).standard_normal((ROTATIONS, d)) ** 2
    shares = squares / squares.sum(axis=1, keepdims=True) * (1 + 1 / signal) - 1 / d / signal
    return np.asarray(np.sort(shares, axis=1)[:, -k:].sum(axis=1))


def top_contribution_baseline(d: int, *, k: int = 1) -> float:
    """Mean of ``top_contribution`` where no dimension differs from the others, in [k/d, 1].

    Isotropic data around the origin have a mean cosine of 0, so the data are moved off it in a
    random direction m. The shares are then m_k^2, and the largest of d is far above 1/d (0.026
    against 0.0026 at d = 384). A Gaussian's length and direction are independent, so the mean of
    the k largest m_k^2 is that of the k largest of d squared normals, over d. That is the integral
    over t of E min(k, N), where N ~ Binomial(d, P(g^2 > t)) of them exceed t. Integrated by
    trapezoids, to 1e-5.
    Order statistics by their tails: David, Nagaraja 2003, section 3.1.
    """
    if not 1 <= k <= d:
        raise ValueError(f"k must lie between 1 and the d = {d} dimensions; got {k}")
    if k == d:
        return 1.0
    t = np.linspace(0, 10, 2001) ** 2  # P(g^2 > 100) = 1.5e-23 is negligible
    exceeding = sum(bdtrc(j, d, erfc(np.sqrt(t / 2))) for j in range(k))  # sum of P(N > j)
    return float(np.trapezoid(exceeding, t)) / d


def shares_of(by_dimension: np.ndarray) -> np.ndarray:
    """``cosine_contributions`` from ``cosine_parts`` (d,), which may be times any factor."""
    whole = float(by_dimension.sum())
    if abs(whole) <= 1e-12 * float(np.abs(by_dimension).sum()):
        raise UndefinedMeasure("no_mean_cosine")
    return np.asarray(by_dimension / whole)


def largest_share(shares: np.ndarray, k: int) -> float:
    """The sum of the k largest of the shares (d,)."""
    if not 1 <= k <= len(shares):
        raise ValueError(f"k must lie between 1 and the {len(shares)} dimensions; got {k}")
    return float(np.sort(shares)[-k:].sum())
