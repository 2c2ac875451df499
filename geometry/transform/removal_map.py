"""Removal of directions as maps of rows, without scikit-learn, whose import takes longer.

``CommonComponentRemoval`` and ``WeightedRemoval`` are the scikit-learn estimators of
``RemovalMap``, ``ClusterwiseRemoval`` that of ``ClusterwiseMap``.
"""

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Self

import numpy as np

from ..linalg.moments import BLOCK_ROWS, Fingerprint, Moments
from ..linalg.rows import slices, wide_rows
from ..linalg.spectrum import Spectrum, rank_floor


@dataclass(frozen=True)
class RemovalMap:
    """z = (x - m) - U diag(w) U'(x - m): each leading direction is removed by its weight."""

    offset: np.ndarray  #: (d,) m, subtracted first
    #: (d, d) all directions of the fit as rows, the first D of them U'. The largest-magnitude entry
    #: of each is positive.
    axes: np.ndarray
    variances: np.ndarray  #: (d,) along the axes, largest first
    weights: np.ndarray  #: (D,) w; 1 removes a direction, 0 does not change it
    rank: int  #: number of variances above ``rank_floor``
    rank_floor: float  #: A variance; at or below it a direction is rounding noise
    n_rows: int  #: of the fit
    fingerprint: Fingerprint | None = None  #: where the rows of the fit lie

    @classmethod
    def solve(
        cls, moments: Moments, *, eps: float, n_components: int | None = None, centred: bool = True
    ) -> Self:
        """The map of these moments.

        Parameters
        ----------
        moments : Moments, of rows (n, d)
        eps : float, machine precision of the rows
        n_components : int, optional, D; None is ``default_components(d)``
        centred : bool, as in ``CommonComponentRemoval``
        """
        origin = moments
        mean = moments.mean
        if not centred:  # z = x in place of z = x - mean; only mean and scatter are adapted
            scatter = moments.scatter + moments.weight * np.outer(mean, mean)
            origin = replace(moments, mean=np.zeros_like(mean), scatter=scatter)
        axes = Spectrum(origin, eps).covariance_axes
        return cls(
            offset=origin.mean,
            axes=np.ascontiguousarray(axes.vectors.T),
            variances=axes.values,
            weights=np.ones(checked_components(n_components, len(mean))),
            rank=axes.rank,
            rank_floor=axes.floor,
            n_rows=moments.n_rows,
            fingerprint=Fingerprint.of(moments),
        )

    @property
    def components(self) -> np.ndarray:
        """U' (D, d): the directions that are removed, as rows."""
        return self.axes[: len(self.weights)]

    @property
    def leaves_nothing(self) -> bool:
        """True when D >= rank with weights 1: ``apply`` replaces what remains, rounding, by 0."""
        return len(self.weights) >= self.rank and bool((self.weights == 1).all())

    @property
    def filled(self) -> np.ndarray | None:
        """The directions that remain, as rows; None where weights are not 1."""
        return self.axes[len(self.weights) :] if (self.weights == 1).all() else None

    @property
    def affine(self) -> tuple[np.ndarray, np.ndarray | None, dict[str, object]]:
        """(offset (d,), matrix (d, d) or None for I, settings) of z = (x - offset) matrix."""
        U = self.components
        if not len(U):
            return self.offset, None, {"method": "centring"}
        matrix = np.eye(U.shape[1]) - (U.T * self.weights) @ U
        return self.offset, matrix, {"method": "removal of directions", "directions": len(U)}

    def adjust(self, n_removed: int | None = None) -> Self:
        """The same fit with other leading directions removed; None is ``default_components(d)``."""
        D = checked_components(n_removed, len(self.offset), "n_removed")
        return replace(self, weights=np.ones(D))

    def reweigh(self, weights: np.ndarray) -> Self:
        """The same fit with weights (D,) for its D leading directions, 0 <= D < d."""
        weights = np.array(weights, dtype=np.float64)  # always a copy
        if weights.ndim != 1 or not np.isfinite(weights).all():
            raise ValueError(f"weights must be finite and of shape (D,); got {weights!r}")
        checked_components(len(weights), len(self.offset), "the number of weights")
        return replace(self, weights=weights)

    def apply(self, X: np.ndarray) -> np.ndarray:
        """(n, d) to (n, d), float32 and float64 in their own precision, all else in float64."""
        X = wide_rows(X, len(self.offset))
        U = self.components.T.astype(X.dtype)  # (d, D)
        Z = X - self.offset.astype(X.dtype)
        along = (Z @ U) * self.weights.astype(X.dtype)  # (n, D)
        Z -= along @ U.T
        if self.leaves_nothing:
            d = X.shape[1]
            eps = float(np.finfo(X.dtype).eps)
            floor = rank_floor(self.variances[0], float(self.offset @ self.offset), d, eps)
            Z[np.einsum("nd,nd->n", Z, Z) <= d * max(floor, self.rank_floor)] = 0
        return Z


@dataclass(frozen=True)
class ClusterwiseMap:
    """Subtract from each row its nearest cluster's mean, and remove the cluster's directions."""

    centres: np.ndarray  #: (k, d) a row belongs to the cluster of the nearest centre
    means: np.ndarray  #: (k, d) of the fitted rows of each cluster
    components: np.ndarray  #: (k, D, d) leading principal directions of each cluster, as rows
    sizes: np.ndarray  #: (k,) fitted rows of each cluster

    def assign(self, X: np.ndarray) -> np.ndarray:
        """The cluster of each row (n,): the nearest centre, the first of equally near ones."""
        return nearest_centres(X, self.centres)

    def apply(self, X: np.ndarray) -> np.ndarray:
        """(n, d) to (n, d), float32 and float64 in their own precision, all else in float64."""
        X = wide_rows(X, self.means.shape[1])
        labels = self.assign(X)
        Z = X - self.means.astype(X.dtype)[labels]
        for cluster in np.unique(labels):
            rows = labels == cluster
            U = self.components[cluster].T.astype(X.dtype)  # (d, D)
            Z[rows] -= (Z[rows] @ U) @ U.T
        return Z


def default_components(d: int) -> int:
    """About d/100 directions, at least one, never all: Mu, Viswanath 2018, section 2."""
    return min(max(1, round(d / 100)), d - 1)


def nearest_centres(X: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Index (n,) of the centre (k, d) nearest to each row, the first of equally near ones."""
    # about the mean of the centres: in a narrow cone |x|^2 is much larger than the differences
    middle = centres.mean(axis=0)
    C = centres - middle
    half_squares = np.einsum("kd,kd->k", C, C) / 2
    found = np.empty(len(X), dtype=np.intp)
    for rows in slices(len(X), BLOCK_ROWS):
        # |x - c|^2 / 2 = |x|^2 / 2 - x'c + |c|^2 / 2; the first term is the same for every c
        Z = X[rows].astype(np.float64) - middle
        found[rows] = (half_squares - Z @ C.T).argmin(axis=1)
    return found


def checked_components(n_components: Any, d: int, name: str = "n_components") -> int:
    if n_components is None:
        return default_components(d)
    whole = isinstance(n_components, Integral) and not isinstance(n_components, bool)
    if not whole or not 0 <= n_components < d:
        raise ValueError(
            f"{name} must be an integer in [0, {d - 1}] where n_features = {d} (removing "
            f"every direction would leave only zeros); got {n_components!r}"
        )
    return int(n_components)
