"""A program of its own: a Parquet table on standard input, its cells as JSON on standard output.

It imports nothing of the library, so that it starts fast. ``packed_tables`` runs it; the first
argument is a JSON object of the bounds: rows, columns, bytes (of all cells), seconds.
"""

from __future__ import annotations

import json
import sys
from typing import Any

MEMORY = 1_000_000_000  # bytes of addresses, of which pyarrow alone takes some 300,000,000
BATCH_ROWS = 32
# Each thread and each pool of memory reserves addresses.
ENVIRONMENT = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "ARROW_IO_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
}


def _limit_memory(seconds: int) -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    # On Windows and macOS the caller's time limit is the only one
    except (ImportError, ValueError, OSError):
        return


def read(content: bytes, bounds: dict[str, int]) -> dict[str, Any]:
    """{"columns", "rows", "n_rows"}, or {"refused": "columns" or "bytes"}."""
    import pyarrow as pa
    from pyarrow import parquet

    file = parquet.ParquetFile(pa.BufferReader(content), pre_buffer=False)
    schema = file.schema_arrow
    if len(schema.names) > bounds["columns"]:
        return {"refused": "columns"}
    names = [each.name for each in schema if not pa.types.is_nested(each.type)]  # no vectors
    columns = list(dict.fromkeys(names))  # only the first of columns with equal names is read
    rows: list[list[str]] = []
    n_bytes = 0
    for batch in file.iter_batches(BATCH_ROWS, columns=names, use_threads=False):
        places = map(batch.schema.names.index, columns)
        cells = [batch.column(place).to_pylist() for place in places]
        for record in zip(*cells, strict=True):
            row = [text_of(value).strip() for value in record]
            n_bytes += sum(len(cell.encode()) for cell in row)
            rows.append(row)
        if n_bytes > bounds["bytes"]:
            return {"refused": "bytes"}
        if len(rows) >= bounds["rows"]:
            break
    return {
        "columns": columns,
        "rows": rows[: bounds["rows"]],
        "n_rows": max(len(rows), file.metadata.num_rows),
    }


def text_of(value: Any) -> str:
    """A cell as text; binary text is UTF-8."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return "" if value is None else str(value)


def main() -> None:
    """Read a Parquet file from standard input; print its rows, or why it is refused, as JSON."""
    bounds = json.loads(sys.argv[1])
    content = sys.stdin.buffer.read()
    _limit_memory(bounds["seconds"])
    try:
        found = read(content, bounds)
    except MemoryError:
        found = {"refused": "bytes"}
    except Exception as error:
        found = {"refused": f"{type(error).__name__}"}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
