"""Columns of a file beside its texts and vectors: numbers or categories, for colours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .recognise import is_running, number_of

MOST_COLUMNS = 20  # of a file that are kept
MOST_CHARACTERS = 80  # of a category's name


@dataclass(frozen=True, eq=False)
class FileColumn:
    name: str
    # float64 numbers, NaN where a cell is none or infinite; or int32, places of ``categories``
    values: np.ndarray
    categories: tuple[str, ...] | None = None  # the most frequent one first; None for numbers

    def take(self, rows: Sequence[int] | np.ndarray) -> FileColumn:
        return replace(self, values=self.values[np.asarray(rows, dtype=np.int64)])


def columns_of(
    named: Iterable[tuple[str, Sequence[str]]], number: Callable[[str], float | None] = number_of
) -> tuple[FileColumn, ...]:
    """At most MOST_COLUMNS columns for colours: mostly numbers, or categories that recur."""
    found = []
    for name, cells in named:
        given = [cell.strip() for cell in cells]
        counts = Counter(given)  # most cells of a long column recur
        n_filled = len(given) - counts.pop("", 0)
        if not counts or is_running([cell for cell in given if cell]):
            continue
        numbers = {cell: value for cell in counts if (value := number(cell)) is not None}
        if 2 * sum(counts[cell] for cell in numbers) > n_filled:
            values = np.array([numbers.get(cell, np.nan) for cell in given], dtype=np.float64)
            values[~np.isfinite(values)] = np.nan
            found.append(FileColumn(name, values))
        else:
            short = [cell[:MOST_CHARACTERS] for cell in given]
            place = {each: at for at, (each, _) in enumerate(Counter(short).most_common())}
            if 1 < len(place) <= n_filled / 2:
                codes = np.array([place[cell] for cell in short], dtype=np.int32)
                found.append(FileColumn(name, codes, tuple(place)))
        if len(found) == MOST_COLUMNS:
            break
    return tuple(found)


class Labelled:
    labels: tuple[str, ...] | None
    label_column: str | None

    @cached_property
    def n_labels(self) -> int:
        """Different labels."""
        return len(set(self.labels or ()))

    @cached_property
    def labels_as_column(self) -> FileColumn | None:
        """The labels as a column; None without several that recur."""
        named = [(self.label_column or "", self.labels)] if self.labels else []
        return next(iter(columns_of(named)), None)
