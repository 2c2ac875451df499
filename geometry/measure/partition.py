"""Partition isotropy: does the sum of exp(c'x) depend on the direction c?"""

import numpy as np

from ..linalg.rows import UndefinedMeasure, directions, finite_rows, in_range
from ..linalg.spectrum import eigh_of_rank

SCALES = ("raw", "rms", "unit")


def partition_isotropy(X: np.ndarray, *, scale: str = "raw") -> float:
    """min over max of Z(c) = sum_i exp(c'x_i), in [0, 1]; 1 is isotropic.

    c runs over the eigenvectors of X'X *with both signs*: an eigenvector's sign is arbitrary, and
    Z(-c) is not Z(c). Computed in logarithms, so that long rows cannot overflow; a value below
    1e-308 is 0. Where eigenvalues of X'X are equal (a cloud whitened on itself), any basis of their
    span is a set of eigenvectors. The value then depends a little on the solver's choice.

    It depends on scale: long rows make any cloud look less isotropic, so choose equal scales before
    you compare two clouds. "raw" takes the rows as they are (as published), "rms" divides all by
    their root mean square length, "unit" divides each by its own length.

    Arora et al. 2016, section 2; Mu, Viswanath 2018, equation 2.
    """
    X = scaled(finite_rows(X, at_least=1), scale)
    small = in_range(X)
    return min_over_max(X @ eigh_of_rank(small.T @ small, len(X))[1])


def scaled(X: np.ndarray, scale: str) -> np.ndarray:
    """Rows of X (n, d) at one of SCALES."""
    if scale not in SCALES:
        raise ValueError(f"scale must be one of {', '.join(SCALES)}; got {scale!r}")
    if not X.any():
        raise UndefinedMeasure("all_zero")
    if scale == "raw":
        return X
    if scale == "unit":
        return directions(X)
    X = in_range(X)
    return X / np.sqrt(np.einsum("nd,nd->", X, X) / len(X))


def min_over_max(P: np.ndarray) -> float:
    """min over max of sum_i exp(+-p_ij) over the columns j of P (n, k) and both signs."""
    log_sums = np.concatenate([_log_sum_exp(P, 1), _log_sum_exp(P, -1)])
    with np.errstate(under="ignore"):
        return float(np.exp(log_sums.min() - log_sums.max()))


def _log_sum_exp(P: np.ndarray, sign: int) -> np.ndarray:
    peak = (P.max(axis=0) if sign > 0 else P.min(axis=0)).astype(P.dtype)
    Q = P - peak if sign > 0 else peak - P
    with np.errstate(under="ignore"):
        np.exp(Q, out=Q)
    return np.asarray(np.log(Q.sum(axis=0, dtype=np.float64)) + sign * peak.astype(np.float64))
