"""Whitening: the linear map that makes the covariance of a cloud the identity.

All full-rank W with W' Sigma W = I differ by a rotation, so they give the same cosines. One of
these rotations turns to independent axes, which can be named.
"""

from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils import check_array

from ..linalg.rows import need_whole, refuse_not_finite
from .map_estimator import FLOATS, MapEstimator, MomentsEstimator, of_map
from .whitening_map import MOST_STEPS, IndependentMap, WhiteningMap, check_settings


class Whitening(ClassNamePrefixFeaturesOutMixin, MomentsEstimator):
    """Whiten rows, softly or in full, by any of the five square roots of the precision.

    z = (x - s mu) W, with mean mu and centring s. At full strength, with Sigma = V Lambda V' = L L'
    = D^(1/2) P D^(1/2), D its diagonal, and P = G Theta G' the correlation matrix:

    - ``pca``: W = V_k Lambda_k^(-1/2);  the first k directions only, (n, k)
    - ``zca``: W = V Lambda^(-1/2) V';  closest to the original axes, (n, d)
    - ``cholesky``: W = L^(-T);  upper triangular: column j of z depends on columns 1 to j of x
    - ``pca-cor``: W = D^(-1/2) G_k Theta_k^(-1/2);  independent of the columns' units, (n, k)
    - ``zca-cor``: W = D^(-1/2) G Theta^(-1/2) G';  closest to the standardised axes, (n, d)

    With strength t, Lambda, D and Theta get the exponent -t/2 in place of -1/2; ``cholesky`` takes
    the upper triangular W with the same W W' as that of ``zca``. So s = t = 0 is the identity under
    ``zca``, ``zca-cor`` and ``cholesky``, and a rotation under ``pca`` and ``pca-cor``.
    If no direction is left out, ``pca``, ``zca`` and ``cholesky`` give rows in the fitted span the
    same cosines at every t; ``pca-cor`` and ``zca-cor`` give these cosines at t = 1.

    Directions whose variance is at or below the rank floor are rounding noise. ``pca``, and
    ``pca-cor`` at full strength, drop them. The others multiply them by lambda_1^(-t/2), the least
    factor, so noise is never enlarged against the cloud, and new rows, which may reach into these
    directions, are whitened in the same way in any unit. A constant column is such a direction;
    the -cor methods divide it by the largest deviation of a column.

    Parameters
    ----------
    method : {"pca", "zca", "cholesky", "pca-cor", "zca-cor"}
    n_components : int in [1, d] or None
        k, the number of leading directions; None for all in the rank. With ``pca`` and ``pca-cor``
        the output has k columns. With the others it has d, and the directions that are left out
        are multiplied by (1 - t) lambda_1^(-t/2).
    centring : float in [0, 1], the share of the mean that is subtracted
    strength : float in [0, 1]
        t; 1 is full whitening.
    shrinkage : None, float in [0, 1], or "ledoit-wolf"
        a. With every method, Sigma is first replaced by (1 - a) Sigma + a (tr Sigma / d) I, which
        has no null directions.

    Attributes
    ----------
    mean_ : (d,) float64
    eigenvalues_ : (d,) float64
        Largest first, after shrinkage; of the correlation matrix for the -cor methods.
    components_ : (k, d) float64
        Rows are directions, largest-magnitude entry positive.
    scales_ : (k,) float64
        eigenvalues^(-t/2); that of the first for null directions, or 1 if all are null
    shrinkage_ : float, the a that was used
    rank_ : int, number of eigenvalues of the *sample* above the floor
    rank_floor_ : float, that floor, a variance
    n_samples_seen_ : int, number of rows with a weight above 0
    is_simplex_ : bool
        True when full whitening would put the distinct fitted rows on a simplex's corners. Every
        cosine is then -1/(n - 1) if each row occurs once and with the same weight. Otherwise a
        pair's cosine follows from their numbers of occurrences. Blocks of ``partial_fit`` are
        assumed to share no row.
    map_ : WhiteningMap

    Notes
    -----
    Sigma divides by the sum of weights; n - 1 would rescale z and change no cosine.
    When rank_ = n - 1 (n distinct points in general position, n <= d), full whitening maps the
    fitted points to the corners of a simplex: every cosine is -1/(n - 1), whatever the points are.
    With word frequencies as weights this is Zipfian whitening (mean and Sigma under p(w)).
    ``partial_fit`` only sums; the eigenproblem is solved when an attribute first needs it.

    Kessy, Lewin, Strimmer 2018, "Optimal Whitening and Decorrelation", section 2 (the methods).
    Su et al. 2021, "Whitening Sentence Representations", section 3 (pca, k).
    Ledoit, Wolf 2004, "A well-conditioned estimator", section 3 (shrinkage).
    Diera, Galke, Scherp 2024, "Isotropy Matters: Soft-ZCA Whitening of Embeddings for Semantic Code
    Search" (zca with shrinkage; there Lambda + eps I, which is this with
    a / (1 - a) = eps d / tr Sigma, up to the scale of z, which changes no cosine).
    Yokoi et al. 2024, "Zipfian Whitening", section 3 (weights).
    """

    _solve = staticmethod(WhiteningMap.solve)
    _check = staticmethod(check_settings)
    mean_ = of_map("mean")
    eigenvalues_ = of_map("eigenvalues")
    components_ = of_map("components")
    scales_ = of_map("scales")
    shrinkage_ = of_map("shrinkage")
    rank_ = of_map("rank")
    rank_floor_ = of_map("rank_floor")
    n_samples_seen_ = of_map("n_rows")
    is_simplex_ = of_map("is_simplex")

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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn mean and axes.

        Parameters
        ----------
        X : (n, d) array of float, n >= 2
        y : ignored
        sample_weight : (n,) array, >= 0, optional
        """
        return self._absorb(X, sample_weight, in_parts=False)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Merge one more block of rows, exactly; the order of blocks does not change the fit.

        A block may be a single row. The fitted attributes need two rows in all.

        Parameters
        ----------
        X : (m, d) array of float, the block
        y : ignored
        sample_weight : (m,) array, >= 0, optional
        """
        return self._absorb(X, sample_weight, in_parts=True)

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Back to the original space; exact on the span of the retained directions."""
        return np.asarray(self.map_.undo(check_array(Z, dtype=FLOATS)))


class IndependentComponents(ClassNamePrefixFeaturesOutMixin, MapEstimator):
    """Whiten rows to k directions, then turn them to independent axes by FastICA.

    z = (x - mu) W R, with the PCA whitening W (d, k) and an orthogonal R (k, k). R changes no
    length, distance or cosine: every score by cosine is that of ``Whitening(n_components=k)``.
    Only the axes differ. Along each, few rows are far out, and these rows often have a subject in
    common, by which the axis can be named.

    Parameters
    ----------
    n_components : int in [1, d] or None
        k. None is 64, or fewer where n < 640: n / 10. Never more than the rank.
    random_state : int, RandomState or None, for the start of FastICA
    max_iter : int >= 1
        Steps of FastICA. It warns if it did not settle in these.

    Attributes
    ----------
    components_ : (k, d) float64
        The rows are those of (W R)'. Skewness of the fitted rows is at least 0 along every axis,
        largest first.
    mean_ : (d,) float64
    n_iter_ : int, steps of FastICA
    settled_ : bool
    map_ : IndependentMap

    Notes
    -----
    FastICA is the slow part. On one core, 64 axes of 1,224 sentences in 384 dimensions take about 1
    second, and 383 axes about 6; 100 axes of 5,000 words take 1.5. Axes of few rows, or of rows
    close to normal, depend on ``random_state``.

    Hyvärinen 1999, "Fast and Robust Fixed-Point Algorithms for Independent Component Analysis".
    Yamagiwa, Oyama, Shimodaira 2023, "Discovering Universal Geometry in Embeddings with ICA":
    FastICA after PCA whitening, axes with positive skewness and in its order.
    """

    map_: IndependentMap

    def __init__(
        self, n_components: int | None = None, *, random_state: Any = 0, max_iter: int = MOST_STEPS
    ) -> None:
        self.n_components = n_components
        self.random_state = random_state
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn mean and axes from X (n, d), n >= 2."""
        need_whole("max_iter", self.max_iter, at_least=1)
        X = self._read(X, reset=True, at_least=2)
        refuse_not_finite(X)
        self.map_ = IndependentMap.of(X, **self.get_params(deep=False))
        self.components_ = self.map_.matrix.T
        self.mean_ = self.map_.whitening.mean
        self.n_iter_ = self.map_.n_steps
        self.settled_ = self.map_.settled
        return self
