"""Vectors of a Parquet table, by blocks of rows: a column of lists, or one column a dimension."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from ..data.limits import Limits
from .errors import VectorFileError
from .row_source import (
    Block,
    Chosen,
    RowSource,
    dimensions_among,
    likeliest_first,
    rows_a_block,
)

READ_AHEAD = 1 << 20  # bytes of a column; without it a row group is read at once


def open_parquet(file: BinaryIO, limits: Limits) -> RowSource:
    """The rows of a Parquet table."""
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
    counts = _stated_numbers(table.metadata)
    if any(counts.get(name, 0) > n_rows * limits.dimensions for name in lists):
        raise VectorFileError("too_large", because="too_many_dimensions", limit=limits.dimensions)

    def blocks(chosen: Chosen) -> Iterator[Block]:
        vector = chosen.vector
        names = (vector,) if isinstance(vector, str) else tuple(vector or ())
        beside = [each for each in (chosen.text, chosen.label) if each is not None]
        width, first = (None, 1) if isinstance(vector, str) else (len(names), 1)
        batches = table.iter_batches(
            rows_a_block(sum(counts.get(name, 0) for name in names) // max(1, n_rows)),
            columns=list(dict.fromkeys([*names, *beside])),
            use_threads=False,
        )
        try:
            for batch in batches:
                if isinstance(vector, str):
                    rows = _of_lists(batch.column(vector), width, first)
                    width = rows.shape[1]
                else:
                    rows = np.stack([_numbers(batch.column(name)) for name in names], axis=1)
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


def _stated_numbers(metadata: Any) -> dict[str, int]:
    """How many numbers each column has, as the file states it."""
    counts: dict[str, int] = {}
    for group in range(metadata.num_row_groups):
        for place in range(metadata.num_columns):
            column = metadata.row_group(group).column(place)
            name = column.path_in_schema.split(".")[0]
            counts[name] = counts.get(name, 0) + column.num_values
    return counts


def _numbers(column: Any) -> np.ndarray:
    """(m,) numbers, NaN where one is missing."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind) or not _is_number(kind):
        raise VectorFileError("no_vectors", because="no_numbers", kind_of_column=str(kind))
    if column.null_count:
        column = column.cast(pa.float64())
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _of_lists(column: Any, width: int | None, first: int) -> np.ndarray:
    """(m, width) numbers of a column of lists.

    Parameters
    ----------
    column : pyarrow array
    width : int or None
        Numbers of the rows before; None before the first.
    first : int
        The number of the column's first row in the file, from 1.
    """
    import pyarrow.compute as pc

    found = pc.list_value_length(column).fill_null(0).to_numpy(zero_copy_only=False)
    lengths = np.asarray(found)
    width = int(lengths[0]) if width is None else width
    other = np.flatnonzero(lengths != width)
    if width == 0:
        other = np.flatnonzero(lengths == 0)
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
    return ["" if each is None else str(each) for each in batch.column(name).to_pylist()]
