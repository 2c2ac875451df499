"""Rows that a reader wants to see, by the columns of a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..data.columns import FileColumn


@dataclass(frozen=True)
class Condition:
    """What a row must have in one column."""

    categories: tuple[str, ...] | None = None  #: any of these
    #: a number from ``low`` to ``high``; a row without a number is left out, unless both are None
    low: float | None = None
    high: float | None = None

    def keeps(self, column: FileColumn) -> np.ndarray:
        """(n,) bool, True for the rows that are wanted."""
        if column.categories is None and self.low is None and self.high is None:
            return np.ones(len(column.values), dtype=bool)
        if column.categories is None:
            low = -np.inf if self.low is None else self.low
            high = np.inf if self.high is None else self.high
            return np.asarray((column.values >= low) & (column.values <= high))
        wanted = [i for i, name in enumerate(column.categories) if name in (self.categories or ())]
        return np.isin(column.values, wanted)


def rows_kept(
    columns: Sequence[FileColumn], filters: Mapping[int, Condition], *, without: int | None = None
) -> np.ndarray:
    """(n,) bool: the rows that every filter keeps; True for all without a filter.

    Parameters
    ----------
    columns : sequence of FileColumn, at least one
    filters : mapping of int to Condition, by the place of their column
    without : int, optional
        A column whose own filter is passed over: what it could still show beside the others.
    """
    kept = np.ones(len(columns[0].values), dtype=bool)
    for place, wanted in filters.items():
        if place != without:
            kept &= wanted.keeps(columns[place])
    return kept
