"""A table of Parquet or Arrow by batches, its cells as text, and limits of who reads it.

``table_files`` starts a process that reads texts, ``set_parquet`` one that reads vectors. This
module imports little, so that they start fast.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

from ..process import ProcessLimits
from .decode import ARROW_STREAM, PARQUET
from .limits import Limits, refuse_too_many_columns

# pyarrow alone takes some 300,000,000 addresses, and more for each thread and pool of memory
ENVIRONMENT = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "ARROW_IO_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
}
# Bytes of Parquet that are read at a time, of all columns and of one; the default is a row group
AHEAD, MOST_AHEAD, LEAST_AHEAD = 16 << 20, 1 << 20, 1 << 14
BATCH_ROWS = 32
Row = tuple[str, ...]


def process_limits(limits: Limits) -> ProcessLimits | None:
    """Limits of the process that reads a file; None where they are turned off."""
    if not limits.memory_bytes:
        return None
    seconds = max(1, limits.seconds - 2)  # the system ends it a second later
    return ProcessLimits(limits.memory_bytes, seconds, ENVIRONMENT, is_quiet=True)


class StoredTable:
    """An open table of Parquet, of Arrow (Feather's form too) or of an Arrow stream.

    A field of a struct is a column with a point in its name. Of equal names the first counts.
    """

    def __init__(self, source: str | bytes | BinaryIO) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        if isinstance(source, str):
            self._file: Any = pa.OSFile(source)
        else:
            self._file = pa.BufferReader(source) if isinstance(source, bytes) else source
        self._file.seek(0)
        head = self._file.read(4)
        self._is_stream = head == ARROW_STREAM
        self._parquet = None
        if head == PARQUET:
            metadata = parquet.read_metadata(self._file)
            ahead = min(MOST_AHEAD, AHEAD // max(1, metadata.num_columns))
            how: Any = {"buffer_size": max(LEAST_AHEAD, ahead), "pre_buffer": False}
            self._parquet = parquet.ParquetFile(self._file, metadata=metadata, **how)
            self.schema = self._parquet.schema_arrow
            self.n_rows = metadata.num_rows
        else:
            reader = self._reader()
            self.schema = reader.schema
            self.n_rows = None if self._is_stream else reader.count_rows()
        self._paths: dict[str, tuple[str, ...]] = {}
        self.kinds: dict[str, Any] = {}
        for path, kind in (found for field in self.schema for found in _paths(field)):
            name = ".".join(path)
            self.kinds.setdefault(name, kind)
            self._paths.setdefault(name, path)

    def _reader(self, names: list[str] | None = None) -> Any:
        from pyarrow import ipc

        self._file.seek(0)
        places = None if names is None else sorted(map(self.schema.names.index, names))
        options = ipc.IpcReadOptions(included_fields=places, use_threads=False)
        open_reader = ipc.open_stream if self._is_stream else ipc.open_file
        return open_reader(self._file, options=options)

    def batches(self, names: list[str], rows: int) -> Iterator[Any]:
        """Record batches of at most so many rows, with what has columns of these names."""
        tops = list(dict.fromkeys(self._paths[name][0] for name in names))
        if self._parquet is not None:
            yield from self._parquet.iter_batches(rows, columns=tops, use_threads=False)
            return
        reader = self._reader(tops)
        n = getattr(reader, "num_record_batches", None)
        for batch in reader if n is None else map(reader.get_batch, range(n)):
            batch.validate(full=True)  # places within it come from the file
            for start in range(0, len(batch), rows):
                yield batch.slice(start, rows)

    def column(self, batch: Any, name: str) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        top, *fields = self._paths[name]
        column = batch.column(batch.schema.names.index(top))
        for field in fields:
            column = pc.struct_field(column, [field])
        return column.storage if isinstance(column, pa.ExtensionArray) else column


def read(content: bytes, limits: Limits) -> tuple[Row, tuple[Row, ...], int, Row]:
    """(columns, first rows, number of all rows, columns of lists)"""
    from pyarrow import types

    table = StoredTable(content)
    refuse_too_many_columns(max(len(table.schema.names), len(table.kinds)), limits.columns)
    lists = [name for name, kind in table.kinds.items() if types.is_nested(storage(kind))]
    columns = [name for name in table.kinds if name not in lists]
    rows: list[Row] = []
    n_broken = [0] * len(columns)  # cells of bytes that are not UTF-8, such as numbers
    n_bytes = n_found = 0
    for batch in table.batches(columns, BATCH_ROWS):
        n_found += len(batch)
        if len(rows) >= limits.rows:
            if table.n_rows:
                break
            continue
        cells = [table.column(batch, name).to_pylist() for name in columns]
        for place, column in enumerate(cells):
            n_broken[place] += sum(
                b"\0" in value or "\ufffd" in value.decode(errors="replace")
                for value in column
                if isinstance(value, bytes)
            )
        for record in zip(*cells, strict=True):
            rows.append(tuple(text_of(value).strip() for value in record))
            n_bytes += sum(len(cell.encode()) for cell in rows[-1])
        if n_bytes > limits.unpacked_bytes:
            raise MemoryError
    texts = [place for place, n in enumerate(n_broken) if 2 * n <= len(rows)]
    lists += [name for place, name in enumerate(columns) if place not in texts]
    taken = tuple(tuple(row[place] for place in texts) for row in rows[: limits.rows])
    n_rows = max(n_found, table.n_rows or 0)
    return tuple(columns[place] for place in texts), taken, n_rows, tuple(lists)


def storage(kind: Any) -> Any:
    """The type in which an extension's values are stored."""
    import pyarrow as pa

    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def _paths(field: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """(names from the top, type) of a column, or of each field of a struct."""
    from pyarrow import types

    path = (*above, field.name)
    if types.is_struct(field.type):
        for each in field.type:
            yield from _paths(each, path)
    else:
        yield path, field.type


def text_of(value: Any) -> str:
    """A cell as text; binary text is UTF-8."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return "" if value is None else str(value)
