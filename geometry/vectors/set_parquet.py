"""Vectors of a Parquet table, by blocks of rows: a column of lists, or one column a dimension."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from ..data.limits import Limits
from ..data.parquet_table import text_of
from .errors import VectorFileError
from .row_source import (
    Block,
    ChosenColumns,
    Hints,
    RowSource,
    dimensions_among,
    likeliest_first,
    rows_a_block,
)

READ_AHEAD = 1 << 20  # bytes of a column read at a time; the default reads a whole row group


def open_parquet(file: BinaryIO, hints: Hints) -> RowSource:
    """The rows of a Parquet table."""
    limits = hints.limits
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.ParquetFile(file, buffer_size=READ_AHEAD, pre_buffer=False)
    except (pa.ArrowException, OSError) as error:
        raise VectorFileError("damaged_file", kind="Parquet table") from error
    schema = table.schema_arrow
    if len(schema.names) > limits.dimensions + limits.columns:
        raise VectorFileError("too_large", because="too_many_dimensions", limit=limits.dimensions)
    lists = [
        each.name
        for each in schema
        if (pa.types.is_list(each.type) or _is_long(each.type)) and _is_number(each.type.value_type)
    ]
    floats = [each.name for each in schema if pa.types.is_floating(each.type)]
    plain = [each.name for each in schema if not pa.types.is_nested(each.type)]
    n_rows = table.metadata.num_rows

    def blocks(chosen: ChosenColumns) -> Iterator[Block]:
        vector = chosen.vector
        names = (vector,) if isinstance(vector, str) else tuple(vector or ())
        beside = [each for each in (chosen.text, chosen.label) if each is not None]
        first = 1
        try:
            width = _width(table, vector, limits) if isinstance(vector, str) else len(names)
            batches = table.iter_batches(
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
                yield Block(rows, _texts(batch, chosen.text), _texts(batch, chosen.label))
        except (pa.ArrowException, OSError) as error:
            raise VectorFileError("damaged_file", kind="Parquet table") from error

    return RowSource(
        "parquet",
        blocks,
        n_rows=n_rows,
        columns=tuple(plain),
        vector_columns=likeliest_first(lists),
        dimension_columns=dimensions_among(floats),
    )


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
    """(m, width) numbers of a column of lists.

    Parameters
    ----------
    column : pyarrow array
    width : int
        Numbers of the first row.
    first : int
        The number of the column's first row in the file, from 1.
    """
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


def _texts(batch: Any, name: str | None) -> list[str] | None:
    if name is None:
        return None
    return [text_of(each) for each in _column(batch, name).to_pylist()]


def _column(batch: Any, name: str) -> Any:
    """The column of that name; of equal names the first."""
    return batch.column(batch.schema.names.index(name))
