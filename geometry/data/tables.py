"""A file's text to a table of strings: delimiter, quoting and header are found, no row is lost.

The parser is the standard library's and not that of pandas. Every cell stays a string ("NA",
"1.0"). Every row has its line in the file, for messages. A row of another width is an error.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from .column_names import LABEL_NAMES, PAIR_NAMES, SCORE_NAMES, TEXT_NAMES
from .decode import TextFile, lines_of
from .limits import (
    LIMITS,
    MAX_BYTES,
    CorpusError,
    Limits,
    refuse_too_many_cells,
    refuse_too_many_columns,
)

DELIMITERS = (",", "\t", ";", "|")
SAMPLE_ROWS = 200  # rows by which columns are recognised
_KNOWN = {*TEXT_NAMES, *LABEL_NAMES, *SCORE_NAMES, *(name for pair in PAIR_NAMES for name in pair)}
_NOWHERE = "\x1f"  # the delimiter of a table of one column: it occurs in no text
_SAMPLE_CHARACTERS = 1_000  # characters of a cell that are looked at
_LONGEST_NUMBER = 400  # characters of a number
_MAX_LABELS = 50
_MIN_SHARE = 0.8  # a delimiter makes at least this share of the sample rows as wide as the first

Dialect = tuple[str, Literal[0, 3]]  # delimiter, and how the csv module treats quotes
_QUOTINGS: tuple[Literal[0, 3], ...] = (csv.QUOTE_MINIMAL, csv.QUOTE_NONE)

# A process-wide limit of 131,072 characters a cell: a long text is cut by the encoder, not here.
csv.field_size_limit(MAX_BYTES)


@dataclass(frozen=True)
class Table:
    """Rows of strings, each as wide as ``columns``.

    lines : the line of the file where each row begins, from 1.
    n_rows : rows in the file, which may be more than ``rows``.
    n_blank : empty lines and rows of empty cells.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    n_rows: int
    n_blank: int
    has_header: bool = False

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

    @property
    def text_column(self) -> int | None:
        """The column that looks like text: by its name, else the one with the longest cells."""
        by_name = self.named(TEXT_NAMES)
        if by_name is not None:
            return by_name
        mean_lengths = {
            place: sum(map(len, cells)) / len(cells)
            for place in range(len(self.columns))
            if (cells := [row[place] for row in self.rows[:SAMPLE_ROWS]])
            and _mostly(map(_has_letter, cells))
        }
        return max(mean_lengths, key=lambda place: mean_lengths[place]) if mean_lengths else None

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
        """Place of the first of ``names`` that the header has, in any case."""
        folded = [column.casefold() for column in self.columns]
        return next((folded.index(name) for name in names if name in folded), None)


def read_table(
    file: TextFile,
    *,
    max_rows: int | None = None,
    has_header: bool | None = None,
    wanted: Sequence[str | int | None] = (),
    limits: Limits = LIMITS,
) -> Table:
    """The table in a file of columns."""
    delimiters = ("\t",) if file.suffix in (".tsv", ".tab") else DELIMITERS
    # one row more, since the first may be the header
    found = _parse(file.text, delimiters, None if max_rows is None else max_rows + 1, limits)
    if not found.rows:
        return found
    first, body = found.rows[0], found.rows[1:]
    if has_header is None:
        has_header = any(column in first for column in wanted) or header_of(first, body)
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
    """The lines of a file as a table of one column, "text"."""
    rows: list[tuple[str]] = []
    lines: list[int] = []
    n_rows = n_blank = 0
    for number, line in lines_of(file.text, limits):
        if not line.strip():
            n_blank += 1
            continue
        n_rows += 1
        if max_rows is None or n_rows <= max_rows:
            rows.append((line.strip(),))
            lines.append(number)
    return Table(("text",), tuple(rows), tuple(lines), n_rows, n_blank)


def is_number(cell: str) -> bool:
    """True for a cell that reads as a number, nan and infinity among them."""
    if len(cell) > _LONGEST_NUMBER:
        return False
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def mostly_numbers(cells: Sequence[str]) -> bool:
    """True where over half of the cells are numbers."""
    return _mostly(map(is_number, cells))


def _records(text: str, dialect: Dialect, limits: Limits) -> Iterator[tuple[int, list[str]]]:
    """(first line, cells) of each record; a blank line has no cells."""
    delimiter, quoting = dialect
    lines = (line for _, line in lines_of(text, limits, newline="", most=limits.line_characters))
    reader = csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True)
    line = 1
    try:
        for cells in reader:
            yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise CorpusError("bad_quotes", line=line) from error


def _parse(text: str, delimiters: Sequence[str], max_rows: int | None, limits: Limits) -> Table:
    """The rows in the dialect that fits; the columns have no names yet."""
    delimiter = _sniff(text, delimiters, limits)
    try:
        return _rows(text, (delimiter, csv.QUOTE_MINIMAL), max_rows, limits)
    except CorpusError as error:
        if error.code not in ("bad_quotes", "uneven_row"):
            raise
        # quotes may be part of the text, as in STS-B: then every row fits without quoting
        with suppress(CorpusError):
            return _rows(text, (delimiter, csv.QUOTE_NONE), max_rows, limits)
        raise error


def _sniff(text: str, delimiters: Sequence[str], limits: Limits) -> str:
    """The delimiter that makes most sample rows as wide as the first, if that has 2 or more."""
    best, best_share = _NOWHERE, _MIN_SHARE  # a table of one column
    for quoting in _QUOTINGS:
        for delimiter in delimiters:
            try:
                sample = islice(_records(text, (delimiter, quoting), limits), SAMPLE_ROWS)
                widths = [len(cells) for _, cells in sample if cells]
            except CorpusError:
                continue
            if not widths or widths[0] == 1:
                continue
            share = widths.count(widths[0]) / len(widths)
            if share > best_share:
                best, best_share = delimiter, share
    return best


def _rows(text: str, dialect: Dialect, max_rows: int | None, limits: Limits) -> Table:
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    n_rows = n_blank = width = 0
    for line, cells in _records(text, dialect, limits):
        if not any(cell.strip() for cell in cells):
            n_blank += 1
            continue
        if not width:
            width = len(cells)
            refuse_too_many_columns(width, limits.columns)
        if len(cells) != width:
            raise CorpusError("uneven_row", line=line, n=len(cells), expected=width)
        n_rows += 1
        if max_rows is None or n_rows <= max_rows:
            refuse_too_many_cells(n_rows * width, limits)
            rows.append(tuple(cell.strip() for cell in cells))
            lines.append(line)
    return Table((), tuple(rows), tuple(lines), n_rows, n_blank)


def header_of(first: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Whether the first row of a table looks like the names of its columns."""
    if any(is_number(cell) for cell in first):
        return False
    if any(cell.casefold() in _KNOWN for cell in first):
        return True
    sample = body[:SAMPLE_ROWS]
    if len(first) < 2 or not sample or not all(map(_is_like_a_name, first)):
        return False  # the first line of a table of one column may be a text
    columns = list(zip(*sample, strict=True))
    if any(mostly_numbers(cells) for cells in columns):
        return True
    if any(cell in cells for cell, cells in zip(first, columns, strict=True)):
        return False
    longest = max(sum(map(len, cells)) / len(cells) for cells in columns)
    return longest > 2 * max(map(len, first))


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names, made different; an empty one becomes "column" and its place."""
    unique: dict[str, None] = {}  # a dict, because a list would be searched for each name
    for place, name in enumerate(names, start=1):
        name = name or f"column {place}"
        while name in unique:
            name = f"{name} ({place})"
        unique[name] = None
    return tuple(unique)


def _mostly(flags: Iterable[bool]) -> bool:
    values = list(flags)
    return 2 * sum(values) > len(values)


def _is_like_a_name(cell: str) -> bool:
    return 0 < len(cell) <= 30 and len(cell.split()) <= 3 and cell[-1] not in ".?!。？！"


def _has_letter(cell: str) -> bool:
    return any(character.isalpha() for character in cell[:_SAMPLE_CHARACTERS])
