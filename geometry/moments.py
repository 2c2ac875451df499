"""Mean, scatter and the Ledoit-Wolf statistics of rows seen block by block.

Everything a whitening needs is a sum over rows, so two blocks merge exactly
(Chan, Golub, LeVeque 1979) and the order of blocks does not matter. The one-pass
form X'X/n - mu mu' is avoided on purpose: it cancels catastrophically when the mean
is long, which is just what a narrow cone is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

BLOCK_ROWS = 8192  # rows whose centred copy is held at a time


@dataclass(frozen=True)
class Moments:
    """Weighted moments of rows about their own mean.

    n_rows : rows seen.   weight, weight2 : sum of the sample weights and of their squares.
    mean (d,), scatter (d, d) = sum w z z', cubic (d,) = sum w |z|^2 z and
    quartic = sum w |z|^4, where z = x - mean; all float64.
    """

    n_rows: int
    weight: float
    weight2: float
    mean: np.ndarray
    scatter: np.ndarray
    cubic: np.ndarray
    quartic: float

    @classmethod
    def of(cls, X: np.ndarray, sample_weight: np.ndarray | None = None) -> Moments:
        """Moments of one array X (n, d), taken in blocks of BLOCK_ROWS rows."""
        total: Moments | None = None
        for start in range(0, len(X), BLOCK_ROWS):
            rows = slice(start, start + BLOCK_ROWS)
            weights = None if sample_weight is None else sample_weight[rows]
            part = _moments_of_block(X[rows], weights)
            total = part if total is None else total.merge(part)
        if total is None:
            raise ValueError("moments need at least one row; got none")
        return total

    def merge(self, other: Moments) -> Moments:
        """The moments of both sets of rows together, exactly."""
        weight = self.weight + other.weight
        if weight == 0:
            return self
        mean = self.mean + (other.mean - self.mean) * (other.weight / weight)
        a, b = self._about(mean), other._about(mean)
        return Moments(
            n_rows=self.n_rows + other.n_rows,
            weight=weight,
            weight2=self.weight2 + other.weight2,
            mean=mean,
            scatter=a[0] + b[0],
            cubic=a[1] + b[1],
            quartic=a[2] + b[2],
        )

    def _about(self, centre: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """(scatter, cubic, quartic) about another centre; z + s with s = mean - centre."""
        s = self.mean - centre
        ss = float(s @ s)
        Ss = self.scatter @ s  # (d,)
        trace = float(np.trace(self.scatter))
        scatter = self.scatter + self.weight * np.outer(s, s)
        cubic = self.cubic + 2 * Ss + (trace + self.weight * ss) * s
        quartic = (
            self.quartic
            + 4 * float(self.cubic @ s)
            + 4 * float(s @ Ss)
            + 2 * ss * trace
            + self.weight * ss**2
        )
        return scatter, cubic, quartic

    @property
    def covariance(self) -> np.ndarray:
        """(d, d) scatter / sum of weights (never sum of weights - 1: Zipf weights sum to 1)."""
        return self.scatter / self.weight

    def ledoit_wolf(self) -> float:
        """Shrinkage in [0, 1] towards the mean variance times I.

        Ledoit, Wolf 2004, section 3; the same number as scikit-learn's ``ledoit_wolf_shrinkage``,
        here from mergeable sums. With weights, n is Kish's effective size (sum w)^2 / sum w^2.
        """
        d = len(self.mean)
        S = self.covariance
        if d == 1:
            return 0.0
        effective_n = self.weight**2 / self.weight2
        norm2 = float(np.sum(S * S))
        distance = norm2 - float(np.trace(S)) ** 2 / d  # d * delta^2
        noise = (self.quartic / self.weight - norm2) / effective_n  # d * beta^2
        return 0.0 if distance <= 0 else float(min(max(noise, 0.0), distance) / distance)


def _moments_of_block(X: np.ndarray, w: np.ndarray | None) -> Moments:
    # float64 throughout: a float32 product leaves noise of about 1e-7 of the largest eigenvalue,
    # which makes null directions look alive (300 points in 384 dimensions: rank 340, not 299)
    Z = X.astype(np.float64)  # (n, d), a copy
    row_weight = np.ones(len(Z)) if w is None else np.asarray(w, dtype=np.float64)
    weight = float(row_weight.sum())
    mean = np.zeros(Z.shape[1])
    if weight > 0:
        for _ in range(2):  # the sum's own rounding would give a constant column a variance
            shift = row_weight @ Z / weight
            mean += shift
            Z -= shift
    squared = np.einsum("nd,nd->n", Z, Z)  # (n,)
    scatter = (Z if w is None else Z * row_weight[:, None]).T @ Z
    return Moments(
        n_rows=len(Z),
        weight=weight,
        weight2=float(row_weight @ row_weight),
        mean=mean,
        scatter=(scatter + scatter.T) / 2,
        cubic=(row_weight * squared) @ Z,
        quartic=float(row_weight @ squared**2),
    )
