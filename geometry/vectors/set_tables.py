"""Vectors of .csv, .tsv and .jsonl files, and of lines of numbers, by blocks of rows."""

import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any, BinaryIO

import numpy as np

from ..data.column_names import LABEL_NAMES, TEXT_NAMES
from ..data.decode import decode, encoding_of, text_of, uncertain_bytes
from ..data.errors import CorpusError
from ..data.json_records import is_json_number, is_vector, open_records
from ..data.limits import Limits
from ..data.recognise import (
    MISSING,
    NO_DELIMITER,
    SAMPLE_ROWS,
    TAB_SUFFIXES,
    Dialect,
    dialect_of,
    header_of_numbers,
    is_label,
    is_number,
    is_of_lists,
    is_running,
    is_series,
    list_in,
    mostly_numbers,
    records,
    to_number,
    unclear_decimal,
    unique_names,
)
from .errors import VectorFileError, refuse_dimensions
from .gather import in_memory
from .row_source import (
    HEAD,
    Block,
    ChosenColumns,
    Hints,
    RowSource,
    dimensions_among,
    likeliest_first,
    refuse_coded,
    rows_a_block,
)


def open_table(file: BinaryIO, hints: Hints) -> RowSource:
    limits, reading = hints.limits, hints.reading
    encoding = reading.encoding or _encoding(file)

    def lines() -> Iterator[str]:
        return (line for _, line in _lines(file, encoding, limits))

    dialect = dialect_of(lines, suffix=hints.suffix, reading=reading, spaced=True)

    def rows() -> Iterator[tuple[int, list[str]]]:
        return ((line, cells) for line, cells in records(lines(), dialect) if cells)

    sample = [cells for _, cells in islice(rows(), SAMPLE_ROWS)]
    if not sample:
        raise VectorFileError("empty_file")
    first, body = sample[0], sample[1:] or sample
    refuse_dimensions(len(first), limits.dimensions, beside=limits.columns)
    cells = [[row[place].strip() for row in body] for place in range(len(first))]
    lists = [place for place, column in enumerate(cells) if is_of_lists(column)]
    numeric = [place for place, column in enumerate(cells) if _is_numeric(column, dialect.decimal)]
    empty = [place for place, column in enumerate(cells) if not any(map(_is_filled, column))]
    if numeric and not lists and dialect.unclear is not None:
        raise unclear_decimal(dialect.unclear)
    has_header = reading.header
    if has_header is None:
        has_header = _is_header(sample, numeric, lists, dialect.decimal)
    names = unique_names([name.strip() if has_header else "" for name in first])
    columns = dict(zip(names, range(len(names)), strict=True))
    vector_columns = likeliest_first([names[place] for place in lists])
    if not lists:
        refuse_coded(dict(zip(names, cells, strict=True)))

    def blocks(chosen: ChosenColumns) -> Iterator[Block]:
        found = rows()
        if has_header:
            next(found, None)
        beside = [None if each is None else columns[each] for each in chosen.beside]
        if isinstance(chosen.vector, str) and columns[chosen.vector] in lists:
            read, at = list_parser(chosen.vector), columns[chosen.vector]
            parse = lambda cells, line: read(cells[at], line)  # noqa: E731
        else:
            places = {name: columns[name] for name in chosen.vector_names}
            parse = _cell_parser(places, dialect.decimal)
        yield from _blocks(found, parse, beside, _cell, limits, chosen.keeps_missing)

    usable: tuple[str, ...] = ()
    if not lists:
        # numbers of the rows are no dimension; pandas writes them without a name
        has_rows = not first[0].strip() if has_header else _are_numbered(cells)
        with_name = [names[place] for place in numeric if place or not has_rows]
        usable = dimensions_among(with_name) if has_header else tuple(with_name)
        wide = [names.index(name) for name in usable]
        _refuse_split_decimals([[row[i] for i in wide] for row in sample[has_header:]], dialect)
        if has_header:
            usable = _with_empty(usable, names, [names[i] for i in empty])
    taken_for_vectors = {*vector_columns, *usable}
    return RowSource(
        "tsv" if dialect.delimiter == "\t" else "csv",
        blocks,
        columns=tuple(name for name in names if name not in taken_for_vectors),
        vector_columns=vector_columns,
        dimension_columns=usable,
        labels=tuple(names[i] for i, column in enumerate(cells) if is_label(column)),
        has_header=has_header,
        encoding=encoding,
    )


def open_json(file: BinaryIO, hints: Hints) -> RowSource:
    """The rows of JSON: one record a line, or a document that has them."""
    limits, path = hints.limits, hints.reading.path
    encoding = hints.reading.encoding or _encoding(file)

    def lines() -> Iterator[tuple[int, str]]:
        return _lines(file, encoding, limits)

    def whole() -> str:
        file.seek(0)
        content = in_memory(file, limits.vector_file_bytes).read()
        return decode(content, encoding=encoding)[0]

    rows, is_lines = open_records(
        lines, whole, VectorFileError, path=path, most=limits.table_bytes, vectors=True
    )
    sample = [_outline(record) for _, record in islice(rows(), SAMPLE_ROWS)]
    if not sample:
        raise VectorFileError("empty_file")
    keys = list(dict.fromkeys(key for record in sample for key in record))
    refuse_dimensions(len(keys), limits.dimensions, beside=limits.columns)
    values = {key: [each[key] for each in sample if each.get(key) is not None] for key in keys}
    lists = [key for key in keys if values[key] and _is_list(values[key][0])]
    for key in lists:
        stem, _, kind = key.rpartition(".")
        if kind in ("indices", "indexes") and f"{stem}.values" in lists:
            raise VectorFileError("sparse", line=1, field=key)
    numeric = [key for key in keys if 2 * sum(map(is_json_number, values[key])) > len(values[key])]
    usable = () if lists else dimensions_among(numeric)
    usable = _with_empty(usable, keys, [key for key in keys if not values[key]])
    if not lists:
        refuse_coded(values)

    def blocks(chosen: ChosenColumns) -> Iterator[Block]:
        names = chosen.vector_names
        is_list = isinstance(chosen.vector, str) and chosen.vector in lists
        parse = _key_parser(names[0]) if is_list else _keys_parser(names)
        yield from _blocks(rows(), parse, chosen.beside, _value, limits, chosen.keeps_missing)

    return RowSource(
        "jsonl" if is_lines else "json",
        blocks,
        columns=tuple(key for key in keys if key not in (*lists, *usable)),
        vector_columns=(path,) if path in lists else likeliest_first(lists),
        dimension_columns=usable,
        labels=tuple(key for key in keys if is_label([*map(str, values[key])])),
        encoding=encoding,
        asks_which=True,
    )


def is_table(head: bytes, suffix: str) -> bool:
    """Whether a file that begins so is a table with numbers in its second row."""
    if suffix in (".csv", *TAB_SUFFIXES):
        return True
    lines = head.decode("latin-1").splitlines(keepends=True)
    lines = lines[: len(lines) - 1] or lines
    try:
        dialect = dialect_of(lambda: lines, spaced=True)
        rows = [cells for _, cells in islice(records(lines, dialect), 3) if cells]
    except CorpusError as error:
        return error.code == "uncertain"
    second = rows[min(1, len(rows) - 1)] if rows and dialect.delimiter != NO_DELIMITER else []
    return any(is_number(cell.strip(), dialect.decimal) for cell in second) or is_of_lists(second)


def _blocks(
    records: Iterable[tuple[int, Any]],
    parse: Callable[[Any, int], list[float]],
    beside: Sequence[Any],
    take: Callable[[Any, Any], str],
    limits: Limits,
    keeps_missing: bool,
) -> Iterator[Block]:
    """Blocks of parsed records, each of which gives as many numbers as the first, or no vector."""
    rows: list[list[float]] = []
    columns: tuple[list[str] | None, ...] = tuple(None if each is None else [] for each in beside)
    width = 0
    for number, record in records:
        row = parse(record, number)
        if not width and row:
            width = len(row)
            rows = [[float("nan")] * width for _ in rows]  # those before have no vector
        if not row and keeps_missing:
            row = [float("nan")] * width
        refuse_dimensions(len(row), limits.dimensions)
        if not row and not keeps_missing:
            raise VectorFileError("no_vector_in_line", line=number)
        if len(row) != width:
            raise VectorFileError("ragged_row", line=number, n=len(row), expected=width)
        rows.append(row)
        for each, place in zip(columns, beside, strict=True):
            if each is not None:
                each.append(take(record, place)[: limits.text_characters])
        # a number takes eight times as much in a list
        if width and len(rows) >= rows_a_block(width * 8):
            yield Block(np.array(rows), columns)
            rows, columns = [], tuple(None if each is None else [] for each in beside)
    if rows:
        vectors = np.array(rows) if width else np.full((len(rows), 1), np.nan)
        yield Block(vectors, columns)


def _cell(cells: list[str], place: int) -> str:
    return cells[place].strip()


def _value(record: dict[str, Any], key: str) -> str:
    found = record.get(key)
    return "" if found is None else str(found).strip()


def _cell_parser(places: dict[str, int], decimal: str) -> Callable[[list[str], int], list[float]]:
    """Numbers of some cells of a row, NaN where a cell is empty."""

    def parse(cells: list[str], line: int) -> list[float]:
        taken = [cells[place] for place in places.values()]
        if decimal == "." and "_" not in "".join(taken):
            with suppress(ValueError):
                return list(map(float, taken))
        return [
            _number(cell, name, line, decimal) for name, cell in zip(places, taken, strict=True)
        ]

    return parse


def _number(cell: str, column: str, line: int, decimal: str = ".") -> float:
    if not _is_filled(cell.strip()):
        return float("nan")
    if not is_number(cell.strip(), decimal):
        raise VectorFileError("bad_cell", line=line, field=cell[:40], column=column)
    return to_number(cell.strip(), decimal)


def list_parser(name: str) -> Callable[[str, int], list[float]]:
    """Numbers of a cell such as [0.1, 0.2] or [0.1 0.2]."""

    def parse(cell: str, line: int) -> list[float]:
        cell = cell.strip()
        if cell.casefold() in MISSING:
            return []
        inner = cell.strip("[]")
        fields = inner.split()
        if len(fields) > 1 and "," in inner and all(each.strip(",") == each for each in fields):
            return [_number(each, name, line, ",") for each in fields]  # [0,1 0,2]
        fields = inner.replace(",", " ").split()
        with suppress(ValueError):
            if "_" not in inner:
                return list(map(float, fields))
        found = list_in(cell)
        fields = fields if found is None else found.replace(",", " ").split()
        if "..." in fields:
            raise VectorFileError("shortened_list", line=line, column=name)
        return [_number(each, name, line) for each in fields]

    return parse


def _key_parser(key: str) -> Callable[[dict[str, Any], int], list[float]]:
    def parse(record: dict[str, Any], line: int) -> list[float]:
        found = record.get(key)
        if found is None:
            return []
        if isinstance(found, str):
            found = _loads(found)
        if isinstance(found, list) and set(map(type, found)) <= {float, int}:
            with suppress(OverflowError):
                return list(map(float, found))
        values = found if isinstance(found, list) else [found]
        return [_json_number(each, key, line) for each in values]

    return parse


def _keys_parser(keys: Sequence[str]) -> Callable[[dict[str, Any], int], list[float]]:
    """Numbers of some keys of a JSON object; none where it has none of the keys."""

    def parse(record: dict[str, Any], line: int) -> list[float]:
        if record.keys().isdisjoint(keys):
            return []
        return [_json_number(record.get(key), key, line) for key in keys]

    return parse


def _outline(record: dict[str, Any]) -> dict[str, Any]:
    """The record with short lists, since the lists of 200 rows may be very large."""
    return {key: value[:1] if isinstance(value, list) else value for key, value in record.items()}


def _json_number(value: Any, key: str, line: int) -> float:
    if value is None:
        return float("nan")
    if not is_json_number(value):
        raise VectorFileError("bad_cell", line=line, field=str(value)[:40], column=key)
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _is_list(value: Any) -> bool:
    """Whether a value is a vector, or means to be one; pgvector writes it as a text."""
    if isinstance(value, str) and is_of_lists([value]):
        return is_vector(_loads(value))
    return isinstance(value, list) and not isinstance(next(iter(value), None), str | dict)


def _loads(cell: str) -> Any:
    """The list in a text; the text if it is none."""
    with suppress(ValueError, RecursionError):
        return json.loads(cell)
    with suppress(VectorFileError):
        return list_parser("")(cell, 0)
    return cell


def _encoding(file: BinaryIO) -> str:
    file.seek(0)
    head = file.read(HEAD)
    return encoding_of(head, is_whole=len(head) < HEAD)


def _lines(file: BinaryIO, encoding: str, limits: Limits) -> Iterator[tuple[int, str]]:
    """(number from 1, line), one at a time, so that a large file is never in memory."""
    file.seek(0)
    most = limits.line_characters
    # a byte may look like a newline
    if encoding.replace("_", "-").casefold().startswith(("utf-16", "utf-32")):
        content = file.read(limits.file_bytes + 1)
        if len(content) > limits.file_bytes:
            raise VectorFileError("wide_text", encoding=encoding.upper(), limit=limits.file_bytes)
        text, _ = decode(content, encoding=encoding)
        yield from enumerate(io.StringIO(text), start=1)
        return
    for number, raw in enumerate(iter(lambda: file.readline(most + 1), b""), start=1):
        if len(raw) > most:
            raise VectorFileError("long_row", line=number, limit=most)
        try:
            yield number, text_of(raw, encoding)
        except UnicodeDecodeError as error:
            raise uncertain_bytes(encoding, (number,)) from error


def _refuse_split_decimals(rows: Sequence[Sequence[str]], dialect: Dialect) -> None:
    """Raise VectorFileError for 0,5125 that became two cells, by a whole number such as 0235."""
    if {*"".join(chain.from_iterable(rows))} <= {"0", "1"}:
        return  # bits
    for row, cells in enumerate(rows if dialect.delimiter == "," else (), start=1):
        for cell in map(str.strip, cells):
            if len(cell) > 1 and cell.isdecimal() and cell.startswith("0"):
                raise VectorFileError("split_decimals", row=row, cell=cell)


def _are_numbered(columns: Sequence[Sequence[str]]) -> bool:
    """Whether the first column has the numbers of the rows, and the others have points."""
    others = [cell for column in columns[1:] for cell in column]
    return is_running(columns[0]) and 2 * sum("." in cell for cell in others) > len(others)


def _is_filled(cell: str) -> bool:
    return cell.casefold() not in MISSING


def _is_numeric(cells: Sequence[str], decimal: str) -> bool:
    """True where over half of the cells that are not empty are numbers."""
    return mostly_numbers(filter(_is_filled, cells), decimal)


def _is_header(
    sample: Sequence[Sequence[str]], numeric: Sequence[int], lists: Sequence[int], decimal: str
) -> bool:
    first = sample[0]
    if not (numeric or lists):
        return True
    if not first[0].strip() and is_running([row[0].strip() for row in sample[1:]]):
        return True  # names of rows, as R and pandas write them
    if lists:
        return all(list_in(first[place].strip()) is None for place in lists)
    names = [first[place].strip() for place in numeric]
    folded = {cell.strip().casefold() for cell in first}
    if is_series(names) and not folded.isdisjoint((*TEXT_NAMES, *LABEL_NAMES)):
        return True
    return header_of_numbers(
        names, [[row[place] for place in numeric] for row in sample[1:]], decimal
    )


def _with_empty(
    dimensions: Sequence[str], names: Sequence[str], empty: Sequence[str]
) -> tuple[str, ...]:
    """The dimensions, with those of their names that have no number in the first rows."""
    stems = {name.rstrip("0123456789") for name in dimensions}
    alike = {name for name in empty if len(stems) == 1 and name.rstrip("0123456789") in stems}
    alike.update(dimensions)
    return tuple(name for name in names if name in alike)
