"""A cloud's covariance for charts: its spectrum, its matrix, its dimensions of most variance."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from ..linalg.moments import Moments
from ..linalg.rows import UndefinedMeasure, float_rows
from ..linalg.spectrum import eigvalsh_of_rank


@dataclass(frozen=True)
class Covariances:
    """The covariance (d, d) of ``n_rows`` rows, divided by n."""

    matrix: np.ndarray
    n_rows: int

    @classmethod
    def of(cls, X: np.ndarray, sample_weight: np.ndarray | None = None) -> Self:
        X = float_rows(X, at_least=2)
        return cls(Moments.of(X, sample_weight).covariance, len(X))

    @property
    def largest_deviation(self) -> float:
        """The largest |variance - 1| along any direction: the spectral norm of the matrix - I."""
        return float(np.linalg.norm(self.matrix - np.eye(len(self.matrix)), 2))

    @cached_property
    def spectrum(self) -> np.ndarray:
        """Eigenvalues (d,) over their mean, largest first; all 1 for an isotropic cloud."""
        values = eigvalsh_of_rank(self.matrix, self.n_rows)[::-1].clip(min=0.0)
        if values[0] == 0:
            raise UndefinedMeasure("no_spread")
        return np.asarray(values / values.mean())

    @property
    def cumulative(self) -> np.ndarray:
        """Share (d,) of the variance in the first 1, 2, … directions; the last is 1."""
        return np.cumsum(self.spectrum) / len(self.matrix)

    def widest(self, k: int) -> np.ndarray:
        """Indices of the k dimensions of largest variance, largest first."""
        return np.argsort(-np.diag(self.matrix), kind="stable")[:k]

    def among(self, dimensions: np.ndarray, *, correlation: bool = False) -> np.ndarray:
        """The matrix (k, k) of k dimensions: correlations, or parts of the mean variance."""
        part = self.matrix[np.ix_(dimensions, dimensions)]
        if not correlation:
            mean = float(np.trace(self.matrix)) / len(self.matrix)
            return part / mean if mean > 0 else part
        spread = np.sqrt(np.diag(part))
        scale = np.outer(spread, spread)
        found = np.divide(part, scale, out=np.zeros_like(part), where=scale > 0)
        return found.clip(-1.0, 1.0)  # rounding would leave 1.0000000000000002
