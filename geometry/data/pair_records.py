"""Tables of pairs as data sets have them: lines of JSON, gzipped or not, and Parquet."""

from __future__ import annotations

import gzip
import io
import json
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .decode import Source, TextFile, read_bytes, read_text_file
from .limits import CorpusError
from .tables import Table

_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"
_JSON_SUFFIXES = (".jsonl", ".ndjson")


def names_its_columns(file_name: str) -> bool:
    """Whether a file of that name holds records with named fields, and not text."""
    suffix = Path(file_name.lower().removesuffix(".gz")).suffix
    return suffix in (*_JSON_SUFFIXES, ".parquet")


def read_pair_file(
    source: Source, *, name: str | None, encoding: str | None, max_bytes: int, max_rows: int
) -> TextFile | tuple[str, Table]:
    """The text of a table, or (title, rows) of a file of records; gzip is undone first.

    max_bytes : of the file, and of what it unpacks to.
    """
    content = read_bytes(source, max_bytes)
    given = source if isinstance(source, (str, os.PathLike)) else getattr(source, "name", None)
    file_name = Path(str(given or name or "pairs"))
    if content.startswith(_GZIP):
        content, file_name = _unpacked(content, max_bytes), Path(file_name.name.removesuffix(".gz"))
    title = Path(name).stem if name else file_name.stem
    if content.startswith(_PARQUET):
        return title, _parquet(content, max_rows)
    if file_name.suffix.lower() in _JSON_SUFFIXES:
        text = read_text_file(content, name=file_name.name, encoding=encoding, max_bytes=max_bytes)
        return title, _json_lines(text.text, max_rows)
    file = read_text_file(content, name=file_name.name, encoding=encoding, max_bytes=max_bytes)
    return TextFile(title if name else file.title, file.suffix, file.text, file.encoding)


def _unpacked(content: bytes, max_bytes: int) -> bytes:
    try:
        with gzip.open(io.BytesIO(content)) as file:
            unpacked = file.read(max_bytes + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise CorpusError("damaged_file", kind="gzip archive") from error
    return read_bytes(unpacked, max_bytes)


def _json_lines(text: str, max_rows: int) -> Table:
    records, lines, n_rows, n_blank = [], [], 0, 0
    for number, line in enumerate(io.StringIO(text), start=1):
        if not line.strip():
            n_blank += 1
            continue
        n_rows += 1
        if n_rows > max_rows:
            continue
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if not isinstance(record, dict):
            raise CorpusError("bad_json", line=number)
        records.append(record)
        lines.append(number)
    return _table(records, lines, n_rows, n_blank)


def _parquet(content: bytes, max_rows: int) -> Table:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        found = parquet.read_table(pa.BufferReader(content))
    except (pa.ArrowException, OSError) as error:
        raise CorpusError("damaged_file", kind="Parquet table") from error
    records = found.slice(0, max_rows).to_pylist()
    return _table(records, range(1, len(records) + 1), found.num_rows, 0)


def _table(
    records: Sequence[Mapping[str, Any]], lines: Sequence[int], n_rows: int, n_blank: int
) -> Table:
    """Every value as a string, "" where a record lacks it; columns in order of appearance."""
    columns = tuple(dict.fromkeys(str(key) for record in records for key in record))
    rows = tuple(
        tuple("" if record.get(key) is None else str(record[key]).strip() for key in columns)
        for record in records
    )
    return Table(columns, rows, tuple(lines), n_rows, n_blank, has_header=True)
