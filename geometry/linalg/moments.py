"""Mean, scatter and the Ledoit-Wolf statistics of rows seen block by block.

Everything a whitening needs is a sum over rows, so two blocks merge exactly
(Chan, Golub, LeVeque 1979) and the order of blocks does not matter. The one-pass
form X'X/n - mu mu' is avoided on purpose: it cancels catastrophically when the mean
is long, which is just what a narrow cone is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .products import sums_in_float32
from .rows import LARGEST, SMALLEST, count_distinct, refuse_not_finite

BLOCK_ROWS = 8192  # rows whose centred copy is held at a time
# float32 below this lacks digits that its eps promises, and above it a row's own sums overflow
SMALLEST_32, LARGEST_32 = 1e-31, 1e36


@dataclass(frozen=True)
class Moments:
    """Weighted moments of rows about their own mean.

    n_rows : rows seen with a weight above 0.   weight, weight2 : sum of the sample weights and of
    their squares.   mean (d,), scatter (d, d) = sum w z z', cubic (d,) = sum w |z|^2 z and
    quartic = sum w |z|^4, where z = x - mean; all float64.
    weak (d, m) : directions in which float32 products would not do, None where not yet asked.
    n_distinct : rows among n_rows that differ, counted up to d + 2; None where blocks were merged
    that may share some.
    """

    n_rows: int
    weight: float
    weight2: float
    mean: np.ndarray
    scatter: np.ndarray
    cubic: np.ndarray
    quartic: float
    n_distinct: int | None = None

    @classmethod
    def of(cls, X: np.ndarray, sample_weight: np.ndarray | None = None) -> Moments:
        """Moments of one array X (n, d), taken in blocks of BLOCK_ROWS rows.

        like : moments of other rows of the same kind, which spare many float32 rows a probe.
        Raises ValueError for numbers so large or small that fourth powers leave float64, or that
        float32 cannot hold in full, and naming the first row that holds NaN or infinity.
        """
        with np.errstate(over="ignore", invalid="ignore"):  # told at once
            found = cls.of_part(X, sample_weight)
        _refuse_extreme(found, X, sample_weight)
        return found

    @classmethod
    def of_part(cls, X: np.ndarray, sample_weight: np.ndarray | None = None) -> Moments:
        """The same of some rows out of a cloud that passed as a whole: of any size."""
        if not len(X):
            raise ValueError("moments need at least one row; got none")
        found = _of_float32(X) if sample_weight is None and X.dtype == np.float32 else None
        found = found or _of_blocks(X, sample_weight)
        seen = X if sample_weight is None else X[np.asarray(sample_weight) > 0]
        return replace(found, n_distinct=count_distinct(seen, most=X.shape[1] + 2))

    def merge(self, other: Moments) -> Moments:
        """The moments of both sets of rows together, exactly."""
        weight = self.weight + other.weight
        if weight == 0:
            return self
        apart = other.mean - self.mean
        share = other.weight / weight
        a, b = self._about(apart * -share), other._about(apart * (1 - share))
        scatter = self.scatter + other.scatter
        scatter += np.outer(apart * (self.weight * share), apart)
        return Moments(
            n_rows=self.n_rows + other.n_rows,
            weight=weight,
            weight2=self.weight2 + other.weight2,
            mean=self.mean + apart * share,
            scatter=scatter,
            cubic=a[0] + b[0],
            quartic=a[1] + b[1],
            n_distinct=self._distinct_with(other),
        )

    def _distinct_with(self, other: Moments) -> int | None:
        most = len(self.mean) + 2
        return most if most in (self.n_distinct, other.n_distinct) else None

    def _about(self, s: np.ndarray) -> tuple[np.ndarray, float]:
        """(cubic, quartic) of z + s: about another centre, mean - s."""
        ss = float(s @ s)
        Ss = self.scatter @ s  # (d,)
        trace = float(np.trace(self.scatter))
        cubic = self.cubic + 2 * Ss + (trace + self.weight * ss) * s
        quartic = (
            self.quartic
            + 4 * float(self.cubic @ s)
            + 4 * float(s @ Ss)
            + 2 * ss * trace
            + self.weight * ss**2
        )
        return cubic, quartic

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


def _refuse_extreme(found: Moments, X: np.ndarray, w: np.ndarray | None) -> None:
    """The sums tell of nearly every cloud that it is neither too large nor too small; only where
    they do not, the rows are looked at again."""
    single = X.dtype == np.float32
    low, high = (SMALLEST_32, LARGEST_32) if single else (SMALLEST, LARGEST)
    if found.weight == 0:
        return
    variances = np.diag(found.scatter) / found.weight
    if low <= np.max([np.abs(found.mean).max(), np.sqrt(variances.max())]) <= high:
        return
    refuse_not_finite(X)
    seen = X if w is None else X[np.asarray(w) > 0]
    peak = max(float(seen.max()), -float(seen.min()))
    if peak != 0 and not low <= peak <= high:
        raise ValueError(
            f"the largest magnitude in the rows is {peak:.2g}; {X.dtype} needs one from {low:g} to "
            f"{high:g}: multiply all rows by one number, which changes no cosine"
        )


def _of_float32(X: np.ndarray) -> Moments | None:
    sums = sums_in_float32(X)
    if sums is None:
        return None
    n = len(X)
    return Moments(n, n, n, sums.mean, sums.scatter, sums.cubic, sums.quartic)


def _of_blocks(X: np.ndarray, w: np.ndarray | None) -> Moments:
    blocks = (slice(start, start + BLOCK_ROWS) for start in range(0, len(X), BLOCK_ROWS))
    parts = (_moments_of_block(X[rows], None if w is None else w[rows]) for rows in blocks)
    total = next(parts)
    for part in parts:
        total = total.merge(part)
    return total


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
    cubic = (row_weight * squared) @ Z
    if w is not None:
        Z *= np.sqrt(row_weight)[:, None]
    return Moments(
        n_rows=int(np.count_nonzero(row_weight)),
        weight=weight,
        weight2=float(row_weight @ row_weight),
        mean=mean,
        scatter=Z.T @ Z,  # of one array with itself: BLAS does half the work, and it is symmetric
        cubic=cubic,
        quartic=float(row_weight @ squared**2),
    )
