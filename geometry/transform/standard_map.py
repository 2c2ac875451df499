"""Standardising without scikit-learn's ``StandardScaler``, whose import takes longer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..linalg.fingerprint import Fingerprint
from ..linalg.moments import Moments
from ..linalg.rows import wide_rows
from ..linalg.spectrum import column_scales


@dataclass(frozen=True)
class StandardMap:
    """z = (x - mean) / scale, dimension by dimension: mean 0 and variance 1 (divided by n).

    It reduces rogue dimensions and does not change correlations (Timkey, van Schijndel 2021, "All
    Bark and No Bite").
    """

    mean: np.ndarray  #: (d,)
    #: (d,) deviations; the largest of them for dimensions without spread, so that new rows do not
    #: depend on the unit. Unlike in ``StandardScaler``, these include dimensions whose spread is
    #: the rounding of float32 data.
    scale: np.ndarray
    n_rows: int  #: of the fit
    fingerprint: Fingerprint | None = None  #: where they lie

    @classmethod
    def solve(cls, moments: Moments, *, eps: float) -> StandardMap:
        """The map of these moments; ``eps`` is the precision of the data they came from."""
        variances = np.diag(moments.covariance)
        # rounding moves an entry by about eps times its size; that is not spread
        alive = variances > (2 * eps * moments.mean) ** 2
        scale = column_scales(variances, alive)
        return cls(moments.mean, scale, moments.n_rows, Fingerprint.of(moments))

    def apply(self, X: np.ndarray) -> np.ndarray:
        """(n, d) to (n, d), float32 and float64 in their own precision, all else in float64."""
        X = wide_rows(X, len(self.mean))
        return (X - self.mean.astype(X.dtype)) / self.scale.astype(X.dtype)

    @property
    def affine(self) -> tuple[np.ndarray, np.ndarray, dict[str, object]]:
        """(offset (d,), matrix (d, d), settings) of z = (x - offset) matrix."""
        return self.mean, np.diag(1 / self.scale), {"method": "standardising"}
