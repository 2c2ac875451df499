"""How large a text or file may be, and the error where it is larger or smaller."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..errors import GeometryError

MEGABYTE = 10**6
MIN_TEXTS = 2  # texts of a corpus; one vector has no cosine
MAX_CORPORA = 5  # uploaded corpora in a session of the app; a new one replaces the oldest
MAX_VECTOR_SETS = 2  # uploaded sets of vectors in a session; each may take 400 MB
MAX_PAIR_SETS = 3  # uploaded sets of pairs in a session
LESSON_MEGABYTES = 1  # the smallest that an uploader knows; a lesson has some kB


@dataclass(frozen=True)
class Limits:
    """How large a file that is read may be. Every reader stops at these while it reads.

    Attributes
    ----------
    file_bytes : int
        Bytes of a corpus, pairs or counts, as uploaded.
    vector_file_bytes : int
        Bytes of a file of word vectors, as uploaded.
    unpacked_bytes : int
        Bytes of a corpus, pairs or counts, after decompression; also of all cells of a Parquet
        table.
    table_bytes : int
        Bytes of word vectors, after decompression, and in memory with their words. Texts and labels
        of other vectors may take half as much.
    rows : int
        Texts of a corpus, or pairs of a set.
    columns : int
        Columns of a table.
    keys : int
        Different names of fields in a file of JSON lines.
    text_characters : int
        Characters of one text. The rest of a longer text is cut off and counted.
    dimensions : int
        Numbers of one word vector, or of a model's vectors. Memory of pictures and whitenings grows
        with its square, time with its cube.
    words : int
        Word vectors, or words with counts.
    vectors : int
        Vectors of a set that a reader uploads. A sample can be drawn from a file with more.
    seconds : int
        Processor time of the process that reads Parquet or a workbook. JSON lines and unpacking
        have half of it.
    memory_bytes : int
        Memory of that process. 0 reads in the caller's process, which nothing then limits.
    """

    file_bytes: int = 50 * MEGABYTE
    vector_file_bytes: int = 500 * MEGABYTE
    unpacked_bytes: int = 50 * MEGABYTE
    table_bytes: int = 400 * MEGABYTE
    rows: int = 100_000
    columns: int = 300
    keys: int = 300
    text_characters: int = 100_000
    dimensions: int = 4_096
    words: int = 2_000_000
    vectors: int = 1_000_000
    seconds: int = 10
    memory_bytes: int = 900 * MEGABYTE

    @property
    def lines(self) -> int:
        """Lines of a text or table, blank ones included."""
        return max(1_000_000, 10 * self.rows)

    @property
    def cells(self) -> int:
        """Cells of a table that are in memory at once."""
        return 6_000_000

    @property
    def line_characters(self) -> int:
        """Characters of one line of a table or of JSON lines."""
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
MAX_BYTES = LIMITS.file_bytes
MAX_TEXTS = LIMITS.rows
MOST_CHARACTERS = 400_000  # characters of a text that are split into tokens; the rest is cut off
LARGEST_COUNT = 1e18  # count or weight; sums and squares of millions of these are finite


class CorpusError(GeometryError):
    """A file or text that can't be read as a corpus or as scored pairs."""

    subject = "corpus"


def refuse_empty(n: int) -> None:
    """Raise CorpusError "empty" for no rows at all."""
    if n == 0:
        raise CorpusError("empty", limit=MIN_TEXTS)


def refuse_too_few(n: int) -> None:
    """Raise CorpusError "too_few_texts" below MIN_TEXTS."""
    if n < MIN_TEXTS:
        raise CorpusError("too_few_texts", because=None if n else "no_texts", n=n, limit=MIN_TEXTS)


def refuse_too_many(n: int, limit: int) -> None:
    """Raise CorpusError "too_many_texts" above the limit."""
    if n > limit:
        raise CorpusError("too_many_texts", n=n, limit=limit)


def refuse_too_many_cells(n: int, limits: Limits) -> None:
    """Raise CorpusError "too_large" for more cells than the limit."""
    if n > limits.cells:
        raise CorpusError("too_large", because="too_many_cells", limit=limits.cells)


def refuse_too_many_columns(n: int, limit: int) -> None:
    """Raise CorpusError "too_many_columns" above the limit."""
    if n > limit:
        raise CorpusError("too_many_columns", limit=limit)
