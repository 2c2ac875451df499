"""Where the rows and columns of a file went: every row was read, or left out for a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

MOST_ROWS = 5  # row numbers that are named for a reason

# Reasons for rows that are left out, as ``LeftOut.reason``
BLANK = "blank"  # no text, or no vector
NOT_FINITE = "not_finite"  # NaN, infinity or a missing number
DUPLICATE = "duplicate"  # its word came before
UNWANTED = "unwanted"  # beyond the number or the choice that the caller gave
SAMPLED = "sampled"  # not drawn

# What was done with cells, as the reason of ``Account.notes``
REPLACED = "replaced"  # bytes that did not fit the encoding became U+FFFD
FORMULA = "formula"  # without a stored value: the cell is empty
CELL_ERROR = "cell_error"  # such as #N/A
MERGED = "merged"  # filled with the text of the merged cells

# Reasons for columns that are left out
EMPTY = "empty"  # no cell has content
CODES = "codes"  # row numbers or unique codes
NUMBERS = "numbers"
NO_TEXT = "no_text"  # lists and other values
UNCHOSEN = "unchosen"  # another column was taken


@dataclass(frozen=True)
class LeftOut:
    reason: str
    n: int
    rows: tuple[int, ...] = ()  # the first few: lines of a text, rows of other files, from 1


@dataclass
class RowCount:
    """How many rows are of a kind, and the first few of them, from 1."""

    n: int = 0
    first: list[int] = field(default_factory=list)
    most: int = MOST_ROWS

    def add(self, rows: Sequence[int]) -> None:
        self.n += len(rows)
        self.first += rows[: self.most - len(self.first)]

    def left_out(self, reason: str) -> LeftOut:
        return LeftOut(reason, self.n, tuple(self.first))


@dataclass(frozen=True)
class Account:
    """What became of a file's rows and columns."""

    rows_in_file: int  # without the header: the rows that were read and all that were left out
    rows_read: int
    left_out: tuple[LeftOut, ...] = ()  # one a reason that occurs
    columns_used: tuple[str, ...] = ()
    # Those that no text, label, weight, id or vector was taken from; colours may show them
    columns_left_out: tuple[str, ...] = ()
    column_reasons: tuple[str, ...] = ()  # of each of them; () if that is "unchosen" for all
    notes: tuple[LeftOut, ...] = ()  # cells or bytes that are not as the file has them

    @property
    def n_left_out(self) -> int:
        return sum(each.n for each in self.left_out)
