"""Is the origin inside the convex hull of the hidden states? A linear program decides it."""

from dataclasses import dataclass

import numpy as np

from ..linalg.rows import float_rows

FIRST_ROWS = 1_000
MORE_ROWS = 500  # rows added at a time: those that violate the answer most
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Separation:
    """Whether a half-space through the origin contains all rows."""

    is_outside: bool  #: true where the origin is outside of the convex hull of the rows
    #: (d,) a unit vector with ``direction @ row >= margin`` for every row; zeros if there is none
    direction: np.ndarray
    margin: float  #: the smallest of these products, above 0 where the origin is outside; else 0
    n_rows: int  #: rows that the last linear program had; the others were only checked


def separating_direction(H: np.ndarray) -> Separation:
    """A direction whose product with every row is positive, if there is one.

    There is one exactly if the origin is outside of the convex hull of the rows, H (n, d). Then a
    token that never occurs is pushed for ever: its loss decreases along minus this direction
    without reaching its infimum (Gao et al. 2019, section 4).

    max t subject to h . v >= t for the rows, -1 <= v_j <= 1. Cutting planes: the program is solved
    for some rows; the rows that violate its answer most are added until none is left.
    """
    from scipy.optimize import linprog

    rows = float_rows(H, at_least=1).astype(np.float64)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    if not length.all():  # the origin is one of the rows
        return Separation(False, np.zeros(rows.shape[1]), 0.0, len(rows))
    unit = rows / length  # a positive factor changes no sign
    n, d = unit.shape
    used = np.unique(np.linspace(0, n - 1, min(n, FIRST_ROWS)).astype(int))
    while True:
        found = linprog(
            np.append(np.zeros(d), -1.0),
            A_ub=np.hstack([-unit[used], np.ones((len(used), 1))]),
            b_ub=np.zeros(len(used)),
            bounds=[(-1, 1)] * d + [(None, 1)],
            method="highs",
        )
        v, t = found.x[:d], found.x[d]
        if t <= TOLERANCE:
            break
        products = unit @ v
        violated = np.flatnonzero(products <= min(t, TOLERANCE))
        if not len(violated):
            direction = v / np.linalg.norm(v)
            return Separation(True, direction, float((rows @ direction).min()), len(used))
        new = np.setdiff1d(violated, used)
        # All violated rows are in the program: the margin is below HiGHS's tolerance
        if not len(new):
            break
        used = np.union1d(used, new[np.argsort(products[new])[:MORE_ROWS]])
    return Separation(False, np.zeros(d), 0.0, len(used))
