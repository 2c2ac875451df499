"""A file of word vectors, in any of the usual forms, to one checked table."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from ..data.decode import Source, opened
from ..data.embeddings import VectorTable
from ..data.limits import MAX_TABLE_BYTES
from .arrays import read_npz, read_safetensors
from .binary import read_binary, stated
from .errors import VectorFileError
from .gather import Wanted, wanted
from .text import is_text, read_text

FORMATS = ("text", "binary", "npz", "safetensors")
_HEAD = 1 << 20  # bytes by which a form is recognised
_OTHERS = (  # how other files begin that people take for vectors, and the sentence that says so
    (b"\x93NUMPY", "lone_array"),
    (b"\xba\x16\x4f\x2f", "fasttext_model"),
    (b"\x80\x02", "pickled"),
    (b"\x80\x03", "pickled"),
    (b"\x80\x04", "pickled"),
    (b"\x80\x05", "pickled"),
)


def read_vectors(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002 (what a caller would look for)
    name: str | None = None,
    max_words: int | None = None,
    words: Collection[str] | None = None,
    encoding: str | None = None,
    max_bytes: int = MAX_TABLE_BYTES,
) -> VectorTable:
    """Word vectors from a path, bytes or a binary file; its vectors (n, d) are float32.

    format : "text" (GloVe with and without a header, word2vec's text, fastText's .vec), "binary"
    (word2vec's), "npz" (two arrays, words and vec), "safetensors" (see ``geometry.vectors.arrays``
    for where its words are); None finds out by the content. Any of them may be gzipped.
    max_words : the first so many, which in these files are the most frequent.   words : these
    alone.   encoding : None is UTF-8, with bytes that do not fit replaced and counted; "latin-1"
    takes any byte as it is.   max_bytes : of the table in memory.
    Of a word that comes twice the first row counts; rows with NaN or infinity are left out; the
    table's ``report`` counts both and what else was odd. A text that has fewer rows than its
    header says is read and reported, since people cut such files; a binary one is refused.
    Raises VectorFileError with one of the codes unreadable, no_vectors, damaged_file, ragged_row,
    bad_number, truncated, too_many_bytes, no_words, word_count, pickled, unknown_encoding.
    """
    if format is not None and format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}; got {format!r}")
    choices = wanted(max_words, words, encoding, max_bytes)
    path = Path(source) if isinstance(source, (str, os.PathLike)) else None
    title = Path(name or path or str(getattr(source, "name", None) or "vectors"))
    with _opened(source) as (file, size):
        head = file.read(_HEAD)
        file.seek(0)
        found = format or _recognised(head)
        stem = title.name.removesuffix(".gz")
        return _reader(found, path)(file, size, Path(stem).stem, choices)


def _reader(
    found: str, path: Path | None
) -> Callable[[BinaryIO, int | None, str, Wanted], VectorTable]:
    if found == "safetensors":
        return lambda file, size, name, wanted: read_safetensors(file, size, name, wanted, path)
    return {"text": read_text, "binary": read_binary, "npz": read_npz}[found]


@contextmanager
def _opened(source: Source) -> Iterator[tuple[BinaryIO, int | None]]:
    """(the file at its start, its size in bytes or None where it is compressed)."""
    with opened(source, VectorFileError) as file:
        if not file.seekable():
            raise TypeError("source is not seekable; read it and give its bytes")
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        is_packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        if not is_packed:
            yield file, size
            return
        try:
            with gzip.open(file) as unpacked:
                yield cast(BinaryIO, unpacked), None
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise VectorFileError("damaged_file", kind="gzip archive") from error


def _recognised(head: bytes) -> str:
    """The form of a file that begins so."""
    if not head.strip():
        raise VectorFileError("no_vectors")
    # before the others: the length of its header may begin with the bytes of a pickle
    if head[8:9] == b"{" and int.from_bytes(head[:8], "little") < 1 << 30:
        return "safetensors"
    for start, because in _OTHERS:
        if head.startswith(start):
            raise VectorFileError("no_vectors", because=because)
    if head.startswith(b"PK"):
        return "npz"
    if is_text(head):
        return "text"
    if stated(head) is not None:
        return "binary"
    raise VectorFileError("no_vectors")
