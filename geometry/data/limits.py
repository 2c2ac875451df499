"""How large a text or file may be, and the error where it is larger or smaller."""

from __future__ import annotations

from ..errors import GeometryError

MEGABYTE = 10**6
MAX_BYTES = 50 * MEGABYTE  # of a corpus or a file of pairs; .streamlit/config.toml has the same
MAX_VECTOR_FILE_BYTES = 200 * MEGABYTE  # of word vectors that are uploaded to a page
MAX_UPLOADED_TABLE_BYTES = 500 * MEGABYTE  # in memory, of such a file
MAX_TABLE_BYTES = 4_000 * MEGABYTE  # in memory, of word vectors that a program reads
MAX_TEXTS = 20_000
MAX_CORPORA = 5  # that a session of the app uploads; the oldest is dropped first
MAX_PAIR_SETS = 3  # likewise
MIN_TEXTS = 2  # one vector has no cosine


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
