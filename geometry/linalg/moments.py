"""Mean, scatter and third and fourth moments of rows, block by block; where the rows lie.

A whitening needs only sums over rows. So two blocks merge exactly (Chan, Golub, LeVeque 1979), in
any order. The one-pass form X'X/n - mu mu' is not used: it loses all digits when the mean is long,
as in a narrow cone.
"""

from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Self

import numpy as np

from .products import sums_in_float32
from .rows import LARGEST, SMALLEST, UndefinedMeasure, count_distinct, refuse_not_finite, slices

BLOCK_ROWS = 8192  # rows in one centred float64 copy
# smaller float32 numbers have fewer digits than eps states; with larger ones a row's sums overflow
SMALLEST_32, LARGEST_32 = 1e-31, 1e36
# Limits of a ``Fingerprint``, measured on the 36 shipped clouds of 384 dimensions
# (tests/linalg/test_fingerprint.py). Held-out halves, topics that were left out of the fit and
# other corpora of the model and language are never far, and 3 of 3,600 single rows are. Vectors of
# other lengths, poolings, models and layers are, but for 7 of 1,292: layers 3 and 4, or 5 and 4, of
# MiniLM.
MOST_APART = 2.0  # deviations of a dimension
SAMPLING = 4.0  # standard errors, because the largest of all dimensions is compared
MOST_WIDER = 2.0  # times the spread
FLAT = 0.01  # share of the mean deviation that a dimension has at least


@dataclass(frozen=True)
class Moments:
    """Weighted moments of rows about their own mean, z = x - mean, float64."""

    n_rows: int  # with a weight above 0
    weight: float  # sum of the sample weights
    weight2: float  # sum of their squares
    mean: np.ndarray  # (d,)
    scatter: np.ndarray  # (d, d), sum w z z'
    cubic: np.ndarray  # (d,), sum w |z|^2 z
    quartic: float  # sum w |z|^4
    # different rows among n_rows, up to d + 2; None after a merge of blocks that may share rows
    n_distinct: int | None = None
    # (d, m) directions in which float32 products would hide the variance; None of float64 products
    weak: np.ndarray | None = None

    @classmethod
    def of(
        cls, X: np.ndarray, sample_weight: np.ndarray | None = None, *, like: Self | None = None
    ) -> Self:
        """Moments of one array X (n, d), by blocks of rows.

        ``like`` are moments of earlier rows of the same cloud. They halve the time, and change
        sums only by rounding. ValueError for NaN and infinity, and for numbers so large or small
        that their fourth powers leave float64, or that float32 loses digits.
        """
        with np.errstate(over="ignore", invalid="ignore"):  # the next lines raise instead
            found = cls.of_part(X, sample_weight, like)
            deviation = np.sqrt(np.diag(found.covariance).max())
        low, high = _range_of(X)
        # the rows are read again only if the sums leave a doubt
        if found.weight and not low <= np.max([np.abs(found.mean).max(), deviation]) <= high:
            refuse_not_finite(X)
            refuse_extreme(X if sample_weight is None else X[np.asarray(sample_weight) > 0])
        return found

    @classmethod
    def of_part(cls, X: np.ndarray, w: np.ndarray | None = None, like: Self | None = None) -> Self:
        """Like ``of``, without its check of the range, for a part of a cloud that passed it."""
        if not len(X):
            raise ValueError("moments need at least one row; got none")
        n = len(X)
        sums = None
        if w is None and X.dtype == np.float32:
            sums = sums_in_float32(X, None if like is None else like.weak)
        if sums is not None:
            found: Any = cls(n, n, n, **sums)
        else:
            blocks = slices(n, BLOCK_ROWS)
            parts = (_moments_of_block(X[rows], None if w is None else w[rows]) for rows in blocks)
            found = reduce(Moments.merge, parts)
        counted = X if w is None else X[np.asarray(w) > 0]
        return replace(found, n_distinct=count_distinct(counted, most=X.shape[1] + 2))

    def merge(self, other: Self) -> Self:
        weight = self.weight + other.weight
        if weight == 0:
            return self
        apart = other.mean - self.mean
        share = other.weight / weight
        cubic, quartic = self._about(apart * -share)
        other_cubic, other_quartic = other._about(apart * (1 - share))
        scatter = self.scatter + other.scatter
        scatter += np.outer(apart * (self.weight * share), apart)
        most = len(self.mean) + 2
        return replace(
            self,
            n_rows=self.n_rows + other.n_rows,
            weight=weight,
            weight2=self.weight2 + other.weight2,
            mean=self.mean + apart * share,
            scatter=scatter,
            cubic=cubic + other_cubic,
            quartic=quartic + other_quartic,
            n_distinct=most if most in (self.n_distinct, other.n_distinct) else None,
            weak=self.weak if other.weak is None else other.weak,
        )

    def _about(self, s: np.ndarray) -> tuple[np.ndarray, float]:
        """(cubic, quartic) about the centre mean - s: those of z + s."""
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


@dataclass(frozen=True)
class Fingerprint:
    """Mean, deviations and number of the rows of a fit."""

    mean: np.ndarray  # (d,) float64
    deviations: np.ndarray  # (d,), none below FLAT of their root mean square; 1 without spread
    n_rows: int

    @classmethod
    def of(cls, moments: Moments) -> Self | None:
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
        n = len(X)
        apart = np.zeros_like(self.mean)
        squared = 0.0
        for rows in slices(n, BLOCK_ROWS):
            Z = X[rows] - self.mean
            apart += Z.sum(axis=0) / n
            squared += float(np.vdot(Z, Z)) / n
        farthest = np.abs(apart / self.deviations).max()
        limit = MOST_APART + SAMPLING * np.sqrt(1 / self.n_rows + 1 / n)
        wider = np.sqrt(squared / np.sum(self.deviations**2))
        return bool(farthest > limit or not 1 / MOST_WIDER <= wider <= MOST_WIDER)


def ledoit_wolf(moments: Moments) -> float:
    """Shrinkage in [0, 1] of the covariance towards the mean variance times I.

    As scikit-learn's ``ledoit_wolf_shrinkage`` (Ledoit, Wolf 2004, section 3). With weights, n is
    Kish's effective size (sum w)^2 / sum w^2.
    """
    d = len(moments.mean)
    S = moments.covariance
    if d == 1:
        return 0.0
    effective_n = moments.weight**2 / moments.weight2
    norm2 = float(np.sum(S * S))
    distance = norm2 - float(np.trace(S)) ** 2 / d  # d * delta^2
    noise = (moments.quartic / moments.weight - norm2) / effective_n  # d * beta^2
    return 0.0 if distance <= 0 else float(min(max(noise, 0.0), distance) / distance)


def refuse_extreme(X: np.ndarray) -> None:
    """UndefinedMeasure "extreme_size" if the numbers of X (n, d) are too large or too small."""
    low, high = _range_of(X)
    peak = max(float(X.max()), -float(X.min()))
    if peak != 0 and not low <= peak <= high:
        raise UndefinedMeasure(
            "extreme_size", largest=f"{peak:.2g}", dtype=str(X.dtype), low=low, high=high
        )


def _range_of(X: np.ndarray) -> tuple[float, float]:
    return (SMALLEST_32, LARGEST_32) if X.dtype == np.float32 else (SMALLEST, LARGEST)


def _moments_of_block(X: np.ndarray, w: np.ndarray | None) -> Moments:
    # float64 throughout: a float32 product has noise of about 1e-7 of the largest eigenvalue,
    # which gives null directions a variance (300 points in 384 dimensions: rank 340, not 299)
    Z = X.astype(np.float64)  # (n, d), a copy
    row_weight = np.ones(len(Z)) if w is None else np.asarray(w, dtype=np.float64)
    weight = float(row_weight.sum())
    mean = np.zeros(Z.shape[1])
    if weight > 0:
        for _ in range(2):  # after one pass, rounding gives a constant column a variance
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
        scatter=Z.T @ Z,  # BLAS computes half of it, because both factors are one array
        cubic=cubic,
        quartic=float(row_weight @ squared**2),
    )
