"""Similarity of two vectors: cosine and four alternatives that a narrow cone distorts less."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..linalg.moments import Moments
from ..linalg.rows import UndefinedMeasure, directions, finite_rows
from ..measure.correlation import ranks_in_rows
from ..transform.whitening_map import WhiteningMap

if TYPE_CHECKING:
    from ..transform.whiten import Whitening

SIMILARITIES = ("cosine", "dot", "euclidean", "mahalanobis", "rank")
FLOAT32_EPS = float(np.finfo(np.float32).eps)  # rounding of the vectors of encoders


def pair_similarities(
    left: np.ndarray,
    right: np.ndarray,
    similarity: str = "cosine",
    *,
    precision: Whitening | WhiteningMap | Moments | None = None,
) -> np.ndarray:
    """Similarity of left_i and right_i, (n,) float64; larger is more similar.

    - ``cosine``: in [-1, 1]; undefined for a zero row
    - ``dot``: the inner product, so long vectors count for more
    - ``euclidean``: -|l - r|, at most 0; for unit rows it orders pairs as cosine does
    - ``mahalanobis``: -sqrt((l - r)' Sigma^-1 (l - r)), at most 0, where Sigma is the covariance
      of the set that ``precision`` was fitted on. It equals the Euclidean distance after full
      whitening, and depends on the fit set like every whitening.
    - ``rank``: Spearman's rho of the coordinates of the two rows, in [-1, 1]; robust to a few
      rogue dimensions, undefined for a row of equal entries

    Computed in float64, because in a narrow cone float32 leaves only a few dozen distinct cosines
    among thousands of pairs. UndefinedMeasure for a row without such a similarity; the message
    names the first.

    Parameters
    ----------
    left : (n, d) array, the first of each pair
    right : (n, d) array, the second of each pair
    similarity : str, one of ``SIMILARITIES``
    precision : Whitening, WhiteningMap or Moments, optional
        For mahalanobis alone: a fitted whitening, or moments of float32 rows. Directions at the
        rank floor are left out.

    Zhelezniak et al. 2019, "Correlation Coefficients and Semantic Textual Similarity", section 3
    (rank); Mahalanobis 1936.
    """
    if similarity not in SIMILARITIES:
        raise ValueError(f"similarity must be one of {', '.join(SIMILARITIES)}; got {similarity!r}")
    if (precision is None) == (similarity == "mahalanobis"):
        raise ValueError(
            "mahalanobis needs precision, a whitening fitted on a set that you name"
            if precision is None
            else f"precision is of mahalanobis alone; {similarity} takes none"
        )
    left, right = _side(left, "left", similarity), _side(right, "right", similarity)
    if left.shape != right.shape:
        raise ValueError(
            f"left and right need one pair a row, and their shapes differ: {left.shape}, "
            f"{right.shape}"
        )
    if precision is not None:
        if isinstance(precision, Moments):
            precision = WhiteningMap.solve(precision, eps=FLOAT32_EPS, method="pca")
        W = (precision if isinstance(precision, WhiteningMap) else precision.map_).matrix  # (d, k)
        if len(W) != left.shape[1]:
            raise ValueError(
                f"precision was fitted on {len(W)} columns and the pairs have {left.shape[1]}; "
                "fit it on vectors of the same model"
            )
        return -np.linalg.norm((left - right) @ W, axis=1)
    if similarity == "euclidean":
        return -np.linalg.norm(left - right, axis=1)
    found = np.asarray(np.einsum("nd,nd->n", left, right))
    return found if similarity == "dot" else found.clip(-1.0, 1.0)


def _side(X: np.ndarray, side: str, similarity: str) -> np.ndarray:
    """Float64 rows of a side, which cosines need as directions, and ranks as those of ranks."""
    try:
        X = finite_rows(X, at_least=1)
    except ValueError as reason:
        raise ValueError(f"{side}: {reason}") from reason
    if similarity == "rank":
        flat = np.flatnonzero(X.max(axis=1) == X.min(axis=1))
        if len(flat):
            where = {"row": flat[0] + 1, "n_flat": len(flat), "n": len(X)}
            raise UndefinedMeasure("constant_row", side=side, **where)
        X = ranks_in_rows(X) - (X.shape[1] + 1) / 2
    if similarity not in ("cosine", "rank"):
        return X
    try:
        return directions(X)
    except UndefinedMeasure as reason:
        raise UndefinedMeasure("zero_row_of_side", side=side, **reason.details) from reason
