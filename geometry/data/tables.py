"""A file's text to a table of strings: no row is lost.

The parser is the standard library's and not that of pandas. Every cell stays a string ("NA",
"1.0"). Every row has its line in the file, for messages. A row of another width is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from .account import BLANK, CODES, EMPTY, MOST_ROWS, NO_TEXT, NUMBERS, UNCHOSEN, Account, LeftOut
from .column_names import LABEL_NAMES, TEXT_NAMES, WEAK_NAMES
from .decode import TextFile, lines_of
from .limits import (
    LIMITS,
    CorpusError,
    Limits,
    refuse_too_many_cells,
    refuse_too_many_columns,
)
from .recognise import (
    AS_FOUND,
    NULL,
    SAMPLE_ROWS,
    THOUSANDS,
    Dialect,
    Reading,
    dialect_of,
    header_of,
    is_figure,
    is_id,
    is_number,
    is_of_codes,
    mostly_numbers,
    records,
    to_number,
    unclear_decimal,
    unique_names,
)

_SAMPLE_CHARACTERS = 1_000  # characters of a cell that are looked at
_MAX_LABELS = 50


@dataclass(frozen=True)
class Table:
    """Rows of strings, each as wide as ``columns``.

    lines : the line of the file where each row begins, from 1.
    n_rows : rows in the file, which may be more than ``rows``.
    n_blank : empty lines and rows of empty cells; ``blank`` has the first few of their lines.
    decimal, unclear : of its numbers, as in ``Dialect``.
    columns_left_out : those of the file that are no part of it, such as vectors.
    notes : cells that are not as the file has them: the reason, how many, and the first rows.
    sheets : names of the sheets of a workbook that can be seen, ``sheet`` among them.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    n_rows: int
    n_blank: int
    has_header: bool = False
    decimal: str = "."
    unclear: str | None = None
    blank: tuple[int, ...] = ()
    columns_left_out: tuple[str, ...] = ()
    notes: tuple[LeftOut, ...] = ()
    sheets: tuple[str, ...] = ()
    sheet: str | None = None

    def account(self, used: Iterable[int | None], left_out: Mapping[str, Sequence[int]]) -> Account:
        """What became of the rows and columns.

        used : places of the columns, or None
        left_out : from a reason to the places of rows that were left out for it, besides blank ones
        """
        columns = {self.columns[place] for place in used if place is not None}
        lines = {
            reason: [self.lines[place] for place in places] for reason, places in left_out.items()
        }
        n_left_out = sum(map(len, lines.values()))
        n_blank = self.n_blank + len(lines.get(BLANK, ()))
        blank = tuple(sorted((*self.blank, *lines.pop(BLANK, ())))[:MOST_ROWS])
        reasons = [LeftOut(BLANK, n_blank, blank), *(LeftOut.of(*each) for each in lines.items())]
        unused = [place for place, name in enumerate(self.columns) if name not in columns]
        return Account(
            rows_in_file=self.n_rows + self.n_blank,
            rows_read=self.n_rows - n_left_out,
            left_out=tuple(each for each in reasons if each.n),
            columns_used=tuple(name for name in self.columns if name in columns),
            columns_left_out=(*(self.columns[place] for place in unused), *self.columns_left_out),
            column_reasons=(
                *map(self._why_unused, unused),
                *(NO_TEXT for _ in self.columns_left_out),
            ),
            notes=self.notes,
        )

    def _why_unused(self, place: int) -> str:
        cells = [cell for row in self.rows[:SAMPLE_ROWS] if (cell := row[place].strip())]
        if not cells:
            return EMPTY
        if is_id(cells):
            return CODES
        return NUMBERS if mostly_numbers(cells, self.decimal) else UNCHOSEN

    def index(self, column: str | int) -> int:
        """Place of a column, given by its name or by its place from 0."""
        if column in self.columns:
            return self.columns.index(column)
        if isinstance(column, int) and 0 <= column < len(self.columns):
            return column
        raise CorpusError("unknown_column", column=column, columns=self.columns)

    def cells(self, place: int) -> list[str]:
        """One column's cells."""
        return [row[place] for row in self.rows]

    def number(self, cell: str) -> float | None:
        """The number that a cell reads as; None if it is none."""
        if self.unclear is not None:
            raise unclear_decimal(self.unclear)
        if self.decimal == "." and THOUSANDS.fullmatch(cell):
            cell = cell.replace(",", "")
        return to_number(cell, self.decimal) if is_number(cell, self.decimal) else None

    def is_numeric(self, place: int) -> bool:
        """Whether over half of a column's cells are numbers."""
        return mostly_numbers(self.cells(place), self.decimal)

    @property
    def text_column(self) -> int | None:
        """The column that looks like text: by its name, else the one with the longest cells."""
        by_name = self.named(TEXT_NAMES)
        is_weak = by_name is not None and self.columns[by_name].casefold() in WEAK_NAMES
        if by_name is not None and not is_weak:
            return by_name
        mean_lengths = {
            place: sum(map(len, cells)) / len(cells)
            for place in range(len(self.columns))
            if (cells := [row[place] for row in self.rows[:SAMPLE_ROWS]])
            and 2 * sum(map(_is_wordy, cells)) > len(cells)
        }
        found = {
            i: n
            for i, n in mean_lengths.items()
            if not is_id(self.cells(i))
            and not is_of_codes([row[i] for row in self.rows[:SAMPLE_ROWS]])
        } or mean_lengths
        longest = max(found, key=lambda place: found[place]) if found else None
        if longest is None or by_name is None or found[longest] > 2 * mean_lengths.get(by_name, 0):
            return longest
        return by_name

    @property
    def label_column(self) -> int | None:
        """The column that looks like labels: by its name, else the one with fewest values."""
        by_name = self.named(LABEL_NAMES)
        if by_name is not None:
            return by_name
        most, text_column = min(_MAX_LABELS, len(self.rows) // 2), self.text_column
        values = {
            place: distinct
            for place in range(len(self.columns))
            if place != text_column and 2 <= (distinct := len(set(self.cells(place)))) <= most
        }
        return min(values, key=lambda place: values[place]) if values else None

    def named(self, names: Sequence[str]) -> int | None:
        """Place of the first of ``names`` that the header has, in any case, or behind a point."""
        folded = [column.casefold() for column in self.columns]
        last = [column.rpartition(".")[2] for column in folded]
        places = (each.index(name) for each in (folded, last) for name in names if name in each)
        return next(places, None)


def read_table(
    file: TextFile,
    *,
    max_rows: int | None = None,
    wanted: Sequence[str | int | None] = (),
    reading: Reading = AS_FOUND,
    limits: Limits = LIMITS,
) -> Table:
    """The table in a file of columns; rows beyond ``max_rows`` are only counted.

    A first row that has a ``wanted`` name is a header.
    """

    def lines() -> Iterator[str]:
        numbered = lines_of(file.text, limits, newline="", most=limits.line_characters)
        return (line for _, line in numbered)

    dialect = dialect_of(lines, suffix=file.suffix, reading=reading)
    # one row more, since the first may be the header
    found = _rows(lines(), dialect, None if max_rows is None else max_rows + 1, limits)
    if not found.rows:
        return found
    first, body, has_header = found.rows[0], found.rows[1:], reading.header
    if has_header is None:
        has_header = any(column in first for column in wanted) or header_of(
            first, body, dialect.decimal
        )
    skip = int(has_header)
    taken = slice(skip, None if max_rows is None else skip + max_rows)
    return replace(
        found,
        columns=unique_names(first if has_header else [""] * len(first)),
        rows=found.rows[taken],
        lines=found.lines[taken],
        n_rows=found.n_rows - skip,
        has_header=has_header,
    )


def read_lines(file: TextFile, *, max_rows: int | None = None, limits: Limits = LIMITS) -> Table:
    """The lines of a file as a column, "text"; those beyond ``max_rows`` are only counted."""
    rows: list[tuple[str]] = []
    lines: list[int] = []
    n_rows, blank = 0, []
    for number, line in lines_of(file.text, limits):
        if not line.strip():
            blank.append(number)
            continue
        n_rows += 1
        if max_rows is None or n_rows <= max_rows:
            rows.append((line.strip(),))
            lines.append(number)
    return _table(("text",), rows, lines, n_rows, blank)


def _rows(text: Iterable[str], dialect: Dialect, max_rows: int | None, limits: Limits) -> Table:
    """The rows of lines; the columns have no names yet."""
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    n_rows, blank = 0, []
    for line, cells in records(text, dialect):
        if not cells:
            blank.append(line)
            continue
        if not n_rows:
            refuse_too_many_columns(len(cells), limits.columns)
        n_rows += 1
        if max_rows is None or n_rows <= max_rows:
            refuse_too_many_cells(n_rows * len(cells), limits)
            rows.append(tuple("" if cell == NULL else cell.strip() for cell in cells))
            lines.append(line)
    found = _table((), rows, lines, n_rows, blank)
    return replace(found, decimal=dialect.decimal, unclear=dialect.unclear)


def _table(
    columns: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
    lines: Sequence[int],
    n_rows: int,
    blank: Sequence[int],
) -> Table:
    first = tuple(blank[:MOST_ROWS])
    return Table(columns, tuple(rows), tuple(lines), n_rows, len(blank), blank=first)


def _is_wordy(cell: str) -> bool:
    start = cell[:_SAMPLE_CHARACTERS]
    is_flag = cell.casefold() in ("true", "false")
    return any(map(str.isalpha, start)) and not is_flag and not is_figure(start)
