"""A file's text to a table of strings: no row is lost.

The parser is the standard library's and not that of pandas. Every cell stays a string ("NA",
"1.0"). Every row has its line in the file, for messages. A row of another width is an error.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import NamedTuple

from . import recognise
from .account import BLANK, CODES, EMPTY, MOST_ROWS, NO_TEXT, NUMBERS, UNCHOSEN, Account, LeftOut
from .column_names import LABEL_NAMES, TEXT_NAMES, WEAK_NAMES, named
from .decode import TextFile, lines_of
from .errors import CorpusError, uncertain
from .limits import LIMITS, Limits, refuse_too_many_cells, refuse_too_many_columns
from .recognise import AS_FOUND, SAMPLE_ROWS, Reading, is_id

_SAMPLE_CHARACTERS = 1_000  # characters of a cell that are looked at
_SAMPLE_LINES = 20  # by which a form without a header is recognised


@dataclass(frozen=True)
class Table:
    """Rows of strings, each as wide as ``columns``."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]  # of the file, where each row begins, from 1
    n_rows: int  # in the file, which may be more than ``rows``
    n_blank: int  # empty lines and rows of empty cells
    has_header: bool = False
    decimal: str = "."  # of its numbers, as in ``Dialect``
    unclear: str | None = None
    blank: tuple[int, ...] = ()  # the first few lines that are blank
    columns_left_out: tuple[str, ...] = ()  # those of the file that are no part of it
    notes: tuple[LeftOut, ...] = ()  # cells that are not as the file has them
    sheets: tuple[str, ...] = ()  # of a workbook, as far as they can be seen

    def account(self, used: Iterable[int | None], left_out: Mapping[str, Sequence[int]]) -> Account:
        """What became of the rows and columns, by the places of those used and of rows left out."""
        columns = {self.columns[place] for place in used if place is not None}
        lines = {reason: [self.lines[i] for i in places] for reason, places in left_out.items()}
        n_left_out = sum(map(len, lines.values()))
        without_text = lines.pop(BLANK, [])
        blank = tuple(sorted((*self.blank, *without_text))[:MOST_ROWS])
        reasons = [LeftOut(BLANK, self.n_blank + len(without_text), blank)]
        reasons += [LeftOut(why, len(at), tuple(at[:MOST_ROWS])) for why, at in lines.items()]
        unused = [place for place, name in enumerate(self.columns) if name not in columns]
        why_unused = [self._why_unused(place) for place in unused]
        why_unused += [NO_TEXT] * len(self.columns_left_out)
        return Account(
            rows_in_file=self.n_rows + self.n_blank,
            rows_read=self.n_rows - n_left_out,
            left_out=tuple(each for each in reasons if each.n),
            columns_used=tuple(name for name in self.columns if name in columns),
            columns_left_out=(*(self.columns[place] for place in unused), *self.columns_left_out),
            column_reasons=tuple(why_unused),
            notes=self.notes,
        )

    def _why_unused(self, place: int) -> str:
        cells = [cell for row in self.rows[:SAMPLE_ROWS] if (cell := row[place].strip())]
        if not cells:
            return EMPTY
        if is_id(cells):
            return CODES
        return NUMBERS if recognise.mostly_numbers(cells, self.decimal) else UNCHOSEN

    def index(self, column: str | int) -> int:
        """Place of a column, given by its name or by its place from 0."""
        if column in self.columns:
            return self.columns.index(column)
        if isinstance(column, int) and 0 <= column < len(self.columns):
            return column
        raise CorpusError("unknown_column", column=column, columns=self.columns)

    def cells(self, place: int) -> list[str]:
        return [row[place] for row in self.rows]

    def number(self, cell: str) -> float | None:
        if self.unclear is not None:
            raise uncertain("uncertain_decimal", "decimal", (".", ","), cell=self.unclear)
        if self.decimal == "." and recognise.THOUSANDS.fullmatch(cell):
            cell = cell.replace(",", "")
        return recognise.number_of(cell, self.decimal)

    def is_numeric(self, place: int) -> bool:
        return recognise.mostly_numbers(self.cells(place), self.decimal)

    @property
    def text_column(self) -> int | None:
        by_name = self.named(TEXT_NAMES)
        if by_name is not None and self.columns[by_name].casefold() not in WEAK_NAMES:
            return by_name
        mean_lengths: dict[int, float] = {}
        texts = []  # without ids and codes
        for place in range(len(self.columns)):
            cells = [row[place] for row in self.rows[:SAMPLE_ROWS]]
            if cells and 2 * sum(map(_is_wordy, cells)) > len(cells):
                mean_lengths[place] = sum(map(len, cells)) / len(cells)
                if not is_id(self.cells(place)) and not recognise.is_of_codes(cells):
                    texts.append(place)
        longest = max(texts or mean_lengths, key=lambda place: mean_lengths[place], default=None)
        if longest is None or by_name is None:
            return longest
        return longest if mean_lengths[longest] > 2 * mean_lengths.get(by_name, 0) else by_name

    @property
    def label_column(self) -> int | None:
        """The column that looks like labels: by its name, else the one with fewest values."""
        by_name = self.named(LABEL_NAMES)
        if by_name is not None:
            return by_name
        text_column = self.text_column
        others = [place for place in range(len(self.columns)) if place != text_column]
        n_values = {place: len(set(self.cells(place))) for place in others}
        most = min(recognise.MOST_VALUES, len(self.rows) // 2)
        recurring = [place for place in others if 2 <= n_values[place] <= most]
        return min(recurring, key=lambda place: n_values[place], default=None)

    def named(self, names: Sequence[str]) -> int | None:
        """Place of the first of ``names`` that the header has, in any case, or behind a point."""
        found = named(self.columns, names)
        return None if found is None else self.columns.index(found)


def read_table(
    file: TextFile,
    *,
    wanted: Sequence[str | int | None] = (),
    reading: Reading = AS_FOUND,
    limits: Limits = LIMITS,
) -> Table:
    """The table in a file of columns; a first row that has a ``wanted`` name is a header."""
    lines = partial(lines_of, file.text, limits, newline="", most=limits.line_characters)
    dialect = recognise.dialect_of(lines, suffix=file.suffix, reading=reading)
    records = (
        (line, ["" if cell == recognise.NULL else cell for cell in cells])
        for line, cells in recognise.records(lines(), dialect)
    )
    # the first may be the header
    rows, numbers, n_rows, blank = _gathered(records, limits.but(rows=limits.rows + 1))
    first = rows[0] if rows else ()
    has_header = bool(rows and reading.header)
    if reading.header is None and rows:
        is_wanted = any(column in first for column in wanted)
        has_header = is_wanted or recognise.header_of(first, rows[1:], dialect.decimal)
    taken = slice(has_header, has_header + limits.rows)
    return Table(
        recognise.unique_names(first if has_header else [""] * len(first)),
        tuple(rows[taken]),
        tuple(numbers[taken]),
        n_rows - has_header,
        len(blank),
        has_header=has_header,
        decimal=dialect.decimal,
        unclear=dialect.unclear,
        blank=tuple(blank[:MOST_ROWS]),
    )


def _gathered(
    records: Iterable[tuple[int, Sequence[str]]], limits: Limits
) -> tuple[list[tuple[str, ...]], list[int], int, list[int]]:
    """(rows, the line of each, number of all rows, blank lines); rows beyond the limit count."""
    rows, lines, blank, n_rows = [], [], [], 0
    for line, cells in records:
        if not cells:
            blank.append(line)
            continue
        if not n_rows:
            refuse_too_many_columns(len(cells), limits.columns)
        n_rows += 1
        if n_rows <= limits.rows:
            refuse_too_many_cells(n_rows * len(cells))
            rows.append(tuple(map(str.strip, cells)))
            lines.append(line)
    return rows, lines, n_rows, blank


class LineForm(NamedTuple):
    """A form of lines without a header."""

    columns: tuple[str, ...]
    delimiter: str | None  # None for spaces
    is_row: Callable[[Sequence[str]], bool]


def read_form(text: str, limits: Limits, form: LineForm) -> Table | None:
    """The rows of a form, which may have further columns; None if most first lines don't fit."""
    width = len(form.columns)

    def split() -> Iterator[tuple[int, list[str]]]:
        lines = lines_of(text, limits, newline="\n", most=limits.line_characters)
        for number, line in enumerate(lines, start=1):
            yield number, line.rstrip("\r\n").split(form.delimiter) if line.strip() else []

    filled = (cells for _, cells in split() if cells)
    sample = [form.is_row(cells) for cells in islice(filled, _SAMPLE_LINES)]
    if 2 * sum(sample) <= len(sample):
        return None

    def checked() -> Iterator[tuple[int, list[str]]]:
        for line, cells in split():
            if 0 < len(cells) < width:
                found = {"line": line, "n": len(cells), "expected": width}
                raise CorpusError("uneven_stsb_row" if form.delimiter else "uneven_row", **found)
            yield line, cells[:width]

    rows, numbers, n_rows, _ = _gathered(checked(), limits)
    return Table(form.columns, tuple(rows), tuple(numbers), n_rows, numbers[-1] - n_rows)


def read_lines(file: TextFile, limits: Limits) -> Table:
    """The lines of a file as a column, "text"; those beyond the limit are only counted."""
    cells = (
        (number, [line] if line.strip() else [])
        for number, line in enumerate(lines_of(file.text, limits), start=1)
    )
    rows, lines, n_rows, blank = _gathered(cells, limits)
    first = tuple(blank[:MOST_ROWS])
    return Table(("text",), tuple(rows), tuple(lines), n_rows, len(blank), blank=first)


def _is_wordy(cell: str) -> bool:
    start = cell[:_SAMPLE_CHARACTERS]
    is_flag = cell.casefold() in ("true", "false")
    return any(map(str.isalpha, start)) and not is_flag and not recognise.is_figure(start)
