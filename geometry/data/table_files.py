"""Files of texts or pairs: text, JSON, Parquet, .xlsx, and zip of texts, gzipped or not."""

from __future__ import annotations

import io
import os
import zlib
from dataclasses import replace
from pathlib import Path

from ..errors import own_errors
from .decode import GZIP, JSON_SUFFIXES, Source, TextFile, Unpacked, read_bytes, read_text_file
from .json_records import is_json_lines, read_json
from .limits import CorpusError, Limits
from .packed_tables import read_packed_table
from .recognise import Reading
from .tables import Table


def names_its_columns(file_name: str) -> bool:
    """Whether a file of that name has records with named fields, and not text."""
    suffix = Path(file_name.lower().removesuffix(".gz")).suffix
    return suffix in (*JSON_SUFFIXES, ".parquet", ".xlsx")


def read_table_file(
    source: Source, name: str | None, reading: Reading, limits: Limits, title: str = "text"
) -> tuple[TextFile, Table | None]:
    """(title, suffix and text, the table of a file of records or None); gzip is undone first.

    name : of the file, where the source has none; also its title
    title : of bytes without a name
    """
    content = read_bytes(source, limits.file_bytes)
    own = source if isinstance(source, (str, os.PathLike)) else getattr(source, "name", None)
    path = Path(str(own or name or title))
    title = name or path.name
    if content.startswith(GZIP):
        content, limits = _unpacked(content, limits), limits.but(file_bytes=limits.unpacked_bytes)
        path, title = Path(path.name.removesuffix(".gz")), title.removesuffix(".gz")
    with own_errors(CorpusError):
        packed = read_packed_table(content, limits, reading)
        if packed is not None:
            kind, table = packed
            return TextFile(Path(title).stem, path.suffix.lower(), "", kind), table
        file = read_text_file(content, name=title, encoding=reading.encoding, limits=limits)
        file = replace(file, suffix=path.suffix.lower())
        if file.suffix in JSON_SUFFIXES or is_json_lines(file.text):
            table = read_json(file.text, limits, reading.path)
            return file, replace(table, notes=file.notes)
    return file, None


def _unpacked(content: bytes, limits: Limits) -> bytes:
    most, seconds = limits.unpacked_bytes, limits.seconds / 2
    try:
        with Unpacked(
            io.BytesIO(content),
            most=most,
            seconds=seconds,
            too_large=CorpusError("too_many_bytes", because="unpacked", limit=most),
            too_slow=CorpusError("too_large", because="too_slow", limit=f"{seconds:g}"),
        ) as file:
            return file.read()
    except (OSError, EOFError, zlib.error) as error:
        raise CorpusError("damaged_file", kind="gzip archive") from error
