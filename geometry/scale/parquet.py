"""A Parquet file at an address: its columns of vectors, and its rows by batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .errors import ScaleError
from .store import filesystem, is_local

READ_ROWS = 4096  # rows that the Parquet reader gives at a time
FLOATS = {"halffloat": "float16", "float": "float32", "double": "float64"}


def footer(address: str) -> tuple[int, list[dict[str, Any]]]:
    """(rows, columns of vectors) of a Parquet file."""
    with opened_shard(address) as file:
        columns = []
        rows = file.metadata.num_rows
        for field in file.schema_arrow:
            kind = field.type
            if not is_list(kind) or str(kind.value_type) not in FLOATS:
                continue
            if pa.types.is_fixed_size_list(kind):
                width = kind.list_size
            else:
                firsts = (b.column(0)[0] for b in file.iter_batches(1, columns=[field.name]))
                width = next((len(each) for each in firsts if each.is_valid), 0)
                if width == 0:
                    continue
            columns.append(
                {
                    "column": field.name,
                    "dimension": width,
                    "dtype": FLOATS[str(kind.value_type)],
                }
            )
    return rows, columns


def names_of(address: str) -> tuple[str, ...]:
    """The columns of a Parquet file."""
    with opened_shard(address) as file:
        return tuple(file.schema_arrow.names)


def batches_of(file: pq.ParquetFile, columns: list[str], address: str) -> Iterator[pa.RecordBatch]:
    """The record batches of a Parquet file. Raises ScaleError "unreadable_shard"."""
    batches = file.iter_batches(batch_size=READ_ROWS, columns=columns, use_threads=False)
    while True:
        try:
            batch = next(batches, None)
        except (pa.ArrowException, OSError) as error:
            raise unreadable(address, error) from error
        if batch is None:
            return
        yield batch


class opened_shard:
    """A Parquet file at an address. Raises ScaleError "unreadable_shard"."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._raw: Any = None

    def __enter__(self) -> pq.ParquetFile:
        fs, path = filesystem(self._address)
        self._raw = None if is_local(self._address) else fs.open(path, "rb")
        try:
            self._file = pq.ParquetFile(path if self._raw is None else self._raw)
        except (pa.ArrowInvalid, FileNotFoundError) as error:
            raise unreadable(self._address, error) from error
        return self._file

    def __exit__(self, *_: object) -> None:
        self._file.close()
        if self._raw is not None:
            self._raw.close()


def unreadable(address: str, error: BaseException) -> ScaleError:
    """The error for a shard, with the first line of its reader's message."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return ScaleError("unreadable_shard", shard=address, detail=lines[0])


def is_list(kind: pa.DataType) -> bool:
    """Whether the values are lists, of one length or of several."""
    return (
        pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind)
    )
