"""Two causes of anisotropy besides a shift, seen in the coordinates: unequal axes, correlations."""

from __future__ import annotations

import numpy as np

from ..linalg.rows import UndefinedMeasure, finite_rows


def widest_variance(X: np.ndarray) -> float:
    """Variance of the dimension that varies most, divided by the mean variance, in [1, d].

    It is 1 where all dimensions vary alike. Standardising makes it 1; a shift does not change it.
    """
    variances = finite_rows(X, at_least=2).var(axis=0)
    if not variances.any():
        raise UndefinedMeasure("no_spread")
    return float(variances.max() / variances.mean())


def mean_absolute_correlation(X: np.ndarray) -> float:
    """Mean of |r| over all pairs of different dimensions, in [0, 1].

    Neither a shift nor standardising changes it. Dimensions that do not vary are left out. For n
    rows with independent dimensions it is about ``independent_correlation(n)``.
    """
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
