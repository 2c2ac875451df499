"""Vectors of Parquet and Arrow tables: a column of lists, or one column a dimension.

A process with limits decodes them: this one, or another.
"""

import io
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..data.decode import ARROW, ARROW_STREAM
from ..data.limits import MEGABYTE, Limits
from ..data.parquet_table import BATCH_ROWS, batches_of, process_limits, text_of
from ..data.recognise import is_label, is_of_lists
from ..process import Process, ProcessEnded, is_limited
from .errors import VectorFileError, refuse_dimensions
from .row_source import (
    BLOCK_BYTES,
    VECTOR_NAMES,
    Block,
    ChosenColumns,
    Hints,
    RowSource,
    are_running,
    dimensions_among,
    is_id,
    likeliest_first,
    refuse_coded,
    rows_a_block,
)
from .set_tables import list_parser

# Bytes of a column read at a time; the default reads a whole row group
READ_AHEAD, MIN_AHEAD = 1 << 20, 1 << 14
FOR_SECONDS = 20 * MEGABYTE  # bytes of a file that may take the limit of seconds; more take more
FIRST_ROWS, FIRST_COLUMNS = 20, 50  # by which ids are recognised
LONG_TEXT = 40  # characters; a column with a longer mean is no category
SOME_ROWS = 1_000  # rows among which the first vector is looked for
# Types of Arrow
LISTS = ("list", "large_list", "fixed_size_list")
NUMBERS = ("floating", "integer", "decimal")
STRINGS = ("string", "large_string", "string_view")
BYTES = ("binary", "large_binary", "fixed_size_binary")


def _are_long(cells: Sequence[str]) -> bool:
    filled = [len(cell) for cell in cells if cell.strip()]
    return bool(filled) and sum(filled) > LONG_TEXT * len(filled)


# Makes an object with the ``facts`` and the ``blocks`` of a ``RowSource``
MakeTable = Callable[[str | BinaryIO, Limits], Any]


def open_parquet(file: BinaryIO, hints: Hints) -> RowSource:
    return opened_apart(_ParquetTable, "parquet", file, hints)


def open_arrow(file: BinaryIO, hints: Hints) -> RowSource:
    """The rows of an Arrow table: a file, which is Feather's form too, or a stream."""
    return opened_apart(_ArrowTable, "arrow", file, hints)


def is_arrow(head: bytes, suffix: str) -> bool:
    """Whether a file begins as an Arrow file, or as a stream: with a mark and a length."""
    length = int.from_bytes(head[4:8], "little")
    is_stream = head.startswith(ARROW_STREAM) and 0 < length < 1 << 24 and length % 8 == 0
    return head.startswith(ARROW) or is_stream


def opened_apart(make: MakeTable, name: str, file: BinaryIO, hints: Hints) -> RowSource:
    """The rows of a table that a process with limits decodes; ``make`` can be pickled."""
    limits = hints.limits
    allowed = None if is_limited() else process_limits(limits)
    if allowed is None:
        table = make(file, limits)
        return RowSource(name, table.blocks, **table.facts)
    parts = max(1.0, file.seek(0, os.SEEK_END) / FOR_SECONDS)
    process = Process(allowed._replace(cpu_seconds=parts * allowed.cpu_seconds))

    def answer() -> Any:
        try:
            return process.answer()
        except MemoryError as error:
            most = limits.table_bytes
            raise VectorFileError("unpacked_set", limit=most) from error
        except ProcessEnded as error:
            if not error.too_slow:
                raise damaged(name) from error
            most = limits.seconds
            raise VectorFileError("too_slow", limit=most) from error

    def ask(call: Callable[[], Any]) -> Any:
        process.start(call)
        return answer()

    def blocks(chosen: ChosenColumns) -> Iterator[Block]:
        ask(partial(_begin_apart, chosen))
        process.start(_next_apart)
        while (block := answer()) is not None:
            process.start(_next_apart)  # it decodes the next block while the caller uses this one
            try:
                yield block
            except GeneratorExit:  # no more blocks are wanted: the next call has its own answer
                answer()
                raise

    try:
        facts = ask(partial(_open_apart, make, _path_or_content(file), limits))
    except BaseException:
        process.end()
        raise
    return RowSource(name, blocks, close=process.end, **facts)


def damaged(name: str) -> VectorFileError:
    return VectorFileError(
        "damaged_file",
        kind="HDF5 file"
        if name == "hdf5"
        else ("Arrow table" if name == "arrow" else "Parquet table"),
    )


# ---- in the process, which has one table ----

_table: Any
_blocks: Iterator[Block]


def _open_apart(make: MakeTable, source: str | bytes, limits: Limits) -> dict[str, Any]:
    global _table
    _table = make(io.BytesIO(source) if isinstance(source, bytes) else source, limits)
    return _table.facts


def _begin_apart(chosen: ChosenColumns) -> None:
    global _blocks
    _blocks = _table.blocks(chosen)


def _next_apart() -> Block | None:
    return next(_blocks, None)


def _path_or_content(file: BinaryIO) -> str | bytes:
    """The path of an open file, or what it has."""
    with suppress(OSError, ValueError, TypeError, AttributeError):  # it is in memory, or was moved
        if os.path.samestat(os.fstat(file.fileno()), Path(file.name).stat()):
            return str(Path(file.name).resolve())
    file.seek(0)
    return file.read()


class _Columns:
    """The columns of an open table of Arrow; a field of a struct has a point in its name."""

    name: str
    schema: Any
    n_rows: int | None

    def __init__(self, limits: Limits) -> None:
        import pyarrow as pa
        from pyarrow import types

        self._limits, self._written, self._row = limits, set[str](), 1
        self._paths: dict[str, tuple[str, ...]] = {}
        kinds: dict[str, Any] = {}
        for path, kind in (found for each in self.schema for found in _paths(each)):
            if (name := ".".join(path)) not in kinds:  # of equal names the first
                kinds[name], self._paths[name] = kind, path
        self._kinds = kinds
        lists = [name for name, kind in kinds.items() if _is_vector(kind)]
        blank = [name for name, kind in kinds.items() if types.is_null(kind)]
        numbers = [name for name, kind in kinds.items() if _is_one(NUMBERS, kind) or name in blank]
        columns = [name for name, kind in kinds.items() if not types.is_nested(_storage(kind))]
        strings = [name for name in columns if _is_text(kinds[name])]
        first = self._first_cells(
            [name for name in columns if name in strings or types.is_integer(kinds[name])]
        )
        texts = {name: [*map(text_of, cells)] for name, cells in first.items() if name in strings}
        self._written = {name for name, cells in texts.items() if is_of_lists(cells)}
        if not lists:
            lists = [name for name in columns if name in self._written]
            kinds |= dict.fromkeys(lists, pa.list_(pa.float32()))
            columns = [name for name in columns if name not in lists]
            strings = [name for name in strings if name not in lists]
        ids = tuple(name for name, cells in first.items() if is_id(name, cells))
        dimensions = () if lists else dimensions_among(numbers, (*ids, *blank))
        if not lists:
            self._refuse_other_lists(dimensions)
            refuse_coded(first)
        self.facts: dict[str, Any] = {
            "n_rows": self.n_rows,
            "columns": tuple(columns),
            "vector_columns": likeliest_first(lists),
            "dimension_columns": dimensions,
            "ids": ids,
            "labels": tuple(name for name in strings if is_label(texts.get(name, ()))),
            "strings": tuple(strings),
            "long": tuple(name for name in strings if _are_long(texts.get(name, ()))),
            "others": tuple(name for name in kinds if name not in (*lists, *columns)),
        }

    def batches(self, names: list[str], rows: int) -> Iterator[Any]:
        """Record batches of at most so many rows, with columns of these names of the top."""
        raise NotImplementedError

    def blocks(self, chosen: ChosenColumns) -> Iterator[Block]:
        vector, most = chosen.vector, self._limits.text_characters
        names = chosen.vector_names
        beside = [each for each in chosen.beside if each is not None]
        first = 1
        with _own_error(self.name):
            is_list = isinstance(vector, str) and _is_vector(self._kinds[vector])
            width = self._width(names[0]) if is_list else len(names)
            wanted = list(dict.fromkeys(self._paths[name][0] for name in (*names, *beside)))
            for batch in self.batches(wanted, rows_a_block(width)):
                self._row = first
                if is_list:
                    column = self._column(batch, names[0])
                    rows = _of_lists(column, width, first, keeps_missing=chosen.keeps_missing)
                else:
                    columns = [_numbers(self._column(batch, name)) for name in names]
                    rows = np.stack(columns, axis=1)
                first += len(rows)
                cells = [
                    None if each is None else _texts(self._column(batch, each), most)
                    for each in chosen.beside
                ]
                yield Block(rows, cells)

    def _column(self, batch: Any, name: str) -> Any:
        """The column of that name; of equal names the first."""
        import pyarrow as pa
        import pyarrow.compute as pc

        top, *fields = self._paths[name]
        column = batch.column(batch.schema.names.index(top))
        for field in fields:
            column = pc.struct_field(column, [field])
        if name in self._written and _is_vector(self._kinds[name]):
            parse, cells = list_parser(name), column.to_pylist()
            numbers = [parse(text_of(cell), row) for row, cell in enumerate(cells, self._row)]
            return pa.array([each or None for each in numbers], self._kinds[name])
        return column.storage if isinstance(column, pa.ExtensionArray) else column

    def _first_cells(self, names: list[str]) -> dict[str, list[Any]]:
        names = names[:FIRST_COLUMNS]
        tops = list(dict.fromkeys(self._paths[name][0] for name in names))
        with _own_error(self.name):
            batch = next(self.batches(tops, FIRST_ROWS), None) if names else None
            if batch is None:
                return {}
            return {name: self._column(batch, name).to_pylist() for name in names}

    def _width(self, name: str) -> int:
        """Numbers of the first vector in a column of lists; at least 1.

        The file states it too, but pyarrow ends the whole program where that statement is damaged.
        """
        width = int(getattr(_storage(self._kinds[name]), "list_size", 0))
        for rows in (1, SOME_ROWS):  # one row may be large
            for batch in () if width else self.batches([self._paths[name][0]], rows):
                width = int(next(filter(None, _lengths(self._column(batch, name))), 0))
                if width or rows == 1:
                    break
        refuse_dimensions(width, self._limits.dimensions)
        return max(1, width)

    def _refuse_other_lists(self, dimensions: tuple[str, ...]) -> None:
        """Raise VectorFileError for what may be vectors and is no list of numbers."""
        if are_running(dimensions):
            return
        for name in likeliest_first(list(self._kinds)):
            kind = leaf = _storage(self._kinds[name])
            while _is_one(LISTS, leaf):
                leaf = _storage(leaf.value_type)
            is_named = name.casefold() in VECTOR_NAMES
            is_list = _is_one(LISTS, kind) and (
                is_named or _is_one(NUMBERS, leaf) or not dimensions
            )
            if is_list or (is_named and _is_one(BYTES, kind)):
                raise VectorFileError(
                    "other_lists" if is_list else "binary_vectors",
                    column=name,
                    kind_of_column=str(kind),
                )


class _ParquetTable(_Columns):
    name = "parquet"

    def __init__(self, source: str | BinaryIO, limits: Limits) -> None:
        from pyarrow import parquet

        with _own_error(self.name):
            file = _opened(source)
            metadata = parquet.read_metadata(file)
            refuse_dimensions(metadata.num_columns, limits.dimensions, beside=limits.columns)
            ahead = BLOCK_BYTES // max(1, metadata.num_columns)
            self._file = parquet.ParquetFile(
                file,
                metadata=metadata,
                buffer_size=max(MIN_AHEAD, min(READ_AHEAD, ahead)),
                pre_buffer=False,
            )
            self.schema, self.n_rows = self._file.schema_arrow, metadata.num_rows
        super().__init__(limits)

    def batches(self, names: list[str], rows: int) -> Iterator[Any]:
        yield from self._file.iter_batches(rows, columns=names, use_threads=False)


class _ArrowTable(_Columns):
    name = "arrow"

    def __init__(self, source: str | BinaryIO, limits: Limits) -> None:
        self.n_rows = None
        with _own_error(self.name):
            self._file = _opened(source)
            reader = self._reader()
            self.schema = reader.schema
            if hasattr(reader, "count_rows"):
                self.n_rows = reader.count_rows()
        refuse_dimensions(len(self.schema), limits.dimensions, beside=limits.columns)
        super().__init__(limits)

    def _reader(self, names: list[str] | None = None) -> Any:
        from pyarrow import ipc

        self._file.seek(0)
        is_file = self._file.read(len(ARROW)) == ARROW
        self._file.seek(0)
        places = None if names is None else sorted(map(self.schema.names.index, names))
        options = ipc.IpcReadOptions(included_fields=places, use_threads=False)
        return (ipc.open_file if is_file else ipc.open_stream)(self._file, options=options)

    def batches(self, names: list[str], rows: int) -> Iterator[Any]:
        yield from batches_of(self._reader(names), rows)


@contextmanager
def _own_error(name: str) -> Iterator[None]:
    """Turn pyarrow's errors into "damaged_file"; without memory they are MemoryErrors."""
    import pyarrow as pa

    try:
        yield
    except MemoryError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise damaged(name) from error


def _opened(source: str | BinaryIO) -> Any:
    import pyarrow as pa

    if isinstance(source, str):
        return pa.OSFile(source)
    return pa.BufferReader(source.getbuffer()) if isinstance(source, io.BytesIO) else source


def _paths(field: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """(names from the top, type) of a column, or of each field of a struct."""
    import pyarrow as pa

    path = (*above, field.name)
    if pa.types.is_struct(field.type) and len(path) < 3:
        for each in field.type:
            yield from _paths(each, path)
    else:
        yield path, field.type


def _storage(kind: Any) -> Any:
    import pyarrow as pa

    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def _is_one(names: Sequence[str], kind: Any) -> bool:
    """Whether a type is one of these, such as "list" for ``pyarrow.types.is_list``."""
    from pyarrow import types

    return any(getattr(types, f"is_{name}")(kind) for name in names)


def _is_vector(kind: Any) -> bool:
    shape = getattr(kind, "shape", None)  # of an extension of tensors
    kind = _storage(kind)
    return (
        _is_one(LISTS, kind)
        and _is_one(NUMBERS, kind.value_type)
        and (shape is None or len(shape) == 1)
    )


def _is_text(kind: Any) -> bool:
    return _is_one(STRINGS, kind.value_type if _is_one(["dictionary"], kind) else kind)


def _numbers(column: Any) -> np.ndarray:
    import pyarrow as pa

    kind = column.type
    if not (_is_one(NUMBERS, kind) or pa.types.is_null(kind)):
        raise VectorFileError("no_numbers", kind_of_column=str(kind))
    if column.null_count or not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
        column = column.cast(pa.float64())
    return _array(column)


def _lengths(column: Any) -> np.ndarray:
    import pyarrow.compute as pc

    lengths = pc.list_value_length(column)
    return _array(lengths.fill_null(0) if lengths.null_count else lengths)


def _array(column: Any) -> np.ndarray:
    if column.null_count:
        return np.asarray(column.to_numpy(zero_copy_only=False))  # imports pandas, which takes .4 s
    return np.from_dlpack(column)


def _of_lists(column: Any, width: int, first: int, *, keeps_missing: bool) -> np.ndarray:
    """(m, width) numbers of a column of lists; rows of NaN where there is none."""
    lengths = _lengths(column)
    missing = lengths == 0
    if missing.any() and not keeps_missing:
        row = first + int(missing.argmax())
        raise VectorFileError("no_vector_in_row", row=row)
    other = (lengths != width) & ~missing
    if other.any():
        place = int(other.argmax())
        n, row = int(lengths[place]), first + place
        raise VectorFileError("ragged_vector", row=row, n=n, expected=width)
    numbers = _numbers(column.flatten()).reshape(-1, width)
    if not missing.any():
        return numbers
    rows = np.full((len(lengths), width), np.nan)
    rows[~missing] = numbers
    return rows


def _texts(column: Any, most: int) -> list[str]:
    """Cells as texts of ``most`` characters; a few at a time, since rows may share a long text."""
    texts = []
    for start in range(0, len(column), BATCH_ROWS):
        texts += [text_of(each)[:most] for each in column.slice(start, BATCH_ROWS).to_pylist()]
    return texts
