"""The cells of a table of Parquet or Arrow as text, and the limits of the process that reads them.

``packed_tables`` starts the process. This module imports little, so that it starts fast.
"""

from collections.abc import Iterator
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
    """Limits of the process that reads a file; None where they are turned off."""
    if not limits.memory_bytes:
        return None
    seconds = max(1, limits.seconds - 2)  # the system ends it a second later
    return ProcessLimits(limits.memory_bytes, seconds, ENVIRONMENT, is_quiet=True)


def read(content: bytes, limits: Limits) -> tuple[Row, tuple[Row, ...], int, Row]:
    """(columns, first rows, number of all rows, columns of lists), structs by their fields."""
    import pyarrow as pa
    from pyarrow import ipc, parquet

    source = pa.BufferReader(content)
    if content.startswith(b"PAR1"):
        file = parquet.ParquetFile(source, pre_buffer=False)
        schema, n_rows = file.schema_arrow, file.metadata.num_rows
    else:
        is_stream = content.startswith(b"\xff")
        reader = (ipc.open_stream if is_stream else ipc.open_file)(source)
        file, schema, n_rows = None, reader.schema, 0
    refuse_too_many_columns(len(schema.names), limits.columns)
    whole = _flat(schema.empty_table()).schema
    refuse_too_many_columns(len(whole.names), limits.columns)
    names = [each.name for each in whole if not pa.types.is_nested(each.type)]  # no vectors
    lists = tuple(name for name in dict.fromkeys(whole.names) if name not in names)
    columns = tuple(dict.fromkeys(names))  # only the first of columns with equal names is read
    rows: list[Row] = []
    n_broken = [0] * len(columns)  # cells of bytes that are no text
    n_bytes = n_found = 0
    batches = (
        batches_of(reader, BATCH_ROWS)
        if file is None
        else file.iter_batches(BATCH_ROWS, columns=names, use_threads=False)
    )
    for batch in batches:
        n_found += len(batch)
        if len(rows) >= limits.rows:
            if n_rows:
                break
            continue
        part = _flat(pa.Table.from_batches([batch]))
        places = map(part.schema.names.index, columns)
        cells = [part.column(place).to_pylist() for place in places]
        for place, column in enumerate(cells):
            n_broken[place] += sum(map(_is_no_text, column))
        for record in zip(*cells, strict=True):
            rows.append(tuple(text_of(value).strip() for value in record))
            n_bytes += sum(len(cell.encode()) for cell in rows[-1])
        if n_bytes > limits.unpacked_bytes:
            raise MemoryError
    texts = [place for place, n in enumerate(n_broken) if 2 * n <= len(rows)]
    lists += tuple(name for place, name in enumerate(columns) if place not in texts)
    if len(texts) < len(columns):
        rows = [tuple(row[place] for place in texts) for row in rows]
    columns = tuple(columns[place] for place in texts)
    return columns, tuple(rows[: limits.rows]), max(n_found, n_rows), lists


def batches_of(reader: Any, rows: int) -> Iterator[Any]:
    """Batches of a few rows of an Arrow file or stream, in which they may be of any size."""
    n = getattr(reader, "num_record_batches", None)
    for batch in reader if n is None else map(reader.get_batch, range(n)):
        batch.validate(full=True)  # places within it come from the file
        for start in range(0, len(batch), rows):
            yield batch.slice(start, rows)


def _flat(table: Any) -> Any:
    """The table with the fields of its structs as columns."""
    import pyarrow as pa

    while any(map(pa.types.is_struct, table.schema.types)):
        table = table.flatten()
    return table


def _is_no_text(value: Any) -> bool:
    """Whether a cell is bytes that are not UTF-8, such as numbers."""
    if not isinstance(value, bytes):
        return False
    return b"\0" in value or "\ufffd" in value.decode(errors="replace")


def text_of(value: Any) -> str:
    """A cell as text; binary text is UTF-8."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return "" if value is None else str(value)
