"""Files of texts or pairs: text, JSON, Parquet, .xlsx, and zip of texts, gzipped or not."""

import io
import warnings
import zipfile
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, time
from functools import partial
from itertools import islice
from operator import itemgetter
from pathlib import Path, PurePosixPath
from time import thread_time
from typing import Any, BinaryIO, TypeVar

from ..errors import own_errors
from ..process import ProcessEnded, run
from . import decode, parquet_table, recognise
from .account import CELL_ERROR, FORMULA, MERGED, MOST_ROWS, LeftOut
from .decode import Source, TextFile
from .errors import CorpusError, uncertain
from .json_records import is_json_lines, read_json
from .limits import Limits, refuse_too_many_cells, refuse_too_many_columns
from .parquet_table import process_limits
from .recognise import SAMPLE_ROWS, Reading, above_header, header_of, unique_names
from .tables import LineForm, Table, read_form, read_lines, read_table

SHEETS = "xl/workbook.xml"  # a member of every .xlsx
FILE_COLUMNS = ("text", "folder", "file")  # columns of a zip of text files
_MARKS = {"f": FORMULA, "e": CELL_ERROR}  # by the type of a cell
Answer = TypeVar("Answer")
LONGEST_DIRECTORY = 16 << 20  # bytes of the list of an archive's members; each takes about 100


def names_its_columns(file_name: str) -> bool:
    """Whether a file of that name has records with named fields, and not text."""
    suffix = Path(file_name.lower().removesuffix(".gz")).suffix
    return suffix in (*decode.JSON_SUFFIXES, ".parquet", ".xlsx")


def read_table_file(
    source: Source,
    name: str | None,
    reading: Reading,
    limits: Limits,
    *,
    title: str = "text",
    wanted: Sequence[str | int | None] = (),
    own_form: LineForm | None = None,  # tried before any other
    or_lines: bool = False,  # whether a file that is no table has one text a line
) -> tuple[TextFile, Table]:
    """(title and encoding, table) of a file of any kind; gzip is undone first."""
    content, title, suffix = decode.read_content(source, name, limits, title)
    with own_errors(CorpusError):
        packed = read_packed_table(content, limits, reading)
        if packed is not None:
            kind, table = packed
            return TextFile(Path(title).stem, suffix, "", kind), table
        file = decode.text_file(content, title, suffix, reading.encoding)
        found: Table | None = None
        if suffix in decode.JSON_SUFFIXES or is_json_lines(file.text):
            found = read_json(file.text, limits, reading.path)
        elif own_form is not None:
            found = read_form(file.text, limits, own_form)
        if found is None:
            is_table = suffix in decode.TABLE_SUFFIXES or reading.delimiter or {*wanted} - {None}
            lines = partial(decode.lines_of, file.text, limits, newline="")
            if or_lines and not is_table and not recognise.is_table(lines):
                found = read_lines(file, limits)
            else:
                found = read_table(file, wanted=wanted, reading=reading, limits=limits)
        return file, replace(found, notes=file.notes)


# ---- tables that are no text ----


def read_packed_table(content: bytes, limits: Limits, reading: Reading) -> tuple[str, Table] | None:
    """(kind, table) of a file that is packed; None for any other file."""
    if content.startswith((decode.PARQUET, decode.ARROW, decode.ARROW_STREAM)):
        kind = "Parquet" if content.startswith(decode.PARQUET) else "Arrow"
        read = parquet_table.read
        columns, rows, n_rows, lists = _limited(read, content, limits, kind=f"{kind} table")
        lines = tuple(range(1, len(rows) + 1))
        return kind, Table(columns, rows, lines, n_rows, 0, has_header=True, columns_left_out=lists)
    if not content.startswith(decode.ZIP):
        return None
    try:
        archive = opened_zip(io.BytesIO(content), LONGEST_DIRECTORY)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise CorpusError("damaged_file", kind="ZIP archive") from error
    if sum(each.file_size for each in archive.infolist()) > limits.unpacked_bytes:
        raise CorpusError("unpacked", limit=limits.unpacked_bytes)
    if SHEETS in archive.namelist():
        return "Excel", _limited(_sheet, content, limits, reading, kind="workbook of Excel")
    return "ZIP", _text_files(archive, limits)


def opened_zip(file: BinaryIO, longest: int) -> zipfile.ZipFile:
    """An archive; ValueError for a long list of members, of which zipfile makes an object each."""
    end = zipfile._EndRecData(file)  # type: ignore[attr-defined]
    if end is None or end[zipfile._ECD_SIZE] > longest:  # type: ignore[attr-defined]
        raise ValueError
    return zipfile.ZipFile(file)


def _limited(
    read: Callable[..., Answer], content: bytes, limits: Limits, *rest: Any, kind: str
) -> Answer:
    """What ``read(content, limits, *rest)`` returns, by another process with limits.

    A few bytes may unpack to any amount of memory or take any time, and nothing in the file states
    how much. Only the operating system can stop it.
    """
    call = partial(read, content, limits, *rest)
    process = process_limits(limits)
    try:
        return call() if process is None else run(process, call)
    except CorpusError:
        raise
    except MemoryError as error:
        raise CorpusError("unpacked", limit=limits.unpacked_bytes) from error
    except Exception as error:  # pyarrow and openpyxl raise almost anything on a damaged file
        if isinstance(error, ProcessEnded) and error.too_slow:
            raise CorpusError("too_slow", limit=limits.seconds) from error
        raise CorpusError("damaged_file", kind=kind) from error


def _sheet(content: bytes, limits: Limits, reading: Reading) -> Table:
    """A sheet of a workbook as its program stored it; the size that it states is not used."""
    import openpyxl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns of parts that are not read here
        book = openpyxl.load_workbook(
            io.BytesIO(content), read_only=True, data_only=True, keep_links=False
        )
        names = {sheet.title: sheet for sheet in book.worksheets}
        seen = tuple(name for name, sheet in names.items() if sheet.sheet_state == "visible")
        chosen = reading.sheet or (seen or tuple(names))[0]
        if chosen not in names:
            raise CorpusError("unknown_sheet", sheet=chosen, sheets=tuple(names))
        found, n_found, last, notes = _sheet_rows(names[chosen], limits)
        beside = tuple(name for name in seen if name != chosen)
        is_given = reading.sheet is not None or reading.header is not None
        few = limits.but(rows=SAMPLE_ROWS)
        others = () if is_given or _is_named(found) else beside
        with_names = tuple(each for each in others if _is_named(_sheet_rows(names[each], few)[0]))
    if not found and beside:
        raise uncertain("empty_sheet", "sheet", beside, sheet=chosen)
    if with_names:
        raise uncertain("uncertain_sheet", "sheet", with_names, sheet=chosen)
    skip = 0 if reading.header is False else above_header([row for _, row in found[:SAMPLE_ROWS]])
    top = found[skip][0] if skip else 1
    rows = found[skip:]
    first = rows[0][1] if rows else []
    header = bool(rows) and (_is_named(found) if reading.header is None else reading.header)
    taken = rows[header:][: limits.rows]
    known = {line for line, _ in rows}
    blank = islice((row for row in range(top, last) if row not in known), MOST_ROWS)
    return Table(
        unique_names(first if header else [""] * len(first)),
        tuple(tuple(row) for _, row in taken),
        tuple(line for line, _ in taken),
        n_found - skip - int(header),
        last - top + 1 - (n_found - skip),
        has_header=header,
        blank=tuple(blank),
        notes=notes,
        sheets=seen,
    )


SheetRows = list[tuple[int, list[str]]]


def _is_named(found: SheetRows) -> bool:
    rows = [row for _, row in found]
    skip = above_header(rows[: SAMPLE_ROWS + 1])
    return bool(rows) and header_of(rows[skip], rows[skip + 1 :])


def _sheet_rows(sheet: Any, limits: Limits) -> tuple[SheetRows, int, int, tuple[LeftOut, ...]]:
    """(row from 1 and cells of the first rows that are not empty, how many are, last row, notes)"""
    from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser

    class Parser(WorkSheetParser):
        """Tells a formula without a stored value from an empty cell."""

        def parse_cell(self, element: Any) -> dict[str, Any]:
            cell: dict[str, Any] = super().parse_cell(element)
            if cell["value"] is None and element.find(FORMULA_TAG) is not None:
                cell["data_type"] = "f"
            return cell

    found: SheetRows = []
    n_found = last = n_bytes = 0
    marked: dict[str, list[int]] = {FORMULA: [], CELL_ERROR: [], MERGED: []}
    book = sheet.parent
    with sheet._get_source() as source:
        parser = Parser(
            source,
            sheet._shared_strings,
            data_only=True,
            epoch=book.epoch,
            date_formats=book._date_formats,
            timedelta_formats=book._timedelta_formats,
        )
        for number, row in parser.parse():
            cells: dict[int, str] = {}
            for cell in row:
                text = _cell_text(cell["value"])
                kind = cell["data_type"]
                if text or kind == "f":
                    refuse_too_many_columns(cell["column"], limits.columns)
                    cells[cell["column"]] = text
                if kind in _MARKS:
                    marked[_MARKS[kind]].append(number)
            if not cells:
                continue
            n_found += 1
            last = max(last, number)
            if n_found <= limits.rows + 1:  # one of them may be the header
                width = max(cells)
                refuse_too_many_cells(n_found * width)
                n_bytes += sum(len(text.encode()) for text in cells.values())
                if n_bytes > limits.unpacked_bytes:  # cells may share one text of the file
                    raise MemoryError
                found.append((number, [cells.get(place, "") for place in range(1, width + 1)]))
    found.sort(key=itemgetter(0))
    for merged in parser.merged_cells.mergeCell if parser.merged_cells else ():
        marked[MERGED] += _filled(found, merged.ref)
    widest = max((len(each) for _, each in found), default=0)
    for _, each in found:
        each += [""] * (widest - len(each))
    notes = (LeftOut(why, len(at), tuple(at[:MOST_ROWS])) for why, at in marked.items() if at)
    return found, n_found, last, tuple(notes)


def _filled(found: SheetRows, area: str) -> list[int]:
    """Write the text of merged cells into each of their rows; the numbers of those rows."""
    from openpyxl.utils import range_boundaries

    column, top, _, bottom = range_boundaries(area)
    start = bisect_left(found, top, key=itemgetter(0))
    if start == len(found) or found[start][0] != top or len(found[start][1]) < column:
        return []
    text = found[start][1][column - 1]
    numbers = []
    for number, cells in islice(found, start + 1, None):
        if number > bottom or not text:
            break
        cells += [""] * (column - len(cells))
        if not cells[column - 1]:
            cells[column - 1] = text
            numbers.append(number)
    return numbers


def _cell_text(value: Any) -> str:
    """A cell as its program shows it: dates without an hour, whole numbers without a point."""
    if isinstance(value, datetime) and value.time() == time.min:
        value = value.date()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return "" if value is None else str(value).strip()


def _text_files(archive: zipfile.ZipFile, limits: Limits) -> Table:
    """Each .txt file of an archive as one text, with its folder and its name."""
    members = [
        each
        for each in archive.infolist()
        if each.filename.lower().endswith(".txt")
        # hidden files, and what macOS adds
        and not any(part.startswith((".", "__MACOSX")) for part in each.filename.split("/"))
    ]
    if not members:
        raise CorpusError("no_text_files", limit=2)
    rows: list[tuple[str, str, str]] = []
    began = thread_time()
    for member in members[: limits.rows]:
        if thread_time() - began > limits.seconds / 2:
            raise CorpusError("too_slow", limit=f"{limits.seconds / 2:g}")
        try:
            content = archive.read(member)
        except MemoryError:
            raise
        except Exception as error:  # zipfile and what it unpacks with raise almost anything
            raise CorpusError("damaged_file", kind="ZIP archive") from error
        try:
            text, _ = decode.decode(content)
        except CorpusError as error:
            raise CorpusError("file_in_zip", file=member.filename) from error
        path = PurePosixPath(member.filename)
        folder = "" if len(path.parts) == 1 else path.parts[-2]
        rows.append((text.strip(), folder, path.name))
    lines = tuple(range(1, len(rows) + 1))
    return Table(FILE_COLUMNS, tuple(rows), lines, len(members), 0, has_header=True)
