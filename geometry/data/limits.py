"""What a text or file may be, and the error that says what is wrong, the limit and the remedy."""

from __future__ import annotations

from typing import Any

MAX_BYTES = 50_000_000
MAX_TEXTS = 20_000
MIN_TEXTS = 2  # one vector has no cosine


class CorpusError(ValueError):
    """A file or text that cannot be a corpus: what is wrong, the limit, the remedy.

    str(error) is the English message; ``code`` names the case and ``details`` holds its
    numbers and names, so that a page can say the same in another language.
    """

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.details = details


def refuse_empty(n: int) -> None:
    """Raise CorpusError "empty" for no rows at all."""
    if n == 0:
        raise CorpusError(
            "empty",
            f"There is no text here. Give at least {MIN_TEXTS} texts, one a line or one a row.",
            limit=MIN_TEXTS,
        )


def refuse_too_few(n: int) -> None:
    """Raise CorpusError "too_few_texts" below MIN_TEXTS."""
    if n < MIN_TEXTS:
        raise CorpusError(
            "too_few_texts",
            f"There is {'only one text' if n else 'no text in that column'}, and at least "
            f"{MIN_TEXTS} are needed to compare directions. Add more, one a line or one a row.",
            n=n,
            limit=MIN_TEXTS,
        )


def refuse_too_many(n: int, limit: int) -> None:
    """Raise CorpusError "too_many_texts" above the limit."""
    if n > limit:
        raise CorpusError(
            "too_many_texts",
            f"There are {n:,} texts and the limit is {limit:,}. Keep a sample of the rows.",
            n=n,
            limit=limit,
        )
