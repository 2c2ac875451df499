"""What a measure is without each row in turn, in closed form: the full jackknife of a table.

A variance of ten groups has nine degrees of freedom, and a lucky interval is half as wide as it
should be; of n rows it hardly moves. Efron, Stein 1981.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .shared import Shared

LEAST_LEFT = 1e-9  # of the scatter without a row: below that, what is left is rounding


def _mean_cosine(shared: Shared) -> np.ndarray:
    n, total = shared.n, shared.unit_sums.sum(axis=0)
    squares = total @ total - 2 * (shared.unit @ total) + 1  # |sum - u_i|^2
    return np.asarray((squares - (n - 1)) / ((n - 1) * (n - 2)))


def _mean_norm_share(shared: Shared) -> np.ndarray:
    n, total, squares = shared.n, shared.n * shared.mean, shared.squares
    of_sum = total @ total - 2 * (shared.X @ total) + squares  # |sum - x_i|^2
    return np.asarray(of_sum / ((n - 1) * (squares.sum() - squares)))


def _participation_ratio(shared: Shared) -> np.ndarray:
    """Without row i the scatter is S - n/(n - 1) z z', z the row about the mean of all."""
    Z, S, c = shared.centred, shared.scatter, shared.n / (shared.n - 1)
    lengths = np.einsum("nd,nd->n", Z, Z)
    trace = np.trace(S) - c * lengths
    trace[trace <= LEAST_LEFT * np.trace(S)] = np.nan
    along = np.einsum("nd,nd->n", Z @ S, Z)
    return np.asarray(trace**2 / (np.vdot(S, S) - 2 * c * along + (c * lengths) ** 2))


def _isoscore(shared: Shared) -> np.ndarray:
    return (_participation_ratio(shared) - 1) / (shared.d - 1)


def _positive_cosine_share(shared: Shared) -> np.ndarray:
    return _pair_mean(shared.pairs.positive_by_row)


def _uniformity(shared: Shared) -> np.ndarray:
    return np.asarray(np.log1p(_pair_mean(shared.pairs.kernel_by_row)))


def _pair_mean(by_row: np.ndarray) -> np.ndarray:
    """Means over the ordered pairs left, from the sums of each row to all others."""
    n = len(by_row)
    return (by_row.sum() - 2 * by_row) / ((n - 1) * (n - 2))


WITHOUT_EACH: dict[str, Callable[[Shared], np.ndarray]] = {
    "mean_cosine": _mean_cosine,
    "positive_cosine_share": _positive_cosine_share,
    "mean_norm_share": _mean_norm_share,
    "isoscore": _isoscore,
    "participation_ratio": _participation_ratio,
    "uniformity": _uniformity,
}


def without_each(name: str, shared: Shared) -> np.ndarray | None:
    """(n,) values of a measure of WITHOUT_EACH; None where it has none without some row."""
    with np.errstate(divide="ignore", invalid="ignore"):
        values = WITHOUT_EACH[name](shared)
    return values if np.isfinite(values).all() else None
