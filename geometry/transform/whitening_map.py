"""Whitening, standardising and independent components as maps, without scikit-learn.

Its import is slow. Its estimators of ``WhiteningMap`` and ``IndependentMap`` are in ``whiten``.
"""

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral, Real
from operator import attrgetter
from typing import Any, Self

import numpy as np

from ..linalg.moments import Fingerprint, Moments, ledoit_wolf
from ..linalg.products import centred_product
from ..linalg.rows import float_rows, need_width, unchecked_rows, wide_rows
from ..linalg.spectrum import PrincipalAxes, Spectrum, column_scales

METHODS = ("pca", "zca", "cholesky", "pca-cor", "zca-cor")
NARROWING = ("pca", "pca-cor")  # the output has one column for each retained direction
ON_CORRELATION = ("pca-cor", "zca-cor")
MIN_ROWS_PER_DIMENSION = 5  # below n = 5 d a full whitening is mostly noise; use Ledoit-Wolf
ROWS_PER_DIRECTION = 10  # n / 10 directions are recommended where n <= d
FADED_OUT = 1e-9  # a direction multiplied by this or less cannot be restored
MOST_AXES = 64
MOST_STEPS = 500
NOT_SETTLED = (
    "FastICA did not settle in {steps} steps: the axes are those of its last step, and another "
    "random_state may give others. Lengths and cosines do not depend on the axes"
)


@dataclass(frozen=True)
class WhiteningMap:
    """z = (x - s mu) W; see ``Whitening`` for the five W and what the settings mean.

    ``mean`` (d,) is mu, ``eigenvalues`` (d,) are lambda after shrinkage, largest first,
    ``components`` (k, d) rows of V', largest-magnitude entry positive, and ``deviations`` (d,)
    those of the columns for pca-cor and zca-cor, else ones. ``rank`` counts eigenvalues of the
    sample above ``rank_floor``; ``n_rows`` are those of the fit.
    """

    method: str
    n_components: int | None
    shrinkage: float
    centring: float
    strength: float
    spectrum: Spectrum
    axes: PrincipalAxes

    @classmethod
    def solve(
        cls,
        moments: Moments,
        *,
        eps: float,
        method: str = "zca",
        n_components: int | None = None,
        shrinkage: float | str | None = None,
        centring: float = 1.0,
        strength: float = 1.0,
    ) -> Self:
        """The map of these moments.

        Parameters
        ----------
        moments : Moments, of rows (n, d)
        eps : float, machine precision of the rows
        method : str, one of ``METHODS``; this and the others as in ``Whitening``
        n_components : int in [1, d], optional
        shrinkage : float in [0, 1] or "ledoit-wolf", optional
        centring : float in [0, 1]
        strength : float in [0, 1]
        """
        check_settings(method, n_components, shrinkage, centring, strength, d=len(moments.mean))
        spectrum = Spectrum(moments, eps)
        a = _share(shrinkage, moments)
        axes = spectrum.shrunk(a, correlation=method in ON_CORRELATION)
        return cls(method, n_components, a, float(centring), float(strength), spectrum, axes)

    @classmethod
    def of(cls, X: np.ndarray, sample_weight: np.ndarray | None = None, **settings: Any) -> Self:
        """The map fitted on rows.

        Parameters
        ----------
        X : (n, d) array of float, n >= 2
        sample_weight : (n,) array, >= 0, optional
        **settings : parameters of ``solve``
        """
        X = float_rows(X, at_least=2)
        if sample_weight is not None:
            sample_weight = checked_weights(sample_weight, len(X))
        eps = float(np.finfo(X.dtype).eps)
        return cls.solve(Moments.of(X, sample_weight), eps=eps, **settings)

    def adjust(self, **settings: Any) -> Self:
        """The same fit with other settings of ``solve``, for a slider; the rows are not read again.

        An eigenproblem is solved only for another shrinkage under pca-cor or zca-cor.
        """
        names = ("n_components", "shrinkage", "centring", "strength")
        settings = {name: getattr(self, name) for name in names} | settings
        check_settings(self.method, **settings, d=len(self.mean))
        a = settings["shrinkage"] = _share(settings["shrinkage"], self.spectrum.moments)
        axes = self.axes
        if a != self.shrinkage:
            axes = self.spectrum.shrunk(a, correlation=self.method in ON_CORRELATION)
        return replace(self, **settings, axes=axes)

    mean = property(attrgetter("spectrum.moments.mean"))
    n_rows = property(attrgetter("spectrum.moments.n_rows"))
    eigenvalues = property(attrgetter("axes.values"))
    deviations = property(attrgetter("axes.deviations"))
    rank = property(attrgetter("axes.rank"))
    rank_floor = property(attrgetter("axes.floor"))

    @cached_property
    def components(self) -> np.ndarray:
        d = len(self.mean)
        k = d if self.n_components is None else int(self.n_components)
        # pca-cor below full strength scales the columns in part, so that directions which are null
        # after standardising still contain a part of every row
        if self.method == "pca" or (self.method == "pca-cor" and self.strength == 1):
            # at least one column: constant data give zeros and not an empty array
            k = max(1, min(k, self._usable))
        return np.ascontiguousarray(self.axes.vectors[:, :k].T)

    @cached_property
    def scales(self) -> np.ndarray:
        """f (k,): lambda^(-t/2); null directions have that of lambda_1, or 1 if all are null."""
        eigenvalues = self.eigenvalues[: len(self.components)]
        is_null = eigenvalues <= self.rank_floor
        instead = 1.0 if is_null[0] else eigenvalues[0]
        return np.where(is_null, instead, eigenvalues) ** (-self.strength / 2)

    @property
    def narrows(self) -> bool:
        """True if the output has one column for each retained direction."""
        return self.method in NARROWING

    @cached_property
    def filled(self) -> np.ndarray | None:
        """Orthonormal rows (m, d), m >= 1: the directions that the output fills; None for all.

        For pca and pca-cor these are the retained ones. Others at strength 1 scale the images of
        the retained directions above the rank floor; below strength 1 they fill all.
        """
        if self.narrows:
            return self.components
        if self.strength < 1:
            return None
        m = max(1, min(len(self.components), self._usable))
        V = self.components[:m]
        if self.method != "cholesky":
            return V
        return (V @ self.matrix) / self.scales[:m, None]  # W = V f V' Q', so V' W = f V' Q'

    @property
    def n_distinct(self) -> int:
        """Number of different rows of the fit, counted up to d + 2.

        After a merge of blocks it is n_rows: whether they share rows is unknown.
        """
        counted = self.spectrum.moments.n_distinct
        return self.n_rows if counted is None else counted

    @property
    def is_simplex(self) -> bool:
        """True when full whitening would put the distinct fitted rows on a simplex's corners.

        Their rank is then their number less 1. If two rows have the shares p and p' of the weight,
        their cosine is -1 / sqrt((1/p - 1)(1/p' - 1)), whatever the rows are.
        """
        return self.rank == self.n_distinct - 1 > 0

    @property
    def is_regular(self) -> bool:
        """True when such a simplex is regular: every cosine is -1/(n - 1).

        Every row occurs once, and all weights are equal.
        """
        w = self.spectrum.moments
        is_even = np.isclose(w.weight**2, w.n_rows * w.weight2)
        return bool(self.n_distinct == self.n_rows and is_even)

    @property
    def makes_simplex(self) -> bool:
        """True when these settings make such a simplex: unshrunk, full strength, all directions."""
        is_full = self.shrinkage == 0 and self.centring == self.strength == 1
        return bool(self.is_simplex and is_full and len(self.components) >= self.rank)

    @cached_property
    def matrix(self) -> np.ndarray:
        """W (d, k) for pca and pca-cor, else (d, d)."""
        return self._cholesky[0] if self.method == "cholesky" else self._own_matrix

    @property
    def fingerprint(self) -> Fingerprint | None:
        """Where the rows of the fit lie; None if they were weighted."""
        return Fingerprint.of(self.spectrum.moments)

    @property
    def affine(self) -> tuple[np.ndarray, np.ndarray | None, dict[str, object]]:
        """(offset (d,), matrix (d, k) or None for I, settings) of z = (x - offset) matrix."""
        offset = self.centring * self.mean
        if self.strength == 0 and self.method in ("zca", "zca-cor"):
            return offset, None, {"method": "centring", "centring": self.centring}
        settings = {
            "method": self.method,
            "directions": len(self.components),
            "shrinkage": f"{self.shrinkage:.6g}",
            "centring": self.centring,
            "strength": self.strength,
        }
        return offset, self.matrix, settings

    @cached_property
    def inverse(self) -> np.ndarray:
        """Back from z to x - s mu: W's inverse on the span of the retained directions."""
        if self.method == "cholesky":
            return self._cholesky[1]
        return self._back * self.deviations**self.strength

    @property
    def _own_matrix(self) -> np.ndarray:
        """W, of cholesky before it is turned until it is triangular."""
        V = self.components.T  # (d, k)
        f = self.scales
        c = f[0]
        if self.narrows:
            found = V * f
        else:
            # V (f - c) V' + c I: f on the retained directions, c on the others (those left out, or
            # else the null ones); exactly I where both are 1
            if V.shape[1] < len(V):
                c *= 1.0 - self.strength
            else:
                V, f = V[:, : self._usable], f[: self._usable]
            found = (V * (f - c)) @ V.T + c * np.eye(len(V))
        return np.asarray(found / (self.deviations**self.strength)[:, None])

    @property
    def _back(self) -> np.ndarray:
        """``inverse`` before the columns' deviations."""
        back = self.components / self.scales[:, None]  # (k, d)
        if self.narrows:
            return back
        back = self.components.T @ back
        fade = 1.0 - self.strength
        k, d = self.components.shape
        if k < d and fade > FADED_OUT:  # the directions that n_components leaves out
            back += (np.eye(d) - self.components.T @ self.components) / (fade * self.scales[0])
        return back

    @cached_property
    def _cholesky(self) -> tuple[np.ndarray, np.ndarray]:
        """(W Q', Q back): Q orthogonal, W Q' upper triangular, its diagonal at or above 0."""
        if self.strength == 1 and self._usable == len(self.components) == len(self.mean):
            # more exact: the Cholesky factor of Sigma
            L = np.linalg.cholesky(self.spectrum.covariance(self.shrinkage))
            return np.triu(np.linalg.inv(L).T), L.T
        # numpy has QR but not RQ: with J the reversal, (J W)' = Q1 R1 gives W = (J R1' J) (J Q1')
        Q1, R1 = np.linalg.qr(self._own_matrix[::-1].T)
        sign = np.where(np.diag(R1) < 0, -1.0, 1.0)
        return (R1.T * sign)[::-1, ::-1].copy(), (Q1 * sign).T[::-1] @ self._back

    def apply(self, X: np.ndarray) -> np.ndarray:
        """(n, d) to (n, k) for pca and pca-cor, else (n, d); float32 stays float32.

        Raises ValueError for another width, and naming the first row that has NaN or infinity.
        """
        X = unchecked_rows(X, at_least=0)
        need_width(X, len(self.mean))
        return centred_product(X, self._shift(X.dtype), self.matrix.astype(X.dtype))

    def undo(self, Z: np.ndarray) -> np.ndarray:
        """Back to the original space; exact on the span of the retained directions."""
        Z = wide_rows(Z, len(self.inverse))
        return Z @ self.inverse.astype(Z.dtype) + self._shift(Z.dtype)

    @property
    def _usable(self) -> int:
        return int(np.sum(self.eigenvalues > self.rank_floor))

    def _shift(self, dtype: np.dtype[Any]) -> np.ndarray:
        return (self.centring * self.mean).astype(dtype)


@dataclass(frozen=True)
class StandardMap:
    """z = (x - mean) / scale, dimension by dimension: mean 0 and variance 1 (divided by n).

    It reduces rogue dimensions and does not change correlations (Timkey, van Schijndel 2021, "All
    Bark and No Bite").
    """

    mean: np.ndarray  #: (d,)
    #: (d,) deviations; the largest of them for dimensions without spread, so that new rows do not
    #: depend on the unit. Unlike in ``StandardScaler``, these include dimensions whose spread is
    #: the rounding of float32 data.
    scale: np.ndarray
    n_rows: int  #: of the fit
    fingerprint: Fingerprint | None = None  #: where they lie

    @classmethod
    def solve(cls, moments: Moments, *, eps: float) -> Self:
        """The map of these moments; ``eps`` is the precision of the data they came from."""
        variances = np.diag(moments.covariance)
        # rounding moves an entry by about eps times its size; that is not spread
        alive = variances > (2 * eps * moments.mean) ** 2
        scale = column_scales(variances, alive)
        return cls(moments.mean, scale, moments.n_rows, Fingerprint.of(moments))

    def apply(self, X: np.ndarray) -> np.ndarray:
        """(n, d) to (n, d), float32 and float64 in their own precision, all else in float64."""
        X = wide_rows(X, len(self.mean))
        return (X - self.mean.astype(X.dtype)) / self.scale.astype(X.dtype)

    @property
    def affine(self) -> tuple[np.ndarray, np.ndarray, dict[str, object]]:
        """(offset (d,), matrix (d, d), settings) of z = (x - offset) matrix."""
        return self.mean, np.diag(1 / self.scale), {"method": "standardising"}


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


def _share(shrinkage: float | str | None, moments: Moments) -> float:
    return ledoit_wolf(moments) if shrinkage == "ledoit-wolf" else float(shrinkage or 0.0)


def checked_weights(sample_weight: Any, n: int) -> np.ndarray:
    """(n,) float64; ValueError unless they are n finite numbers >= 0, not all of them 0."""
    w = np.asarray(sample_weight, dtype=np.float64)
    if w.shape != (n,) or not np.isfinite(w).all() or (w < 0).any() or w.sum() <= 0:
        raise ValueError(f"sample_weight must be {n} finite numbers >= 0, not all of them 0")
    return w


def check_settings(
    method: Any, n_components: Any, shrinkage: Any, centring: Any, strength: Any, *, d: int
) -> None:
    """Raise ValueError naming the first setting of ``solve`` that d dimensions do not allow."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}; got {method!r}")
    for name, value in (("centring", centring), ("strength", strength)):
        if not _is_share(value):
            raise ValueError(f"{name} must lie in [0, 1]; got {value!r}")
    if not (shrinkage is None or shrinkage == "ledoit-wolf" or _is_share(shrinkage)):
        raise ValueError(f'shrinkage must be None, "ledoit-wolf" or in [0, 1]; got {shrinkage!r}')
    k = n_components
    if k is not None and not (isinstance(k, Integral) and 1 <= int(k) <= d):
        raise ValueError(f"n_components must be an integer in [1, {d}] or None; got {k!r}")


def recommended_whitening(n: int, d: int) -> dict[str, Any]:
    """Keywords of ``Whitening`` for n rows in d dimensions; the pages' defaults.

    - n >= 5 d: none, full whitening
    - d < n < 5 d: Ledoit-Wolf
    - n <= d: Ledoit-Wolf and the n / 10 leading directions. Shrinkage does not separate the
      trailing ones from noise; for 200 sentences in 384 dimensions they hide the topic in the
      nearest neighbours.
    """
    if n >= MIN_ROWS_PER_DIMENSION * d:
        return {}
    if n > d:
        return {"shrinkage": "ledoit-wolf"}
    return {"shrinkage": "ledoit-wolf", "n_components": min(d, max(2, n // ROWS_PER_DIRECTION))}


def _is_share(value: Any) -> bool:
    return isinstance(value, Real) and 0 <= float(value) <= 1
