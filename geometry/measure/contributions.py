"""Which dimensions carry the mean cosine."""

from __future__ import annotations

import numpy as np

from ..rows import UndefinedMeasure, need_rows, unit_rows


def cosine_contributions(X: np.ndarray) -> np.ndarray:
    """Each dimension's share of the mean cosine over pairs i != j, (d,), summing to 1.

    X : (n, d), n >= 2, no zero row.   A share may be negative. Of a cone, one to five dimensions
    often carry most of it (rogue dimensions); were all alike, each would carry 1/d.
    Raises UndefinedMeasure (a ValueError) where the mean cosine is 0 to rounding: there is
    nothing to share.
    sum_{i != j} u_ik u_jk = (sum_i u_ik)^2 - sum_i u_ik^2.
    Timkey, van Schijndel 2021, equation 2.
    """
    U = unit_rows(X)
    need_rows(len(U), 2)
    return contributions(U.sum(axis=0), np.einsum("nd,nd->d", U, U))


def top_contribution(X: np.ndarray, *, k: int = 1) -> float:
    """The k largest ``cosine_contributions`` together; k/d where all dimensions are alike."""
    return largest_share(cosine_contributions(X), k)


def contributions(total: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """``cosine_contributions`` from the sum (d,) of the unit rows and of their squares (d,)."""
    by_dimension = total * total - squares
    whole = float(by_dimension.sum())
    if abs(whole) <= 1e-12 * float(np.abs(by_dimension).sum()):
        raise UndefinedMeasure(
            "no_mean_cosine", "the mean cosine is 0: there is nothing for dimensions to share"
        )
    return np.asarray(by_dimension / whole)


def largest_share(shares: np.ndarray, k: int) -> float:
    """The sum of the k largest of the shares (d,)."""
    if not 1 <= k <= len(shares):
        raise ValueError(f"k must lie between 1 and the {len(shares)} dimensions; got {k}")
    return float(np.sort(shares)[-k:].sum())
