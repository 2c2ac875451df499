"""Removing directions by weights that are learned from scored pairs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from .moments import Moments
from .removal_map import RemovalMap
from .remove import Removal

START = 0.25  # of every (1 - w)^2: halfway between leaving a direction and removing it
LEAST_NORM2 = 1e-12  # share of |x|^2 below which what is left of a row is rounding
MAX_STEPS = 1000
MIN_PAIRS = 3  # any two points lie on a line: r would be 1 or -1


class WeightedRemoval(Removal):
    """Remove the D leading principal directions, each by a weight learned from human scores.

    z = x - U diag(w) U'x, every w in [0, 1]: 0 leaves a direction, 1 removes it. The columns of U
    are the leading eigenvectors of the covariance (about the mean), but x itself is not centred,
    as in the authors' published code. Without pairs all weights are 1.

    With pairs (i, j) of rows and a gold score each, w minimises

        1 - r(w) + alpha mean((1 - w)^2)

    r being Pearson's correlation of the pairs' cosines after the removal with their scores.
    A cosine depends on w through g = (1 - w)^2 alone, so g in [0, 1] is what L-BFGS-B moves, from
    1/4 each, by the exact gradient: no random step. The authors minimise the mean squared error of
    cosine and score with unbounded weights, which needs scores on the scale of a cosine;
    Pearson's r needs none.

    Supervised: fit it on training pairs and show it on others. ``pearson_`` flatters.

    Parameters
    ----------
    n_components : int in [0, d - 1] or None. D; None is round(d / 10), at least 1.
    alpha : float >= 0. Pulls every weight towards 1, plain removal.

    Attributes
    ----------
    weights_ : (D,) float64 in [0, 1].   components_ : (D, d) float64, rows are directions.
    pearson_ : r on the fitted pairs, None without.   n_pairs_ : int, 0 without.
    n_components_ : int.   rank_ : int.   map_ : RemovalMap.

    References
    ----------
    Liang et al. 2021, "Learning to Remove: Towards Isotropic Pre-trained BERT Embedding".
    """

    def __init__(self, n_components: int | None = None, *, alpha: float = 1e-3) -> None:
        self.n_components = n_components
        self.alpha = alpha

    def fit(
        self, X: Any, y: Any = None, *, pairs: Any = None, gold_scores: Any = None
    ) -> WeightedRemoval:
        """Learn the directions from X (n, d), n >= 2, and the weights from pairs of its rows.

        pairs : (m, 2) integers in [0, n), m >= 3.   gold_scores : (m,) numbers, not all equal.
        """
        if not isinstance(self.alpha, Real) or not 0 <= float(self.alpha) < np.inf:
            raise ValueError(f"alpha must be a finite number >= 0; got {self.alpha!r}")
        if (pairs is None) != (gold_scores is None):
            raise ValueError("pairs and gold_scores belong together; give both or neither")
        X = self._checked_rows(X)
        d = X.shape[1]
        D = min(max(1, round(d / 10)), d - 1) if self.n_components is None else self.n_components
        fitted = RemovalMap.solve(Moments.of(X), eps=float(np.finfo(X.dtype).eps), n_components=D)
        # the directions are those about the mean, and yet the mean is not subtracted
        self.map_ = replace(fitted, offset=np.zeros(d))
        self.pearson_, self.n_pairs_ = None, 0
        if pairs is not None:
            scored = ScoredPairs.of(X, pairs, gold_scores, self.map_.components)
            kept = scored.best_kept(float(self.alpha))
            self.map_ = self.map_.reweigh(1 - np.sqrt(kept))
            self.pearson_, self.n_pairs_ = scored.pearson(kept)[0], len(scored.gold)
        self.components_ = self.map_.components
        self.weights_ = self.map_.weights
        self.n_components_ = len(self.weights_)
        self.rank_ = self.map_.rank
        return self


@dataclass(frozen=True, eq=False)
class ScoredPairs:
    """m pairs of rows along D directions U: what Pearson's r needs as a function of g (D,).

    left, right (m, D): U'x of either row.   dot, left2, right2 (m,): x'y, |x|^2 and |y|^2 without
    those directions.   gold (m,): the scores, centred, of length 1.   All float64.
    """

    left: np.ndarray
    right: np.ndarray
    dot: np.ndarray
    left2: np.ndarray
    right2: np.ndarray
    gold: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray, pairs: Any, gold_scores: Any, components: np.ndarray) -> ScoredPairs:
        """The pairs (m, 2) of rows of X (n, d) along components (D, d). Raises ValueError."""
        pairs = _checked_pairs(pairs, len(X))
        gold = _checked_scores(gold_scores, len(pairs))
        x, y = (X[column].astype(np.float64) for column in pairs.T)  # (m, d)
        zero = np.flatnonzero(~(x.any(axis=1) & y.any(axis=1)))
        if len(zero):
            raise ValueError(
                f"pair {zero[0]} holds a zero row, which has no cosine ({len(zero)} of "
                f"{len(pairs)} pairs do); leave these pairs out"
            )
        a, b = x @ components.T, y @ components.T  # (m, D)
        products = np.einsum("md,md->m", x, y), np.einsum("md,md->m", x, x)
        squares = np.einsum("md,md->m", y, y)
        return cls(
            left=a,
            right=b,
            dot=products[0] - np.einsum("mk,mk->m", a, b),
            left2=_without(products[1], a),
            right2=_without(squares, b),
            gold=gold,
        )

    def cosines(self, kept: np.ndarray) -> np.ndarray:
        """(m,) cosines when the share g of every direction's products is kept, in [-1, 1]."""
        dot, left2, right2 = self._products(kept)
        return dot / np.sqrt(left2 * right2)

    def pearson(self, kept: np.ndarray) -> tuple[float, np.ndarray]:
        """Pearson's r of cosines and scores, and its gradient (D,) in g.

        c = p / sqrt(s t), p = p0 + sum g a b, s = s0 + sum g a^2, t = t0 + sum g b^2, so
        dc/dg = a b / sqrt(s t) - c (a^2 / s + b^2 / t) / 2; dr/dc = (gold - r z) / |c - mean c|
        with z the centred cosines, of length 1.
        """
        dot, left2, right2 = self._products(kept)
        length = np.sqrt(left2 * right2)
        c = dot / length
        z = c - c.mean()
        spread = np.linalg.norm(z)
        if spread <= len(c) * np.finfo(np.float64).eps:
            return 0.0, np.zeros_like(kept)  # all cosines alike: nothing correlates with them
        z /= spread
        r = float(z @ self.gold)
        dr = (self.gold - r * z) / spread  # (m,)
        gradient = (
            (dr / length) @ (self.left * self.right)
            - (dr * c / left2 / 2) @ self.left**2
            - (dr * c / right2 / 2) @ self.right**2
        )
        return r, gradient

    def best_kept(self, alpha: float) -> np.ndarray:
        """The g (D,) in [0, 1] that minimises 1 - r(g) + alpha mean(g)."""
        from scipy.optimize import minimize  # comes with scikit-learn; only a fit needs it

        n_components = self.left.shape[1]
        if n_components == 0:
            return np.zeros(0)

        def objective(kept: np.ndarray) -> tuple[float, np.ndarray]:
            r, gradient = self.pearson(kept)
            return 1 - r + alpha * float(kept.mean()), alpha / n_components - gradient

        found = minimize(
            objective,
            np.full(n_components, START),
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, 1.0)] * n_components,
            options={"maxiter": MAX_STEPS},
        )
        return np.asarray(found.x).clip(0.0, 1.0)

    def _products(self, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return (
            self.dot + (self.left * self.right) @ kept,
            self.left2 + self.left**2 @ kept,
            self.right2 + self.right**2 @ kept,
        )


def _without(squared: np.ndarray, along: np.ndarray) -> np.ndarray:
    """|x|^2 less its part along the directions, kept above rounding: it is divided by."""
    return np.maximum(squared - np.einsum("mk,mk->m", along, along), LEAST_NORM2 * squared)


def _checked_pairs(pairs: Any, n: int) -> np.ndarray:
    pairs = np.asarray(pairs)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer):
        raise ValueError(
            f"pairs must be row numbers, integers of shape (m, 2); got {pairs.dtype} of shape "
            f"{pairs.shape}"
        )
    if len(pairs) < MIN_PAIRS:
        raise ValueError(f"weights need at least {MIN_PAIRS} pairs; got {len(pairs)}")
    outside = np.flatnonzero(((pairs < 0) | (pairs >= n)).any(axis=1))
    if len(outside):
        raise ValueError(
            f"pair {outside[0]} is {tuple(pairs[outside[0]].tolist())}; the rows are 0 to {n - 1} "
            f"({len(outside)} of {len(pairs)} pairs lie outside)"
        )
    return pairs


def _checked_scores(gold_scores: Any, m: int) -> np.ndarray:
    """The scores (m,), centred, of length 1."""
    gold = np.asarray(gold_scores, dtype=np.float64)
    if gold.shape != (m,):
        raise ValueError(f"gold_scores must be one number a pair, ({m},); got shape {gold.shape}")
    bad = np.flatnonzero(~np.isfinite(gold))
    if len(bad):
        raise ValueError(f"gold score {bad[0]} is {gold[bad[0]]}; every pair needs a finite one")
    if gold.min() == gold.max():
        raise ValueError(f"every gold score is {gold[0]}: nothing correlates with a constant")
    gold = gold - gold.mean()
    return gold / np.linalg.norm(gold)
