"""Every cure for anisotropy under one name each, fitted once and then turned by its knobs.

The estimators (``Whitening``, ``CommonComponentRemoval``, …) are for a pipeline; this is for
comparing them: the same points, the same fit set, results in the same axes.
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

WHITENINGS = ("zca", "pca", "zca-cor", "pca-cor", "zipf", "cholesky")  # all have the same knobs
KNOBS = {  # which knobs turn which treatment
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
OWN_FIT = ("learned", "flow")  # by estimators that take more than rows, or minutes
LINEAR_AT_ONCE = ("raw", "centred", "standardised", *WHITENINGS, "removed")


@dataclass(frozen=True)
class Knobs:
    """What can be turned without a second fit.

    centring, strength in [0, 1].   n_components : directions that a whitening keeps, None all.
    shrinkage : None, a number in [0, 1] or "ledoit-wolf".   n_removed : directions that
    all-but-the-top takes away, None d/100.
    """

    centring: float = 1.0
    strength: float = 1.0
    n_components: int | None = None
    shrinkage: float | str | None = None
    n_removed: int | None = None

    def of(self, name: str) -> Knobs:
        """Those that turn the treatment of that name; the others at rest."""
        if name not in KNOBS:
            raise ValueError(f"name must be one of {', '.join(TREATMENTS)}; got {name!r}")
        return Knobs(**{knob: getattr(self, knob) for knob in KNOBS[name]})


@dataclass(frozen=True)
class Treated:
    """Rows after a treatment: ``vectors`` (n, d) along the raw cloud's own axes, to be drawn, and
    ``kept`` (n, k) in only those directions that the treatment fills, to be measured.

    filled : those directions as orthonormal rows (k, d); None where they are all.

    A whitening at strength 1 fills those that it scales: kept by k, and above the rank floor. So
    all of them measure the same directions, where PCA has dropped the null ones and ZCA, which
    leaves them unscaled, has not. Softened, all but PCA leave a part of every direction.
    """

    vectors: np.ndarray
    filled: np.ndarray | None = None

    @cached_property
    def kept(self) -> np.ndarray:
        """Worked out when first asked for: a picture need not wait for what is only measured."""
        if self.filled is None:
            return self.vectors
        return self.vectors @ self.filled.T.astype(self.vectors.dtype)


@dataclass(frozen=True)
class Treatment:
    """One fitted treatment: its name, what it was fitted on, its map.

    n_rows : rows of the fit, for "zipf" those with a weight above 0.   rank : of their
    covariance; None where none was taken.   fitted : the map; None for "raw".
    """

    name: str
    n_rows: int
    rank: int | None
    fitted: Any

    def turn(self, knobs: Knobs) -> Treatment:
        """The same fit at those knobs, whatever it was turned to before; no row is read again.

        No eigenproblem is solved either, but for another shrinkage on correlations
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

        PCA's coordinates are turned back to the raw axes to be drawn; what it drops, the null
        directions of the fit, stays dropped, so that with centring 0 and strength 0 it is the
        identity only where the fit has full rank, and else the projection on the fitted span.
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
    """Orthonormal rows (k, d); None where nothing is left out."""
    k, d = directions.shape
    return None if k == d else directions


def fit_treatment(
    name: str, X: np.ndarray, *, sample_weight: np.ndarray | None = None, random_state: int = 0
) -> Treatment:
    """Fit the treatment of that name on rows X (n, d), n >= 2, with its knobs at rest.

    sample_weight : (n,) occurrences of each row; "zipf" needs it, the others do not read it.
    random_state : of "clusterwise".   "learned" and "flow" are fitted by ``WeightedRemoval`` (it
    needs scored pairs) and ``NormalizingFlow`` (it takes time); wrap their ``map_`` in
    ``Treatment`` yourself.
    Raises ValueError for another name, too few rows, NaN, infinity and wrong weights.
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
        from .remove import ClusterwiseRemoval  # scikit-learn, which takes seconds to import

        removal = ClusterwiseRemoval(random_state=random_state).fit(X)
        return Treatment(name, len(X), None, removal.map_)
    weights = checked_weights(sample_weight, len(X)) if name == "zipf" else None
    return treatment_of_moments(name, Moments.of(X, weights), eps=float(np.finfo(X.dtype).eps))


def treatment_of_moments(name: str, moments: Moments, *, eps: float) -> Treatment:
    """The treatment of that name from the sums over the rows of its fit, its knobs at rest.

    For several treatments of one fit set, or one too large to hold.   eps : the precision of the
    rows.   "zipf" takes weighted moments; "clusterwise" and those of ``OWN_FIT`` need rows.
    Raises ValueError for a name that sums do not suffice for, and fewer than 2 rows.
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
