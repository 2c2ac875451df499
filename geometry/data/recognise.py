"""How a table of text is written: delimiter, quoting, decimal sign, header, and its columns' kinds.

The library, the shell and the pages recognise a file here. What is certain is used. What is not is
asked for: an error "uncertain" names the option.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, islice, takewhile
from typing import Any, Literal

from .column_names import KNOWN_NAMES
from .errors import CorpusError, uncertain
from .limits import LIMITS

Holds = Literal["texts", "vectors", "pairs", "queries"]
Quoting = Literal["quoted", "escaped", "none"]
Lines = Callable[[], Iterable[str]]  # the lines of a file with their ends, from the first

_SIGNS = {
    "\t": "tab", ",": "comma", ";": "semicolon", "|": "vertical bar", "^": "caret", "~": "tilde",
}  # fmt: skip
DELIMITERS = tuple(_SIGNS)
NO_DELIMITER = "\x1f"  # of a table of one column: it occurs in no text
SPACES = " "  # the delimiter of numbers, or cells in quotes, with spaces between, however many
TAB_SUFFIXES = (".tsv", ".tab")
NULL = "\\N"  # as MySQL writes a cell without a value
MISSING = ("", "na", "n/a", "null", "none", NULL.casefold())  # cells without a number, in any case
SAMPLE_ROWS = 200  # rows by which a table is recognised
_SAMPLE_CHARACTERS = 1 << 20
_MIN_SHARE = 0.8  # a delimiter makes at least this share of the sample rows as wide as the first
_LONGEST_NUMBER = 400  # characters of a number
MOST_VALUES = 50  # different cells of a column of labels
_MOST_ABOVE = 5  # rows above the header, such as a title
_SEPARATOR = re.compile(r'\ufeff?"?sep=(.)"?\s*', re.IGNORECASE)  # the first line of some tables
_COMMA_NUMBER = re.compile(r"[-+]?(\d{1,3}(\.\d{3})+|\d+),\d+([eE][-+]?\d+)?", re.ASCII)
THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+", re.ASCII)
_ESCAPED = re.compile(r'\\(["\\]|\r?\n)')  # as MySQL, Spark and R write a mark within a cell
_ALL_QUOTED = re.compile(r'"[^"]*"(?: "[^"]*")*\s*')  # the header of a table that R writes
_DOUBLED = re.compile(r'\w""|""\w')  # marks within a quoted cell, as programs write them
# Arrays as NumPy, PyTorch and PostgreSQL write them; numbers in them as NumPy 2 does
_LIST = re.compile(
    r"(?:[\w.]*(?:array|tensor)\()?(?:\[(.*)\]|\{([-+\d.,eE\s]*)\})(?:,[^\[\]]*)?\)?", re.DOTALL
)
_NUMPY_2 = re.compile(r"(?:np\.|numpy\.)?float\d+\(([^()]*)\)")
# A cell without a space and with a digit, or a sign of addresses and names of files within
_CODE = re.compile(r"(?=.*[\d/@\\_]|.*[.:].)[!-~]+")
_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{16,}|[a-z_:./#-]*\d+", re.I)

# A process-wide limit of 131,072 characters a cell: a long text is cut by the encoder, not here.
csv.field_size_limit(LIMITS.file_bytes)


@dataclass(frozen=True)
class Reading:
    """How a file is to be read, as far as a caller says it; None is found from the content."""

    holds: Holds | None = None  # "queries" with what is relevant to them
    encoding: str | None = None  # with ":replace", bytes that do not fit become U+FFFD and count
    delimiter: str | None = None  # one character
    # "quoted": a cell in quotation marks may have delimiters and line ends. "escaped": the same,
    # and a mark within it has a backslash before it. "none": a mark is a character as any other.
    quoting: Quoting | None = None
    header: bool | None = None  # whether the first row names the columns
    sheet: str | None = None  # of a workbook, by its name
    decimal: Literal[".", ","] | None = None
    # Where the records or vectors of nested JSON are: names with points between. "*" if each key
    # of an object is a row, "*.*" if each is a column.
    path: str | None = None
    packed: bool | None = None  # whether bytes are packed bits, eight of them each

    def but(self, **others: Any) -> Reading:
        return replace(self, **{name: value for name, value in others.items() if value is not None})


AS_FOUND = Reading()  # everything is found from the content


@dataclass(frozen=True)
class Dialect:
    """How the lines of a table of text become cells."""

    delimiter: str
    quoting: Quoting = "quoted"
    decimal: str = "."  # sign of its numbers
    unclear: str | None = None  # a cell that has two meanings by it
    skipped: int = 0  # lines before the table, such as "sep=;" or a title
    has_row_names: bool = False  # the header has no cell for the names of the rows, as R writes it


# ---- numbers and kinds of columns ----


def number_of(cell: str, decimal: str = ".") -> float | None:
    """The number that a cell reads as, also nan and infinity; None if it is none."""
    if len(cell) > _LONGEST_NUMBER or not cell.isascii() or "_" in cell:
        return None
    if decimal == "," and ("." in cell or "," in cell) and not _COMMA_NUMBER.fullmatch(cell):
        return None
    try:
        return float(cell if decimal == "." else cell.replace(".", "").replace(",", "."))
    except ValueError:
        return None


def is_number(cell: str, decimal: str = ".") -> bool:
    return number_of(cell, decimal) is not None


def mostly_numbers(cells: Iterable[str], decimal: str = ".") -> bool:
    flags = [is_number(cell, decimal) for cell in cells]
    return 2 * sum(flags) > len(flags)


def is_running(cells: Sequence[str]) -> bool:
    """True for numbers of rows: 0, 1, 2, … or 1, 2, 3, …"""
    if len(cells) < 3 or not all(map(str.isdecimal, cells)) or cells[0] not in ("0", "1", "2"):
        return False
    first = int(cells[0])  # 2 follows the first row, where that may be a header
    return [*map(int, cells)] == [*range(first, first + len(cells))]


def is_figure(cell: str) -> bool:
    """True for a number, a date or a time: more digits than letters."""
    return sum(map(str.isdigit, cell)) > sum(map(str.isalpha, cell)) or is_number(cell)


def is_series(cells: Sequence[str]) -> bool:
    """True for whole numbers in order, such as years."""
    whole = [int(cell) for cell in cells if cell.isdecimal()]
    return 1 < len(cells) == len({*whole}) and whole == sorted(whole)


def is_of_codes(cells: Sequence[str]) -> bool:
    """True for cells that are no texts beside others: ids, addresses, names of files, lists."""
    filled = [cell for cell in cells if cell.strip()]
    is_constant = len(filled) > 2 and len(set(filled)) == 1
    codes = [cell for cell in filled if _CODE.fullmatch(cell)]
    return is_constant or is_of_lists(filled) or 2 * len(codes) > len(filled)


def is_label(cells: Sequence[str]) -> bool:
    """True for a column with few different values, which names groups of rows."""
    filled = [cell for cell in cells if cell.strip()]
    return len(filled) > 3 and len({*filled}) <= min(MOST_VALUES, len(filled) // 2)


def is_id(cells: Sequence[str]) -> bool:
    """True for a column that only tells rows apart: 1, 2, 3, … or a different code in each row."""
    filled = [cell.strip() for cell in cells]
    if len(filled) < 3 or len(set(filled)) < len(filled):
        return False
    if all(map(str.isdecimal, filled)):
        return is_running(filled)
    return all(map(_ID.fullmatch, filled))


# ---- the dialect ----


def records(lines: Iterable[str], dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """(first line, cells) of each record; a blank one has no cells."""
    rest = islice(lines, dialect.skipped, None)
    reader = _reader(rest, dialect.delimiter, dialect.quoting)
    width, line = 0, dialect.skipped + 1
    try:
        for cells in reader:
            if not any(map(str.strip, cells)):
                cells = []
            if cells and not width and dialect.has_row_names:
                cells = ["", *cells]
            width = width or len(cells)
            if cells and len(cells) != width:
                raise CorpusError("uneven_row", line=line, n=len(cells), expected=width)
            yield line, cells
            line = dialect.skipped + reader.line_num + 1
    except csv.Error as error:
        raise CorpusError("bad_quotes", line=line) from error


def dialect_of(
    lines: Lines, *, suffix: str = "", reading: Reading = AS_FOUND, spaced: bool = False
) -> Dialect:
    """The dialect of a table, in which spaces may divide numbers where it is ``spaced``."""
    sample = _sample(lines())
    stated = _SEPARATOR.fullmatch(sample[0]) if sample else None
    delimiter = reading.delimiter or (stated[1] if stated else None)
    notes = sum(1 for _ in takewhile(lambda line: line.startswith("#"), sample))
    if spaced and notes and _is_spaced(sample[notes:]):
        skipped = notes  # numpy.savetxt writes names behind a sign
    elif stated is not None:
        skipped = 1
    else:
        skipped = 0 if reading.header is False else _above(sample, reading.delimiter)
    sample = sample[skipped:]
    if delimiter is None:
        has_tabs = suffix in TAB_SUFFIXES and any("\t" in line for line in sample)
        delimiter = _delimiter(sample, ("\t",) if has_tabs else DELIMITERS, spaced=spaced)
    names = _have_names(_rows(sample, delimiter, "quoted"), sample)
    found = Dialect(delimiter, quoting="none", skipped=skipped, has_row_names=names)
    if delimiter != SPACES or any('"' in line for line in sample):
        found = replace(found, quoting=reading.quoting or _quoting(lines, found))
    if reading.decimal is not None:
        return replace(found, decimal=reading.decimal)
    decimal, unclear = _decimal(sample, found)
    return replace(found, decimal=decimal, unclear=unclear)


def is_of_lists(cells: Sequence[str]) -> bool:
    """True for cells such as [0.1, 0.2], or 0.1 0.2 0.3."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    return bool(filled) and 2 * sum(list_in(cell) is not None for cell in filled) > len(filled)


def list_in(cell: str) -> str | None:
    """What is between the brackets, if any, of a cell that is a list; None for any other."""
    found = _LIST.fullmatch(cell)
    if found is None:
        fields = cell.replace(",", " ").split() if "." in cell else []
        return cell if len(fields) > 2 and all(map(is_number, fields)) else None
    inner = found[1] if found[2] is None else found[2]
    return _NUMPY_2.sub(r"\1", inner) if "float" in inner else inner


def is_table(lines: Lines) -> bool:
    """Whether tabs divide all lines equally, or another sign does and a first name is known."""
    sample = _sample(lines())
    if _is_of_r(sample):
        return True
    try:
        sample = sample[_above(sample, None) :]
    except CorpusError:
        return True  # its reader asks
    for delimiter in DELIMITERS:
        rows = [row for row in _rows(sample, delimiter, "quoted") if any(map(str.strip, row))]
        is_even = len(rows) > 1 and len({*map(len, rows)}) == 1 and len(rows[0]) > 1
        if is_even and (delimiter == "\t" or KNOWN_NAMES & {*map(str.casefold, rows[0])}):
            return True
    return False


def _sample(lines: Iterable[str]) -> list[str]:
    """The first lines, at least two, and not many characters."""
    sample: list[str] = []
    for line in islice(lines, SAMPLE_ROWS + 1):
        sample.append(line)
        if len(sample) > 1 and sum(map(len, sample)) > _SAMPLE_CHARACTERS:
            break
    return sample


def _reader(lines: Iterable[str], delimiter: str, quoting: Quoting) -> Any:
    how: Literal[0, 3] = csv.QUOTE_NONE if quoting == "none" else csv.QUOTE_MINIMAL
    if quoting == "escaped":
        lines = (_ESCAPED.sub(lambda sign: sign[1].replace('"', '""'), line) for line in lines)
    is_spaced = delimiter == SPACES
    if is_spaced and quoting == "none":
        lines = (" ".join(line.split()) + "\n" for line in lines)
    return csv.reader(
        (line.strip(" ") for line in lines) if is_spaced else lines,
        delimiter=delimiter,
        quoting=how,
        strict=True,
        skipinitialspace=is_spaced,
    )


def _rows(sample: Sequence[str], delimiter: str, quoting: Quoting) -> list[list[str]]:
    """The rows of the sample that are not empty; without the last, which may be cut off."""
    rows: list[list[str]] = []
    try:
        rows += (cells for cells in _reader(sample, delimiter, quoting) if cells)
    except csv.Error as error:
        if len(rows) > 4 and "end of data" in str(error):
            return rows  # the sample ends within a cell of several lines
        if quoting == "quoted" and any('\\"' in line for line in sample):
            return _rows(sample, delimiter, "escaped")
        if quoting != "none":
            return _rows(sample, delimiter, "none")
    return rows


def _have_names(rows: Sequence[Sequence[str]], sample: Sequence[str]) -> bool:
    """Whether a header is a cell shorter than all rows, which begin with names, as R writes."""
    first, *body = rows or [[]]
    if not body or {*map(len, body)} != {len(first) + 1} or any(map(is_number, first)):
        return False
    names = [row[0] for row in body]
    if is_running(names) and names[0] == "1":
        return True
    is_quoted = all(line.startswith('"') for line in sample if line.strip())
    is_numeric = len(first) > 1 and all(is_number(cell) for row in body for cell in row[1:])
    return (is_quoted or is_numeric) and len(body) > 1 and len({*names}) == len(names)


def _is_of_r(sample: Sequence[str]) -> bool:
    """Whether lines are cells with spaces between, those of the header in quotes."""
    if not sample or _ALL_QUOTED.fullmatch(sample[0]) is None:
        return False
    rows = _rows(sample, SPACES, "quoted")
    widths = {*map(len, rows[1:])}
    is_even = len(widths) == 1 and widths <= {len(rows[0]), len(rows[0]) + 1} and max(widths) > 1
    return is_even and (widths == {len(rows[0])} or _have_names(rows, sample))


def above_header(rows: Sequence[Sequence[str]]) -> int:
    """How many rows, such as a title, are above the names; CorpusError if there are no names."""
    for skip, first in enumerate(rows[: _MOST_ABOVE + 1]):
        body = rows[skip + 1 :]
        filled = [cell for cell in first if cell.strip()]
        if not body or len(first) < 2 or {*map(len, body)} != {len(first)}:
            continue
        is_prose = any(map(_is_prose, body))
        if len(filled) + (not first[0]) < len(first) or (_is_prose(first) and not is_prose):
            continue
        above = [row for row in rows[:skip] if not _is_prose(row)]
        if is_prose or any(len([*filter(str.strip, row)]) >= len(filled) for row in above):
            return 0
        if header_of(first, body):
            return skip
        is_whole = all(map(str.strip, (cell for row in body for cell in row)))
        alone = [cell for row in rows[:skip] for cell in row if cell.strip()]
        if skip and len(alone) == skip and len(first) > 2 and len(body) > 1 and is_whole:
            raise uncertain("uncertain_title", "header", ("no",), row=alone[0][:80], n=len(first))
        return 0
    return 0


def _is_prose(row: Sequence[str]) -> bool:
    """Whether a space follows a sign that divides, as it follows a comma of a sentence."""
    return any(cell.startswith(" ") for cell in row[1:])


def _above(sample: Sequence[str], delimiter: str | None) -> int:
    """How many lines are above the header of a table."""
    candidates = (delimiter,) if delimiter else DELIMITERS
    plain = (_rows(sample, each, "none") for each in candidates)
    for rows in chain(plain, (_rows(sample, each, "quoted") for each in candidates)):
        is_filled = bool(rows) and sum(map(bool, map(str.strip, rows[0]))) > 1
        if len({*map(len, rows)}) == 1 and is_filled and not _is_prose(rows[0]):
            return 0  # the first row is as the others
    for each in candidates:
        found: list[tuple[int, list[str]]] = []  # the line above each row, its cells
        start = 0
        reader = _reader(sample, each, "quoted")
        with suppress(csv.Error):
            for cells in reader:
                if any(map(str.strip, cells)):
                    found.append((start, cells))
                start = reader.line_num
        rows = [cells for _, cells in found]
        if len(rows) > 2 and not _have_names(rows, sample) and (skip := above_header(rows)):
            return found[skip][0]
    return 0


def _delimiter(sample: Sequence[str], candidates: Sequence[str], *, spaced: bool) -> str:
    """The delimiter that makes the rows equally wide, and their cells whole.

    A column's name that is known decides first. In prose a space follows a comma, and after a
    delimiter there is none; tabs are in no prose. Then more cells that are numbers decide.
    """
    if _is_of_r(sample):
        return SPACES
    scores: dict[str, tuple[float, ...]] = {}
    for delimiter in candidates:
        for quoting in ("quoted", "none"):
            rows = _rows(sample, delimiter, quoting)
            if _have_names(rows, sample):
                rows[0].insert(0, "")
            if not rows or len(rows[0]) == 1:
                continue
            if delimiter == "," and quoting == "quoted":
                _refuse_split_decimals(rows)
            width = len(rows[0])
            share = sum(len(row) == width for row in rows) / len(rows)
            known = any(cell.strip().casefold() in KNOWN_NAMES for cell in rows[0])
            if share < _MIN_SHARE and not (known and share >= _MIN_SHARE / 2):
                continue
            inner = [cell for row in rows for cell in row[1:]]
            whole = 1 - sum(cell.startswith(" ") for cell in inner) / len(inner)
            cells = [cell.strip() for row in rows for cell in row]
            numeric = sum(is_number(each) or is_number(each, ",") for each in cells) / len(cells)
            score = (known, round(share, 2), round(whole, 1), delimiter == "\t", round(numeric, 2))
            scores[delimiter] = max(score, scores.get(delimiter, score))
    # decimal commas with spaces between give cells such as "5 0"
    if spaced and all(score[-1] < 1 for score in scores.values()) and _is_spaced(sample):
        return SPACES
    if not scores:
        return NO_DELIMITER
    best = max(scores.values())
    equal = [each for each, score in scores.items() if score == best]
    if len(equal) > 1:
        kind, what = (_SIGNS[each] for each in equal[:2])
        raise uncertain("uncertain_delimiter", "delimiter", tuple(equal), kind=kind, what=what)
    return equal[0]


def _refuse_split_decimals(rows: Sequence[Sequence[str]]) -> None:
    """Raise CorpusError for decimal commas below a header with a cell for each number."""
    first, *body = rows
    n = [len(row) - len(first) for row in body]
    if len(body) < 2 or min(n) < 0 or 2 * sum(map(bool, n)) < len(n):
        return
    whole = [sum(cell.strip().lstrip("-+").isdecimal() for cell in row) for row in body]
    if any(map(is_number, first)) or any(m < 2 * k for m, k in zip(whole, n, strict=True)):
        return
    widest = max(body, key=len)
    row = ",".join(widest)[:80]
    raise CorpusError("split_decimals", row=row, n=len(widest), expected=len(first))


def _is_spaced(sample: Sequence[str]) -> bool:
    """Whether lines are numbers with spaces between.

    A word of GloVe may be a number such as 1990. But if all first cells are numbers, and one has a
    point, or all cells are whole, or the first cells are 1, 2, 3, …, no word is among them.
    """
    rows = [line.split() for line in sample if line.strip()]
    if not rows or len({len(row) for row in rows}) > 1 or len(rows[0]) < 2:
        return False
    if not all(is_number(cell) or is_number(cell, ",") for row in rows for cell in row):
        return False
    first = [row[0] for row in rows]
    others = [cell for row in rows for cell in row[1:]]
    whole = [all(cell.lstrip("-+").isdecimal() for cell in cells) for cells in (first, others)]
    return not whole[0] or whole[1] or is_running(first)


def _quoted(lines: Iterable[str], dialect: Dialect) -> list[list[str]] | None:
    """Lines in cells that could be rows; [] if a program wrote the marks, None if uneven."""
    joined: list[list[str]] = []
    taken: list[str] = []
    width, n_joined, is_written, has_doubled = 0, 0, True, False

    def noted() -> Iterator[str]:
        for line in islice(lines, dialect.skipped, None):
            taken.append(line)
            yield line

    try:
        for cells in _reader(noted(), dialect.delimiter, "quoted"):
            if any(cell.strip() for cell in cells):
                n = len(cells) + (not width and dialect.has_row_names)
                width = width or n
                if n != width:
                    return None
                is_written &= taken[0].startswith('"')
                is_doubled = any(map(_DOUBLED.search, taken))  # marks, within a cell
                has_doubled |= is_doubled
                if len(taken) > 1:
                    n_joined += 1
                    rows = [*_reader(taken, dialect.delimiter, "none")]
                    has_empty = any(not cell.strip('"') for row in rows for cell in row[1:])
                    is_prose = is_doubled or has_empty or any(map(_is_prose, rows))
                    if all(len(row) == width for row in rows) and not is_prose:
                        joined += rows
            taken.clear()
    except csv.Error:  # an open quote
        return None
    is_written |= width == 1 and (has_doubled or n_joined > 2)
    return [] if is_written else joined


def _quoting(lines: Lines, dialect: Dialect) -> Quoting:
    """Whether quotation marks belong to the form of the table, or to its texts.

    A mark at the beginning of one text and another at the end of a later one would make one cell of
    all rows between. So if each line of a cell of several lines could be a row, its cells decide.
    """
    if not any('"' in line for line in lines()):
        return "quoted"
    joined = _quoted(lines(), dialect)
    if joined is None:
        if any('\\"' in line for line in lines()) and _is_even(lines, dialect, "escaped"):
            return "escaped"
        return "none" if _is_even(lines, dialect, "none") else "quoted"
    if not joined:
        return "quoted"
    if _is_even(lines, dialect, "none") and _are_rows(lines, dialect, joined):
        return "none"
    line = "".join(joined[0])[:80]
    raise uncertain("uncertain_quoting", "quoting", ("quoted", "none"), line=line)


def _is_even(lines: Lines, dialect: Dialect, quoting: Quoting) -> bool:
    with suppress(CorpusError):
        return all(True for _ in records(lines(), replace(dialect, quoting=quoting)))
    return False


def _are_rows(lines: Lines, dialect: Dialect, inner: Sequence[Sequence[str]]) -> bool:
    """Whether the lines within cells have a number, or a label, where the other rows have one."""
    width = len(inner[0])
    first = islice(records(lines(), replace(dialect, quoting="quoted")), 1, 5 * SAMPLE_ROWS)
    others = [cells for _, cells in first if len(cells) == width and "\n" not in "".join(cells)]
    if width < 2 or len(others) < 2:
        return False
    for within, beside in zip(zip(*inner, strict=True), zip(*others, strict=True), strict=True):
        if mostly_numbers(beside) and all(map(is_number, map(str.strip, within))):
            return True
        values = set(beside)
        is_label = len(values) <= min(MOST_VALUES, len(beside) // 2) and "" not in values
        if is_label and values.issuperset(within):
            return True
    return False


def _decimal(sample: Sequence[str], dialect: Dialect) -> tuple[str, str | None]:
    rows = _rows(sample, dialect.delimiter, dialect.quoting)
    width = max(map(len, rows), default=0)
    columns = [[row[i].strip() for row in rows[1:] or rows if i < len(row)] for i in range(width)]
    with_comma: list[str] = []
    for cells in columns:
        filled = [cell for cell in cells if cell.casefold() not in MISSING]
        commas = [cell for cell in filled if _COMMA_NUMBER.fullmatch(cell)]
        if any("." in cell and is_number(cell) for cell in filled):
            return ".", None
        if commas and mostly_numbers(filled, ","):
            with_comma += commas
    if not with_comma:
        return ".", None
    return ",", with_comma[0] if all(map(THOUSANDS.fullmatch, with_comma)) else None


# ---- the header ----


def header_of(first: Sequence[str], body: Sequence[Sequence[str]], decimal: str = ".") -> bool:
    numbers = [cell for cell in first if is_number(cell, decimal)]
    figures = [cell for cell in numbers if cell.casefold() != "nan"]
    if figures and not is_series(figures):
        return False
    if any(cell.casefold() in KNOWN_NAMES for cell in first):
        return True
    if numbers:
        return False
    sample = body[:SAMPLE_ROWS]
    if len(first) < 2 or not sample:
        return False  # the first line of a table of one column may be a text
    columns = list(zip(*sample, strict=True))
    named = [pair for pair in zip(first, columns, strict=True) if pair[0]]
    if not first[0] and is_running(columns[0]):
        return True  # pandas writes the numbers of the rows without a name
    if len(named) < 2 or any(cell[-1] in ".!。！" for cell, _ in named):
        return False
    for cell, cells in named:
        above = cell.casefold() not in MISSING and not is_figure(cell)
        if above and (mostly_numbers(cells, decimal) or all(map(is_figure, filter(None, cells)))):
            return any(cells)
    for cell, cells in named:
        is_like_a_name = len(cell) <= 30 and len(cell.split()) <= 3 and cell[-1] not in "?？"
        if cell in cells or not is_like_a_name:
            return False
    longest = max(sum(map(len, cells)) / len(cells) for cells in columns)
    return longest > 2 * max(map(len, first))


def header_of_numbers(first: Sequence[str], body: Sequence[Sequence[str]], decimal: str) -> bool:
    """Whether the first row of columns of numbers names them.

    0, 1, 2, … are names that pandas writes, and may be a vector: CorpusError "uncertain" if the
    other rows don't show which.
    """
    cells = [cell.strip() for cell in first]
    if any(cell.casefold() not in MISSING and not is_number(cell, decimal) for cell in cells):
        return True
    counted = [int(cell) for cell in cells if cell.isdecimal()]
    if len(counted) < max(2, len(cells) - 1) or not body:
        return False
    is_whole = counted == [*range(counted[0], counted[0] + len(counted))] and counted[0] in (0, 1)
    others = [cell.strip() for row in body for cell in row]
    has_points = sum(not cell.lstrip("-+").isdecimal() for cell in others) / len(others)
    if is_whole and not cells[0] and is_running([row[0].strip() for row in body]):
        return True  # pandas writes numbers of rows and columns
    if is_whole and len(counted) > 3 and has_points > _MIN_SHARE:
        return True
    # years and the like above numbers with points; such a vector would be odd
    is_ordered = len(cells) > 2 and is_series(cells)
    if not is_whole and not (is_ordered and has_points > _MIN_SHARE):
        return False
    raise uncertain("uncertain_header", "header", ("yes", "no"), row=", ".join(cells[:8]))


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names, made different; an empty one becomes "column" and its place."""
    unique: dict[str, None] = {}  # a dict, because a list would be searched for each name
    for place, name in enumerate(names, start=1):
        name = name or f"column {place}"
        while name in unique:
            name = f"{name} ({place})"
        unique[name] = None
    return tuple(unique)
