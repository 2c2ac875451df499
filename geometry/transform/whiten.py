"""Whitening: the linear map that makes the covariance of a cloud the identity.

z = (x - mu) W with W' Sigma W = I. All full-rank W for one Sigma differ by a rotation,
so they give the same cosines; truncation, shrinkage and weights do not.
"""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_array
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from ..linalg.moments import Moments
from ..linalg.rows import refuse_not_finite
from .whitening_map import WhiteningMap, check_settings

ONE_ROW = "one row has no covariance; give partial_fit at least one more"


class Whitening(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Whiten rows, softly or in full, by any of the five square roots of the precision.

    z = (x - s mu) W, with mean mu and centring s. At full strength, with Sigma = V Lambda V' = L L'
    = D^(1/2) P D^(1/2), D its diagonal, and P = G Theta G' the correlation matrix:

    - ``pca``: W = V_k Lambda_k^(-1/2);  the first k directions only, (n, k)
    - ``zca``: W = V Lambda^(-1/2) V';  stays closest to the original axes, (n, d)
    - ``cholesky``: W = L^(-T);  upper triangular, so column j of z needs columns 1 to j of x
    - ``pca-cor``: W = D^(-1/2) G_k Theta_k^(-1/2);  blind to the columns' units, (n, k)
    - ``zca-cor``: W = D^(-1/2) G Theta^(-1/2) G';  closest to the standardised axes, (n, d)

    Strength t softens: Lambda, D and Theta get the exponent -t/2 for -1/2, and cholesky turns
    zca's W into the upper triangular one that has the same W W'. So s = t = 0 is the identity
    under ``zca``, ``zca-cor`` and ``cholesky``, and a rotation under ``pca`` and ``pca-cor``.
    With nothing left out, ``pca``, ``zca`` and ``cholesky`` give one set of cosines at every t, of
    rows in the fitted span; those on correlations join them at t = 1.

    Directions whose variance is at or below the rank floor carry rounding noise, never
    information: ``pca``, and ``pca-cor`` at full strength, drop them; the others leave them
    unscaled. A constant column is such a direction, and the -cor methods leave its unit alone.

    Parameters
    ----------
    method : {"pca", "zca", "cholesky", "pca-cor", "zca-cor"}
    n_components : int in [1, d] or None. Keep the leading k directions; None keeps all in the
        rank. But for ``pca`` and ``pca-cor`` the output stays (n, d) and the others fade by the
        factor 1 - t.
    centring : float in [0, 1], the share of the mean that is subtracted.
    strength : float in [0, 1], the exponent's share; 1 is whitening in full.
    shrinkage : None, float in [0, 1], or "ledoit-wolf". Whatever the method, Sigma is replaced by
        (1 - a) Sigma + a (tr Sigma / d) I first, which no longer has null directions.

    Attributes
    ----------
    mean_ : (d,) float64.   eigenvalues_ : (d,) float64, largest first, after shrinkage; of the
    correlation matrix for the -cor methods.
    components_ : (k, d) float64, rows are directions, largest-magnitude entry positive.
    scales_ : (k,) float64, eigenvalues^(-t/2).   shrinkage_ : float, the a that was used.
    rank_ : int, eigenvalues of the *sample* above the floor.   rank_floor_ : float, that floor, a
    variance.   n_samples_seen_ : int, rows with a weight above 0.   map_ : the ``WhiteningMap``.

    Notes
    -----
    Sigma divides by the sum of weights; n - 1 would rescale z and change no cosine.
    When rank_ = n - 1 (n distinct points in general position, n <= d), full whitening carries the
    fitted points to a simplex: every cosine is -1/(n - 1) and means nothing.
    Weights by word frequency make it Zipfian whitening (mean and Sigma under p(w)).
    ``partial_fit`` only adds up; the eigenproblem is solved when its answer is first asked for.

    References
    ----------
    Kessy, Lewin, Strimmer 2018, "Optimal Whitening and Decorrelation", section 2 (the methods).
    Su et al. 2021, "Whitening Sentence Representations", section 3 (pca, k).
    Ledoit, Wolf 2004, "A well-conditioned estimator", section 3 (shrinkage).
    Diera, Galke, Scherp 2024, "Isotropy Matters: Soft-ZCA Whitening of Embeddings for Semantic Code
    Search" (zca with shrinkage; there Lambda + eps I, which is this with
    a / (1 - a) = eps d / tr Sigma, up to the scale of z, which changes no cosine).
    Yokoi et al. 2024, "Zipfian Whitening", section 3 (weights).
    """

    moments_: Moments
    _eps: float
    _is_one_row: bool
    _settings: dict[str, Any]
    _map: WhiteningMap | None

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
        self._absorb(X, sample_weight, reset=True, at_least=2)
        self.map_  # noqa: B018 - solved now: a fit's errors belong to fit
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Whitening:
        """Merge one more block of rows, exactly; any order of blocks gives one fit.

        A block may hold a single row; what is learned can be asked for from the second on.
        """
        return self._absorb(X, sample_weight, reset=not hasattr(self, "moments_"), at_least=1)

    def _absorb(self, X: Any, sample_weight: Any, *, reset: bool, at_least: int) -> Whitening:
        X = validate_data(
            self,
            X,
            reset=reset,
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,  # the sums tell
            ensure_min_samples=at_least,
        )
        settings = self._checked_settings(X.shape[1])
        if sample_weight is not None:
            sample_weight = _check_sample_weight(
                sample_weight, X, dtype=np.float64, ensure_non_negative=True
            )
            if sample_weight.sum() <= 0:
                raise ValueError("sample_weight sums to 0; at least one row needs a weight above 0")
        with np.errstate(invalid="ignore"):
            block = Moments.of(X, sample_weight)
        if not np.isfinite(block.scatter).all():
            refuse_not_finite(X)
        _unload(X)
        self.moments_ = block if reset else self.moments_.merge(block)
        self._is_one_row = reset and len(X) == 1
        # the coarsest block sets the rank floor, whichever order the blocks came in
        eps = float(np.finfo(X.dtype).eps)
        self._eps = eps if reset else max(eps, self._eps)
        self._settings, self._map = settings, None
        return self

    def _checked_settings(self, d: int) -> dict[str, Any]:
        """The parameters at this fit: those set later wait for the next one."""
        settings = self.get_params(deep=False)
        check_settings(**settings, d=d)
        return settings

    @property
    def map_(self) -> WhiteningMap:
        """The map of all rows so far, solved when first asked for."""
        check_is_fitted(self)
        if self._is_one_row:
            raise NotFittedError(ONE_ROW)
        if self._map is None:
            self._map = WhiteningMap.solve(self.moments_, eps=self._eps, **self._settings)
        return self._map

    @property
    def mean_(self) -> np.ndarray:
        return self.map_.mean

    @property
    def eigenvalues_(self) -> np.ndarray:
        return self.map_.eigenvalues

    @property
    def components_(self) -> np.ndarray:
        return self.map_.components

    @property
    def scales_(self) -> np.ndarray:
        return self.map_.scales

    @property
    def shrinkage_(self) -> float:
        return self.map_.shrinkage

    @property
    def rank_(self) -> int:
        return self.map_.rank

    @property
    def rank_floor_(self) -> float:
        return self.map_.rank_floor

    @property
    def n_samples_seen_(self) -> int:
        return self.map_.n_rows

    def transform(self, X: Any) -> np.ndarray:
        """(n, d) to (n, k) for ``pca`` and ``pca-cor``, else (n, d); float32 stays float32."""
        check_is_fitted(self)
        X = validate_data(
            self,
            X,
            reset=False,
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,  # the map looks
        )
        return self.map_.apply(X)

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Back to the original space; exact on the span of the kept directions."""
        check_is_fitted(self)
        return self.map_.undo(check_array(Z, dtype=[np.float64, np.float32]))

    @property
    def is_simplex_(self) -> bool:
        """True when full whitening would put the distinct fitted rows on a simplex's corners.

        Every pair's cosine is then -1/(n - 1) where each row came once and with the same weight,
        and else follows from how often the two came. Blocks of ``partial_fit`` are taken to share
        no row.
        """
        return self.map_.is_simplex

    @property
    def _n_features_out(self) -> int:
        return self.map_.matrix.shape[1]

    def __sklearn_tags__(self):  # type: ignore[no-untyped-def]
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _unload(X: np.ndarray) -> None:
    """Drop the pages of the read-only memory map that X is a part of from this process's memory.

    A map that can be written to is left alone: a private copy of a page would be lost.
    """
    base: Any = X
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, mmap.mmap) and memoryview(base).readonly and hasattr(base, "madvise"):
        base.madvise(mmap.MADV_DONTNEED)
