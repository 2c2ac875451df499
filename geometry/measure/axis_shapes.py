"""How far the columns of a cloud are from a normal distribution: signs of axes with a meaning."""

from __future__ import annotations

import numpy as np


def mean_kurtosis(Z: np.ndarray) -> float:
    """The mean excess kurtosis of the columns of Z (n, k); 0 for a normal distribution."""
    return float(np.mean(np.mean(_standard(Z) ** 4, axis=0) - 3))


def mean_skewness(Z: np.ndarray) -> float:
    """The mean of the absolute skewness of the columns of Z (n, k); 0 for a symmetric one."""
    return float(np.mean(np.abs(np.mean(_standard(Z) ** 3, axis=0))))


def _standard(Z: np.ndarray) -> np.ndarray:
    Z = np.asarray(Z, dtype=np.float64)
    return (Z - Z.mean(axis=0)) / Z.std(axis=0)
