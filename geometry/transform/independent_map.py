"""Independent components after whitening as an affine map, without the estimator."""

import warnings
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any, Self

import numpy as np

from ..linalg.rows import float_rows
from .whitening_map import ROWS_PER_DIRECTION, WhiteningMap

MOST_AXES = 64
MOST_STEPS = 500
NOT_SETTLED = (
    "FastICA did not settle in {steps} steps: the axes are those of its last step, and another "
    "random_state may give others. Lengths and cosines do not depend on the axes"
)


@dataclass(frozen=True)
class IndependentMap:
    """z = (x - mu) W R: PCA whitening W to k directions, then a rotation R."""

    whitening: WhiteningMap  #: PCA whitening on the k directions of largest variance
    #: (k, k) R, orthogonal. The skewness of the fitted rows is at least 0 along every axis, and
    #: falls from the first axis to the last.
    rotation: np.ndarray
    n_steps: int  #: of FastICA
    settled: bool  #: false if it stopped at ``max_iter``
    narrows = True  #: the output has one column for each axis

    @classmethod
    def of(
        cls,
        X: np.ndarray,
        *,
        n_components: int | None = None,
        random_state: Any = 0,
        max_iter: int = MOST_STEPS,
    ) -> Self:
        """The map fitted on rows. It warns if FastICA did not settle.

        Parameters
        ----------
        X : (n, d) array of float, n >= 2
        n_components : int in [1, d], optional
            k. None is ``default_axes(n, d)``. Never more than the rank.
        random_state : int or RandomState, optional, for the start of FastICA
        max_iter : int >= 1, steps of FastICA
        """
        X = float_rows(X, at_least=2)
        k = default_axes(*X.shape) if n_components is None else n_components
        whitening = WhiteningMap.of(X, method="pca", n_components=k)
        Z = whitening.apply(X.astype(np.float64))  # (n, k)
        R, n_steps, settled = _rotation(Z, random_state, max_iter)
        skewness = np.mean((Z @ R) ** 3, axis=0)  # the columns have mean 0 and variance 1
        order = np.argsort(-np.abs(skewness), kind="stable")
        R = R[:, order] * np.where(skewness[order] < 0, -1.0, 1.0)
        return cls(whitening, np.ascontiguousarray(R), n_steps, settled)

    # of the fit
    n_rows = property(attrgetter("whitening.n_rows"))
    rank = property(attrgetter("whitening.rank"))
    fingerprint = property(attrgetter("whitening.fingerprint"))

    @cached_property
    def filled(self) -> np.ndarray:
        """Orthonormal rows (k, d) of the raw space, one for each axis.

        Along these, the output is that of PCA whitening turned back to the raw axes.
        """
        return self.rotation.T @ self.whitening.components

    @cached_property
    def matrix(self) -> np.ndarray:
        """W R (d, k)."""
        return self.whitening.matrix @ self.rotation

    @property
    def affine(self) -> tuple[np.ndarray, np.ndarray, dict[str, object]]:
        """(offset (d,), matrix (d, k), settings) of z = (x - offset) matrix."""
        settings = {"method": "ica", "directions": len(self.rotation), "steps": self.n_steps}
        return self.whitening.mean, self.matrix, settings

    def apply(self, X: np.ndarray) -> np.ndarray:
        """(n, d) to (n, k); float32 stays float32."""
        Z = self.whitening.apply(X)
        return Z @ self.rotation.astype(Z.dtype)


def default_axes(n: int, d: int) -> int:
    """MOST_AXES, or fewer where the rows are fewer than ten for each."""
    return min(d, MOST_AXES, max(2, n // ROWS_PER_DIRECTION))


def _rotation(Z: np.ndarray, random_state: Any, max_iter: int) -> tuple[np.ndarray, int, bool]:
    from sklearn.decomposition import FastICA  # takes seconds to import; only a fit needs it
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    fit = FastICA(whiten=False, random_state=random_state, max_iter=max_iter)
    # one thread: the same order of sums on any number of cores
    with threadpool_limits(limits=1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        fit.fit(Z)
    settled = not any(issubclass(each.category, ConvergenceWarning) for each in caught)
    if not settled:
        warnings.warn(NOT_SETTLED.format(steps=max_iter), ConvergenceWarning, stacklevel=3)
    return np.asarray(fit.components_).T, int(fit.n_iter_), settled
