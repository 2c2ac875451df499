"""Files of texts or pairs: text, JSON, Parquet, .xlsx, and zip of texts, gzipped or not."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ..errors import own_errors
from .decode import (
    JSON_SUFFIXES,
    TABLE_SUFFIXES,
    Source,
    TextFile,
    lines_of,
    read_content,
    text_file,
)
from .errors import CorpusError
from .json_records import is_json_lines, read_json
from .limits import Limits
from .packed_tables import read_packed_table
from .recognise import Reading, is_table
from .tables import Table, read_lines, read_table


def names_its_columns(file_name: str) -> bool:
    """Whether a file of that name has records with named fields, and not text."""
    suffix = Path(file_name.lower().removesuffix(".gz")).suffix
    return suffix in (*JSON_SUFFIXES, ".parquet", ".xlsx")


def read_table_file(
    source: Source,
    name: str | None,
    reading: Reading,
    limits: Limits,
    *,
    title: str = "text",
    wanted: Sequence[str | int | None] = (),
    own_form: Callable[[str, Limits], Table | None] | None = None,
    or_lines: bool = False,
) -> tuple[TextFile, Table]:
    """(title and encoding, table) of a file of any kind; gzip is undone first.

    own_form : reads a text in a form of its own; None for any other
    or_lines : whether a file that is no table has one text a line
    """
    content, title, suffix = read_content(source, name, limits, title)
    with own_errors(CorpusError):
        packed = read_packed_table(content, limits, reading)
        if packed is not None:
            kind, table = packed
            return TextFile(Path(title).stem, suffix, "", kind), table
        file = text_file(content, title, suffix, reading.encoding)
        found: Table | None = None
        if suffix in JSON_SUFFIXES or is_json_lines(file.text):
            found = read_json(file.text, limits, reading.path)
        elif own_form is not None:
            found = own_form(file.text, limits)
        if found is None:
            is_certain = (
                suffix in TABLE_SUFFIXES
                or reading.delimiter
                or any(column is not None for column in wanted)
            )
            if or_lines and not is_certain and not is_table(lambda: _lines(file, limits)):
                found = read_lines(file, limits)
            else:
                found = read_table(file, wanted=wanted, reading=reading, limits=limits)
        return file, replace(found, notes=file.notes)


def _lines(file: TextFile, limits: Limits) -> Iterator[str]:
    return (line for _, line in lines_of(file.text, limits, newline=""))
