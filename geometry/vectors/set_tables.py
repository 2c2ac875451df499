"""Vectors of .csv, .tsv and .jsonl files, and of lines of numbers, by blocks of rows."""

import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from typing import Any, BinaryIO

import numpy as np

from ..data import recognise
from ..data.column_names import LABEL_NAMES, TEXT_NAMES
from ..data.decode import JSON_SUFFIXES, decode, encoding_of, text_of, uncertain_bytes
from ..data.errors import CorpusError, uncertain
from ..data.json_records import is_json_number, is_vector, open_records
from ..data.limits import Limits
from . import row_source
from .errors import VectorFileError, refuse_dimensions
from .row_source import Block, ChosenColumns, Hints, RowSource


def open_table(file: BinaryIO, hints: Hints) -> RowSource:
    limits, reading = hints.limits, hints.reading
    encoding = reading.encoding or _encoding(file)
    lines = partial(_lines, file, encoding, limits)
    dialect = recognise.dialect_of(lines, suffix=hints.suffix, reading=reading, spaced=True)

    def rows() -> Iterator[tuple[int, list[str]]]:
        return ((line, cells) for line, cells in recognise.records(lines(), dialect) if cells)

    decimal = dialect.decimal
    sample = [cells for _, cells in islice(rows(), recognise.SAMPLE_ROWS)]
    if not sample:
        raise VectorFileError("empty_file")
    first = sample[0]
    body = sample[1:] or sample
    refuse_dimensions(len(first), limits.dimensions, beside=limits.columns)
    cells = [[row[place].strip() for row in body] for place in range(len(first))]
    lists = [place for place, column in enumerate(cells) if recognise.is_of_lists(column)]
    filled = [[*filter(_is_filled, column)] for column in cells]
    empty = [place for place, column in enumerate(filled) if not column]
    numeric = [i for i, column in enumerate(filled) if recognise.mostly_numbers(column, decimal)]
    if numeric and not lists and dialect.unclear is not None:
        raise uncertain("uncertain_decimal", "decimal", (".", ","), cell=dialect.unclear)
    has_header = reading.header
    if has_header is None:
        has_header = _is_header(sample, numeric, lists, decimal)
    names = recognise.unique_names([name.strip() if has_header else "" for name in first])
    columns = {name: place for place, name in enumerate(names)}
    vector_columns = row_source.likeliest_first([names[place] for place in lists])
    if not lists:
        row_source.refuse_coded(dict(zip(names, cells, strict=True)))

    def blocks(chosen: ChosenColumns) -> Iterator[Block]:
        found = rows()
        if has_header:
            next(found, None)
        places = {name: columns[name] for name in chosen.vector_names}
        is_list = isinstance(chosen.vector, str) and columns[chosen.vector] in lists

        def parse(cells: list[str], line: int) -> list[float]:
            """Numbers of a list, or of some cells; NaN where a cell is empty."""
            if is_list:
                [(name, place)] = places.items()
                return numbers_of_list(cells[place], name, line)
            taken = [cells[place] for place in places.values()]
            if decimal == "." and "_" not in "".join(taken):
                with suppress(ValueError):
                    return list(map(float, taken))
            named = zip(places, taken, strict=True)
            return [_number(cell, name, line, decimal) for name, cell in named]

        text = lambda cells, name: cells[columns[name]].strip()  # noqa: E731
        yield from _blocks(found, parse, text, chosen, limits)

    labels = [i for i, column in enumerate(cells) if recognise.is_label(column)]
    usable: tuple[str, ...] = ()
    if has_header:
        numbers = [names[i] for i in numeric]
        ids = row_source.ids_among(dict(zip(names, cells, strict=True)), numbers, decimal)
        coded = [] if first[0].strip() else [0]  # pandas names no numbers of rows
    else:
        coded = _coded(cells, numeric, decimal)
        ids = [names[i] for i in coded if i not in labels]
        empty = []
    if not lists:
        numbers = [names[i] for i in numeric if i not in coded]
        usable = row_source.dimensions_among(numbers, ids, [names[i] for i in empty])
        wide = [names.index(name) for name in usable]
        _refuse_split_decimals([[row[i] for i in wide] for row in sample[has_header:]], dialect)
    taken_for_vectors = {*vector_columns, *usable}
    return RowSource(
        "tsv" if dialect.delimiter == "\t" else "csv",
        blocks,
        columns=tuple(name for name in names if name not in taken_for_vectors),
        vector_columns=vector_columns,
        dimension_columns=usable,
        ids=tuple(ids),
        labels=tuple(names[i] for i in labels),
        has_header=has_header,
        encoding=encoding,
    )


def is_json(head: bytes, suffix: str) -> bool:
    return suffix in JSON_SUFFIXES or head.lstrip().startswith((b"{", b"["))


def open_json(file: BinaryIO, hints: Hints) -> RowSource:
    """The rows of JSON: one record a line, or a document that has them."""
    limits = hints.limits
    path = hints.reading.path
    encoding = hints.reading.encoding or _encoding(file)
    lines = partial(_lines, file, encoding, limits)

    def whole() -> str:
        file.seek(0)
        return decode(file.read(), encoding=encoding)[0]

    rows, is_lines = open_records(
        lines, whole, VectorFileError, path=path, most=limits.table_bytes, vectors=True
    )
    # with short lists, since the lists of 200 rows may be very large
    sample = [
        {key: value[:1] if isinstance(value, list) else value for key, value in record.items()}
        for _, record in islice(rows(), recognise.SAMPLE_ROWS)
    ]
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
    ids = row_source.ids_among(values, numeric, ".")
    empty = [key for key in keys if not values[key]]
    usable = () if lists else row_source.dimensions_among(numeric, ids, empty)
    if not lists:
        row_source.refuse_coded(values)

    def blocks(chosen: ChosenColumns) -> Iterator[Block]:
        names = chosen.vector_names
        is_list = isinstance(chosen.vector, str) and chosen.vector in lists

        def parse(record: dict[str, Any], line: int) -> list[float]:
            if record.keys().isdisjoint(names) or (is_list and record[names[0]] is None):
                return []
            found = record[names[0]] if is_list else [record.get(key) for key in names]
            if isinstance(found, str):
                found = loads(found)
            if isinstance(found, list) and set(map(type, found)) <= {float, int}:
                with suppress(OverflowError):
                    return list(map(float, found))
            values = found if isinstance(found, list) else [found]
            keys = names * len(values) if is_list else names
            return [_json_number(each, key, line) for each, key in zip(values, keys, strict=True)]

        yield from _blocks(rows(), parse, _value, chosen, limits)

    return RowSource(
        "jsonl" if is_lines else "json",
        blocks,
        columns=tuple(key for key in keys if key not in (*lists, *usable)),
        vector_columns=(path,) if path in lists else row_source.likeliest_first(lists),
        dimension_columns=usable,
        ids=tuple(key for key in ids if row_source.whole_numbers([*map(str, values[key])])),
        labels=tuple(key for key in keys if recognise.is_label([*map(str, values[key])])),
        encoding=encoding,
        asks_which=True,
    )


def is_table(head: bytes, suffix: str) -> bool:
    """Whether a file that begins so is a table with numbers in its second row."""
    if suffix in (".csv", *recognise.TAB_SUFFIXES):
        return True
    lines = head.decode("latin-1").splitlines(keepends=True)
    lines = lines[:-1] or lines
    try:
        dialect = recognise.dialect_of(lambda: lines, spaced=True)
        rows = [cells for _, cells in islice(recognise.records(lines, dialect), 3) if cells]
    except CorpusError as error:
        return error.code == "uncertain"
    if not rows or dialect.delimiter == recognise.NO_DELIMITER:
        return False
    second = [cell.strip() for cell in rows[:2][-1]]
    is_numeric = any(recognise.is_number(cell, dialect.decimal) for cell in second)
    return is_numeric or recognise.is_of_lists(second)


def _blocks(
    numbered: Iterable[tuple[int, Any]],
    parse: Callable[[Any, int], list[float]],
    text: Callable[[Any, str], str],
    chosen: ChosenColumns,
    limits: Limits,
) -> Iterator[Block]:
    """Blocks of parsed records, each of which gives as many numbers as the first, or no vector."""
    rows: list[list[float]] = []
    texts = chosen.cells(lambda _: [])
    width = 0
    for number, record in numbered:
        row = parse(record, number)
        if not width and row:
            width = len(row)
            rows = [[math.nan] * width for _ in rows]  # those before have no vector
        if not row and not chosen.keeps_missing:
            raise VectorFileError("no_vector_in_line", line=number)
        row = row or [math.nan] * width
        refuse_dimensions(len(row), limits.dimensions)
        if len(row) != width:
            raise VectorFileError("ragged_row", line=number, n=len(row), expected=width)
        rows.append(row)
        for name, cells in zip(chosen.beside, texts, strict=True):
            if name is not None and cells is not None:
                cells.append(text(record, name)[: limits.text_characters])
        # a number takes eight times as much in a list
        if width and len(rows) >= row_source.rows_a_block(width * 8):
            yield Block(np.array(rows), texts)
            rows = []
            texts = chosen.cells(lambda _: [])
    if rows:
        yield Block(np.array(rows) if width else np.full((len(rows), 1), np.nan), texts)


def _value(record: dict[str, Any], key: str) -> str:
    found = record.get(key)
    return "" if found is None else str(found).strip()


def _number(cell: str, column: str, line: int, decimal: str = ".") -> float:
    if not _is_filled(cell.strip()):
        return math.nan
    if (number := recognise.number_of(cell.strip(), decimal)) is None:
        raise VectorFileError("bad_cell", line=line, field=cell[:40], column=column)
    return number


def numbers_of_list(cell: str, name: str, line: int) -> list[float]:
    """Numbers of a cell such as [0.1, 0.2] or [0.1 0.2]; none of a missing value."""
    cell = cell.strip()
    if not _is_filled(cell):
        return []
    inner = cell.strip("[]")
    fields = inner.split()
    if len(fields) > 1 and "," in inner and all(each.strip(",") == each for each in fields):
        return [_number(each, name, line, ",") for each in fields]  # [0,1 0,2]
    fields = inner.replace(",", " ").split()
    with suppress(ValueError):
        if "_" not in inner:
            return list(map(float, fields))
    found = recognise.list_in(cell)
    fields = fields if found is None else found.replace(",", " ").split()
    if "..." in fields:
        raise VectorFileError("shortened_list", line=line, column=name)
    return [_number(each, name, line) for each in fields]


def _json_number(value: Any, key: str, line: int) -> float:
    if value is None:
        return math.nan
    if not is_json_number(value):
        raise VectorFileError("bad_cell", line=line, field=str(value)[:40], column=key)
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _is_list(value: Any) -> bool:
    """Whether a value is a vector, or means to be one; pgvector writes it as a text."""
    if isinstance(value, str) and recognise.is_of_lists([value]):
        return is_vector(loads(value))
    return isinstance(value, list) and not isinstance(next(iter(value), None), str | dict)


def loads(cell: str) -> Any:
    """The list in a text; the text if it is none."""
    with suppress(ValueError, RecursionError):
        return json.loads(cell)
    with suppress(VectorFileError):
        return numbers_of_list(cell, "", 0)
    return cell


def _encoding(file: BinaryIO) -> str:
    file.seek(0)
    head = file.read(row_source.HEAD)
    return encoding_of(head, is_whole=len(head) < row_source.HEAD)


def _lines(file: BinaryIO, encoding: str, limits: Limits) -> Iterator[str]:
    """The lines, one at a time, so that a large file is never in memory."""
    file.seek(0)
    most = limits.line_characters
    # a byte may look like a newline
    if encoding.replace("_", "-").casefold().startswith(("utf-16", "utf-32")):
        content = file.read(limits.file_bytes + 1)
        if len(content) > limits.file_bytes:
            raise VectorFileError("wide_text", encoding=encoding.upper(), limit=limits.file_bytes)
        text, _ = decode(content, encoding=encoding)
        yield from io.StringIO(text)
        return
    for number, raw in enumerate(iter(lambda: file.readline(most + 1), b""), start=1):
        if len(raw) > most:
            raise VectorFileError("long_row", line=number, limit=most)
        try:
            yield text_of(raw, encoding)
        except UnicodeDecodeError as error:
            raise uncertain_bytes(encoding, (number,)) from error


def _refuse_split_decimals(rows: Sequence[Sequence[str]], dialect: recognise.Dialect) -> None:
    """Raise VectorFileError for 0,5125 that became two cells, by a whole number such as 0235."""
    if {*"".join(chain.from_iterable(rows))} <= {"0", "1"}:
        return  # bits
    for row, cells in enumerate(rows if dialect.delimiter == "," else (), start=1):
        for cell in map(str.strip, cells):
            if len(cell) > 1 and cell.isdecimal() and cell.startswith("0"):
                raise VectorFileError("split_decimals", row=row, cell=cell)


def _coded(cells: Sequence[Sequence[str]], numeric: Sequence[int], decimal: str) -> list[int]:
    """The first and the last column, if they have whole numbers beside numbers with points."""
    ends = [i for i in {0, len(cells) - 1} if row_source.whole_numbers(cells[i])]
    others = [cell for i in numeric if i not in ends for cell in cells[i]]
    has_points = 2 * sum(decimal in cell for cell in others) > len(others)
    return [i for i in ends if has_points and len(cells[i]) > 2 and len({*cells[i]}) > 1]


def _is_filled(cell: str) -> bool:
    return cell.casefold() not in recognise.MISSING


def _is_header(
    sample: Sequence[Sequence[str]], numeric: Sequence[int], lists: Sequence[int], decimal: str
) -> bool:
    first = sample[0]
    if not (numeric or lists):
        return True
    if not first[0].strip() and recognise.is_running([row[0].strip() for row in sample[1:]]):
        return True  # names of rows, as R and pandas write them
    if lists:
        return all(recognise.list_in(first[place].strip()) is None for place in lists)
    names = [first[place].strip() for place in numeric]
    folded = {cell.strip().casefold() for cell in first}
    if recognise.is_series(names) and not folded.isdisjoint((*TEXT_NAMES, *LABEL_NAMES)):
        return True
    return recognise.header_of_numbers(
        names, [[row[place] for place in numeric] for row in sample[1:]], decimal
    )
