"""A Parquet table's cells as text, and the limits of the process that reads them.

``packed_tables`` starts the process. This module imports little, so that it starts fast.
"""

from __future__ import annotations

from typing import Any

from ..process import ProcessLimits
from .limits import Limits, refuse_too_many_columns

# pyarrow alone takes some 300,000,000 addresses, and more for each thread and pool of memory
ENVIRONMENT = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "ARROW_IO_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
}
BATCH_ROWS = 32
Row = tuple[str, ...]


def process_limits(limits: Limits) -> ProcessLimits | None:
    """Limits of the process that reads a file; None if the caller turned them off."""
    if not limits.memory_bytes:
        return None
    seconds = max(1, limits.seconds - 2)  # the system ends it a second later
    return ProcessLimits(limits.memory_bytes, seconds, ENVIRONMENT, is_quiet=True)


def read(content: bytes, limits: Limits) -> tuple[Row, tuple[Row, ...], int]:
    """(columns, the first rows, the number of all rows). MemoryError beyond the limit of bytes."""
    import pyarrow as pa
    from pyarrow import parquet

    file = parquet.ParquetFile(pa.BufferReader(content), pre_buffer=False)
    schema = file.schema_arrow
    refuse_too_many_columns(len(schema.names), limits.columns)
    names = [each.name for each in schema if not pa.types.is_nested(each.type)]  # no vectors
    columns = tuple(dict.fromkeys(names))  # only the first of columns with equal names is read
    rows: list[Row] = []
    n_bytes = 0
    for batch in file.iter_batches(BATCH_ROWS, columns=names, use_threads=False):
        places = map(batch.schema.names.index, columns)
        cells = [batch.column(place).to_pylist() for place in places]
        for record in zip(*cells, strict=True):
            row = tuple(text_of(value).strip() for value in record)
            n_bytes += sum(len(cell.encode()) for cell in row)
            rows.append(row)
        if n_bytes > limits.unpacked_bytes:
            raise MemoryError
        if len(rows) >= limits.rows:
            break
    return columns, tuple(rows[: limits.rows]), max(len(rows), file.metadata.num_rows)


def text_of(value: Any) -> str:
    """A cell as text; binary text is UTF-8."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return "" if value is None else str(value)
