"""The arithmetic of whitening, without the estimator around it: moments in, a linear map out.

``geometry.Whitening`` is the scikit-learn face of this; pages that only draw use it as it is,
because importing scikit-learn would cost them more than all their arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from .moments import Moments

METHODS = ("pca", "zca")
MIN_ROWS_PER_DIMENSION = 5  # below n = 5 d a full whitening is mostly noise; use Ledoit-Wolf
FADED_OUT = 1e-9  # a factor at or below which a direction is lost and can't be brought back
ROWS_PER_KEPT_DIRECTION = 10  # where n <= d: directions kept, so that each rests on ten rows


@dataclass(frozen=True)
class WhiteningMap:
    """z = (x - s mu) V f (V'), with f = lambda^(-t/2); see ``Whitening`` for what it means.

    mean (d,) mu.   eigenvalues (d,) lambda, largest first, after shrinkage.
    components (k, d) rows of V', largest-magnitude entry positive.   n_rows : rows of the fit.
    rank : eigenvalues of the sample covariance above rank_floor, a variance.
    shrinkage : the a of (1 - a) Sigma + a (tr Sigma / d) I.   centring s, strength t in [0, 1].
    """

    method: str
    mean: np.ndarray
    eigenvalues: np.ndarray
    components: np.ndarray
    rank: int
    rank_floor: float
    shrinkage: float
    n_rows: int
    centring: float = 1.0
    strength: float = 1.0

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
    ) -> WhiteningMap:
        """The map of these moments; ``eps`` is the precision of the data they came from."""
        d = len(moments.mean)
        values, vectors = np.linalg.eigh(moments.covariance)
        values, V = values[::-1].clip(min=0.0), vectors[:, ::-1]
        V = V * np.where(V[np.abs(V).argmax(axis=0), np.arange(d)] < 0, -1.0, 1.0)
        floor = _rank_floor(values[0], float(moments.mean @ moments.mean), d, eps)
        a = moments.ledoit_wolf() if shrinkage == "ledoit-wolf" else float(shrinkage or 0.0)
        shrunk = (1 - a) * values + a * values.mean()
        usable = int(np.sum(shrunk > floor))
        if method == "zca":
            keep = d if n_components is None else int(n_components)
        else:
            # one column at least, so that constant data give zeros instead of an empty array
            keep = max(1, usable if n_components is None else min(int(n_components), usable))
        return cls(
            method=method,
            mean=moments.mean,
            eigenvalues=shrunk,
            components=np.ascontiguousarray(V[:, :keep].T),
            rank=int(np.sum(values > floor)),
            rank_floor=floor,
            shrinkage=a,
            n_rows=moments.n_rows,
            centring=centring,
            strength=strength,
        )

    def soften(self, *, centring: float, strength: float) -> WhiteningMap:
        """The same fit with another centring and strength: no second eigenproblem."""
        for name, value in (("centring", centring), ("strength", strength)):
            if not 0 <= value <= 1:
                raise ValueError(f"{name} must lie in [0, 1]; got {value!r}")
        return replace(self, centring=centring, strength=strength)

    @cached_property
    def scales(self) -> np.ndarray:
        """f (k,): lambda^(-t/2) above the rank floor, 1 at or below it."""
        kept = self.eigenvalues[: len(self.components)]
        return np.where(kept > self.rank_floor, kept, 1.0) ** (-self.strength / 2)

    @property
    def is_simplex(self) -> bool:
        """True when full whitening would make every fitted pair's cosine -1/(n - 1)."""
        return self.rank == self.n_rows - 1

    def apply(self, X: np.ndarray) -> np.ndarray:
        """(n, d) to (n, k) for pca, (n, d) for zca, in X's own precision."""
        V = self.components.T  # (d, k)
        W = V * self.scales
        if self.method == "zca":
            # V (f - c) V' + c I: f on the kept directions, the fade c on those left out, and
            # exactly I where both are 1
            fade = 1.0 - self.strength
            W = (V * (self.scales - fade)) @ V.T + fade * np.eye(len(V))
        return (X - self._shift(X.dtype)) @ W.astype(X.dtype)

    def undo(self, Z: np.ndarray) -> np.ndarray:
        """Back to the original space; exact on the span of the kept directions."""
        W = self.components / self.scales[:, None]  # (k, d)
        if self.method == "zca":
            fade = 1.0 - self.strength
            unfade = 1.0 / fade if fade > FADED_OUT else 0.0
            W = self.components.T @ W + unfade * self._left_out()
        return Z @ W.astype(Z.dtype) + self._shift(Z.dtype)

    def _left_out(self) -> np.ndarray | float:
        """Projection (d, d) on the directions that n_components leaves out; 0 where none are."""
        k, d = self.components.shape
        return 0.0 if k == d else np.eye(d) - self.components.T @ self.components

    def _shift(self, dtype: np.dtype[Any]) -> np.ndarray:
        return (self.centring * self.mean).astype(dtype)


def _rank_floor(largest: float, mean_norm2: float, d: int, eps: float) -> float:
    """Variance at or below which a direction is rounding noise.

    eps is the precision of the data. Rounding moves a row by about eps times its length,
    so the floor covers the mean as well as the spread: [CLS] of the embedding layer is one
    vector repeated, and its rank is 0. The last term is eigh's own error, d eps64.
    """
    spread = (d * eps) ** 2 * largest
    offset = 4 * eps**2 * mean_norm2
    return float(max(spread, offset, d * np.finfo(np.float64).eps * largest))


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
