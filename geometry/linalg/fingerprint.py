"""Where the rows of a fit lie, to notice rows of another cloud before a map is applied to them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .moments import BLOCK_ROWS, Moments

# Measured on the 36 shipped clouds of 384 dimensions (tests/linalg/test_fingerprint.py). Held-out
# halves, topics that were left out of the fit and other corpora of the model and language are never
# far, and 3 of 3,600 single rows are. Vectors of other lengths, poolings, models and layers are,
# but for 7 of 1,292: layers 3 and 4, or 5 and 4, of MiniLM.
MOST_APART = 2.0  # deviations of a dimension
SAMPLING = 4.0  # standard errors, because the largest of all dimensions is compared
MOST_WIDER = 2.0  # times the spread
FLAT = 0.01  # share of the mean deviation that a dimension has at least


@dataclass(frozen=True)
class Fingerprint:
    """Mean, deviations and number of the rows of a fit."""

    mean: np.ndarray  # (d,) float64
    deviations: np.ndarray  # (d,), none below FLAT of their root mean square; 1 without spread
    n_rows: int

    @classmethod
    def of(cls, moments: Moments) -> Fingerprint | None:
        """That of unweighted rows; None for weighted ones, whose mean is not that of the rows."""
        if moments.weight != moments.n_rows:
            return None
        variances = np.diag(moments.covariance)
        least = FLAT**2 * variances.mean() or 1.0
        return cls(moments.mean, np.sqrt(np.maximum(variances, least)), moments.n_rows)

    def is_far(self, X: np.ndarray) -> bool:
        """Whether rows X (n, d), n >= 1, are of another cloud than the fit.

        In some dimension their mean is more than MOST_APART deviations from that of the fit, beside
        SAMPLING standard errors, or their root mean square distance from it is MOST_WIDER times
        that of the fit, or its inverse.
        """
        n, apart, squared = len(X), np.zeros_like(self.mean), 0.0
        for start in range(0, n, BLOCK_ROWS):
            Z = X[start : start + BLOCK_ROWS] - self.mean
            apart += Z.sum(axis=0) / n
            squared += float(np.vdot(Z, Z)) / n
        farthest = np.abs(apart / self.deviations).max()
        limit = MOST_APART + SAMPLING * np.sqrt(1 / self.n_rows + 1 / n)
        wider = np.sqrt(squared / np.sum(self.deviations**2))
        return bool(farthest > limit or not 1 / MOST_WIDER <= wider <= MOST_WIDER)
