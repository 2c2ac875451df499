"""word2vec's binary form: "n d", a newline, then n times word, space, d little-endian float32."""

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from .errors import VectorFileError, refuse_dimensions
from .row_source import Block, ChosenColumns, Hints, RowSource, of_words
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


def open_binary(file: BinaryIO, hints: Hints) -> RowSource:
    found = stated(file.readline(LONGEST_HEADER))
    if found is None:
        raise VectorFileError("no_vectors")
    n, d = found
    refuse_dimensions(d, hints.limits.dimensions)

    def blocks(chosen: ChosenColumns) -> Iterator[Block]:
        file.seek(0)
        file.readline(LONGEST_HEADER)
        for words, rows in _records(file, n, d):
            yield of_words(words, rows, chosen, hints)

    return RowSource(
        "binary", blocks, n_rows=n, n_stated=n, columns=("word",), vector_columns=("vectors",)
    )


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
