"""Unequal axes: how the variance, or the second moment, is spread over directions."""

import numpy as np

from ..linalg.rows import UndefinedMeasure, finite_rows, in_range, need_whole


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
    sigma = np.sqrt(_above_rounding(eigenvalues))
    if len(sigma) == 0:
        raise UndefinedMeasure("no_spread")
    p = sigma / sigma.sum()
    return float(np.exp(-np.sum(p * np.log(p))))


def spectral_entropy(eigenvalues: np.ndarray) -> float:
    """Entropy of lambda / sum lambda over log d, in [0, 1]; 1 where all d are equal."""
    d = len(eigenvalues)
    if d < 2:
        raise UndefinedMeasure("one_dimension", d=d)
    values = _above_rounding(eigenvalues)
    if len(values) == 0:
        raise UndefinedMeasure("no_spread")
    p = values / values.sum()
    return float(-np.sum(p * np.log(p)) / np.log(d))


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
