"""Directions and variances of a cloud, from its moments: every whitening scales by them.

The eigenproblems of the covariance and of the correlation matrix are solved at first use.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from .moments import Moments
from .rows import UndefinedMeasure, float_rows

TIE = 1e-8  # entries of a direction that differ by less are equal up to rounding
WIDE = 1024  # dimensions from which a low rank saves more than a second
SPARE = 8  # random directions more than the rank, so that no direction of the range is missed


@dataclass(frozen=True)
class PrincipalAxes:
    """Sigma = D^(1/2) V diag(values) V' D^(1/2), with D = I for the covariance's own axes."""

    values: np.ndarray  # (d,), largest first
    vectors: np.ndarray  # (d, d), columns V, largest-magnitude entry positive
    deviations: np.ndarray  # (d,), the diagonal of D^(1/2)
    floor: float  # at or below it, a direction is noise; that of nearly constant columns is lowered
    rank: int  # number of values of the sample above the floor


@dataclass(frozen=True)
class Spectrum:
    """Moments and the axes of their covariance; ``eps`` is the precision of the data."""

    moments: Moments
    eps: float

    @cached_property
    def covariance_axes(self) -> PrincipalAxes:
        values, V = _eigh(self.moments.covariance, self.moments.n_rows)
        d = len(values)
        mean_norm2 = float(self.moments.mean @ self.moments.mean)
        floor = rank_floor(values[0], mean_norm2, d, self.eps)
        return PrincipalAxes(values, V, np.ones(d), floor, int(np.sum(values > floor)))

    @cached_property
    def correlation_axes(self) -> PrincipalAxes:
        return self._correlation_axes(0.0)

    def shrunk(self, shrinkage: float, *, correlation: bool) -> PrincipalAxes:
        """Axes of (1 - a) Sigma + a (tr Sigma / d) I; ``rank`` stays that of the sample.

        Shrinkage changes the directions of the correlation matrix only, by the diagonal of Sigma.
        """
        sample = self.correlation_axes if correlation else self.covariance_axes
        if shrinkage == 0:
            return sample
        if correlation:
            return replace(self._correlation_axes(shrinkage), rank=sample.rank)
        values = (1 - shrinkage) * sample.values + shrinkage * sample.values.mean()
        return replace(sample, values=values)

    def covariance(self, shrinkage: float) -> np.ndarray:
        """(d, d) (1 - a) Sigma + a (tr Sigma / d) I."""
        S = (1 - shrinkage) * self.moments.covariance
        S.flat[:: len(S) + 1] += shrinkage * np.trace(self.moments.covariance) / len(S)
        return S

    def _correlation_axes(self, shrinkage: float) -> PrincipalAxes:
        S = self.covariance(shrinkage)
        mean = self.moments.mean
        variances = np.diag(S)
        # a column that is constant up to rounding has no correlation
        alive = variances > 4 * self.eps**2 * mean**2
        deviations = column_scales(variances, alive)
        P = S / np.outer(deviations, deviations) * np.outer(alive, alive)
        values, V = _eigh(P, self.moments.n_rows if shrinkage == 0 else len(P))
        # rounding of column j, with mean m_j in deviations, adds (2 eps m_j)^2 g_j^2 to the
        # variance along g: much if j is nearly constant and g is mostly j, else next to nothing
        scaled = np.where(alive, mean / deviations, 0.0)
        noise = 4 * self.eps**2 * (scaled**2 @ V**2)  # (d,)
        floor = rank_floor(values[0], 0.0, len(values), self.eps)
        values = np.where(values > noise, values, np.minimum(values, floor))
        order = np.argsort(-values, kind="stable")
        values, V = values[order], V[:, order]
        return PrincipalAxes(values, V, deviations, floor, int(np.sum(values > floor)))


@dataclass(frozen=True)
class Covariances:
    """The covariance (d, d) of ``n_rows`` rows, divided by n, as charts show it."""

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


def column_scales(variances: np.ndarray, alive: np.ndarray) -> np.ndarray:
    """(d,) deviations, that of the widest column for those not alive; 1 if none is alive."""
    widest = variances.max(where=alive, initial=0.0) or 1.0
    return np.sqrt(np.where(alive, variances, widest))


def eigh_of_rank(S: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """``numpy.linalg.eigh`` of a positive semidefinite S (d, d) of that rank at most.

    If the rank is far below d, the problem is solved in the range of S, to the rounding of eigh
    (Halko, Martinsson, Tropp 2011, algorithms 4.1 and 5.3).
    """
    found = eigh_in_range(S, rank)
    if found is None:
        return np.linalg.eigh(S)
    values, V = found
    rest = np.linalg.qr(V, mode="complete")[0][:, len(values) :]
    return np.append(np.zeros(rest.shape[1]), values), np.hstack([rest, V])


def eigvalsh_of_rank(S: np.ndarray, rank: int) -> np.ndarray:
    found = eigh_in_range(S, rank)
    if found is None:
        return np.linalg.eigvalsh(S)
    return np.append(np.zeros(len(S) - len(found[0])), found[0])


def eigh_in_range(S: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray] | None:
    """The values (r,) and vectors (d, r) of the range of S; None where it would save no time."""
    d = len(S)
    r = rank + SPARE
    if d < WIDE or 4 * r > d:
        return None
    Q = np.linalg.qr(S @ np.random.default_rng(0).standard_normal((d, r)))[0]
    values, turn = np.linalg.eigh(Q.T @ S @ Q)
    return values.clip(min=0.0), Q @ turn


def _eigh(S: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray]:
    ascending, U = eigh_of_rank(S, rank)
    V = U[:, ::-1]
    size = np.abs(V)
    # among equal entries the first: in two dimensions the axes are (1, 1) and (1, -1)
    place = (size >= (1 - TIE) * size.max(axis=0)).argmax(axis=0)
    largest = V[place, np.arange(len(V))]
    return ascending[::-1].clip(min=0.0), V * np.where(largest < 0, -1.0, 1.0)


def rank_floor(largest: float, mean_norm2: float, d: int, eps: float) -> float:
    """Variance at or below which a direction is rounding noise.

    Rounding moves a row by about eps times its length, so the floor depends on the mean as well as
    on the spread. The last term is the error of eigh, d eps64.
    """
    spread = (d * eps) ** 2 * largest
    offset = 4 * eps**2 * mean_norm2
    return float(max(spread, offset, d * np.finfo(np.float64).eps * largest))
