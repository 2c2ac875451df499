"""Tables of pairs as data sets have them: text, lines of JSON, Parquet, .xlsx, gzipped or not."""

from __future__ import annotations

import io
import os
import zlib
from pathlib import Path

from .decode import GZIP, JSON_SUFFIXES, Source, TextFile, Unpacked, read_bytes, read_text_file
from .json_lines import read_json_lines
from .limits import CorpusError, Limits
from .packed_tables import read_packed_table
from .tables import Table


def names_its_columns(file_name: str) -> bool:
    """Whether a file of that name has records with named fields, and not text."""
    suffix = Path(file_name.lower().removesuffix(".gz")).suffix
    return suffix in (*JSON_SUFFIXES, ".parquet", ".xlsx")


def read_pair_bytes(source: Source, name: str | None, limits: Limits) -> tuple[bytes, Path]:
    """The content of a file as it is, and the name whose suffix gives its form."""
    content = read_bytes(source, limits.file_bytes)
    given = source if isinstance(source, (str, os.PathLike)) else getattr(source, "name", None)
    return content, Path(str(given or name or "pairs"))


def read_pair_file(
    content: bytes, file_name: Path, *, name: str | None, encoding: str | None, limits: Limits
) -> TextFile | tuple[str, Table]:
    """The text of a table, or (title, rows) of a file of records; gzip is undone first."""
    if content.startswith(GZIP):
        content = _unpacked(content, limits)
        file_name = Path(file_name.name.removesuffix(".gz"))
    title = Path(name).stem if name else file_name.stem
    packed = read_packed_table(content, limits)
    if packed is not None:
        return title, packed[1]
    limits = limits.but(file_bytes=limits.unpacked_bytes)
    file = read_text_file(content, name=file_name.name, encoding=encoding, limits=limits)
    if file_name.suffix.lower() in JSON_SUFFIXES:
        return title, read_json_lines(file.text, limits)
    return TextFile(title if name else file.title, file.suffix, file.text, file.encoding)


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
