"""Checked rows: finite numbers, as float64, and their directions."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from ..errors import GeometryError

# squares of squares of anything within stay inside float64
SMALLEST, LARGEST = 1e-60, 1e60
SAME = 64  # roundings of the largest entry: a text encoded twice, beside others, differs by a few
CHECKED_ROWS = 4096  # at a time: a view of other strides is copied by block, not as a whole


class UndefinedMeasure(GeometryError):
    """A measure that this cloud does not have; ``REASONS`` gives each code in a few words."""

    subject = "measure"


def finite_rows(X: np.ndarray, *, at_least: int) -> np.ndarray:
    """X as (n, d) float64, d >= 1; a copy. Raises as ``float_rows`` does."""
    return float_rows(X, at_least=at_least).astype(np.float64)


def float_rows(X: np.ndarray, *, at_least: int) -> np.ndarray:
    """X as (n, d), d >= 1: float32 and float64 as they are, all else as float64.

    Raises ValueError for another shape, for complex numbers, and naming the first row that
    holds NaN or infinity; UndefinedMeasure "too_few_rows" below ``at_least`` rows.
    """
    X = unseen_rows(X, at_least=at_least)
    refuse_not_finite(X)
    return X


def unseen_rows(X: np.ndarray, *, at_least: int) -> np.ndarray:
    """``float_rows`` for a caller who looks for NaN and infinity while at work on the rows."""
    X = np.asarray(X)
    if X.ndim != 2 or X.shape[1] == 0:
        raise ValueError(f"expected vectors as rows, shape (n, d); got shape {X.shape}")
    need_rows(len(X), at_least)
    if np.iscomplexobj(X):
        raise ValueError("expected real numbers; got complex ones")
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)


def refuse_not_finite(X: np.ndarray) -> None:
    """ValueError naming the first row of X (n, d) float that holds NaN or infinity.

    One pass of sums of squares, and a second only where one of them is not finite: NaN and
    infinity make it so, and so does a square that overflows, which is no fault.
    """
    with np.errstate(all="ignore"):
        blocks = (X[start : start + CHECKED_ROWS] for start in range(0, len(X), CHECKED_ROWS))
        if np.isfinite([np.vdot(block, block) for block in blocks]).all():
            return
    bad = np.flatnonzero(~np.isfinite(X).all(axis=1))
    if len(bad):
        raise ValueError(f"row {bad[0]} holds NaN or infinity ({len(bad)} of {len(X)} rows do)")


def wide_rows(X: np.ndarray, d: int) -> np.ndarray:
    """Rows for a map that was fitted on d columns: ``float_rows``, and ValueError for another d."""
    X = float_rows(X, at_least=0)
    need_width(X, d)
    return X


def need_width(X: np.ndarray, d: int) -> None:
    """Raise ValueError for rows of another number of columns than the fit's."""
    if X.shape[1] != d:
        raise ValueError(f"expected {d} columns, as in the fit; got {X.shape[1]}")


def need_rows(n: int, at_least: int) -> None:
    """Raise UndefinedMeasure "too_few_rows" for fewer rows than that."""
    if n < at_least:
        raise UndefinedMeasure("too_few_rows", at_least=at_least, n=n)


def count_distinct(X: np.ndarray, *, most: int) -> int:
    """How many rows of X (n, d) differ by more than rounding, counted up to so many."""
    head = X[: 2 * most]  # of most clouds these are enough
    found = _differ(head)
    return min(most, found if found >= most or len(head) == len(X) else _differ(X))


def _differ(X: np.ndarray) -> int:
    """Rows that are equal have one place on any line, so only neighbours there are compared."""
    n, d = X.shape
    along = X @ np.random.default_rng(0).standard_normal(d)
    order = np.argsort(along)
    same = SAME * np.finfo(X.dtype).eps * float(np.abs(X).max(initial=0.0))
    close = np.flatnonzero(np.diff(along[order]) <= d * same)
    apart = np.abs(X[order[close]] - X[order[close + 1]]).max(axis=1, initial=0.0)
    return n - int(np.sum(apart <= same))


def need_whole(name: str, value: Any, *, at_least: int) -> None:
    """Raise ValueError naming the argument unless it is an integer (no bool), that or more."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < at_least:
        raise ValueError(f"{name} must be an integer of at least {at_least}; got {value!r}")


def refuse_missing(ids: np.ndarray, what: str) -> None:
    """ValueError naming the first of the ids (n,) that is NaN, NaT or None and so names nothing."""
    missing = np.asarray(ids != ids)  # only NaN and NaT differ from themselves
    if ids.dtype == object:
        missing = missing | np.array([one is None for one in ids], dtype=bool)
    rows = np.flatnonzero(missing)
    if len(rows):
        raise ValueError(
            f"the {what} of row {rows[0]} is {ids[rows[0]]} ({len(rows)} of {len(ids)} rows have "
            "none); drop these rows first"
        )


def half_digits(X: np.ndarray) -> float:
    """sqrt(eps) of the numbers in X, those of float32 where all of them fit into it.

    Maps blow rounding up: whitening, for one, by the square root of the condition number. Half
    the digits of the precision are what a condition number of 1/eps leaves of equal rows, and
    beyond that a covariance says nothing of its smallest axes.
    """
    with np.errstate(over="ignore", under="ignore"):
        is_single = all(
            np.array_equal(block, block.astype(np.float32))
            for block in (X[:16], X)  # most float64 rows are known by the first
        )
    return float(np.sqrt(np.finfo(np.float32 if is_single else np.float64).eps))


def in_range(X: np.ndarray) -> np.ndarray:
    """X itself, or X / max |x| where squares of squares would leave float64's range.

    For measures that do not depend on scale.
    """
    peak = max(float(X.max(initial=0.0)), -float(X.min(initial=0.0)))
    return X if peak == 0 or SMALLEST < peak < LARGEST else X / peak


def unit_rows(X: np.ndarray) -> np.ndarray:
    """Rows of X (n, d) divided by their lengths, float64.

    Raises UndefinedMeasure (a ValueError) naming the first row whose length is 0, a direction
    it does not have.
    """
    return directions(finite_rows(X, at_least=1))


def directions(X: np.ndarray) -> np.ndarray:
    """``unit_rows`` of rows that were already checked."""
    with np.errstate(over="ignore", under="ignore"):
        norms = np.sqrt(np.einsum("nd,nd->n", X, X))
    odd = np.flatnonzero(~((norms > SMALLEST) & (norms < LARGEST)))
    if len(odd):
        X, norms = X.copy(), norms.copy()
        peaks = np.abs(X[odd]).max(axis=1)
        _refuse_zero(odd[peaks == 0], len(X))
        X[odd] /= peaks[:, None]
        norms[odd] = np.linalg.norm(X[odd], axis=1)
    return X / norms[:, None]


def _refuse_zero(zero: np.ndarray, n: int) -> None:
    if len(zero):
        raise UndefinedMeasure("zero_row", row=zero[0], n_zero=len(zero), n=n)
