"""Whitening: the linear map that makes the covariance of a cloud the identity.

z = (x - mu) W with W' Sigma W = I. All full-rank W for one Sigma differ by a rotation,
so they give the same cosines; truncation, shrinkage and weights do not.
"""

from __future__ import annotations

import copy
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .moments import Moments

METHODS = ("pca", "zca")
MIN_ROWS_PER_DIMENSION = 5  # below n = 5 d a full whitening is mostly noise; use Ledoit-Wolf
ROWS_PER_KEPT_DIRECTION = 10  # where n <= d: directions kept, so that each rests on ten rows


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
        """Eigenvectors, scales and rank from the moments."""
        m = self.moments_
        d = len(m.mean)
        values, vectors = np.linalg.eigh(m.covariance)
        values, V = values[::-1].clip(min=0.0), vectors[:, ::-1]
        V = V * np.where(V[np.abs(V).argmax(axis=0), np.arange(d)] < 0, -1.0, 1.0)
        self.mean_ = m.mean
        self.n_samples_seen_ = m.n_rows
        self.rank_floor_ = _rank_floor(values[0], float(m.mean @ m.mean), d, self._eps)
        self.rank_ = int(np.sum(values > self.rank_floor_))
        a = m.ledoit_wolf() if self.shrinkage == "ledoit-wolf" else float(self.shrinkage or 0.0)
        self.shrinkage_ = a
        self.eigenvalues_ = (1 - a) * values + a * values.mean()
        usable = int(np.sum(self.eigenvalues_ > self.rank_floor_))
        keep = self._directions_to_keep(d, usable)
        self.components_ = np.ascontiguousarray(V[:, :keep].T)  # (k, d)
        self._set_scales()

    def _set_scales(self) -> None:
        kept = self.eigenvalues_[: len(self.components_)]
        alive = kept > self.rank_floor_
        self.scales_ = np.where(alive, kept, 1.0) ** (-self.strength / 2)

    def _directions_to_keep(self, d: int, usable: int) -> int:
        k = self.n_components
        if self.method == "zca":
            return d if k is None else int(k)
        # one column at least, so that constant data give zeros instead of an empty array
        return max(1, usable if k is None else min(int(k), usable))

    def _map(self) -> np.ndarray:
        """W, (d, k) for pca and (d, d) for zca."""
        V = self.components_.T  # (d, k)
        if self.method == "pca":
            return V * self.scales_
        fade = 1.0 - self.strength  # of the directions that n_components leaves out
        return (V * (self.scales_ - fade)) @ V.T + fade * np.eye(len(V))

    def transform(self, X: Any) -> np.ndarray:
        """(n, d) to (n, k) for ``pca``, (n, d) for ``zca``; float32 stays float32."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        centred = X - (self.centring * self.mean_).astype(X.dtype)
        return centred @ self._map().astype(X.dtype)

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Back to the original space; exact on the span of the kept directions."""
        check_is_fitted(self)
        Z = np.asarray(Z)
        if Z.dtype not in (np.float32, np.float64):
            Z = Z.astype(np.float64)
        back = self.components_ / self.scales_[:, None]  # (k, d)
        W = back
        if self.method == "zca":
            V, fade = self.components_.T, 1.0 - self.strength
            unfade = 1.0 / fade if fade > 0 else 0.0  # what has faded out in full is lost
            W = (V * (1.0 / self.scales_ - unfade)) @ V.T + unfade * np.eye(len(V))
        return Z @ W.astype(Z.dtype) + (self.centring * self.mean_).astype(Z.dtype)

    def soften(self, *, centring: float, strength: float) -> Whitening:
        """The same fit applied with another centring and strength: no second eigenproblem."""
        check_is_fitted(self)
        softer = copy.copy(self).set_params(centring=centring, strength=strength)
        softer._check_parameters()
        softer._set_scales()
        return softer

    @property
    def is_simplex_(self) -> bool:
        """True when full whitening would make every fitted pair's cosine -1/(n - 1)."""
        check_is_fitted(self)
        return self.rank_ == self.n_samples_seen_ - 1

    @property
    def _n_features_out(self) -> int:
        return len(self.components_) if self.method == "pca" else len(self.mean_)

    def __sklearn_tags__(self):  # type: ignore[no-untyped-def]
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _rank_floor(largest: float, mean_norm2: float, d: int, eps: float) -> float:
    """Variance at or below which a direction is rounding noise.

    eps is the precision of the data. Rounding moves a row by about eps times its length,
    so the floor covers the mean as well as the spread: [CLS] of the embedding layer is one
    vector repeated, and its rank is 0. The last term is eigh's own error, d eps64.
    """
    spread = (d * eps) ** 2 * largest
    offset = 4 * eps**2 * mean_norm2
    return max(spread, offset, d * np.finfo(np.float64).eps * largest)


def recommended_whitening(n: int, d: int) -> dict[str, Any]:
    """Keywords of ``Whitening`` for a cloud of n rows in d dimensions: what pages default to.

    n >= 5 d: none, whitening in full.   d < n < 5 d: Ledoit-Wolf.   n <= d: Ledoit-Wolf and the
    n / 10 leading directions, because no shrinkage tells the trailing ones from noise (on 200
    sentences in 384 dimensions they drown the topic in the nearest neighbours).
    """
    if n >= MIN_ROWS_PER_DIMENSION * d:
        return {}
    if n > d:
        return {"shrinkage": "ledoit-wolf"}
    kept = min(d, max(2, n // ROWS_PER_KEPT_DIRECTION))
    return {"shrinkage": "ledoit-wolf", "n_components": kept}
