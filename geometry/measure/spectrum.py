"""Unequal axes: how variance, second moment or sum exp(c'x) depend on direction or coordinate."""

import numpy as np

from ..linalg.rows import UndefinedMeasure, directions, finite_rows, in_range, need_whole
from ..linalg.spectrum import eigh_of_rank


def participation_ratio(X: np.ndarray, *, centred: bool = True) -> float:
    """(sum lambda)^2 / sum lambda^2 over covariance eigenvalues, in [1, min(n - 1, d)].

    Computed as tr(C)^2 / |C|_F^2, which needs no eigenvalues. Not ``centred``, it is that of the
    second moment E[x x'] instead of the covariance.
    """
    return participation(_second_moment(X, centred=centred))


def participation(C: np.ndarray) -> float:
    """``participation_ratio`` from a covariance or second moment C (d, d)."""
    norm2 = float(np.sum(C * C))
    if norm2 == 0:
        raise UndefinedMeasure("no_spread")
    return float(np.trace(C)) ** 2 / norm2


def participation_baseline(n: int, d: int) -> float:
    """``participation_ratio`` of n >= 2 isotropic Gaussian rows in d dimensions.

    (m d + 2) / (m + d + 1), m = n - 1, which tends to d / (1 + d/n). The scatter S about the mean
    is Wishart: E tr(S)^2 = m d (m d + 2) and E tr(S^2) = m d (m + d + 1). The mean of the inverse
    ratio, tr(S^2) / tr(S)^2, is exactly their quotient; that of the ratio itself differs by 4% at
    most where n and d are below 10, else by less than 1%. John 1972, "The distribution of a
    statistic used for testing sphericity" (the inverse).
    """
    need_whole("n", n, at_least=2)
    need_whole("d", d, at_least=1)
    return (n * d - d + 2) / (n + d)


def isoscore(X: np.ndarray) -> float:
    """IsoScore in [0, 1]: how equal the variances along the axes are; 1 is isotropic.

    (PR - 1) / (d - 1) with PR = tr(C)^2 / |C|_F^2 is the published algorithm in closed form. It is
    an affine function of the participation ratio, so the two are one piece of evidence. It does
    not depend on the mean, so it does not show a cone made by a shift. Finite samples bias it
    downwards: compare with ``isoscore_baseline(n, d)``.
    Rudman et al. 2022, Algorithm 1.
    """
    d = np.shape(X)[1] if np.ndim(X) == 2 else 0
    if d < 2:
        raise UndefinedMeasure("one_column", shape=str(np.shape(X)))
    return (participation_ratio(X) - 1) / (d - 1)


def isoscore_baseline(n: int, d: int) -> float:
    """``isoscore`` of n >= 2 isotropic Gaussian rows in d >= 2 dimensions.

    (PR - 1) / (d - 1) of ``participation_baseline``, which is (n - 2) / (n + d): 0 at n = 2, 0.5645
    at n = 1000 and d = 768.
    """
    need_whole("n", n, at_least=2)
    need_whole("d", d, at_least=2)
    return (n - 2) / (n + d)


def effective_rank(X: np.ndarray, *, centred: bool = True) -> float:
    """exp of the entropy of sigma / sum sigma, in [1, min(n, d)].

    sigma are the *singular values* of the rows, not the covariance's eigenvalues. It grows with n
    until n is far above d, so compare clouds of one size only. Centring changes it greatly, so
    report it: a narrow cone has a small uncentred one. Roy, Vetterli 2007, definition 1.
    """
    return rank_of_spectrum(np.linalg.eigvalsh(_second_moment(X, centred=centred)))


def rank_of_spectrum(eigenvalues: np.ndarray) -> float:
    """``effective_rank`` from the eigenvalues (d,) of the (second) moment, in any order."""
    return float(np.exp(_entropy(np.sqrt(_above_rounding(eigenvalues)))))


def spectral_entropy(eigenvalues: np.ndarray) -> float:
    """Entropy of lambda / sum lambda over log d, in [0, 1]; 1 where all d are equal."""
    d = len(eigenvalues)
    if d < 2:
        raise UndefinedMeasure("one_dimension", d=d)
    return _entropy(_above_rounding(eigenvalues)) / float(np.log(d))


def _entropy(sizes: np.ndarray) -> float:
    """Of sizes above 0, over their sum."""
    if len(sizes) == 0:
        raise UndefinedMeasure("no_spread")
    p = sizes / sizes.sum()
    return float(-np.sum(p * np.log(p)))


def partition_isotropy(X: np.ndarray, *, scale: str = "raw") -> float:
    """min over max of Z(c) = sum_i exp(c'x_i), in [0, 1]; 1 is isotropic.

    c runs over the eigenvectors of X'X *with both signs*: an eigenvector's sign is arbitrary, and
    Z(-c) is not Z(c). Computed in logarithms, so that long rows cannot overflow; a value below
    1e-308 is 0. Where eigenvalues of X'X are equal (a cloud whitened on itself), any basis of their
    span is a set of eigenvectors. The value then depends a little on the solver's choice.

    It depends on scale: long rows make any cloud look less isotropic, so choose equal scales before
    you compare two clouds. "raw" takes the rows as they are (as published), "rms" divides all by
    their root mean square length, "unit" divides each by its own length.

    Arora et al. 2016, section 2; Mu, Viswanath 2018, equation 2.
    """
    if scale not in ("raw", "rms", "unit"):
        raise ValueError(f"scale must be one of raw, rms, unit; got {scale!r}")
    X = finite_rows(X, at_least=1)
    if not X.any():
        raise UndefinedMeasure("all_zero")
    if scale == "unit":
        X = directions(X)
    elif scale == "rms":
        X = in_range(X)
        X = X / np.sqrt(np.einsum("nd,nd->", X, X) / len(X))
    small = in_range(X)
    return min_over_max(X @ eigh_of_rank(small.T @ small, len(X))[1])


def min_over_max(P: np.ndarray) -> float:
    """min over max of sum_i exp(+-p_ij) over the columns j of P (n, k) and both signs."""
    log_sums = np.concatenate([_log_sum_exp(P), _log_sum_exp(-P)])
    with np.errstate(under="ignore"):
        return float(np.exp(log_sums.min() - log_sums.max()))


def _log_sum_exp(P: np.ndarray) -> np.ndarray:
    peak = P.max(axis=0)
    Q = P - peak
    with np.errstate(under="ignore"):
        np.exp(Q, out=Q)
    return np.asarray(np.log(Q.sum(axis=0, dtype=np.float64)) + peak.astype(np.float64))


def centred_rows(X: np.ndarray) -> np.ndarray:
    """Rows of X (n, d) float64 minus their mean; exactly zero where only rounding remains."""
    length2 = float(np.einsum("nd,nd->", X, X))
    for _ in range(2):  # once would give equal rows a variance, from the rounding of the sum
        X = X - X.mean(axis=0)
    if float(np.einsum("nd,nd->", X, X)) <= (4 * np.finfo(np.float64).eps) ** 2 * length2:
        return np.zeros_like(X)
    return X


def _second_moment(X: np.ndarray, *, centred: bool) -> np.ndarray:
    X = in_range(finite_rows(X, at_least=2))
    if centred:
        X = centred_rows(X)
    return X.T @ X / len(X)


def _above_rounding(eigenvalues: np.ndarray) -> np.ndarray:
    values = eigenvalues.clip(min=0.0)
    return values[values > values.max() * len(values) * np.finfo(np.float64).eps]


def widest_variance(X: np.ndarray) -> float:
    """Variance of the dimension that varies most, divided by the mean variance, in [1, d]."""
    variances = finite_rows(X, at_least=2).var(axis=0)
    if not variances.any():
        raise UndefinedMeasure("no_spread")
    return float(variances.max() / variances.mean())


def mean_absolute_correlation(X: np.ndarray) -> float:
    """Mean of |r| over all pairs of different dimensions that vary, in [0, 1]."""
    X = finite_rows(X, at_least=2)
    X = X - X.mean(axis=0)
    lengths = np.linalg.norm(X, axis=0)
    Z = X[:, lengths > 0] / lengths[lengths > 0]
    d = Z.shape[1]
    if d < 2:
        raise UndefinedMeasure("one_dimension", d=d)
    return float((np.abs(Z.T @ Z).sum() - d) / (d * (d - 1)))


def independent_correlation(n: int) -> float:
    """Expected |r| of two independent dimensions in n rows, where r has the variance 1/(n - 1)."""
    return float(np.sqrt(2 / (np.pi * (n - 1))))


def mean_kurtosis(Z: np.ndarray) -> float:
    """The mean excess kurtosis of the columns of Z (n, k); 0 for a normal distribution."""
    from scipy.stats import kurtosis  # takes a second to import

    return float(np.mean(kurtosis(Z)))


def mean_skewness(Z: np.ndarray) -> float:
    """The mean of the absolute skewness of the columns of Z (n, k); 0 for a symmetric one."""
    from scipy.stats import skew

    return float(np.mean(np.abs(skew(Z))))
