"""The error for a file of vectors that can't be read: what is wrong, the limit, the remedy."""

from __future__ import annotations

from typing import Any


class VectorFileError(ValueError):
    """A file that holds no vectors, or other ones than it says.

    str(error) is the English message; ``code`` names the case and ``details`` holds its numbers
    and names, so that a page can say the same in another language.
    """

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.details = details


def too_large(n_rows: int, d: int, limit: int) -> VectorFileError:
    """A table that would not fit in ``limit`` bytes."""
    return VectorFileError(
        "too_many_bytes",
        f"{n_rows:,} vectors of {d:,} numbers take {n_rows * d * 4 / 1e9:.2f} GB and the limit is "
        f"{limit / 1e9:g} GB. Read the first ones with max_words, or name those that you need with "
        "words.",
        n=n_rows,
        d=d,
        limit=limit,
    )


def no_vectors(what: str) -> VectorFileError:
    """Nothing was found that could be a word and its vector."""
    return VectorFileError(
        "no_vectors",
        f"There are no vectors here: {what}. Take GloVe's or word2vec's text, word2vec's binary "
        "form, fastText's .vec, .npz or .safetensors.",
        reason=what,
    )


def damaged(word: int, n_stated: int, why: str) -> VectorFileError:
    """A binary file that ends, or goes astray, before its last word.   word : counted from 1."""
    return VectorFileError(
        "truncated",
        f"The header promises {n_stated:,} words and number {word:,} {why}: the file is cut off or "
        "damaged. Fetch it again, or read the words before with max_words.",
        word=word,
        n_stated=n_stated,
    )
