"""The table of measures of a data set: exact where sums over rows suffice, else of a sample."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from ..export.affine import AffineMap
from ..linalg.moments import Moments
from ..linalg.rows import UndefinedMeasure
from ..measure.sums import View
from ..measure.table import Measured, measure_names, measure_table
from ..measure.table_measures import TABLE_MEASURES
from .engine import Engine
from .errors import ScaleError
from .fit import moments_of
from .manifest import Column, Shard, VectorData
from .transform import need_width
from .vectors import ShardBlock, draw, read_sum, whole_sum

SAMPLE = 5_000  # rows of the measures that compare all pairs
ALL, SAMPLED = "all rows", "sample"


@dataclass(frozen=True)
class DataMeasure(Measured):
    """A measure of a data set, as in ``Measured``. A value of all rows has no interval."""

    of: str = ALL  #: or "sample": the rows that the value is of


@dataclass(frozen=True)
class Directions:
    """Sums over the rows u = x / |x|."""

    n: int
    n_zero: int  # rows of zeros
    total: np.ndarray  # (d,) sum of u
    squares: np.ndarray  # (d,) sum of u**2

    def merge(self, other: Directions) -> Directions:
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Directions(*(a + b for a, b in pairs))


def directions_of_block(
    _shard: Shard, block: ShardBlock, _earlier: Directions | None, *, fitted: AffineMap | None
) -> Directions:
    X = block.X if fitted is None else fitted.apply_to_part(block.X)
    norms = np.sqrt(np.einsum("nd,nd->n", X, X, dtype=np.float64))
    is_zero = norms == 0
    U = X / np.where(is_zero, 1.0, norms).astype(np.float32)[:, None]  # (m, d)
    n_zero = int(np.count_nonzero(is_zero))
    total = U.sum(axis=0, dtype=np.float64)
    squares = np.einsum("nd,nd->d", U, U, dtype=np.float64)
    return Directions(len(X) - n_zero, n_zero, total, squares)


def directions_of(
    engine: Engine, data: VectorData, column: Column, fitted: AffineMap | None = None
) -> Directions:
    """The directions of all rows, from the folder if they are there and there is no transform."""
    part = partial(directions_of_block, fitted=fitted)
    name = f"directions-{column.name}" if fitted is None else None
    return whole_sum(engine, data, column, Directions, part, name=name)


def measure_data(
    engine: Engine,
    data: VectorData,
    *,
    column: str | None = None,
    fitted: AffineMap | None = None,
    sample: int = SAMPLE,
    seed: int = 0,
) -> dict[str, tuple[DataMeasure, ...]]:
    """The table of measures: "before", and "after" if there is a transform.

    Parameters
    ----------
    engine : Engine
    data : VectorData
    column : str, optional
        Of vectors; needed if there are several.
    fitted : AffineMap, optional
        A transform to compare with. The data set itself does not change.
    sample : int
        Rows of the measures that need all pairs; drawn by a hash of their ids.
    seed : int
        Of the hash, and of the intervals.
    """
    chosen = data.column(column)
    moments = moments_of(engine, data, chosen)
    directions = directions_of(engine, data, chosen)
    rows = draw(engine, data, chosen, sample, seed=seed).X
    tables = {"before": _table(moments, directions, rows, seed)}
    if fitted is not None:
        need_width(data, chosen, len(fitted.offset))
        after = directions_of(engine, data, chosen, fitted)
        tables["after"] = _table(moved(moments, fitted), after, fitted.apply_to_part(rows), seed)
    return tables


def stored_measures(data: VectorData, column: str | None = None) -> tuple[DataMeasure, ...]:
    """The exact measures from sums that ``measure`` stored. No row is read.

    Raises ScaleError "not_measured" if they are not stored.
    """
    chosen = data.column(column)
    moments = read_sum(data, chosen, f"moments-{chosen.name}", Moments)
    directions = read_sum(data, chosen, f"directions-{chosen.name}", Directions)
    if moments is None or directions is None:
        raise ScaleError("not_measured", folder=data.address)
    return tuple(exact_measures(moments, directions).values())


def moved(moments: Moments, fitted: AffineMap) -> Moments:
    """The mean and scatter of the rows after an affine map; the other moments are left as NaN."""
    d = fitted.width
    W = np.eye(d) if fitted.matrix is None else fitted.matrix
    return replace(
        moments,
        mean=(moments.mean - fitted.offset) @ W,
        scatter=W.T @ moments.scatter @ W,
        cubic=np.full(d, np.nan),
        quartic=float("nan"),
    )


def _table(
    moments: Moments, directions: Directions, rows: np.ndarray, seed: int
) -> tuple[DataMeasure, ...]:
    exact = exact_measures(moments, directions)
    names = [name for name in measure_names() if name not in exact]
    sampled = measure_table(rows, names=names, seed=seed)
    both = exact | {row.name: DataMeasure(**vars(row), of=SAMPLED) for row in sampled}
    return tuple(both[name] for name in measure_names())


def exact_measures(moments: Moments, directions: Directions) -> dict[str, DataMeasure]:
    view = SummedView(moments, directions)
    measures = {}
    for name, listed in TABLE_MEASURES.items():
        if not listed.of_sums:
            continue
        value = reason = None
        try:
            value = float(listed.of(view))
        except UndefinedMeasure as error:
            reason = error.code
        baseline = None if listed.baseline is None else listed.baseline(view.n, view.d)
        measures[name] = DataMeasure(name, value, None, None, baseline, view.n, view.d, reason)
    return measures


class SummedView(View):
    """The sums of all rows of a data set, as the measures of a table read them."""

    def __init__(self, moments: Moments, directions: Directions) -> None:
        self.shared = self  # type: ignore[assignment]  # it has the sums of unit rows itself
        self.left_out = None
        self.n = moments.n_rows
        self.d = len(moments.mean)
        self.mean, self.covariance = moments.mean, moments.covariance
        self.second = float(np.trace(self.second_moment))
        self.unit_squares = directions.squares  # sum of the squares of the unit rows' entries, (d,)
        self._directions = directions

    @property
    def uncentred_eigenvalues(self) -> np.ndarray:
        """Of E[x x'], (d,), ascending."""
        return np.linalg.eigvalsh(self.second_moment)

    @cached_property
    def unit_sum(self) -> np.ndarray:
        if n_zero := self._directions.n_zero:
            raise UndefinedMeasure("zero_row", row="?", n_zero=n_zero, n=self.n)
        return self._directions.total
