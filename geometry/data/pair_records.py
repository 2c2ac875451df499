"""Tables of pairs as data sets have them: lines of JSON, gzipped or not, and Parquet."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from . import parquet_table
from .decode import Source, TextFile, lines_of, read_bytes, read_text_file, refuse_halves
from .limits import CorpusError, Limits
from .tables import Table

_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"
WAITING = 3  # limit by the clock over limit of processor time; other programs use it too
# How the system ends a process beyond its processor time.
_STOPPED = (signal.Signals["SIGKILL"], signal.Signals["SIGXCPU"]) if os.name == "posix" else ()
_JSON_SUFFIXES = (".jsonl", ".ndjson")


def names_its_columns(file_name: str) -> bool:
    """Whether a file of that name holds records with named fields, and not text."""
    suffix = Path(file_name.lower().removesuffix(".gz")).suffix
    return suffix in (*_JSON_SUFFIXES, ".parquet")


def read_pair_bytes(source: Source, name: str | None, limits: Limits) -> tuple[bytes, Path]:
    """The content of a file as it is, and the name whose suffix gives its form.

    Parameters
    ----------
    source : path, bytes or binary file
    name : str or None
        For a source without a name.
    limits : Limits
        Of these, ``file_bytes``.
    """
    content = read_bytes(source, limits.file_bytes)
    given = source if isinstance(source, (str, os.PathLike)) else getattr(source, "name", None)
    return content, Path(str(given or name or "pairs"))


def read_pair_file(
    content: bytes, file_name: Path, *, name: str | None, encoding: str | None, limits: Limits
) -> TextFile | tuple[str, Table]:
    """The text of a table, or (title, rows) of a file of records; gzip is undone first.

    Parameters
    ----------
    content : bytes
    file_name : Path
        Its suffix gives the form.
    name : str or None
        The title. None takes it from ``file_name``.
    encoding : str or None
        None finds it from the content.
    limits : Limits
        How large the file may be.
    """
    if content.startswith(_GZIP):
        content = _unpacked(content, limits.unpacked_bytes)
        file_name = Path(file_name.name.removesuffix(".gz"))
    title = Path(name).stem if name else file_name.stem
    if content.startswith(_PARQUET):
        return title, _parquet(content, limits)
    limits = limits.but(file_bytes=limits.unpacked_bytes)
    file = read_text_file(content, name=file_name.name, encoding=encoding, limits=limits)
    if file_name.suffix.lower() in _JSON_SUFFIXES:
        return title, _json_lines(file.text, limits)
    return TextFile(title if name else file.title, file.suffix, file.text, file.encoding)


def _unpacked(content: bytes, max_bytes: int) -> bytes:
    try:
        with gzip.open(io.BytesIO(content)) as file:
            unpacked = file.read(max_bytes + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise CorpusError("damaged_file", kind="gzip archive") from error
    if len(unpacked) > max_bytes:
        raise CorpusError("too_many_bytes", because="unpacked", limit=max_bytes)
    return unpacked


def _json_lines(text: str, limits: Limits) -> Table:
    """Every value as a string, "" where a record lacks it; columns in order of appearance.

    Nested lists take a hundred times as long as a text of their length.
    """
    began, seconds = time.thread_time(), limits.seconds / 2  # the rows take as long again
    columns: dict[str, int] = {}
    records: list[dict[int, str]] = []
    lines, n_rows, n_blank = [], 0, 0
    for number, line in lines_of(text, limits, newline="\n", most=limits.line_characters):
        if not line.strip():
            n_blank += 1
            continue
        n_rows += 1
        if n_rows > limits.rows:
            continue
        record = _json_object(line, number)
        for key in record:
            columns.setdefault(key, len(columns))
        if len(columns) > limits.keys:
            raise CorpusError("too_many_columns", because="too_many_keys", limit=limits.keys)
        cells = {columns[key]: _cell(value) for key, value in record.items() if value is not None}
        refuse_halves("".join((*record, *cells.values())), number)
        records.append(cells)
        lines.append(number)
        if time.thread_time() - began > seconds:
            raise CorpusError("too_large", because="too_slow", limit=f"{seconds:g}")
    rows = (tuple(cells.get(place, "") for place in range(len(columns))) for cells in records)
    return _table(tuple(columns), rows, lines, n_rows, n_blank)


def _json_object(line: str, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise CorpusError("bad_json", line=number)
    return record


def _cell(value: Any) -> str:
    return str(value).strip()


def _parquet(content: bytes, limits: Limits) -> Table:
    """The table, as another process reads it.

    A few bytes of Parquet may unpack to any amount of memory, in more than one way, and nothing
    in the file states how much. Only the operating system can stop it.
    """
    bounds = {
        "rows": limits.rows,
        "columns": limits.columns,
        "bytes": limits.unpacked_bytes,
        "seconds": limits.seconds,
    }
    try:
        done = subprocess.run(
            [sys.executable, "-P", parquet_table.__file__, json.dumps(bounds)],
            input=content,
            capture_output=True,
            timeout=WAITING * limits.seconds,
            env={**os.environ, **parquet_table.ENVIRONMENT},
            check=True,
        )
        found = json.loads(done.stdout)
    except subprocess.TimeoutExpired as error:
        raise CorpusError("too_large", because="too_slow", limit=limits.seconds) from error
    except subprocess.CalledProcessError as error:
        if -error.returncode in _STOPPED:
            raise CorpusError("too_large", because="too_slow", limit=limits.seconds) from error
        raise CorpusError("damaged_file", kind="Parquet table") from error
    except (OSError, ValueError) as error:
        raise CorpusError("damaged_file", kind="Parquet table") from error
    if "refused" in found:
        raise _refusal(found["refused"], limits)
    rows = [tuple(row) for row in found["rows"]]
    return _table(found["columns"], rows, range(1, len(rows) + 1), found["n_rows"], 0)


def _refusal(reason: str, limits: Limits) -> CorpusError:
    if reason == "columns":
        return CorpusError("too_many_columns", limit=limits.columns)
    if reason == "bytes":
        return CorpusError("too_many_bytes", because="unpacked", limit=limits.unpacked_bytes)
    return CorpusError("damaged_file", kind="Parquet table")


def _table(
    columns: Sequence[str],
    rows: Iterable[tuple[str, ...]],
    lines: Sequence[int],
    n_rows: int,
    n_blank: int,
) -> Table:
    return Table(tuple(columns), tuple(rows), tuple(lines), n_rows, n_blank, has_header=True)
