"""Vectors of .csv, .tsv and .jsonl files, and of lines of numbers, by blocks of rows."""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from operator import itemgetter
from typing import Any, BinaryIO, Literal

import numpy as np

from ..data.decode import decode, refuse_halves
from ..data.limits import CorpusError, Limits
from ..data.tables import SAMPLE_ROWS, is_number, unique_names
from .errors import VectorFileError
from .row_source import (
    HEAD,
    Block,
    ChosenColumns,
    Hints,
    RowSource,
    dimensions_among,
    likeliest_first,
    rows_a_block,
)

MISSING = ("", "na", "n/a", "null", "none")  # cells without a number, in any case
QUOTED: Literal[0] = csv.QUOTE_MINIMAL
UNQUOTED: Literal[3] = csv.QUOTE_NONE
SPACES = " "  # the delimiter of numbers with spaces between, however many

NumberedRow = tuple[int, list[str]]


def open_table(file: BinaryIO, hints: Hints) -> RowSource:
    """The rows of a table of text."""
    limits = hints.limits
    file.seek(0)
    delimiter = delimiter_of(file.read(HEAD), hints.suffix) or ","
    has_header, encoding = hints.has_header, hints.encoding or _encoding(file)

    def records(quoting: Literal[0, 3]) -> Iterator[NumberedRow]:
        return _records(file, encoding, delimiter, quoting, limits)

    quoting: Literal[0, 3] = QUOTED
    try:
        sample = [cells for _, cells in islice(records(QUOTED), SAMPLE_ROWS)]
    except VectorFileError:
        sample, quoting = [cells for _, cells in islice(records(UNQUOTED), SAMPLE_ROWS)], UNQUOTED
    if not sample:
        raise VectorFileError("no_vectors", because="empty_file")
    first, body = sample[0], sample[1:] or sample
    if len(first) > limits.dimensions + limits.columns:
        raise VectorFileError("too_large", because="too_many_dimensions", limit=limits.dimensions)
    cells = [[row[place] for row in body] for place in range(len(first))]
    numeric = [place for place, column in enumerate(cells) if _is_numeric(column)]
    lists = [place for place, column in enumerate(cells) if _is_of_lists(column)]
    if has_header is None:
        has_header = _is_header(first, numeric, lists)
    names = unique_names([name.strip() if has_header else "" for name in first])
    columns = dict(zip(names, range(len(names)), strict=True))
    vector_columns = likeliest_first([names[place] for place in lists])

    def blocks(chosen: ChosenColumns) -> Iterator[Block]:
        rows = records(quoting)
        if has_header:
            next(rows, None)
        beside = [None if each is None else columns[each] for each in (chosen.text, chosen.label)]
        if isinstance(chosen.vector, str) and columns[chosen.vector] in lists:
            parse = _list_parser(columns[chosen.vector])
        else:
            taken = (chosen.vector,) if isinstance(chosen.vector, str) else chosen.vector or ()
            parse = _cell_parser({name: columns[name] for name in taken})
        yield from _blocks(rows, parse, beside, _cell, limits)

    # a column without a name is usually the number of the row, as pandas writes it
    with_name = [names[place] for place in numeric if not has_header or first[place].strip()]
    usable = dimensions_among(with_name) if has_header else tuple(with_name)
    usable = () if lists else usable
    taken_for_vectors = {*vector_columns, *usable}
    return RowSource(
        "tsv" if delimiter == "\t" else "csv",
        blocks,
        columns=tuple(name for name in names if name not in taken_for_vectors),
        vector_columns=vector_columns,
        dimension_columns=usable,
        has_header=has_header,
        encoding=encoding,
    )


def open_json_lines(file: BinaryIO, hints: Hints) -> RowSource:
    """The rows of a file with one JSON object a line."""
    limits = hints.limits
    encoding = hints.encoding or _encoding(file)

    def records() -> Iterator[tuple[int, dict[str, Any]]]:
        for number, line in _lines(file, encoding, limits):
            if line.strip():
                yield number, _json_object(line, number)

    sample = [_outline(record) for _, record in islice(records(), SAMPLE_ROWS)]
    if not sample:
        raise VectorFileError("no_vectors", because="empty_file")
    keys = list(dict.fromkeys(key for record in sample for key in record))
    if len(keys) > limits.dimensions + limits.columns:
        raise VectorFileError("too_large", because="too_many_dimensions", limit=limits.dimensions)
    values = {key: [record[key] for record in sample if key in record] for key in keys}
    lists = [
        key
        for key in keys
        if isinstance(next((each for each in values[key] if each is not None), None), list)
    ]
    numeric = [
        key
        for key in keys
        if sum(isinstance(each, int | float) for each in values[key]) * 2 > len(values[key])
    ]

    def blocks(chosen: ChosenColumns) -> Iterator[Block]:
        vector = chosen.vector
        parse = (
            _key_parser(vector)
            if isinstance(vector, str) and vector in lists
            else _keys_parser((vector,) if isinstance(vector, str) else vector or ())
        )
        yield from _blocks(records(), parse, (chosen.text, chosen.label), _value, limits)

    return RowSource(
        "jsonl",
        blocks,
        columns=tuple(key for key in keys if key not in lists),
        vector_columns=likeliest_first(lists),
        dimension_columns=() if lists else dimensions_among(numeric),
        encoding=encoding,
    )


def count_rows(file: BinaryIO, encoding: str | None, limits: Limits) -> int:
    """Lines that are not blank."""
    lines = _lines(file, encoding or "latin-1", limits)
    return sum(bool(line.strip()) for _, line in lines)


def delimiter_of(head: bytes, suffix: str) -> str | None:
    """The delimiter of a table of numbers that begins so; None if it is none."""
    if suffix in (".tsv", ".tab"):
        return "\t"
    return _delimiter_within(head) or ("," if suffix == ".csv" else None)


def _delimiter_within(head: bytes) -> str | None:
    lines = [line for line in head.splitlines()[:SAMPLE_ROWS] if line.strip()]
    if not lines:
        return None
    second = lines[min(1, len(lines) - 1)].decode("latin-1")
    counts = {
        sign: sum(is_number(cell.strip(' "')) for cell in second.split(sign))
        for sign in ("\t", ",", ";", "|")
        if sign in second
    }
    if any(counts.values()):
        return max(counts, key=lambda sign: counts[sign])
    fields = [line.split() for line in lines[: len(lines) - 1] or lines]
    first = [row[0].decode("latin-1") for row in fields]
    # a word of GloVe may be a number such as 1990, but not all words are numbers with a point
    if len(fields[0]) > 1 and all(
        is_number(each) and ("." in each or "e" in each) for each in first
    ):
        return SPACES
    return None


def _blocks(
    records: Iterable[tuple[int, Any]],
    parse: Callable[[Any, int], list[float]],
    beside: Sequence[Any],
    take: Callable[[Any, Any], str],
    limits: Limits,
) -> Iterator[Block]:
    """Blocks of parsed records, each of which gives as many numbers as the first."""
    rows: list[list[float]] = []
    columns: tuple[list[str] | None, ...] = tuple(None if each is None else [] for each in beside)
    width = 0
    for number, record in records:
        row = parse(record, number)
        width = width or len(row)
        if len(row) > limits.dimensions:
            raise VectorFileError(
                "too_large", because="too_many_dimensions", limit=limits.dimensions
            )
        if not row:
            raise VectorFileError("ragged_row", because="no_vector_in_line", line=number)
        if len(row) != width:
            raise VectorFileError("ragged_row", line=number, n=len(row), expected=width)
        rows.append(row)
        for each, place in zip(columns, beside, strict=True):
            if each is not None:
                each.append(take(record, place)[: limits.text_characters])
        if len(rows) == rows_a_block(width * 8):  # a number takes eight times as much in a list
            yield Block(np.array(rows), columns[0], columns[1])
            rows, columns = [], tuple(None if each is None else [] for each in beside)
    if rows:
        yield Block(np.array(rows), columns[0], columns[1])


def _cell(cells: list[str], place: int) -> str:
    return cells[place].strip()


def _value(record: dict[str, Any], key: str) -> str:
    found = record.get(key)
    return "" if found is None else str(found).strip()


def _cell_parser(places: dict[str, int]) -> Callable[[list[str], int], list[float]]:
    """Numbers of some cells of a row, NaN where a cell is empty."""
    if len(places) == 1:
        (only,) = places.values()
        pick: Callable[[list[str]], Sequence[str]] = lambda cells: (cells[only],)  # noqa: E731
    else:
        pick = itemgetter(*places.values())

    def parse(cells: list[str], line: int) -> list[float]:
        taken = pick(cells)
        try:
            return list(map(float, taken))
        except ValueError:
            named = zip(places, taken, strict=True)
            return [_number(cell, name, line) for name, cell in named]

    return parse


def _number(cell: str, column: str, line: int) -> float:
    if cell.strip().casefold() in MISSING:
        return float("nan")
    if not is_number(cell.strip()):
        raise VectorFileError(
            "bad_number", because="bad_cell", line=line, field=cell[:40], column=column
        )
    return float(cell)


def _list_parser(place: int) -> Callable[[list[str], int], list[float]]:
    """Numbers of one cell such as [0.1, 0.2] or [0.1 0.2]."""

    def parse(cells: list[str], line: int) -> list[float]:
        fields = cells[place].strip().strip("[]").replace(",", " ").split()
        try:
            return list(map(float, fields))
        except ValueError:
            return [_number(each, "[ ]", line) for each in fields]

    return parse


def _key_parser(key: str) -> Callable[[dict[str, Any], int], list[float]]:
    """Numbers of one list of a JSON object."""

    def parse(record: dict[str, Any], line: int) -> list[float]:
        found = record.get(key)
        if found is None:
            return []
        if isinstance(found, list) and set(map(type, found)) <= {float, int}:
            with suppress(OverflowError):
                return list(map(float, found))
        return (
            [_json_number(each, key, line) for each in found]
            if isinstance(found, list)
            else ([_json_number(found, key, line)])
        )

    return parse


def _keys_parser(keys: Sequence[str]) -> Callable[[dict[str, Any], int], list[float]]:
    """Numbers of some keys of a JSON object; none where it has none of the keys."""

    def parse(record: dict[str, Any], line: int) -> list[float]:
        if record.keys().isdisjoint(keys):
            return []
        return [_json_number(record.get(key), key, line) for key in keys]

    return parse


def _outline(record: dict[str, Any]) -> dict[str, Any]:
    """The record with empty lists, since the lists of 200 rows may be very large."""
    return {key: [] if isinstance(value, list) else value for key, value in record.items()}


def _json_number(value: Any, key: str, line: int) -> float:
    if value is None:
        return float("nan")
    if not isinstance(value, int | float):
        raise VectorFileError(
            "bad_number", because="bad_cell", line=line, field=str(value)[:40], column=key
        )
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _json_object(line: str, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if isinstance(record, list):
        record = {"vector": record}
    if not isinstance(record, dict):
        raise VectorFileError("bad_json", line=number)
    if "\\ud" in line.lower():  # only an escape can give half of a surrogate pair
        refuse_halves(json.dumps(record, ensure_ascii=False), number)
    return record


def _encoding(file: BinaryIO) -> str:
    """The encoding of a file, by its beginning. Raises CorpusError as ``decode`` does."""
    file.seek(0)
    head = file.read(HEAD)
    if len(head) == HEAD:
        head = head[: head.rfind(b"\n") + 1] or head
    return decode(head)[1]


def _lines(file: BinaryIO, encoding: str, limits: Limits) -> Iterator[tuple[int, str]]:
    """(number from 1, line), one at a time, so that a large file is never in memory."""
    file.seek(0)
    most = limits.line_characters
    if encoding.replace("_", "-").startswith(
        ("utf-16", "utf-32")
    ):  # a byte may look like a newline
        content = file.read(limits.file_bytes + 1)
        if len(content) > limits.file_bytes:
            raise VectorFileError(
                "too_large", because="wide_text", encoding=encoding.upper(), limit=limits.file_bytes
            )
        text, _ = decode(content, encoding=encoding)
        yield from enumerate(io.StringIO(text), start=1)
        return
    place, number = 0, 0
    while raw := file.readline(most + 1):
        number += 1
        if len(raw) > most:
            raise VectorFileError("ragged_row", because="long_row", line=number, limit=most)
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        try:
            yield number, raw.decode(encoding)
        except UnicodeDecodeError as error:
            raise CorpusError(
                "wrong_encoding", encoding=encoding.upper(), offset=place + error.start, line=number
            ) from error
        place += len(raw)


def _records(
    file: BinaryIO, encoding: str, delimiter: str, quoting: Literal[0, 3], limits: Limits
) -> Iterator[NumberedRow]:
    """(line, cells) of each row that is not empty, all of one width."""
    lines = _lines(file, encoding, limits)
    rows = _split_lines(lines) if delimiter == SPACES else _csv(lines, delimiter, quoting)
    width = 0
    for line, cells in rows:
        if not cells or not any(cells):
            continue
        width = width or len(cells)
        if len(cells) != width:
            raise VectorFileError(
                "ragged_row", because="uneven_cells", line=line, n=len(cells), expected=width
            )
        yield line, cells


def _split_lines(lines: Iterator[tuple[int, str]]) -> Iterator[NumberedRow]:
    for number, line in lines:
        yield number, line.split()


def _csv(
    lines: Iterator[tuple[int, str]], delimiter: str, quoting: Literal[0, 3]
) -> Iterator[NumberedRow]:
    reader = csv.reader(
        (line for _, line in lines), delimiter=delimiter, quoting=quoting, strict=True
    )
    line = 1
    try:
        for cells in reader:
            yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise VectorFileError("ragged_row", because="open_quotes", line=line) from error


def _is_numeric(cells: Sequence[str]) -> bool:
    """True where over half of the cells that are not empty are numbers."""
    filled = [cell.strip() for cell in cells if cell.strip().casefold() not in MISSING]
    return 2 * sum(map(is_number, filled)) > len(filled)


def _is_of_lists(cells: Sequence[str]) -> bool:
    """True for cells such as [0.1, 0.2]."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    return bool(filled) and 2 * sum(
        cell.startswith("[") and cell.endswith("]") for cell in filled
    ) > len(filled)


def _is_header(first: Sequence[str], numeric: Sequence[int], lists: Sequence[int]) -> bool:
    """Whether the first row names the columns: its cells are no numbers, or count 0, 1, 2, …"""
    if not (numeric or lists):
        return True
    if lists:
        return not any(first[place].strip().startswith("[") for place in lists)
    cells = [first[place].strip() for place in numeric]
    if any(cell.casefold() not in MISSING and not is_number(cell) for cell in cells):
        return True
    counted = [int(cell) for cell in cells if cell.isdecimal()]
    return (
        len(counted) > 1
        and len(counted) >= len(cells) - 1
        and counted == list(range(counted[0], counted[0] + len(counted)))
        and counted[0] in (0, 1)
    )
