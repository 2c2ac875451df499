"""word2vec's binary form: "n d", a newline, then n times word, space, d little-endian float32."""

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from ..data.embeddings import VectorTable
from .errors import VectorFileError, refuse_dimensions
from .gather import Gathering, WordRequest
from .word_text import is_text

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


def is_binary(head: bytes) -> bool:
    """Whether a file that begins so is in this form, and no text with a header."""
    return stated(head) is not None and not is_text(head)


def read_binary(file: BinaryIO, wanted: WordRequest) -> VectorTable:
    found = stated(file.readline(LONGEST_HEADER))
    if found is None:
        raise VectorFileError("no_vectors")
    n_stated, d = found
    refuse_dimensions(d, wanted.limits.dimensions)
    size = wanted.size
    expected = n_stated if size is None else min(n_stated, size // (4 * d) + 1)
    gathering = Gathering(d, wanted, expected=expected)
    n_read = 0
    for words, block in _records(file, n_stated, d):
        gathering.add(words, block)
        n_read += len(words)
        if gathering.is_full:
            break
    gathering.is_whole &= n_read == n_stated
    return gathering.table("binary", n_stated=n_stated, n_rows=n_stated)


def _records(file: BinaryIO, n: int, d: int) -> Iterator[tuple[list[bytes], np.ndarray]]:
    """Words and rows (m, d) of the records, some thousand at a time."""
    wide, n_read, rest = 4 * d, 0, b""
    while n_read < n:
        read = file.read(max(BLOCK, 2 * wide))
        content = rest + read
        words, rows, place = [], [], 0
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
