"""The base of scikit-learn's estimators here: a fit makes a map, and the map does the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..linalg.rows import as_rows

FLOATS = [np.float64, np.float32]


class MapEstimator(TransformerMixin, BaseEstimator):
    """``transform`` applies ``map_``."""

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

    def __sklearn_tags__(self):  # type: ignore[no-untyped-def]
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
