"""Tables that are no text: Parquet, .xlsx, and a .zip of text files with one text each."""

from __future__ import annotations

import io
import time
import warnings
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import PurePosixPath
from typing import Any, BinaryIO, TypeVar

from ..process import ProcessEnded, run
from . import parquet_table
from .decode import PARQUET, ZIP, decode
from .limits import CorpusError, Limits, refuse_too_many_cells, refuse_too_many_columns
from .parquet_table import process_limits
from .recognise import header_of, unique_names
from .tables import Table

SHEETS = "xl/workbook.xml"  # a member of every .xlsx
FILE_COLUMNS = ("text", "folder", "file")  # columns of a zip of text files
Answer = TypeVar("Answer")
LONGEST_DIRECTORY = 16 << 20  # bytes of the list of an archive's members; each takes about 100


def read_packed_table(
    content: bytes, limits: Limits, *, has_header: bool | None = None
) -> tuple[str, Table] | None:
    """(kind, table) of a file that is packed; None for any other file."""
    if content.startswith(PARQUET):
        columns, rows, n_rows = _limited(parquet_table.read, content, limits, kind="Parquet table")
        lines = tuple(range(1, len(rows) + 1))
        return "Parquet", Table(columns, rows, lines, n_rows, 0, has_header=True)
    if not content.startswith(ZIP):
        return None
    try:
        if has_long_directory(io.BytesIO(content)):
            raise CorpusError("damaged_file", kind="ZIP archive")
        archive = zipfile.ZipFile(io.BytesIO(content))
        names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise CorpusError("damaged_file", kind="ZIP archive") from error
    if sum(each.file_size for each in archive.infolist()) > limits.unpacked_bytes:
        raise CorpusError("too_many_bytes", because="unpacked", limit=limits.unpacked_bytes)
    if SHEETS in names:
        return "Excel", _limited(_sheet, content, limits, has_header, kind="workbook of Excel")
    return "ZIP", _text_files(archive, limits)


def has_long_directory(file: BinaryIO, longest: int = LONGEST_DIRECTORY) -> bool:
    """Whether a zip has a long list of members, of which zipfile makes an object each."""
    end = zipfile._EndRecData(file)  # type: ignore[attr-defined]
    return end is None or end[zipfile._ECD_SIZE] > longest  # type: ignore[attr-defined]


def _limited(
    read: Callable[..., Answer], content: bytes, limits: Limits, *rest: Any, kind: str
) -> Answer:
    """What ``read(content, limits, *rest)`` returns, by another process with limits.

    A few bytes of Parquet or of a workbook may unpack to any amount of memory or take any time, in
    more than one way, and nothing in the file states how much. Only the operating system can stop
    it.
    """
    call, process = partial(read, content, limits, *rest), process_limits(limits)
    try:
        return call() if process is None else run(process, call)
    except CorpusError:
        raise
    except MemoryError as error:
        raise CorpusError(
            "too_many_bytes", because="unpacked", limit=limits.unpacked_bytes
        ) from error
    except Exception as error:  # pyarrow and openpyxl raise almost anything on a damaged file
        if isinstance(error, ProcessEnded) and error.too_slow:
            raise CorpusError("too_large", because="too_slow", limit=limits.seconds) from error
        raise CorpusError("damaged_file", kind=kind) from error


def _sheet(content: bytes, limits: Limits, has_header: bool | None) -> Table:
    """The first sheet of a workbook, as its program stored it; no formula is calculated."""
    import openpyxl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns of parts that are not read here
        book = openpyxl.load_workbook(
            io.BytesIO(content), read_only=True, data_only=True, keep_links=False
        )
        found, n_found, last = _sheet_rows(book.worksheets[0], limits)
    width = max((len(row) for _, row in found), default=0)
    refuse_too_many_columns(width, limits.columns)
    rows = [(line, (*row, *[""] * (width - len(row)))) for line, row in found]
    n_blank = last - n_found
    if not rows:
        return Table((), (), (), 0, n_blank)
    first, body = rows[0][1], rows[1:]
    header = header_of(first, [row for _, row in body]) if has_header is None else has_header
    taken = body if header else rows
    return Table(
        unique_names(first if header else [""] * width),
        tuple(row for _, row in taken[: limits.rows]),
        tuple(line for line, _ in taken[: limits.rows]),
        n_found - int(header),
        n_blank,
        has_header=header,
    )


def _sheet_rows(sheet: Any, limits: Limits) -> tuple[list[tuple[int, tuple[str, ...]]], int, int]:
    """(row from 1 and cells of the first rows that are not empty, how many these are, last row)."""
    found: list[tuple[int, tuple[str, ...]]] = []
    n_found = last = n_bytes = 0
    rows = sheet.iter_rows(values_only=True, max_col=limits.columns + 1)
    for number, row in enumerate(rows, start=1):
        cells = ["" if value is None else str(value).strip() for value in row]
        while cells and not cells[-1]:
            cells.pop()
        if not cells:
            continue
        n_found, last = n_found + 1, number
        if n_found <= limits.rows + 1:  # one of them may be the header
            refuse_too_many_cells(n_found * len(cells), limits)
            n_bytes += sum(len(cell.encode()) for cell in cells)
            if n_bytes > limits.unpacked_bytes:  # cells may share one text of the file
                raise MemoryError
            found.append((number, tuple(cells)))
    return found, n_found, last


def _text_files(archive: zipfile.ZipFile, limits: Limits) -> Table:
    """Each .txt file of an archive as one text, with its folder and its name."""
    members = [
        each
        for each in archive.infolist()
        if each.filename.lower().endswith(".txt") and not _is_hidden(each.filename)
    ]
    if not members:
        raise CorpusError("empty", because="no_text_files", limit=2)
    rows: list[tuple[str, str, str]] = []
    began = time.thread_time()
    for member in members[: limits.rows]:
        if time.thread_time() - began > limits.seconds / 2:
            raise CorpusError("too_large", because="too_slow", limit=f"{limits.seconds / 2:g}")
        try:
            content = archive.read(member)
        except Exception as error:  # zipfile and what it unpacks with raise almost anything
            if isinstance(error, MemoryError):
                raise
            raise CorpusError("damaged_file", kind="ZIP archive") from error
        try:
            text, _ = decode(content)
        except CorpusError as error:
            raise CorpusError(
                "wrong_encoding", because="file_in_zip", file=member.filename
            ) from error
        path = PurePosixPath(member.filename)
        folder = "" if len(path.parts) == 1 else path.parts[-2]
        rows.append((text.strip(), folder, path.name))
    columns = FILE_COLUMNS
    lines = tuple(range(1, len(rows) + 1))
    return Table(columns, tuple(rows), lines, len(members), 0, has_header=True)


def _is_hidden(name: str) -> bool:
    """True for what macOS adds to an archive, and for hidden files."""
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)
