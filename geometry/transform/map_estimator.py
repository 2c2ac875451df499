"""The bases of scikit-learn's estimators here: a fit makes a map, and the map does the rest."""

import mmap
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from ..linalg.moments import Moments
from ..linalg.rows import as_rows

FLOATS = [np.float64, np.float32]
NOT_FITTED = (
    "%(name)s is not fitted: call fit, or partial_fit with two rows or more in all; one row has "
    "no covariance"
)


def of_map(name: str) -> Any:
    """A fitted attribute: that of the map, which is solved when it is first read."""
    return property(lambda self: getattr(self.map_, name))


class MapEstimator(TransformerMixin, BaseEstimator):
    map_: Any
    _not_fitted: str | None = None  # scikit-learn's words

    def transform(self, X: Any) -> np.ndarray:
        """(n, d) to (n, d), or (n, k) of a whitening by PCA; float32 stays float32."""
        X = self._checked(X)
        return np.asarray(self.map_.apply(X))

    def _checked(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "map_", msg=self._not_fitted)
        return self._read(X, reset=False)  # the map refuses what is not finite

    def _read(self, X: Any, *, reset: bool, at_least: int = 1) -> np.ndarray:
        """The rows as an array, which may have NaN: scikit-learn would not say in which row."""
        more: dict[str, Any] = {"ensure_all_finite": False, "ensure_min_samples": at_least}
        return np.asarray(validate_data(self, as_rows(X), reset=reset, dtype=FLOATS, **more))

    @property
    def _n_features_out(self) -> int:
        return int(self.map_.matrix.shape[1])

    def __sklearn_tags__(self):  # type: ignore[no-untyped-def]
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class MomentsEstimator(MapEstimator):
    """The map is a function of the moments of all rows so far, and is solved at first use."""

    moments_: Moments
    _eps: float
    _map: Any
    _solve: Callable[..., Any]  # from moments, eps and parameters to the map
    _check: Callable[..., object]  # refuses parameters that d columns do not allow, before a fit
    _not_fitted = NOT_FITTED

    def _absorb(self, X: Any, weights: Any = None, *, in_parts: bool) -> Self:
        reset = not (in_parts and hasattr(self, "moments_"))
        X = self._read(X, reset=reset, at_least=1 if in_parts else 2)
        settings = self.get_params(deep=False)  # parameters set later apply to the next fit
        self._check(**settings, d=X.shape[1])
        if weights is not None:
            weights = _check_sample_weight(weights, X, dtype=np.float64, ensure_non_negative=True)
            if weights.sum() <= 0:
                raise ValueError("sample_weight sums to 0; at least one row needs a weight above 0")
        block = Moments.of(X, weights, like=None if reset else self.moments_)
        _unload(X)
        # the block of lowest precision sets the rank floor, in any order of blocks
        eps = float(np.finfo(X.dtype).eps)
        self._eps = eps if reset else max(eps, self._eps)
        self._is_single_row = reset and len(X) == 1
        self.moments_ = block if reset else self.moments_.merge(block)
        self._settings = settings
        self._map = None
        if not in_parts:
            self.map_  # noqa: B018 - solved now: a fit's errors belong to fit
        return self

    @property
    def map_(self) -> Any:
        check_is_fitted(self, "moments_", msg=NOT_FITTED)
        if self._is_single_row:
            raise NotFittedError(NOT_FITTED % {"name": type(self).__name__})
        if self._map is None:
            self._map = self._solve(self.moments_, eps=self._eps, **self._settings)
        return self._map


def _unload(X: np.ndarray) -> None:
    """Release the pages of the read-only ``np.memmap`` that X is a part of from this process.

    A fit by blocks would fill the memory with the file (``bench.whiten``). In a writable map this
    would lose the changes of a private copy.
    """
    base: Any = X
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, mmap.mmap) and memoryview(base).readonly and hasattr(base, "madvise"):
        with suppress(OSError):  # locked pages stay
            base.madvise(mmap.MADV_DONTNEED)
