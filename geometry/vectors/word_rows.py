"""Word vectors as text, or in word2vec's binary form.

A text has one word a line: GloVe (no header), word2vec and fastText (a header). pyarrow parses
blocks of it in a few threads. A block with a line that does not fit, such as a word with spaces, is
read again line by line; that also finds the number of a faulty line.

The binary form is "n d", a newline, then n times word, space, d little-endian float32.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, takewhile
from typing import BinaryIO, NoReturn

import numpy as np

from ..data.account import MOST_ROWS
from ..data.decode import uncertain_bytes
from ..linalg.threads import in_threads
from .errors import VectorFileError, refuse_dimensions
from .row_source import Block, ChosenColumns, Hints, RowSource, of_words

# Bytes read at a time. Blocks of 4 MB cause about seven times as many page faults, and reading
# takes half as long again.
BLOCK = 1 << 20
MAX_WORKERS = 4
HEAD_LINES = 100  # first lines, whose most frequent width is the table's
LONGEST_IN_TEXT = 1 << 20  # bytes of a word
LONGEST_NUMBER = 40  # bytes of a number as text
BINARY_BLOCK = 8 << 20  # bytes read at a time
LONGEST_HEADER = 64
LONGEST_WORD = 4_096  # bytes; a longer one means that the records are out of step
_BOM = b"\xef\xbb\xbf"
# Fields that are meant as numbers, and are none: 1,5 and 9:0.022 (of a sparse vector), 1d5, 1_0
_MEANT = re.compile(r"[-+−]?[.,]?\d[\w.,:+-]*")
_SPARSE = re.compile(rb"\d+:[+-]?\.?\d.*")
_CLOCK = re.compile(rb"\d{1,2}:[0-5]\d")
_COMMA = re.compile(rb"[+-]?\d*,\d+(e[+-]?\d+)?", re.IGNORECASE)

Parsed = tuple[list[bytes], np.ndarray]
Lines = tuple[int, bytes]  # the number of the first line, from 1, and whole lines


@dataclass(frozen=True)
class Form:
    """How a line is written: word, delimiter, d numbers, and ``trailing`` delimiters or none."""

    d: int
    delimiter: bytes
    trailing: bool
    n_stated: int | None


def open_text(file: BinaryIO, hints: Hints) -> RowSource:
    longest = LONGEST_IN_TEXT + LONGEST_NUMBER * hints.limits.dimensions

    def begun() -> tuple[Form, Lines, Iterator[Lines]]:
        file.seek(0)
        blocks = _blocks(file, longest)
        first = next(blocks, None)
        if first is None:
            raise VectorFileError("no_vectors")
        return *_recognise(first), blocks

    form, head, _ = begun()
    refuse_dimensions(form.d, hints.limits.dimensions)
    lines = [*enumerate(head[1].split(b"\n", 50 * HEAD_LINES)[:-1], head[0])]
    odd = [(number, line) for number, line in lines if not line.isascii()]
    broken = [number for number, line in odd if "\ufffd" in line.decode("utf-8", "replace")]
    is_other = len(broken) > max(4, len(odd) // 2, len(lines) // 50)  # most words beyond ASCII
    if is_other and hints.reading.encoding is None:
        raise uncertain_bytes("utf-8", tuple(broken[:MOST_ROWS]))

    def blocks(chosen: ChosenColumns) -> Iterator[Block]:
        _, first, others = begun()
        parse = _parser(form, 2 * (longest + BLOCK))
        n_threads = min(MAX_WORKERS, os.cpu_count() or 1)
        for words, rows in in_threads(parse, chain([first], others), n_threads):
            yield of_words(words, rows, chosen, hints)

    return RowSource(
        "text", blocks, n_stated=form.n_stated, columns=("word",), vector_columns=("vectors",)
    )


def is_text(head: bytes) -> bool:
    """Whether a file that begins so could be vectors as text, or is meant to be."""
    lines = head[: head.rfind(b"\n") + 1] or head  # the last line may be cut off
    try:
        _recognise((1, lines))
    except VectorFileError as error:
        return error.because != "no_vectors"
    return True


def _blocks(file: BinaryIO, longest: int) -> Iterator[Lines]:
    """The file in blocks that end where a line does; a line has about ``longest`` bytes at most."""
    line = 1
    while content := file.read(BLOCK):
        rest = file.readline(longest)
        if len(rest) == longest:
            raise VectorFileError("long_line", line=line + content.count(b"\n"), limit=longest)
        content += rest if rest.endswith(b"\n") else rest + b"\n"  # behind the last line
        yield line, content
        line += content.count(b"\n")


def _recognise(first: Lines) -> tuple[Form, Lines]:
    """The form of a file's lines, and its first block without the header."""
    first_line, content = first
    content = content.removeprefix(_BOM)
    head = content.split(b"\n", HEAD_LINES)[:HEAD_LINES]
    numbers = [number for number, line in enumerate(head) if line.strip()]
    lines = [head[number] for number in numbers]
    header = stated(lines[0]) if lines else None
    second = lines[1].split() if len(lines) > 1 else []
    if header and len(second) == 2 and header[1] != 1 and numbers_of(second[1:]):
        header = None  # a table of one number a word, whose first word is a number
    n_stated, start = header or (None, None)
    body = lines[1:] if header else lines
    if not body:
        raise VectorFileError("no_vectors")
    delimiter = b"\t" if b"\t" in body[0] and b" " not in body[0].strip() else b" "
    odd = [*map(_meant, body)]
    plain = [line for line, field in zip(body, odd, strict=True) if field is None]
    if 2 * len(plain) < len(body):  # most lines are of numbers, and some of these are none
        at = next(i for i, field in enumerate(odd) if field is not None)
        number = first_line + numbers[at - len(body)]
        _refuse_number(number, odd[at] or b"", len(body[at].split()) - 1)
    d = start or Counter(map(_numbers_behind, plain)).most_common(1)[0][0]
    if d < 1 or (odd[0] is None and not numbers_of(body[0].split()[1:][-d:])):
        raise VectorFileError("no_vectors")
    trailing = body[0].rstrip(b"\r\n").endswith(delimiter)
    skipped = 0 if n_stated is None else content.index(b"\n", content.index(lines[0])) + 1
    first_line += content.count(b"\n", 0, skipped)
    return Form(d, delimiter, trailing, n_stated), (first_line, content[skipped:])


def _meant(line: bytes) -> bytes | None:
    """The first field that is meant as a number and is none, in a line of a word and numbers."""
    none = [field for field in line.split()[1:] if numbers_of([field]) is None]
    if all(map(_CLOCK.fullmatch, none)):
        return None
    return none[0] if none and all(_MEANT.fullmatch(_shown(field)) for field in none) else None


def _refuse_number(line: int, field: bytes, d: int) -> NoReturn:
    shown = _shown(field)
    if _SPARSE.fullmatch(field):
        raise VectorFileError("sparse", line=line, field=shown)
    if _COMMA.fullmatch(field):
        raise VectorFileError("decimal_comma", line=line, field=shown)
    raise VectorFileError("bad_number", line=line, field=shown, expected=d)


def _numbers_behind(line: bytes) -> int:
    """How many numbers follow a word; the word itself may be a number, or empty."""
    behind = line.split()[0 if line[:1].isspace() else 1 :]
    return sum(1 for _ in takewhile(lambda field: numbers_of([field]), reversed(behind)))


def stated(line: bytes) -> tuple[int, int] | None:
    """(words, numbers a word) of a header, as word2vec writes it; None of any other line."""
    parts = line.split()
    if len(parts) != 2 or not all(map(bytes.isdigit, parts)):
        return None
    return int(parts[0]), int(parts[1])


def _parser(form: Form, largest: int) -> Callable[[Lines], Parsed]:
    import pyarrow as pa
    from pyarrow import csv

    columns = ["word", *(str(i) for i in range(form.d)), *(["end"] if form.trailing else [])]
    text = {"word": pa.binary(), "end": pa.binary()}
    convert = csv.ConvertOptions(
        column_types={name: text.get(name, pa.float32()) for name in columns},
        check_utf8=False,
        null_values=[],
    )
    layout = csv.ParseOptions(delimiter=form.delimiter.decode(), quote_char=False)
    reading = csv.ReadOptions(use_threads=False, block_size=largest, column_names=columns)

    def parse(lines: Lines) -> Parsed:
        if not lines[1].strip():
            return [], np.empty((0, form.d), dtype=np.float32)
        try:
            content = pa.BufferReader(lines[1])
            table = csv.read_csv(content, reading, layout, convert).combine_chunks()
        except pa.ArrowInvalid:
            return _line_by_line(lines, form)
        if form.trailing and any(table.column("end").to_pylist()):
            return _line_by_line(lines, form)
        numbers = [column.chunk(0).to_numpy() for column in table.columns[1 : form.d + 1]]
        # (d, m) in one piece, used as (m, d): np.stack(axis=1) takes eight times as long
        return table.column("word").to_pylist(), np.array(numbers).T

    return parse


def _line_by_line(lines: Lines, form: Form) -> Parsed:
    """Parse without pyarrow: the last d fields are the numbers, the text before is the word."""
    words, rows = [], []
    for number, line in enumerate(lines[1].split(b"\n"), start=lines[0]):
        if not line.strip():
            continue
        word, *fields = line.rsplit(None, form.d)
        if len(fields) == form.d - 1 and line[:1].isspace():  # the word is empty
            word, fields = b"", [word, *fields]
        if len(fields) != form.d:
            raise VectorFileError("ragged_row", line=number, n=len(fields), expected=form.d)
        row = numbers_of(fields)
        if row is None:
            bad = next(field for field in fields if numbers_of([field]) is None)
            _refuse_number(number, bad, form.d)
        words.append(word)
        rows.append(row)
    with np.errstate(over="ignore"):  # a number too large for float32 is then not finite
        return words, np.array(rows, dtype=np.float32).reshape(len(rows), form.d)


def numbers_of(fields: list[bytes]) -> list[float] | None:
    if b"_" in b"".join(fields):  # Python would read 1_0 as 10
        return None
    try:
        return [float(field) for field in fields]
    except ValueError:
        return None


def _shown(field: bytes) -> str:
    return field[:40].decode("utf-8", "replace")


# ---- word2vec's binary form ----


def is_binary(head: bytes) -> bool:
    """Whether a file that begins so is in this form, and no text with a header."""
    line, end, _ = head[:LONGEST_HEADER].partition(b"\n")
    found = stated(line)
    return bool(end and found and found[1]) and not is_text(head)


def open_binary(file: BinaryIO, hints: Hints) -> RowSource:
    header = file.readline(LONGEST_HEADER)
    n, d = stated(header) or (0, 0)
    if not d or not header.endswith(b"\n"):
        raise VectorFileError("no_vectors")
    refuse_dimensions(d, hints.limits.dimensions)

    def blocks(chosen: ChosenColumns) -> Iterator[Block]:
        file.seek(len(header))
        for words, rows in _records(file, n, d):
            yield of_words(words, rows, chosen, hints)

    return RowSource(
        "binary", blocks, n_rows=n, n_stated=n, columns=("word",), vector_columns=("vectors",)
    )


def _records(file: BinaryIO, n: int, d: int) -> Iterator[tuple[list[bytes], np.ndarray]]:
    """Words and rows (m, d) of the records, some thousand at a time."""
    wide = 4 * d
    n_read, rest = 0, b""
    while n_read < n:
        read = file.read(max(BINARY_BLOCK, 2 * wide))
        content = rest + read
        words, rows = [], []
        place = 0
        while n_read < n:
            space = content.find(b" ", place, place + LONGEST_WORD)
            if space < 0 and len(content) - place >= LONGEST_WORD:
                raise VectorFileError("truncated", word=n_read + 1, n_stated=n)
            if space < 0 or space + 1 + wide > len(content):
                break
            # Some writers end each record with a newline
            words.append(content[place:space].lstrip(b"\r\n"))
            rows.append(np.frombuffer(content, "<f4", d, space + 1))
            place = space + 1 + wide
            n_read += 1
        if not words and not read:
            raise VectorFileError("truncated", word=n_read + 1, n_stated=n)
        rest = content[place:]
        yield words, np.array(rows, dtype=np.float32).reshape(len(rows), d)
