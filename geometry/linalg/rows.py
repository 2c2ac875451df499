"""Checked rows: finite numbers, as float64, and their directions."""

from numbers import Integral
from typing import Any

import numpy as np

from ..errors import GeometryError

# fourth powers of magnitudes in this range stay inside float64
SMALLEST, LARGEST = 1e-60, 1e60
SAME = 64  # rounding in eps of the largest entry; one text in two batches differs by a few eps
CHECKED_ROWS = 4096  # rows of a block; a view with other strides is copied block by block


class UndefinedMeasure(GeometryError):
    """A measure that is not defined for this cloud; ``REASONS`` has each code in a few words."""

    subject = "measure"


def finite_rows(X: np.ndarray, *, at_least: int) -> np.ndarray:
    """X as (n, d) float64, d >= 1; a copy. Raises as ``float_rows`` does."""
    return float_rows(X, at_least=at_least).astype(np.float64)


def float_rows(X: np.ndarray, *, at_least: int) -> np.ndarray:
    """X as (n, d), d >= 1. float32 and float64 stay; other types become float64.

    ValueError for another shape, complex numbers, and naming the first row with NaN or infinity.
    """
    X = unchecked_rows(X, at_least=at_least)
    refuse_not_finite(X)
    return X


def as_rows(X: Any) -> Any:
    """What libraries hold rows in, as something that numpy reads as (n, d).

    A tensor of torch is copied: from any device, of any precision, with or without gradients. A
    column whose entries are vectors (pandas, polars, Arrow, a list) becomes a matrix. All else is
    returned as it is, a data frame with its names too.
    """
    if hasattr(X, "detach"):
        X = X.detach().cpu()
        return (X.float() if "bfloat16" in str(X.dtype) else X).numpy().copy()
    if len(getattr(X, "shape", (0,))) == 1:  # a list has no shape
        if isinstance(X, list | tuple) and any(hasattr(row, "detach") for row in X):
            X = [as_rows(row) for row in X]
        try:
            column = np.asarray(X)
        except ValueError as error:  # of lists of other lengths numpy makes no array
            raise ValueError("expected vectors of one length in every row") from error
        if column.dtype == object and column.ndim == 1 and len(column):
            if len({np.shape(row) for row in column}) > 1:
                raise ValueError("expected vectors of one length in every row of the column")
            return np.stack([np.asarray(row) for row in column])
        return column
    return X


def unchecked_rows(X: np.ndarray, *, at_least: int) -> np.ndarray:
    """``float_rows`` without the check for NaN and infinity; the caller makes it later."""
    X = np.asarray(as_rows(X))
    if X.dtype.kind in "OSU":
        X = _numbers(X)
    if X.ndim != 2 or X.shape[1] == 0:
        raise ValueError(f"expected vectors as rows, shape (n, d); got shape {X.shape}")
    need_rows(len(X), at_least)
    if np.iscomplexobj(X):
        raise ValueError("expected real numbers; got complex ones")
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)


def _numbers(X: np.ndarray) -> np.ndarray:
    """The cells as float64. ValueError for texts, and for a table with a column of vectors."""
    if X.size and all(isinstance(cell, str) for cell in X.ravel()[:9].tolist()):
        raise ValueError(
            "expected vectors, and these are texts. Encode texts first, and read a file with "
            "geometry.vectors.read_vector_set"
        )
    try:
        return X.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "expected a number in every cell. Of a table with vectors in one column, give that "
            "column"
        ) from error


def refuse_not_finite(X: np.ndarray) -> None:
    """ValueError naming the first row of X (n, d) float that has NaN or infinity."""
    with np.errstate(all="ignore"):
        blocks = (X[rows] for rows in slices(len(X), CHECKED_ROWS))
        if np.isfinite([np.vdot(block, block) for block in blocks]).all():
            return
    bad = np.flatnonzero(~np.isfinite(X).all(axis=1))
    if len(bad):
        raise ValueError(f"row {bad[0] + 1} has NaN or infinity ({len(bad)} of {len(X)} rows do)")


def slices(n: int, size: int) -> list[slice]:
    """n rows as slices of ``size`` rows; the last may be shorter."""
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def wide_rows(X: np.ndarray, d: int) -> np.ndarray:
    """``float_rows`` for a map fitted on d columns; ValueError for another number of columns."""
    X = float_rows(X, at_least=0)
    need_width(X, d)
    return X


def need_width(X: np.ndarray, d: int) -> None:
    if X.shape[1] != d:
        raise ValueError(f"expected {d} columns, as in the fit; got {X.shape[1]}")


def need_rows(n: int, at_least: int) -> None:
    if n < at_least:
        raise UndefinedMeasure("too_few_rows", at_least=at_least, n=n)


def some_rows(n: int, most: int, seed: int) -> np.ndarray:
    """Numbers of n rows, ascending: of more than ``most`` so many at random, else all."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, most, replace=False))


def count_distinct(X: np.ndarray, *, most: int) -> int:
    """Number of rows of X (n, d) that differ by more than rounding, counted up to ``most``."""
    head = X[: 2 * most]  # enough for most clouds
    found = _differ(head)
    return min(most, found if found >= most or len(head) == len(X) else _differ(X))


def _differ(X: np.ndarray) -> int:
    """Equal rows have equal projections on a random line, so only neighbours on it are compared."""
    n, d = X.shape
    along = X @ np.random.default_rng(0).standard_normal(d)
    order = np.argsort(along)
    same = SAME * np.finfo(X.dtype).eps * float(np.abs(X).max(initial=0.0))
    close = np.flatnonzero(np.diff(along[order]) <= d * same)
    apart = np.abs(X[order[close]] - X[order[close + 1]]).max(axis=1, initial=0.0)
    return n - int(np.sum(apart <= same))


def need_whole(name: str, value: Any, *, at_least: int) -> None:
    """Raise ValueError unless the value is an integer of at least ``at_least``, and not a bool."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < at_least:
        raise ValueError(f"{name} must be an integer of at least {at_least}; got {value!r}")


def row_pairs(pairs: Any, n: int) -> np.ndarray:
    """Pairs (m, 2) of numbers of n rows; ValueError unless they are integers from 0 to n - 1."""
    rows = np.asarray(pairs)
    whole = np.issubdtype(rows.dtype, np.integer) or not rows.size
    if rows.ndim != 2 or rows.shape[1] != 2 or not whole:
        raise ValueError(
            f"pairs must be row numbers (m, 2), integers; got {rows.dtype} of shape {rows.shape}"
        )
    outside = np.flatnonzero(((rows < 0) | (rows >= n)).any(axis=1))
    if len(outside):
        raise ValueError(
            f"pair {outside[0]} is {tuple(rows[outside[0]].tolist())}; the rows are 0 to {n - 1}"
        )
    return rows.astype(np.int64)


def refuse_missing(ids: np.ndarray, what: str) -> None:
    """ValueError with the first of the ids (n,) that is NaN, NaT or None."""
    missing = np.asarray(ids != ids)  # only NaN and NaT differ from themselves
    if ids.dtype == object:
        missing = missing | np.array([label is None for label in ids], dtype=bool)
    rows = np.flatnonzero(missing)
    if len(rows):
        first = rows[0]
        raise ValueError(
            f"the {what} of row {first + 1} is {ids[first]} ({len(rows)} of {len(ids)} rows have "
            "none); drop these rows first"
        )


def half_digits(X: np.ndarray) -> float:
    """sqrt(eps) of the precision of X: float32's if every number fits into it, else float64's.

    Whitening enlarges rounding by the square root of the condition number. With one of 1/eps, equal
    rows still agree in half their digits; with a larger one the smallest axes are noise.
    """
    with np.errstate(over="ignore", under="ignore"):
        is_single = all(
            np.array_equal(block, block.astype(np.float32))
            for block in (X[:16], X)  # the first rows suffice for most float64
        )
    return float(np.sqrt(np.finfo(np.float32 if is_single else np.float64).eps))


def in_range(X: np.ndarray) -> np.ndarray:
    """X, or X / max |x| if fourth powers would leave float64's range."""
    peak = max(float(X.max(initial=0.0)), -float(X.min(initial=0.0)))
    return X if peak == 0 or SMALLEST < peak < LARGEST else X / peak


def unit_rows(X: np.ndarray, *, at_least: int = 1) -> np.ndarray:
    """Rows of X (n, d) divided by their lengths, float64; UndefinedMeasure for a row of zeros."""
    X = finite_rows(X, at_least=at_least)
    return directions(X, out=X)


def directions(X: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """``unit_rows`` for rows that have already been checked; ``out`` may be X itself."""
    with np.errstate(over="ignore", under="ignore"):
        norms = np.sqrt(np.einsum("nd,nd->n", X, X))
    odd = np.flatnonzero(~((norms > SMALLEST) & (norms < LARGEST)))
    if len(odd):
        X = X.copy()
        peaks = np.abs(X[odd]).max(axis=1)
        if len(zero := odd[peaks == 0]):
            raise UndefinedMeasure("zero_row", row=zero[0] + 1, n_zero=len(zero), n=len(X))
        X[odd] /= peaks[:, None]
        norms[odd] = np.linalg.norm(X[odd], axis=1)
    return np.divide(X, norms[:, None], out=out)
