"""The coordinates of a cloud: unequal axes, correlations, and how far axes are from normal ones."""

import numpy as np

from ..linalg.rows import UndefinedMeasure, finite_rows


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
    return float(np.mean(np.mean(_standard(Z) ** 4, axis=0) - 3))


def mean_skewness(Z: np.ndarray) -> float:
    """The mean of the absolute skewness of the columns of Z (n, k); 0 for a symmetric one."""
    return float(np.mean(np.abs(np.mean(_standard(Z) ** 3, axis=0))))


def _standard(Z: np.ndarray) -> np.ndarray:
    Z = np.asarray(Z, dtype=np.float64)
    return (Z - Z.mean(axis=0)) / Z.std(axis=0)
