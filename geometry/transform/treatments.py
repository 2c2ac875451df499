"""All treatments of anisotropy by name, fitted once and then adjusted by knobs.

The estimators (``Whitening``, ``CommonComponentRemoval``, …) are for a pipeline. This module is for
comparisons: the same points, the same rows in the fit, results along the same axes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..linalg.moments import Moments
from ..linalg.rows import float_rows, need_rows, wide_rows
from .removal_map import RemovalMap, default_components
from .standard_map import StandardMap
from .whitening_map import WhiteningMap, checked_weights

WHITENINGS = ("zca", "pca", "zca-cor", "pca-cor", "zipf", "cholesky")  # these have the same knobs
KNOBS = {  # the knobs of each treatment
    "raw": (),
    "centred": ("centring",),
    "standardised": (),
    **dict.fromkeys(WHITENINGS, ("centring", "strength", "n_components", "shrinkage")),
    "removed": ("n_removed",),
    "clusterwise": (),
    "learned": (),
    "flow": (),
}
TREATMENTS = tuple(KNOBS)
OWN_FIT = ("learned", "flow")  # fitted elsewhere: they need scored pairs, or minutes
LINEAR_AT_ONCE = ("raw", "centred", "standardised", *WHITENINGS, "removed")


@dataclass(frozen=True)
class Knobs:
    """Settings that need no second fit.

    Attributes
    ----------
    centring : float in [0, 1]
        Share of the mean that a whitening subtracts.
    strength : float in [0, 1]
        1 is full whitening.
    n_components : int or None
        Directions that a whitening retains; None for all.
    shrinkage : None, float in [0, 1], or "ledoit-wolf"
        As in ``Whitening``.
    n_removed : int or None
        Directions that all-but-the-top removes; None for d/100.
    """

    centring: float = 1.0
    strength: float = 1.0
    n_components: int | None = None
    shrinkage: float | str | None = None
    n_removed: int | None = None

    def of(self, name: str) -> Knobs:
        """The knobs of the treatment of that name; the others at their defaults."""
        if name not in KNOBS:
            raise ValueError(f"name must be one of {', '.join(TREATMENTS)}; got {name!r}")
        return Knobs(**{knob: getattr(self, knob) for knob in KNOBS[name]})


@dataclass(frozen=True)
class Treated:
    """Rows after a treatment.

    A whitening at strength 1 fills the directions that it scales: the first k, above the rank
    floor. So all whitenings are measured in the same directions, although PCA drops the null ones
    and ZCA does not. Below strength 1, all but PCA fill every direction.

    Attributes
    ----------
    vectors : (n, d) array
        Along the axes of the raw cloud, for drawing.
    filled : (k, d) array or None
        The directions that the treatment fills, as orthonormal rows; None for all.
    retained : (n, k) array
        The vectors in those directions only, for measuring.
    """

    vectors: np.ndarray
    filled: np.ndarray | None = None

    @cached_property
    def retained(self) -> np.ndarray:
        """Computed at first use, because drawing does not need it."""
        if self.filled is None:
            return self.vectors
        return self.vectors @ self.filled.T.astype(self.vectors.dtype)


@dataclass(frozen=True)
class Treatment:
    """A fitted treatment.

    Attributes
    ----------
    name : str
        One of ``TREATMENTS``.
    n_rows : int
        Rows of the fit; for "zipf" those with a weight above 0.
    rank : int or None
        Rank of their covariance; None if there is none.
    fitted : object
        The map; None for "raw".
    """

    name: str
    n_rows: int
    rank: int | None
    fitted: Any

    def turn(self, knobs: Knobs) -> Treatment:
        """The same fit at these knobs; no row is read again.

        An eigenproblem is solved only for another shrinkage on correlations
        (``WhiteningMap.adjust``). Raises ValueError for a knob outside its range.
        """
        own = knobs.of(self.name)
        if self.name in ("centred", *WHITENINGS):
            turned = {name: getattr(own, name) for name in KNOBS[self.name]}
            return replace(self, fitted=self.fitted.adjust(**turned))
        if self.name == "removed":
            least = default_components(len(self.fitted.offset))
            D = least if own.n_removed is None else own.n_removed
            return replace(self, fitted=self.fitted.remove_top(D, name="n_removed"))
        return self

    def apply(self, X: np.ndarray) -> Treated:
        """Rows X (n, d) treated, n >= 1; float32 stays float32.

        The coordinates of PCA are rotated back to the raw axes for drawing. The null directions
        that it drops stay 0. So with centring 0 and strength 0 it is the projection on the fitted
        span, and the identity only if the fit has full rank.
        Raises ValueError for NaN, infinity, and columns that are not the fit's.
        """
        Z = self._mapped(float_rows(X, at_least=1))
        if self.name in ("pca", "pca-cor"):
            V = self.fitted.components
            return Treated(Z @ V.astype(Z.dtype), V)
        if self.name in WHITENINGS and self.fitted.strength == 1:
            return Treated(Z, _unless_all(self.fitted.filled))
        if self.name == "removed":
            return Treated(Z, _unless_all(self.fitted.axes[len(self.fitted.weights) :]))
        return Treated(Z)

    def _mapped(self, X: np.ndarray) -> np.ndarray:
        if self.fitted is None:
            return X
        if self.name == "flow":
            z, _log_det = self.fitted.apply(wide_rows(X, len(self.fitted.mean)))  # in float64
            return np.asarray(z, dtype=X.dtype)
        return np.asarray(self.fitted.apply(X))


def _unless_all(directions: np.ndarray) -> np.ndarray | None:
    """The orthonormal rows (k, d); None if k = d."""
    k, d = directions.shape
    return None if k == d else directions


def fit_treatment(
    name: str, X: np.ndarray, *, sample_weight: np.ndarray | None = None, random_state: int = 0
) -> Treatment:
    """Fit the treatment of that name, with its knobs at their defaults.

    "learned" and "flow" are fitted by ``WeightedRemoval`` and ``NormalizingFlow``; the caller wraps
    their ``map_`` in ``Treatment``.

    Parameters
    ----------
    name : str
        One of ``TREATMENTS``, except those of ``OWN_FIT``.
    X : (n, d) array of float, n >= 2
    sample_weight : (n,) array, optional
        Occurrences of each row. Only "zipf" reads it, and needs it.
    random_state : int
        For "clusterwise".

    Raises
    ------
    ValueError
        For another name, too few rows, NaN, infinity and wrong weights.
    """
    if name not in TREATMENTS or name in OWN_FIT:
        offered = ", ".join(code for code in TREATMENTS if code not in OWN_FIT)
        raise ValueError(f"name must be one of {offered}; got {name!r}")
    if name == "zipf" and sample_weight is None:
        raise ValueError("zipf needs sample_weight, how often each row occurs")
    X = float_rows(X, at_least=2)
    if name == "raw":
        return Treatment("raw", len(X), None, None)
    if name == "clusterwise":
        from .remove import ClusterwiseRemoval  # scikit-learn takes seconds to import

        removal = ClusterwiseRemoval(random_state=random_state).fit(X)
        return Treatment(name, len(X), None, removal.map_)
    weights = checked_weights(sample_weight, len(X)) if name == "zipf" else None
    return treatment_of_moments(name, Moments.of(X, weights), eps=float(np.finfo(X.dtype).eps))


def treatment_of_moments(name: str, moments: Moments, *, eps: float) -> Treatment:
    """The treatment of that name from the moments of its rows, with its knobs at their defaults.

    For several treatments of the same rows, or rows too many for memory. "zipf" needs weighted
    moments. "clusterwise" and the treatments of ``OWN_FIT`` need rows.

    Parameters
    ----------
    name : str
        One of ``LINEAR_AT_ONCE``.
    moments : Moments
    eps : float
        Machine precision of the rows.

    Raises
    ------
    ValueError
        For a name that needs rows, and for fewer than 2 rows.
    """
    if name not in LINEAR_AT_ONCE:
        raise ValueError(f"name must be one of {', '.join(LINEAR_AT_ONCE)}; got {name!r}")
    need_rows(moments.n_rows, 2)
    if name == "raw":
        return Treatment("raw", moments.n_rows, None, None)
    fitted = _SOLVERS[name](moments, eps=eps)
    return Treatment(name, fitted.n_rows, getattr(fitted, "rank", None), fitted)


_SOLVERS: dict[str, Callable[..., Any]] = {  # moments and their precision to a map
    "centred": partial(WhiteningMap.solve, method="zca", strength=0.0),
    "standardised": StandardMap.solve,
    "removed": RemovalMap.solve,
    "zipf": partial(WhiteningMap.solve, method="zca"),
    **{
        method: partial(WhiteningMap.solve, method=method)
        for method in ("zca", "pca", "cholesky", "zca-cor", "pca-cor")
    },
}
