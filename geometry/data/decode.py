"""A file's bytes to text: its size, kind and encoding are checked."""

import codecs
import gzip
import io
import os
import re
import string
import time
import unicodedata
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import BinaryIO, cast

from ..errors import GeometryError, own_errors
from .account import MOST_ROWS, REPLACED, LeftOut
from .errors import CorpusError, uncertain
from .limits import LIMITS, Limits

Source = str | os.PathLike[str] | bytes | BinaryIO

TABLE_SUFFIXES = (".csv", ".tsv", ".tab")
JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")  # one JSON object a line

# The first bytes of a file
GZIP, PARQUET, ZIP = b"\x1f\x8b", b"PAR1", b"PK\x03\x04"
ARROW, ARROW_STREAM, HDF5 = b"ARROW1", b"\xff\xff\xff\xff", b"\x89HDF\r\n\x1a\n"
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
_MARKS = {  # UTF-32's little-endian mark begins with UTF-16's, so it comes first
    "utf-8": (codecs.BOM_UTF8,),
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}
# The older encodings of text files, likeliest first; of equally good guesses the first is taken.
_LEGACY = (
    "cp1252", "cp950", "big5hkscs", "gb18030", "cp932", "cp949", "euc_jp", "cp1250", "cp1251",
    "koi8_r", "cp1253", "cp1254", "cp1255", "cp1256", "cp874",
)  # fmt: skip
_WINDOWS = ("cp1252", "cp1250", "cp1254")  # of Latin letters
_WIDE = ("utf-16-le", "utf-16-be")
_DOS = ("cp850", "mac_roman")  # of bytes that fit any of them: only a reader can tell
ENCODINGS = ("utf-8", *_WIDE, *_LEGACY, *_DOS)  # what a reader can choose
# Signs that do not follow a letter in Windows' encodings; é, ü and others of DOS and of old Macs
_AFTER_LETTER = re.compile(
    r"(?<=[^\W\d_])[\x80-\x9f\u201a\u201e\u02c6\u2021\u2020\u0192\u02dc¡¢£¤¥§]|(?<=[a-z])[ŠŽŸŒ]"
)
_MOST_ODD = 0.1  # share of them among the signs beyond ASCII
_MAX_CHAOS = 0.1  # largest share of oddities that charset-normalizer may find in a guess
_SAMPLE = 1 << 20  # bytes by which an encoding is recognised
_MOSTLY = 20  # letters that fit for each byte that does not, in a file with broken bytes
_ENOUGH = 30  # letters beyond ASCII that tell the only encoding that fits
_SHOWN = 24  # characters of a reading that an error shows
REPLACE = ":replace"  # after the name of an encoding: bytes that do not fit become U+FFFD
_BIG5 = ("big5", "cp950", "big5hkscs")
_GB = ("gb2312", "gbk", "gb18030")
# Browsers read Big5 as Windows' signs with Hong Kong's characters. Where Python's cp950 has kana,
# Cyrillic letters and numbers in rings, browsers have them elsewhere, as in big5hkscs.
_NOT_IN_CP950 = re.compile("[\u3005\u3041-\u30ff\u0401-\u0451\u2460-\u247d]")
_SIGNS = str.maketrans("•､‾∼♁☉¥¢£￭", "‧﹑¯～⊕⊙￥￠￡▓")  # noqa: RUF001


@dataclass(frozen=True)
class TextFile:
    title: str  # the name without the suffix of a text or table
    suffix: str  # of the file's name, in lower case; "" where there is none
    text: str
    encoding: str
    notes: tuple[LeftOut, ...] = ()  # the lines with bytes that were replaced


def read_text_file(
    source: Source, *, name: str | None = None, encoding: str | None = None, limits: Limits = LIMITS
) -> TextFile:
    """Read a text file in its encoding: of a byte order mark, else UTF-8, else a clear guess."""
    return text_file(*read_content(source, name, limits), encoding)


def read_content(
    source: Source, name: str | None, limits: Limits, default: str = "text"
) -> tuple[bytes, str, str]:
    """(what a file has once it is unpacked, its name, its suffix in lower case)"""
    with opened(source, CorpusError) as file:
        content = file.read(limits.file_bytes + 1)
    if len(content) > limits.file_bytes:
        raise CorpusError("too_many_bytes", limit=limits.file_bytes)
    path = Path(name_of(source, name or default))
    title = name or path.name
    if content.startswith(GZIP):
        most = limits.unpacked_bytes
        too_large = CorpusError("unpacked", limit=most)
        with unpacked(io.BytesIO(content), most, limits.seconds / 2, too_large) as inner:
            content = inner.read()
        path = Path(path.name.removesuffix(".gz"))
        title = title.removesuffix(".gz")
    return content, title, path.suffix.lower()


def text_file(content: bytes, title: str, suffix: str, encoding: str | None) -> TextFile:
    name = Path(title)
    known = name.suffix.lower() in (".txt", *TABLE_SUFFIXES, *JSON_SUFFIXES)
    with own_errors(CorpusError):
        text, found = decode(content, encoding=encoding)
        notes: tuple[LeftOut, ...] = ()
        if found.endswith(REPLACE):
            n, lines = _broken(content, found.removesuffix(REPLACE))
            notes = (LeftOut(REPLACED, n, lines),) if n else ()
    return TextFile(name.stem if known else title, suffix, text, found, notes)


def decode(content: bytes, *, encoding: str | None = None) -> tuple[str, str]:
    """(text, encoding), without byte order marks; CorpusError where none is certain."""
    encoding = encoding or encoding_of(content)
    try:
        text = text_of(content, encoding)
    except LookupError as error:
        raise CorpusError("unknown_encoding", encoding=encoding) from error
    except UnicodeDecodeError as error:
        raise _misfit(content, encoding, error) from error
    if "\0" in text:
        raise CorpusError("unknown_binary", kind=BINARY)
    return refuse_halves(text), encoding.replace("-sig", "")


def text_of(content: bytes, encoding: str) -> str:
    """The text in an encoding, as browsers read Big5 and GBK, without byte order marks."""
    codec, errors = _codec(encoding)
    if codec in _BIG5:
        with suppress(UnicodeDecodeError):
            text = content.decode("cp950")
            if not _NOT_IN_CP950.search(text):
                return text
        return content.decode("big5hkscs", errors).translate(_SIGNS)
    return content.decode(codec, errors).replace("\ufeff", "")


@cache
def _codec(encoding: str) -> tuple[str, str]:
    """(codec, what it does with bytes that do not fit) of a name as a caller gives it."""
    name = encoding.removesuffix(REPLACE)
    codec = codecs.lookup(name).name
    codec = "gb18030" if codec in _GB else codec
    return codec, "strict" if name == encoding else "replace"


def encoding_of(content: bytes, *, is_whole: bool = True) -> str:
    """The encoding of a file that begins so, or is so; CorpusError where none is certain."""
    for start, kind in _MAGIC:
        if content.startswith(start):
            raise CorpusError("binary", kind=kind)
    for codec, marks in _MARKS.items():
        if content.startswith(marks):
            return codec
    if b"\0" in content:
        wide = [codec for codec in _WIDE if _is_wide(content, codec)]
        if len(wide) != 1:
            raise CorpusError("unknown_binary", kind=BINARY)
        return wide[0]
    if not is_whole:
        content = content[: content.rfind(b"\n") + 1] or content
    try:
        content.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError as error:
        return _guessed(content, error)


def lines_of(
    text: str, limits: Limits = LIMITS, *, newline: str | None = None, most: int | None = None
) -> Iterator[str]:
    """The lines of a text, one at a time: a list of all lines may be very large."""
    for number, line in enumerate(io.StringIO(text, newline=newline), start=1):
        if number > limits.lines:
            raise CorpusError("too_many_lines", limit=limits.lines)
        if most is not None and len(line) > most:
            raise CorpusError("long_line", line=number, limit=most)
        yield line


def refuse_halves(text: str, line: int | None = None) -> str:
    """The text (from a ``line`` of a file); CorpusError for half of a surrogate pair in it."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        at = text.count("\n", 0, error.start) + 1 if line is None else line
        raise CorpusError("half_character", line=at) from error
    return text


def name_of(source: Source, default: str) -> str:
    """The path of a file, or the name that an open file has."""
    own = source if isinstance(source, (str, os.PathLike)) else getattr(source, "name", None)
    return str(own or default)


@contextmanager
def opened(source: Source, refuse: Callable[..., Exception]) -> Iterator[BinaryIO]:
    """A path, bytes, or a binary file from its start; a file that the caller opened stays open."""
    if isinstance(source, (bytes, bytearray)):
        yield io.BytesIO(source)
    elif isinstance(source, (str, os.PathLike)):
        try:
            file = Path(source).open("rb")  # noqa: SIM115 (closed below)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise refuse("unreadable", path=os.fspath(source), reason=reason) from error
        with file:
            yield file
    else:
        if not isinstance(source.read(0), bytes):
            raise TypeError('source gives str; open the file in binary mode, "rb"')
        if source.seekable():
            source.seek(0)
        yield source


@contextmanager
def unpacked(
    packed: BinaryIO, most: int, seconds: float, too_large: GeometryError
) -> Iterator[BinaryIO]:
    """The content of a gzip archive, refused beyond ``most`` bytes or seconds of the processor.

    Millions of empty members, or a name of 100 MB in the header, take minutes and have no content.
    """
    refuse = type(too_large)
    spent, began = 0.0, time.thread_time()

    def read(size: int = -1) -> bytes:
        if spent + time.thread_time() - began > seconds:
            raise refuse("too_slow", limit=f"{seconds:g}")
        return packed.read(size)

    class Unpacked(gzip.GzipFile):
        def read(self, size: int | None = -1) -> bytes:
            nonlocal spent, began
            left = max(most + 1 - self.tell(), 0)
            began = time.thread_time()
            content = super().read(left if size is None or size < 0 else min(size, left))
            spent += time.thread_time() - began
            if self.tell() > most:
                raise too_large
            return content

    watched = cast(BinaryIO, SimpleNamespace(read=read, seek=packed.seek))
    try:
        with Unpacked(fileobj=watched, mode="rb") as file:
            yield cast(BinaryIO, file)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise refuse("damaged_file", kind="gzip archive") from error


def _broken(content: bytes, encoding: str) -> tuple[int, tuple[int, ...]]:
    """(bytes or groups of bytes that do not fit, the first lines that have some)."""
    lines: list[int] = []
    codec, _ = _codec(encoding)
    codec = "big5hkscs" if codec in _BIG5 else codec
    start, line = 0, 1
    n = content.decode(codec, "replace").count("\ufffd")
    if codec.startswith("utf"):
        n -= content.count("\ufffd".encode(codec if codec[-2:] in ("le", "be") else "utf-8"))
    while len(lines) < MOST_ROWS:
        try:
            content[start:].decode(codec)
            break
        except UnicodeDecodeError as error:
            line += content.count(b"\n", start, start + error.start)
            start += error.end
            if line not in lines:
                lines.append(line)
    return n, tuple(lines)


def _n_letters(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore")) - text.count("\ufffd")


def _misfit(content: bytes, encoding: str, error: UnicodeDecodeError) -> CorpusError:
    """The error of a file with bytes that do not fit: a few may be replaced."""
    n, lines = _broken(content, encoding)
    if n <= _n_letters(text_of(content, encoding + REPLACE)):
        return uncertain_bytes(encoding, lines)
    line = content.count(b"\n", 0, error.start) + 1
    name = error.encoding.upper()
    return CorpusError("wrong_encoding", encoding=name, offset=error.start, line=line)


def uncertain_bytes(encoding: str, lines: tuple[int, ...]) -> CorpusError:
    """The error of a file where the first bytes that do not fit are in these lines."""
    choices = (encoding + REPLACE,)
    return uncertain("uncertain_bytes", "encoding", choices, encoding=encoding.upper(), lines=lines)


def _is_wide(content: bytes, codec: str) -> bool:
    """Whether bytes are text of UTF-16 without its mark: lines or words of letters."""
    content = content[: min(len(content), _SAMPLE) // 2 * 2]
    text = codecs.getincrementaldecoder(codec)("replace").decode(content)
    n_ascii = sum(character < "\x80" for character in text)
    # in a text of one byte a letter, with a zero, pairs of letters are Chinese characters
    n_letters = len(content) - len(content.translate(None, string.printable.encode()))
    is_ascii = 2 * n_ascii < len(text) and n_letters > 0.9 * (len(content) - content.count(0))
    signs = set(text)
    kinds = set(map(unicodedata.category, signs - set("\t\r\n\ufeff")))
    is_odd = "\ufffd" in signs or bool(kinds & {"Cn", "Co", "Cs", "Cc"})
    return not (is_ascii or is_odd) and bool({"\n", " "} & signs)


def _guessed(content: bytes, error: UnicodeDecodeError) -> str:
    """The one legacy encoding that fits clearly; CorpusError where none does."""
    text = content.decode("utf-8", "replace")
    if text.count("\ufffd") <= _n_letters(text):
        raise _misfit(content, "utf-8", error) from error
    start = content.rfind(b"\n", 0, error.start) + 1
    sample = content[start : start + _SAMPLE]
    if len(content) > start + _SAMPLE:
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    fits = _fitting(sample, _LEGACY)
    likely = [each for each in fits if each[0] <= _MAX_CHAOS]
    if likely:
        _, coherence, encoding = min(likely, key=lambda each: (-each[1], each[0]))
        # coherence 0: no language was recognised
        text = text_of(sample, encoding)
        if encoding in _WINDOWS and len(_AFTER_LETTER.findall(text)) > _MOST_ODD * _n_letters(text):
            fits = [(0.0, 0.0, each) for each in (*_DOS, encoding)]
        elif coherence or (len(likely) == 1 and _n_letters(text_of(sample, encoding)) >= _ENOUGH):
            return encoding
    broken = {codec: n for codec in _LEGACY if (n := _n_broken(sample, codec))}
    if broken and not fits:
        raise _misfit(content, min(broken, key=lambda codec: broken[codec]), error) from error
    ranked = [encoding for _, _, encoding in sorted(fits, key=lambda each: each[0])]
    wide = [codec for codec in _WIDE if _reads(sample, codec)]
    possible = ranked + wide if ranked else wide + [c for c in _LEGACY if _reads(sample, c)]
    if not possible:
        raise _misfit(content, "utf-8", error) from error
    possible += [each for each in _DOS if each not in possible]
    first = next(line for line in sample.splitlines() if not line.isascii())
    readings = ((c, text_of(sample if c in _WIDE else first, c + REPLACE)) for c in possible)
    shown = tuple(f"{codec}: {text.strip()[:_SHOWN]}" for codec, text in readings)
    raise uncertain("uncertain_encoding", "encoding", tuple(possible), readings=shown) from error


def _fitting(sample: bytes, codecs_: Sequence[str]) -> list[tuple[float, float, str]]:
    """(oddities, language, encoding) of each encoding that may be that of the bytes."""
    from charset_normalizer import from_bytes

    found: dict[str, tuple[float, float, str]] = {}
    for match in from_bytes(sample, cp_isolation=list(codecs_)):
        for codec in (match.encoding, *match.could_be_from_charset):
            found.setdefault(codec, (match.chaos, match.coherence, codec))
    return [found[codec] for codec in codecs_ if codec in found]


def _n_broken(sample: bytes, codec: str) -> int:
    """How many bytes do not fit an encoding, if all others are text of a language."""
    text = text_of(sample, codec + REPLACE)
    n = text.count("\ufffd")
    if not 0 < _MOSTLY * n <= _n_letters(text):
        return 0
    whole = "\n".join(line for line in text.split("\n") if "\ufffd" not in line)
    fits = _fitting(whole.encode(codec, "ignore"), (codec,))
    return n if any(chaos <= _MAX_CHAOS and language for chaos, language, _ in fits) else 0


def _reads(sample: bytes, codec: str) -> bool:
    if codec in _WIDE:
        is_long = len(sample) > 10 and len(sample) % 2 == 0
        return is_long and _is_wide(sample + " ".encode(codec), codec)
    with suppress(UnicodeDecodeError):
        text_of(sample, codec)
        return True
    return False
