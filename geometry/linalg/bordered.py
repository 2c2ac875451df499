"""Symmetric matrices solved within a border, where rows of their own length are slow.

Where a row takes a multiple of 512 bytes, as with 384, 768 or 1024 numbers, the entries of a column
fall on the same few places of a processor's cache and push each other out: Cholesky's factor takes
twice as long as with two more columns, an eigenproblem a fifth longer.
"""

from __future__ import annotations

import numpy as np

SLOW = 64  # float64 in 512 bytes
BORDER = 2


def eigh(S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``numpy.linalg.eigh`` of S (d, d) without an eigenvalue below -tr S: a covariance."""
    d = len(S)
    if d % SLOW:
        return np.linalg.eigh(S)
    # zeros part the border from S exactly, and its own eigenvalues come first
    values, V = np.linalg.eigh(_bordered(S, -1.0 - float(np.trace(S))))
    return values[BORDER:], V[:d, BORDER:]


def is_above(S: np.ndarray, level: float) -> bool:
    """Whether every eigenvalue of S is above this level: Cholesky tells it without solving."""
    lowered = S.copy() if len(S) % SLOW else _bordered(S, 1.0 + level)
    lowered.flat[:: len(lowered) + 1] -= level
    try:
        np.linalg.cholesky(lowered)
    except np.linalg.LinAlgError:
        return False
    return True


def _bordered(S: np.ndarray, entry: float) -> np.ndarray:
    """(d + BORDER, d + BORDER): S, and this entry on the rest of the diagonal."""
    d = len(S)
    larger = np.zeros((d + BORDER, d + BORDER))
    larger[:d, :d] = S
    larger.flat[d * (d + BORDER + 1) :: d + BORDER + 1] = entry
    return larger
