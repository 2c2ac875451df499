"""The axes of ``project`` from sums over rows, for clouds of more rows than memory holds."""

from __future__ import annotations

import numpy as np

from ..measure.cone import direction_of
from .projection import _leading, _signed


def moment_axes(
    method: str, mean: np.ndarray, second: np.ndarray, n_components: int
) -> tuple[np.ndarray, np.ndarray]:
    """(axes (k, d), centre (d,)) of "svd", "pca" or "mean", as ``project`` takes them.

    Parameters
    ----------
    method : str
    mean : (d,) array
    second : (d, d) array
        E[x x'], not about the mean.
    n_components : int
        k.
    """
    covariance, zero = second - np.outer(mean, mean), np.zeros(len(mean))
    if method == "pca":
        return _leading(covariance, n_components), mean
    if method == "svd":
        axes = _leading(second, n_components)
        axes[0] *= -1.0 if axes[0] @ mean < 0 else 1.0
        return axes, zero
    direction = direction_of(mean, float(np.trace(second)))
    B = np.linalg.qr(direction[:, None], mode="complete")[0][:, 1:]  # (d, d - 1)
    rest = _signed(_leading(B.T @ covariance @ B, n_components - 1) @ B.T)
    return np.vstack([direction, rest]), zero
