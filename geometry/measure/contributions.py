"""Which dimensions carry the mean cosine."""

from __future__ import annotations

from functools import lru_cache
from math import erfc, lgamma

import numpy as np

from ..linalg.rows import UndefinedMeasure, need_rows, unit_rows


def cosine_contributions(X: np.ndarray) -> np.ndarray:
    """Each dimension's share of the mean cosine over pairs i != j, (d,), summing to 1.

    X : (n, d), n >= 2, no zero row.   A share may be negative. Of a cone, one to five dimensions
    often carry most of it (rogue dimensions). Their mean is 1/d; what the largest would be
    were no dimension singled out is ``top_contribution_baseline(d)``, several times that.
    Raises UndefinedMeasure (a ValueError) where the mean cosine is 0 to rounding: there is
    nothing to share.
    sum_{i != j} u_ik u_jk = (sum_i u_ik)^2 - sum_i u_ik^2.
    Timkey, van Schijndel 2021, equation 2.
    """
    U = unit_rows(X)
    need_rows(len(U), 2)
    return contributions(U.sum(axis=0), np.einsum("nd,nd->d", U, U))


def top_contribution(X: np.ndarray, *, k: int = 1) -> float:
    """The k largest ``cosine_contributions`` together; see ``top_contribution_baseline``."""
    return largest_share(cosine_contributions(X), k)


@lru_cache(maxsize=256)
def top_contribution_baseline(d: int, *, k: int = 1) -> float:
    """What ``top_contribution`` gives on average where no dimension is singled out, in [k/d, 1].

    Isotropic data around the origin have no mean cosine to share, so these are pushed off it, in a
    random direction m: the shares are then m_k^2, and the largest of d lies far above 1/d (.026
    against .0026 at d = 384). Because a Gaussian's length and direction are independent, the mean
    of the k largest m_k^2 is that of the k largest of d squared normals, over d: the integral over
    t of E min(k, N), where N ~ Binomial(d, P(g^2 > t)) of them exceed t. By trapezoids, to 1e-5.
    Order statistics by their tails: David, Nagaraja 2003, section 3.1.
    """
    if not 1 <= k <= d:
        raise ValueError(f"k must lie between 1 and the d = {d} dimensions; got {k}")
    if k == d:
        return 1.0
    t = np.linspace(0, 10, 2001)[1:] ** 2  # of P(g^2 > 100) = 1.5e-23 nothing is left
    q = np.array([erfc(x) for x in np.sqrt(t / 2)])  # P(g^2 > t)
    fewer = np.zeros_like(t)  # k - E min(k, N)
    for j in range(k):
        ways = lgamma(d + 1) - lgamma(j + 1) - lgamma(d - j + 1)
        fewer += (k - j) * np.exp(ways + j * np.log(q) + (d - j) * np.log1p(-q))
    t, exceeding = np.append(0.0, t), np.append(k, k - fewer)  # all exceed 0
    return float(np.trapezoid(exceeding, t)) / d


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
