"""Every cure for anisotropy under one name each, fitted once and then turned by its knobs.

The estimators (``Whitening``, ``CommonComponentRemoval``, …) are for a pipeline; this is for
comparing them: the same points, the same fit set, results in the same axes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .moments import Moments
from .removal_map import RemovalMap
from .standard_map import StandardMap
from .whitening_map import WhiteningMap

EIGEN = ("zca", "pca", "zca-cor", "pca-cor", "zipf")  # whitenings along directions of variance
KNOBS = {  # which knobs turn which treatment
    "raw": (),
    "centred": ("centring",),
    "standardised": (),
    **dict.fromkeys(EIGEN, ("centring", "strength", "n_components", "shrinkage")),
    "cholesky": ("centring", "shrinkage"),
    "removed": ("n_removed",),
    "clusterwise": (),
    "learned": (),
    "flow": (),
}
TREATMENTS = tuple(KNOBS)
LINEAR_AT_ONCE = ("raw", "centred", "standardised", *EIGEN, "cholesky", "removed")


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
        return Knobs(**{knob: getattr(self, knob) for knob in KNOBS[name]})


@dataclass(frozen=True)
class Treated:
    """Rows after a treatment: ``vectors`` (n, d) along the raw cloud's own axes, to be drawn, and
    ``kept`` (n, k) in only those directions that the treatment fills, to be measured."""

    vectors: np.ndarray
    kept: np.ndarray


@dataclass(frozen=True)
class Treatment:
    """One fitted treatment: its name, what it was fitted on, its map.

    n_rows : rows of the fit.   rank : of their covariance; None where none was taken.
    fitted : the map; ``apply`` takes rows (n, d).
    """

    name: str
    n_rows: int
    rank: int | None
    fitted: Any

    def turn(self, knobs: Knobs) -> Treatment:
        """The same fit at other knobs: no moments, no eigenproblem."""
        own = knobs.of(self.name)
        if self.name in (*EIGEN, "cholesky"):
            turned = {name: getattr(own, name) for name in KNOBS[self.name]}
            return replace(self, fitted=self.fitted.adjust(**turned))
        if self.name == "centred":
            return replace(self, fitted=self.fitted.adjust(centring=own.centring, strength=0.0))
        if self.name == "removed" and own.n_removed is not None:
            return replace(self, fitted=self.fitted.remove_top(own.n_removed))
        return self

    def apply(self, X: np.ndarray) -> Treated:
        """Rows X (n, d) treated. PCA's coordinates are turned back to the raw axes to be drawn."""
        Z = X if self.fitted is None else self.fitted.apply(X)
        if self.name in ("pca", "pca-cor"):
            return Treated(Z @ self.fitted.components.astype(Z.dtype), Z)
        if self.name in EIGEN and self.fitted.strength == 1:
            return Treated(Z, _kept(Z, self.fitted.components))
        if self.name == "removed":
            return Treated(Z, _kept(Z, self.fitted.axes[len(self.fitted.weights) :]))
        return Treated(Z, Z)


def _kept(Z: np.ndarray, components: np.ndarray) -> np.ndarray:
    """Coordinates (n, k) along orthonormal rows (k, d); Z itself where nothing is left out."""
    return Z if len(components) == Z.shape[1] else Z @ components.T.astype(Z.dtype)


def fit_treatment(
    name: str, X: np.ndarray, *, sample_weight: np.ndarray | None = None, random_state: int = 0
) -> Treatment:
    """Fit the treatment of that name on rows X (n, d), n >= 2, with its knobs at rest.

    sample_weight : (n,) occurrences of each row, for "zipf".   "learned" and "flow" are fitted by
    ``WeightedRemoval`` (it needs scored pairs) and ``NormalizingFlow`` (it takes time); wrap their
    ``map_`` in ``Treatment`` yourself.
    """
    if name not in TREATMENTS or name in ("learned", "flow"):
        offered = ", ".join(code for code in TREATMENTS if code not in ("learned", "flow"))
        raise ValueError(f"name must be one of {offered}; got {name!r}")
    if name == "raw":
        return Treatment("raw", len(X), None, None)
    if name == "zipf" and sample_weight is None:
        raise ValueError("zipf needs sample_weight, how often each row occurs")
    if name == "clusterwise":
        from .remove import ClusterwiseRemoval  # scikit-learn, which takes seconds to import

        removal = ClusterwiseRemoval(random_state=random_state).fit(X)
        return Treatment(name, len(X), None, removal.map_)
    moments = Moments.of(X, sample_weight if name == "zipf" else None)
    fitted = _SOLVERS[name](moments, float(np.finfo(X.dtype).eps))
    return Treatment(name, len(X), getattr(fitted, "rank", None), fitted)


def _whitening(method: str) -> Callable[[Moments, float], WhiteningMap]:
    return lambda moments, eps: WhiteningMap.solve(moments, eps=eps, method=method)


_SOLVERS: dict[str, Callable[[Moments, float], Any]] = {
    "centred": _whitening("zca"),
    "standardised": lambda moments, eps: StandardMap.solve(moments, eps=eps),
    "removed": lambda moments, eps: RemovalMap.solve(moments, eps=eps),
    "zipf": _whitening("zca"),
    **{method: _whitening(method) for method in ("zca", "pca", "cholesky", "zca-cor", "pca-cor")},
}
