"""Vectors of a Parquet table, by blocks of rows: a column of lists, or one column a dimension."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..data.limits import MEGABYTE, Limits
from ..data.parquet_table import BATCH_ROWS, process_limits, text_of
from ..process import Process, ProcessEnded, is_limited
from .errors import VectorFileError
from .row_source import (
    BLOCK_BYTES,
    Block,
    ChosenColumns,
    Hints,
    RowSource,
    dimensions_among,
    likeliest_first,
    rows_a_block,
)

# Bytes of a column read at a time; the default reads a whole row group
READ_AHEAD, MIN_AHEAD = 1 << 20, 1 << 14
FOR_SECONDS = 20 * MEGABYTE  # bytes of a file that may take the limit of seconds; more take more


def open_parquet(file: BinaryIO, hints: Hints) -> RowSource:
    """The rows of a Parquet table, which a process with limits decodes: this one, or another."""
    limits = hints.limits
    allowed = None if is_limited() else process_limits(limits)
    if allowed is None:
        table = _Table(file, limits)
        return RowSource("parquet", table.blocks, **table.facts)
    parts = max(1.0, file.seek(0, os.SEEK_END) / FOR_SECONDS)
    process = Process(allowed._replace(cpu_seconds=parts * allowed.cpu_seconds))

    def ask(call: Callable[[], Any]) -> Any:
        try:
            process.start(call)
            return process.answer()
        except MemoryError as error:
            raise VectorFileError(
                "too_large", because="unpacked_set", limit=limits.table_bytes
            ) from error
        except ProcessEnded as error:
            if error.too_slow:
                raise VectorFileError(
                    "too_large", because="too_slow", limit=limits.seconds
                ) from error
            raise VectorFileError("damaged_file", kind="Parquet table") from error

    def blocks(chosen: ChosenColumns) -> Iterator[Block]:
        ask(partial(_begin_apart, chosen))
        while (block := ask(_next_apart)) is not None:
            yield block

    try:
        facts = ask(partial(_open_apart, _path_or_content(file), limits))
    except BaseException:
        process.end()
        raise
    return RowSource("parquet", blocks, close=process.end, **facts)


# ---- in the process, which has one table ----

_table: _Table
_blocks: Iterator[Block]


def _open_apart(source: str | bytes, limits: Limits) -> dict[str, Any]:
    global _table
    _table = _Table(io.BytesIO(source) if isinstance(source, bytes) else source, limits)
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


class _Table:
    """An open table.   facts : of its ``RowSource``."""

    def __init__(self, file: str | BinaryIO, limits: Limits) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        self._limits = limits
        with _own_error():
            metadata = parquet.read_metadata(file)
            n_columns = metadata.num_columns
            if n_columns > limits.dimensions + limits.columns:
                raise VectorFileError(
                    "too_large", because="too_many_dimensions", limit=limits.dimensions
                )
            ahead = max(MIN_AHEAD, min(READ_AHEAD, BLOCK_BYTES // max(1, n_columns)))
            self._file = parquet.ParquetFile(
                file, metadata=metadata, buffer_size=ahead, pre_buffer=False
            )
            schema = self._file.schema_arrow
        lists = [
            each.name
            for each in schema
            if (pa.types.is_list(each.type) or _is_long(each.type))
            and _is_number(each.type.value_type)
        ]
        floats = [each.name for each in schema if pa.types.is_floating(each.type)]
        self.facts: dict[str, Any] = {
            "n_rows": metadata.num_rows,
            "columns": tuple(e.name for e in schema if not pa.types.is_nested(e.type)),
            "vector_columns": likeliest_first(lists),
            "dimension_columns": dimensions_among(floats),
        }

    def blocks(self, chosen: ChosenColumns) -> Iterator[Block]:
        """As ``RowSource.blocks``."""
        vector, most = chosen.vector, self._limits.text_characters
        names = (vector,) if isinstance(vector, str) else tuple(vector or ())
        beside = [each for each in (chosen.text, chosen.label) if each is not None]
        first = 1
        with _own_error():
            width = len(names)
            if isinstance(vector, str):
                width = _width(self._file, vector, self._limits)
            batches = self._file.iter_batches(
                rows_a_block(width),
                columns=list(dict.fromkeys([*names, *beside])),
                use_threads=False,
            )
            for batch in batches:
                if isinstance(vector, str):
                    rows = _of_lists(_column(batch, vector), width, first)
                else:
                    rows = np.stack([_numbers(_column(batch, name)) for name in names], axis=1)
                first += len(rows)
                texts, labels = (_texts(batch, each, most) for each in (chosen.text, chosen.label))
                yield Block(rows, texts, labels)


@contextmanager
def _own_error() -> Iterator[None]:
    """Turn pyarrow's errors into "damaged_file"; without memory they are MemoryErrors."""
    import pyarrow as pa

    try:
        yield
    except MemoryError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise VectorFileError("damaged_file", kind="Parquet table") from error


def _is_long(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))


def _width(table: Any, name: str, limits: Limits) -> int:
    """Numbers of the first vector in a column of lists.

    The file also states how many numbers a column has, but pyarrow ends the whole program where
    what surrounds that statement is damaged.
    """
    import pyarrow as pa

    kind = table.schema_arrow.field(table.schema_arrow.names.index(name)).type
    if pa.types.is_fixed_size_list(kind):
        width = kind.list_size
    else:
        first = next(table.iter_batches(1, columns=[name], use_threads=False), None)
        found = _column(first, name).to_pylist() if first is not None else []
        width = len(found[0] or ()) if found else 0
    if width > limits.dimensions:
        raise VectorFileError("too_large", because="too_many_dimensions", limit=limits.dimensions)
    return int(width)


def _numbers(column: Any) -> np.ndarray:
    """(m,) numbers, NaN where one is missing."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind) or not _is_number(kind):
        raise VectorFileError("no_vectors", because="no_numbers", kind_of_column=str(kind))
    if column.null_count:
        column = column.cast(pa.float64())
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _of_lists(column: Any, width: int, first: int) -> np.ndarray:
    """(m, width) numbers of a column of lists. Its first row has the number ``first``, from 1."""
    import pyarrow.compute as pc

    found = pc.list_value_length(column).fill_null(0).to_numpy(zero_copy_only=False)
    lengths = np.asarray(found)
    other = np.flatnonzero((lengths != width) | (lengths == 0))
    if len(other):
        place = int(other[0])
        if lengths[place] == 0:
            raise VectorFileError("ragged_row", because="no_vector_in_row", row=first + place)
        raise VectorFileError(
            "ragged_row",
            because="ragged_vector",
            row=first + place,
            n=int(lengths[place]),
            expected=width,
        )
    return _numbers(column.flatten()).reshape(len(lengths), width)


def _texts(batch: Any, name: str | None, most: int) -> list[str] | None:
    """Cells as texts of ``most`` characters; a few at a time, since rows may share a long text."""
    if name is None:
        return None
    column, texts = _column(batch, name), []
    for start in range(0, len(column), BATCH_ROWS):
        texts += [text_of(each)[:most] for each in column.slice(start, BATCH_ROWS).to_pylist()]
    return texts


def _column(batch: Any, name: str) -> Any:
    """The column of that name; of equal names the first."""
    return batch.column(batch.schema.names.index(name))
