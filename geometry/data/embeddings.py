"""Vectors with the tokens or words that they belong to."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .account import Account
from .columns import FileColumn, label_column
from .words import folded


@dataclass(frozen=True)
class TokenEmbeddings:
    """Contextual tokens, one row each, in the order of the texts.

    Attributes
    ----------
    vectors : (N, d) array of float32
    tokens : tuple of N str
        Word pieces.
    sentence, position : (N,) arrays of int
        Index of the text; place in the text from 0, special tokens included.
    """

    vectors: np.ndarray
    tokens: tuple[str, ...]
    sentence: np.ndarray
    position: np.ndarray


@dataclass(frozen=True)
class VectorReport:
    """What a file of word vectors had besides the rows that were taken.

    Attributes
    ----------
    format : str
        "text", "binary", "npz", "safetensors", "parquet", "arrow" or "hdf5".
    n_rows : int
        Rows that were read.
    n_stated : int or None
        Rows that the header states; None without a header.
    complete : bool
        Whether the file was read to its end; ``max_words`` may stop earlier.
    n_duplicates, n_not_finite : int
        Rows left out because their word came before, and for NaN or infinity.
    duplicates, not_finite : tuple of str
        The first few of these words.
    n_replaced, n_spaced : int
        Words with bytes that do not fit the encoding, shown as U+FFFD, and with a space.
    """

    format: str
    n_rows: int
    n_stated: int | None = None
    complete: bool = True
    n_duplicates: int = 0
    duplicates: tuple[str, ...] = ()
    n_not_finite: int = 0
    not_finite: tuple[str, ...] = ()
    n_replaced: int = 0
    n_spaced: int = 0

    @property
    def n_missing(self) -> int:
        """Rows that the header states and that the whole file does not have."""
        if self.n_stated is None or not self.complete:
            return 0
        return max(0, self.n_stated - self.n_rows)


@dataclass(frozen=True)
class VectorTable:
    """Static vectors and the words they belong to.

    Attributes
    ----------
    vectors : (n, d) array of float32
    words : tuple of n str
    name : str
    report : VectorReport or None
    numbers : (n,) array of int, or None
        Of each word's row in the file, from 1, without a header; None where all rows were taken.
    account : Account or None
        What became of each row. Of a text that was not read to its end, of the rows before.
    """

    vectors: np.ndarray
    words: tuple[str, ...]
    name: str = ""
    report: VectorReport | None = None
    numbers: np.ndarray | None = None
    account: Account | None = None

    def row_of(self, word: str) -> int | None:
        """The row of a word: its exact entry, else the first that is equal in any case.

        Two forms of one character in Unicode, and of an apostrophe, are equal too.
        """
        row = self._exact.get(word)
        return self._folded.get(folded(word)) if row is None else row

    @cached_property
    def _exact(self) -> dict[str, int]:
        # of equal words the first counts
        return {word: row for row, word in reversed(list(enumerate(self.words)))}

    @cached_property
    def _folded(self) -> dict[str, int]:
        return {folded(word): row for row, word in reversed(list(enumerate(self.words)))}


def known_parts(word: str, table: VectorTable) -> list[str]:
    """The word, or its two parts at an apostrophe where the table has one with it."""
    if table.row_of(word) is None:
        for place in [place for place, sign in enumerate(word) if sign in "'’"]:
            before, after = word[: place + 1], word[place + 1 :]
            if table.row_of(before) is not None:
                return [before, *known_parts(after, table)]
            if table.row_of(word[place:]) is not None:
                return [word[:place], word[place:]]
    return [word]


@dataclass(frozen=True, eq=False)
class WholeStatistics:
    """Exact numbers of all rows of a file, of which a sample was taken."""

    n_rows: int  # without those with NaN and infinity
    mean: np.ndarray  # (d,) float64
    covariance: np.ndarray  # (d, d) float64, with divisor n
    mean_norm: float
    # Over all pairs of different rows that are not zero; None where there are no two
    mean_cosine: float | None


@dataclass(frozen=True)
class VectorSetReport:
    """What a file of vectors had besides the rows that were taken.

    Attributes
    ----------
    format : str
        "npy", "npz", "parquet", "arrow", "hdf5", "fvecs", "jsonl", "safetensors", "csv", "tsv",
        "text" or "binary".
    n_rows : int
        Rows of the file.
    n_dropped, n_zero : int
        Rows left out for NaN or infinity, because the reader chose so; rows of zeros, which stay.
    dropped, zero : tuple of int
        The first few of these rows, from 1.
    n_sampled, seed : int or None, int
        Rows drawn from a larger file, and by which seed; None where all were taken.
    whole : WholeStatistics or None
        Exact numbers of all rows, where a sample was taken.
    """

    format: str
    n_rows: int
    n_dropped: int = 0
    dropped: tuple[int, ...] = ()
    n_zero: int = 0
    zero: tuple[int, ...] = ()
    n_sampled: int | None = None
    seed: int = 0
    whole: WholeStatistics | None = None


@dataclass(frozen=True)
class VectorSet:
    """Vectors of texts, images or anything else, with the file's texts and labels of each row.

    Attributes
    ----------
    name : str
        A title.
    vectors : (n, d) array of float32
    texts, labels : tuple of n str, or None
        What each row shows: a text, a word or a name; its label.
    label_column : str or None
        The column that the labels were read from.
    report : VectorSetReport or None
    numbers : (n,) array of int, or None
        The number of each row in the file, from 1. None where all rows were taken.
    account : Account or None
        What became of each row and column of the file.
    ids : tuple of n str, or None
        By which pairs and answers name the rows.
    columns : tuple of FileColumn
        Other columns of the file or its metadata that have numbers or categories.
    """

    name: str
    vectors: np.ndarray
    texts: tuple[str, ...] | None = None
    labels: tuple[str, ...] | None = None
    label_column: str | None = None
    report: VectorSetReport | None = None
    numbers: np.ndarray | None = None
    account: Account | None = None
    ids: tuple[str, ...] | None = None
    columns: tuple[FileColumn, ...] = ()

    def __post_init__(self) -> None:
        for name in ("texts", "labels", "ids", "numbers"):
            values = getattr(self, name)
            if values is not None and len(values) != len(self.vectors):
                raise ValueError(f"{len(values)} {name} for {len(self.vectors)} vectors")

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def dimension(self) -> int:
        """d, the numbers of each vector."""
        return int(self.vectors.shape[1])

    @cached_property
    def labels_as_column(self) -> FileColumn | None:
        """The labels as a column; None without several that recur."""
        return label_column(self.label_column, self.labels)

    @cached_property
    def sha256(self) -> str:
        """A digest of the vectors and the texts; the name and the labels do not change it."""
        digest = hashlib.sha256(repr(self.vectors.shape).encode())
        digest.update(np.ascontiguousarray(self.vectors, dtype=np.float32).ravel().data)
        texts = self.texts or ()
        digest.update(np.fromiter(map(len, texts), np.int64, len(texts)).data)
        digest.update("".join(texts).encode())
        return digest.hexdigest()
