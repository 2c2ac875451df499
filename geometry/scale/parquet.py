"""A Parquet file at an address: its columns of vectors, and its rows by batches."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .errors import ScaleError
from .store import filesystem, is_local

READ_ROWS = 4096  # rows of texts that the Parquet reader gives at a time
FLOATS = {"halffloat": "float16", "float": "float32", "double": "float64"}


def footer(address: str) -> tuple[int, list[dict[str, Any]]]:
    """(rows, columns of vectors) of a Parquet file."""
    columns = []
    with opened_shard(address) as file:
        for field in file.schema_arrow:
            kind = field.type
            if not is_list(kind) or str(kind.value_type) not in FLOATS:
                continue
            if pa.types.is_fixed_size_list(kind):
                width = kind.list_size
            else:
                firsts = (b.column(0)[0] for b in file.iter_batches(1, columns=[field.name]))
                width = next((len(each) for each in firsts if each.is_valid), 0)
            if width:
                dtype = FLOATS[str(kind.value_type)]
                columns.append({"column": field.name, "dimension": width, "dtype": dtype})
        return file.metadata.num_rows, columns


def batches_of(
    file: pq.ParquetFile, columns: list[str], address: str, rows: int = READ_ROWS
) -> Iterator[pa.RecordBatch]:
    """The rows of a Parquet file, so many at a time, whatever its row groups are."""
    try:
        yield from file.iter_batches(batch_size=rows, columns=columns, use_threads=False)
    except (pa.ArrowException, OSError) as error:
        raise unreadable(address, error) from error


@contextmanager
def opened_shard(address: str) -> Iterator[pq.ParquetFile]:
    fs, path = filesystem(address)
    try:
        file = pq.ParquetFile(path, filesystem=None if is_local(address) else fs)
    except (pa.ArrowInvalid, FileNotFoundError) as error:
        raise unreadable(address, error) from error
    with file:
        yield file


def unreadable(address: str, error: BaseException) -> ScaleError:
    """The error for a shard, with the first line of its reader's message."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return ScaleError("unreadable_shard", shard=address, detail=lines[0])


def is_list(kind: pa.DataType) -> bool:
    types = pa.types
    return types.is_fixed_size_list(kind) or types.is_list(kind) or types.is_large_list(kind)
