"""Whitening: the linear map that makes the covariance of a cloud the identity.

z = (x - mu) W with W' Sigma W = I. All full-rank W for one Sigma differ by a rotation,
so they give the same cosines; truncation, shrinkage and weights do not.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .moments import Moments
from .whitening_map import METHODS, WhiteningMap


class Whitening(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Whiten rows, softly or in full, with PCA or ZCA axes.

    With Sigma = V diag(lambda) V', mean mu, centring s and strength t:

    - ``pca``: z = (x - s mu) V_k diag(f);  the first k columns only, (n, k)
    - ``zca``: z = (x - s mu) V diag(f) V';  stays closest to the original axes, (n, d)

    where f = lambda^(-t/2). Directions whose lambda is at or below the rank floor carry
    rounding noise, never information: ``pca`` drops them, ``zca`` leaves them unscaled.
    s = t = 0 is the identity under ``zca`` and a rotation under ``pca``.

    Parameters
    ----------
    method : {"pca", "zca"}
    n_components : int in [1, d] or None. Keep the leading k directions; None keeps all in the
        rank. Under ``zca`` the output stays (n, d) and the others fade by the factor 1 - t.
    centring : float in [0, 1], the share of the mean that is subtracted.
    strength : float in [0, 1], the exponent's share; 1 is whitening in full.
    shrinkage : None, float in [0, 1], or "ledoit-wolf". Sigma is replaced by
        (1 - a) Sigma + a (tr Sigma / d) I, which no longer has null directions.

    Attributes
    ----------
    mean_ : (d,) float64.   eigenvalues_ : (d,) float64, largest first, after shrinkage.
    components_ : (k, d) float64, rows are directions, largest-magnitude entry positive.
    scales_ : (k,) float64, the f above.   shrinkage_ : float, the a that was used.
    rank_ : int, eigenvalues of the *sample* covariance above the floor.
    rank_floor_ : float, that floor, a variance.   n_samples_seen_ : int.

    Notes
    -----
    Sigma divides by the sum of weights; n - 1 would rescale z and change no cosine.
    When rank_ = n - 1 (n points in general position, n <= d), full whitening carries the
    fitted points to a regular simplex: every cosine is -1/(n - 1) and means nothing.

    References
    ----------
    Su et al. 2021, "Whitening Sentence Representations", section 3 (pca, k).
    Kessy, Lewin, Strimmer 2018, "Optimal Whitening and Decorrelation", section 2 (pca, zca).
    Ledoit, Wolf 2004, "A well-conditioned estimator", section 3 (shrinkage).
    """

    moments_: Moments
    _eps: float

    def __init__(
        self,
        method: str = "pca",
        *,
        n_components: int | None = None,
        centring: float = 1.0,
        strength: float = 1.0,
        shrinkage: float | str | None = None,
    ) -> None:
        self.method = method
        self.n_components = n_components
        self.centring = centring
        self.strength = strength
        self.shrinkage = shrinkage

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Whitening:
        """Learn mean and axes from X (n, d), n >= 2; ``sample_weight`` (n,) >= 0."""
        if hasattr(self, "moments_"):
            del self.moments_
        return self._absorb(X, sample_weight, reset=True)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Whitening:
        """Merge one more block of rows, exactly; any order of blocks gives one fit."""
        return self._absorb(X, sample_weight, reset=not hasattr(self, "moments_"))

    def _absorb(self, X: Any, sample_weight: Any, *, reset: bool) -> Whitening:
        self._check_parameters()
        X = validate_data(
            self,
            X,
            reset=reset,
            dtype=[np.float64, np.float32],
            ensure_min_samples=2 if reset else 1,
        )
        self._check_n_components(X.shape[1])
        if sample_weight is not None:
            sample_weight = _check_sample_weight(
                sample_weight, X, dtype=np.float64, ensure_non_negative=True
            )
            if sample_weight.sum() <= 0:
                raise ValueError("sample_weight sums to 0; at least one row needs a weight above 0")
        block = Moments.of(X, sample_weight)
        self.moments_ = block if reset else self.moments_.merge(block)
        # the coarsest block sets the rank floor, whichever order the blocks came in
        eps = float(np.finfo(X.dtype).eps)
        self._eps = eps if reset else max(eps, self._eps)
        self._solve()
        return self

    def _check_parameters(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"method must be one of {METHODS}; got {self.method!r}")
        for name in ("centring", "strength"):
            value = getattr(self, name)
            if not isinstance(value, Real) or not 0 <= float(value) <= 1:
                raise ValueError(f"{name} must lie in [0, 1]; got {value!r}")
        a: Any = self.shrinkage
        if not (a is None or a == "ledoit-wolf" or (isinstance(a, Real) and 0 <= float(a) <= 1)):
            raise ValueError(f'shrinkage must be None, "ledoit-wolf" or in [0, 1]; got {a!r}')

    def _check_n_components(self, d: int) -> None:
        k: Any = self.n_components
        if k is not None and not (isinstance(k, Integral) and 1 <= int(k) <= d):
            raise ValueError(f"n_components must be an integer in [1, {d}] or None; got {k!r}")

    def _solve(self) -> None:
        """The map of the moments so far, and scikit-learn's names for its parts."""
        self.map_ = WhiteningMap.solve(
            self.moments_,
            eps=self._eps,
            method=self.method,
            n_components=self.n_components,
            shrinkage=self.shrinkage,
            centring=float(self.centring),
            strength=float(self.strength),
        )
        self.mean_ = self.map_.mean
        self.eigenvalues_ = self.map_.eigenvalues
        self.components_ = self.map_.components
        self.scales_ = self.map_.scales
        self.shrinkage_ = self.map_.shrinkage
        self.rank_ = self.map_.rank
        self.rank_floor_ = self.map_.rank_floor
        self.n_samples_seen_ = self.map_.n_rows

    def transform(self, X: Any) -> np.ndarray:
        """(n, d) to (n, k) for ``pca``, (n, d) for ``zca``; float32 stays float32."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return self.map_.apply(X)

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Back to the original space; exact on the span of the kept directions."""
        check_is_fitted(self)
        Z = np.asarray(Z)
        if Z.dtype not in (np.float32, np.float64):
            Z = Z.astype(np.float64)
        return self.map_.undo(Z)

    @property
    def is_simplex_(self) -> bool:
        """True when full whitening would make every fitted pair's cosine -1/(n - 1)."""
        check_is_fitted(self)
        return self.map_.is_simplex

    @property
    def _n_features_out(self) -> int:
        return len(self.components_) if self.method == "pca" else len(self.mean_)

    def __sklearn_tags__(self):  # type: ignore[no-untyped-def]
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
