"""How large a text or file may be.

Most are defaults: ``[uploads]`` of narrow-cone.toml, the operator's file, states those of the app.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .errors import CorpusError

MEGABYTE = 10**6
MIN_TEXTS = 2  # texts of a corpus; one vector has no cosine
MAX_CORPORA = 5  # uploaded corpora in a session of the app; a new one replaces the oldest
MAX_VECTOR_SETS = 2  # uploaded sets of vectors in a session; each may take 400 MB
MAX_PAIR_SETS = 3  # uploaded sets of pairs in a session
LESSON_MEGABYTES = 1  # the smallest that an uploader knows; a lesson has some kB
PASSING_MEGABYTES = 20  # of an answer that is not kept beyond a run of a page


@dataclass(frozen=True)
class Limits:
    """How large a file that is read may be. Every reader stops at these while it reads."""

    file_bytes: int = 50 * MEGABYTE  # of a corpus, pairs or counts, as uploaded
    vector_file_bytes: int = 500 * MEGABYTE  # of a file of vectors, as uploaded
    # Of a corpus, pairs or counts after decompression, and of all cells of a Parquet table
    unpacked_bytes: int = 50 * MEGABYTE
    # Of word vectors after decompression, and in memory with their words. Texts and labels of
    # other vectors may take half as much.
    table_bytes: int = 400 * MEGABYTE
    rows: int = 100_000  # texts of a corpus, or pairs of a set
    columns: int = 300  # of a table
    keys: int = 300  # different names of fields in a file of JSON lines
    text_characters: int = 100_000  # the rest of a longer text is cut off and counted
    # Numbers of a vector. Memory of pictures and whitenings grows with its square, time with its
    # cube.
    dimensions: int = 4_096
    words: int = 2_000_000  # word vectors, or words with counts
    vectors: int = 1_000_000  # of a set; a sample can be drawn from a file with more
    # Of the processor, in the process that reads Parquet or a workbook. JSON lines and unpacking
    # have half of it.
    seconds: int = 10
    memory_bytes: int = 900 * MEGABYTE  # of that process; 0 reads in the caller's, without a limit

    @property
    def lines(self) -> int:
        return max(1_000_000, 10 * self.rows)

    @property
    def line_characters(self) -> int:
        return 20 * self.text_characters

    def but(self, **others: int | None) -> Limits:
        """The same limits with other values; None leaves a value as it is."""
        return replace(self, **{name: value for name, value in others.items() if value is not None})


LIMITS = Limits()  # limits of every reader, unless its caller gives others
OWN_FILES = Limits(  # limits of the commands of the shell, for files of the person who runs them
    vector_file_bytes=20_000 * MEGABYTE,
    table_bytes=4_000 * MEGABYTE,
    dimensions=16_384,
    words=20_000_000,
    vectors=20_000_000,
    seconds=600,
    memory_bytes=4_000 * MEGABYTE,
)
MOST_CHARACTERS = 400_000  # characters of a text that are split into tokens; the rest is cut off
MOST_CELLS = 6_000_000  # of a table, in memory at once
LARGEST_COUNT = 1e18  # count or weight; sums and squares of millions of these are finite


def refuse_row_count(n: int, most: int) -> None:
    """Raise CorpusError for a file without rows, or with more than ``most``."""
    if n == 0:
        raise CorpusError("empty", limit=MIN_TEXTS)
    refuse_too_many(n, most)


def refuse_too_many(n: int, most: int) -> None:
    if n > most:
        raise CorpusError("too_many_texts", n=n, limit=most)


def refuse_too_few(n: int) -> None:
    if n < MIN_TEXTS:
        raise CorpusError("too_few_texts" if n else "no_texts", n=n, limit=MIN_TEXTS)


def refuse_too_many_cells(n: int) -> None:
    if n > MOST_CELLS:
        raise CorpusError("too_many_cells", limit=MOST_CELLS)


def refuse_too_many_columns(n: int, limit: int) -> None:
    if n > limit:
        raise CorpusError("too_many_columns", limit=limit)
