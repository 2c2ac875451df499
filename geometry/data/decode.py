"""A file's bytes to text: its size, kind and encoding are checked."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from ..errors import own_errors
from .limits import LIMITS, CorpusError, Limits

Source = str | os.PathLike[str] | bytes | BinaryIO

TABLE_SUFFIXES = (".csv", ".tsv", ".tab")
JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")  # one JSON object a line

GZIP, PARQUET, ZIP = b"\x1f\x8b", b"PAR1", b"PK\x03\x04"  # the first bytes of a file
# How a file that is no text begins. An .xlsx, .docx or .npz file is a ZIP archive.
_MAGIC = (
    (b"\x89PNG", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF87a", "GIF image"),
    (b"GIF89a", "GIF image"),
    (b"%PDF-", "PDF document"),
    (ZIP, "ZIP archive or Office document"),
    (b"\xd0\xcf\x11\xe0", "old Office document"),
    (GZIP, "gzip archive"),
    (b"\x93NUMPY", "NumPy array"),
    (b"SQLite format 3", "SQLite database"),
)
BINARY = "binary file"  # the kind of a file whose beginning is unknown
_MARKS = (  # UTF-32's little-endian mark begins with UTF-16's, so it comes first
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# The older encodings of text files, likeliest first; of equally good guesses the first is taken.
_LEGACY = (
    "cp1252", "big5", "gb18030", "cp932", "cp949", "euc_jp", "cp1250", "cp1251", "koi8_r",
    "cp1253", "cp1254", "cp1255", "cp1256", "cp874",
)  # fmt: skip
ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", *_LEGACY)  # what a reader can choose
_MAX_CHAOS = 0.1  # largest share of oddities that charset-normalizer may find in a guess


@dataclass(frozen=True)
class TextFile:
    """A file's text.

    title : the name without the suffix of a text or table.
    suffix : of the file's name, in lower case; "" where there is none.
    encoding : the one in which the file was read.
    """

    title: str
    suffix: str
    text: str
    encoding: str

    @property
    def is_table(self) -> bool:
        """True for the suffixes of tables of text."""
        return self.suffix in TABLE_SUFFIXES


def read_text_file(
    source: Source,
    *,
    name: str | None = None,
    encoding: str | None = None,
    limits: Limits = LIMITS,
) -> TextFile:
    """Read a text file in its encoding: of a byte order mark, else UTF-8, else a clear guess."""
    content = read_bytes(source, limits.file_bytes)
    if isinstance(source, (str, os.PathLike)):
        own = Path(source)
    else:
        own = Path(str(getattr(source, "name", None) or name or "text"))
    title = Path(name or own.name)
    known = title.suffix.lower() in (".txt", *TABLE_SUFFIXES, *JSON_SUFFIXES)
    with own_errors(CorpusError):
        text, encoding = decode(content, encoding=encoding)
    return TextFile(title.stem if known else str(title), own.suffix.lower(), text, encoding)


def decode(content: bytes, *, encoding: str | None = None) -> tuple[str, str]:
    """(text, encoding). Raises CorpusError binary, wrong_encoding or unknown_encoding."""
    if encoding is not None:
        return _decode_as(content, encoding)
    for start, kind in _MAGIC:
        if content.startswith(start):
            raise _binary(kind)
    for mark, codec in _MARKS:
        if content.startswith(mark):
            return _decode_as(content, codec)
    if b"\0" in content:
        raise _binary(BINARY)
    try:
        return content.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        return _guessed(content, error)


def lines_of(
    text: str, limits: Limits = LIMITS, *, newline: str | None = None, most: int | None = None
) -> Iterator[tuple[int, str]]:
    """(number from 1, line) of a text, one at a time: a list of all lines may be very large.

    Raises
    ------
    CorpusError
        "too_many_lines", or "long_line" beyond ``most`` characters.
    """
    for number, line in enumerate(io.StringIO(text, newline=newline), start=1):
        if number > limits.lines:
            raise CorpusError("too_many_lines", limit=limits.lines)
        if most is not None and len(line) > most:
            raise CorpusError("long_line", line=number, limit=most)
        yield number, line


def refuse_halves(text: str, line: int | None = None) -> str:
    """The text; CorpusError "half_character" for half of a surrogate pair, which is no character.

    line : where the text begins, if it is not the whole file.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        at = text.count("\n", 0, error.start) + 1 if line is None else line
        raise CorpusError("half_character", line=at) from error
    return text


def read_bytes(source: Source, max_bytes: int) -> bytes:
    """The content of a path (a str is a path), bytes, or a binary file from its start."""
    with opened(source, CorpusError) as file:
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise CorpusError("too_many_bytes", limit=max_bytes)
    return content


@contextmanager
def opened(source: Source, refuse: Callable[..., Exception]) -> Iterator[BinaryIO]:
    """A path (a str is a path), bytes, or a binary file, from its start if it is seekable.

    A file that the caller opened stays open. Raises TypeError for a file that gives str.

    refuse : the class of the error for a path that can't be opened.
    """
    if isinstance(source, (bytes, bytearray)):
        yield io.BytesIO(source)
    elif isinstance(source, (str, os.PathLike)):
        try:
            file = Path(source).open("rb")  # noqa: SIM115 (closed below)
        except (OSError, ValueError) as error:
            raise _unreadable(source, error, refuse) from error
        with file:
            yield file
    else:
        if not isinstance(source.read(0), bytes):
            raise TypeError('source gives str; open the file in binary mode, "rb"')
        if source.seekable():
            source.seek(0)
        yield source


class Unpacked(gzip.GzipFile):
    """The content of a gzip archive, refused beyond a number of bytes or seconds of the processor.

    Millions of empty members, or a name of 100 MB in the header, take minutes and have no content.
    """

    def __init__(
        self,
        packed: BinaryIO,
        *,
        most: int,
        seconds: float,
        too_large: Exception,
        too_slow: Exception,
    ) -> None:
        self._most, self._seconds = most, seconds
        self._too_large, self._too_slow = too_large, too_slow
        self._spent, self._began = 0.0, time.thread_time()
        super().__init__(fileobj=cast(BinaryIO, _Watched(packed, self._check)), mode="rb")

    def read(self, size: int | None = -1) -> bytes:
        left = self._most + 1 - self.tell()
        self._began = time.thread_time()
        content = super().read(left if size is None or size < 0 else min(size, left))
        self._spent += time.thread_time() - self._began
        if self.tell() > self._most:
            raise self._too_large
        return content

    def _check(self) -> None:
        if self._spent + time.thread_time() - self._began > self._seconds:
            raise self._too_slow


class _Watched:
    """A file that calls a function before each of its reads."""

    def __init__(self, file: BinaryIO, check: Callable[[], None]) -> None:
        self._file, self._check = file, check

    def read(self, size: int = -1) -> bytes:
        self._check()
        return self._file.read(size)

    def seek(self, place: int) -> int:
        return self._file.seek(place)


def _unreadable(
    path: str | os.PathLike[str], error: Exception, refuse: Callable[..., Exception]
) -> Exception:
    return refuse(
        "unreadable", path=os.fspath(path), reason=getattr(error, "strerror", None) or str(error)
    )


def _binary(kind: str) -> CorpusError:
    return CorpusError("binary", kind=kind)


def _decode_as(content: bytes, encoding: str) -> tuple[str, str]:
    try:
        text = content.decode(encoding)
    except LookupError as error:
        raise CorpusError("unknown_encoding", encoding=encoding) from error
    except UnicodeDecodeError as error:
        raise _wrong_encoding(content, error) from error
    if "\0" in text:
        raise _binary(BINARY)
    return refuse_halves(text), encoding.removesuffix("-sig")


def _wrong_encoding(content: bytes, error: UnicodeDecodeError) -> CorpusError:
    line = content.count(b"\n", 0, error.start) + 1
    name = error.encoding.upper()
    return CorpusError("wrong_encoding", encoding=name, offset=error.start, line=line)


def _guessed(content: bytes, error: UnicodeDecodeError) -> tuple[str, str]:
    """The text in the one legacy encoding that fits clearly; CorpusError where none does."""
    from charset_normalizer import from_bytes

    fits = [m for m in from_bytes(content, cp_isolation=list(_LEGACY)) if m.chaos <= _MAX_CHAOS]
    fits.sort(key=lambda m: (-m.coherence, m.chaos, _LEGACY.index(m.encoding)))
    # coherence 0: no language was recognised, so the guess is arbitrary
    if not fits or fits[0].coherence == 0:
        raise _wrong_encoding(content, error) from error
    try:
        return content.decode(fits[0].encoding), fits[0].encoding
    except UnicodeDecodeError as late:  # the guess for a large file is from a sample of it
        raise _wrong_encoding(content, error) from late
