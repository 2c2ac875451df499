"""word2vec's binary form: "n d", a newline, then n times word, space, d little-endian float32."""

from __future__ import annotations

import io
from typing import BinaryIO

import numpy as np

from ..data.embeddings import VectorTable
from .errors import VectorFileError
from .gather import Gathering, Wanted
from .word_text import is_text, numbers_of

BLOCK = 8 << 20  # bytes read at a time
LONGEST_HEADER = 64
LONGEST_WORD = 4_096  # bytes; a longer one means that the records are out of step


def stated(head: bytes) -> tuple[int, int] | None:
    """(n, d) of a header "n d" at a file's start; None where there is none."""
    parts = head[:LONGEST_HEADER].split(b"\n", 1)[0].split()
    if b"\n" not in head[:LONGEST_HEADER] or len(parts) != 2:
        return None
    if not all(part.isdigit() for part in parts) or int(parts[1]) == 0:
        return None
    return int(parts[0]), int(parts[1])


def is_binary(head: bytes, *, is_whole: bool) -> bool:
    """Whether a file is in this form, by its first bytes, or by all of them if ``is_whole``.

    Records may look like lines of text: the bytes of 565411 are "0", two newlines and "I". Such a
    file is binary if its records fit, and not every line has its numbers.
    """
    if stated(head) is None or is_text(head, is_whole=is_whole, throughout=True):
        return False
    return not is_text(head) or _has_records(head, is_whole=is_whole)


def _has_records(head: bytes, *, is_whole: bool) -> bool:
    """Whether records follow the header, the last to the file's end.

    A text does not pass: read as records, some of its words are empty or have a newline, and the
    bytes of some vectors are numbers as text.
    """
    n_stated, d = stated(head) or (0, 0)
    if 4 * d > len(head):
        return False
    file = io.BytesIO(head)
    file.readline()
    records = _Records(file, d, n_stated)
    try:
        words, rows = records.next_block()
        b"\n".join(words).decode()  # lines that are cut anywhere split a character
    except (VectorFileError, UnicodeDecodeError):
        return False
    is_complete = records.n_read == n_stated
    return (
        (not records.rest.strip() if is_complete else not is_whole)
        and all(word and b"\n" not in word for word in words)
        and not any(numbers_of(row.tobytes().split()) for row in rows)
    )


def read_binary(file: BinaryIO, wanted: Wanted) -> VectorTable:
    """The table of a file in word2vec's binary format, which is at its start."""
    size = wanted.size
    header = file.readline(LONGEST_HEADER)
    found = stated(header)
    if found is None:
        raise VectorFileError("no_vectors")
    n_stated, d = found
    wanted.refuse_dimensions(d)
    expected = n_stated if size is None else min(n_stated, size // (4 * d) + 1)
    gathering = Gathering(d, wanted, expected=expected)
    records = _Records(file, d, n_stated)
    while records.n_read < n_stated and not gathering.is_full:
        words, block = records.next_block()
        gathering.add(words, block)
    gathering.is_whole &= records.n_read == n_stated
    return gathering.table("binary", n_stated=n_stated, n_rows=n_stated)


class _Records:
    """The records, some thousand at a time.

    n_read : how many so far. rest : bytes that were read after them.
    """

    def __init__(self, file: BinaryIO, d: int, n_stated: int) -> None:
        self.n_read = 0
        self._file, self._d, self._n_stated = file, d, n_stated
        self.rest = b""

    def next_block(self) -> tuple[list[bytes], np.ndarray]:
        """Words and rows (m, d) of the next whole records, at least one of them."""
        wide = 4 * self._d
        read = self._file.read(max(BLOCK, 2 * wide))
        content = self.rest + read
        words, starts, place = [], [], 0
        while self.n_read < self._n_stated:
            space = content.find(b" ", place, place + LONGEST_WORD)
            if space < 0 and len(content) - place >= LONGEST_WORD:
                raise VectorFileError("truncated", word=self.n_read + 1, n_stated=self._n_stated)
            if space < 0 or space + 1 + wide > len(content):
                break
            # Some writers end each record with a newline
            words.append(content[place:space].lstrip(b"\r\n"))
            starts.append(space + 1)
            place = space + 1 + wide
            self.n_read += 1
        if not words and not read:
            raise VectorFileError("truncated", word=self.n_read + 1, n_stated=self._n_stated)
        self.rest = content[place:]
        rows = [np.frombuffer(content, "<f4", self._d, start) for start in starts]
        return words, np.array(rows, dtype=np.float32).reshape(len(rows), self._d)
