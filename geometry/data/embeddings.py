"""Vectors with the tokens or words that they belong to, and rows that another file names."""

import hashlib
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from .account import Account
from .columns import FileColumn, Labelled
from .errors import CorpusError
from .words import folded

NamedBy = Literal["ids", "texts", "numbers"]
_WHOLE = re.compile(r"^(\d+)\.0$")
ROWS = re.compile(r"\d{1,9}(?:[ ,;]+\d{1,9})*")  # numbers of rows, from 1


@dataclass(frozen=True)
class TokenEmbeddings:
    """Contextual tokens, one row each, in the order of the texts."""

    vectors: np.ndarray  #: (N, d) float32
    tokens: tuple[str, ...]  #: word pieces
    sentence: np.ndarray  #: (N,) index of the text
    position: np.ndarray  #: (N,) place in the text from 0, special tokens included


@dataclass(frozen=True)
class VectorReport:
    """What a file of word vectors had besides the rows that were taken."""

    format: str  #: "text", "binary", "npz", "safetensors", "parquet", "arrow" or "hdf5"
    n_rows: int  #: that were read
    n_stated: int | None = None  #: by the header; None without one
    complete: bool = True  #: False if ``max_words`` ended the reading before the file's end
    n_duplicates: int = 0  #: rows left out because their word came before
    duplicates: tuple[str, ...] = ()  #: the first few of these words
    n_not_finite: int = 0  #: rows left out for NaN or infinity
    not_finite: tuple[str, ...] = ()
    n_replaced: int = 0  #: words with bytes that do not fit the encoding, shown as U+FFFD
    n_spaced: int = 0  #: words with a space

    @property
    def n_missing(self) -> int:
        """Rows that the header states and that the whole file does not have."""
        if self.n_stated is None or not self.complete:
            return 0
        return max(0, self.n_stated - self.n_rows)


@dataclass(frozen=True)
class VectorTable:
    """Static vectors and the words they belong to."""

    vectors: np.ndarray  #: (n, d) float32
    words: tuple[str, ...]
    name: str = ""
    report: VectorReport | None = None
    #: (n,) of each word's row in the file, from 1, without a header; None where all were taken
    numbers: np.ndarray | None = None
    #: of each row; of a text that was not read to its end, of the rows before
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
        for sign in re.finditer("['’]", word):
            before = word[: sign.end()]
            if table.row_of(before) is not None:
                return [before, *known_parts(word[sign.end() :], table)]
            if table.row_of(word[sign.start() :]) is not None:
                return [word[: sign.start()], word[sign.start() :]]
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
    """What a file of vectors had besides the rows that were taken."""

    format: str  #: its name in the table of docs/inputs.md
    n_rows: int  #: of the file
    n_dropped: int = 0  #: rows left out for NaN or infinity, because the reader chose so
    dropped: tuple[int, ...] = ()  #: the first few of these rows, from 1
    n_zero: int = 0  #: rows of zeros, which stay
    zero: tuple[int, ...] = ()
    n_sampled: int | None = None  #: rows drawn from a larger file; None where all were taken
    seed: int = 0  #: of the draw
    whole: WholeStatistics | None = None  #: exact numbers of all rows, where a sample was taken


@dataclass(frozen=True, eq=False)
class VectorSet(Labelled):
    """Vectors of texts, images or anything else, with the file's texts and labels of each row."""

    name: str
    vectors: np.ndarray  #: (n, d) float32
    texts: tuple[str, ...] | None = None  #: what each row shows: a text, a word or a name
    labels: tuple[str, ...] | None = None
    label_column: str | None = None
    report: VectorSetReport | None = None
    numbers: np.ndarray | None = None  #: of each row in the file, from 1; None where all were taken
    account: Account | None = None
    ids: tuple[str, ...] | None = None  #: by which pairs and answers name the rows
    #: others of the file or its metadata that have numbers or categories
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
    def sha256(self) -> str:
        """A digest of the vectors, the texts, the ids and the numbers, not of name and labels."""
        named = [each is not None for each in (self.texts, self.ids, self.numbers)]
        digest = hashlib.sha256(repr((self.vectors.shape, named)).encode())
        digest.update(np.ascontiguousarray(self.vectors, dtype=np.float32).ravel().data)
        for each in filter(None, (self.texts, self.ids)):
            digest.update(np.fromiter(map(len, each), np.int64, len(each)).data)
            digest.update("".join(each).encode())
        digest.update(b"" if self.numbers is None else self.numbers.tobytes())
        return digest.hexdigest()


class NamedRows:
    """Finds rows by a name, else by their numbers from 1; either may be absent."""

    def __init__(self, names: Sequence[str], numbers: Iterable[int]) -> None:
        self._places: dict[str, list[int]] = {}
        for place, name in enumerate(names):
            self._places.setdefault(_spaced(name), []).append(place)
        self._numbered = {int(number): place for place, number in enumerate(numbers)}

    def n_found(self, wanted: Collection[str]) -> int:
        return sum(bool(self.found(each)[0]) for each in wanted)

    def found(self, named: str) -> tuple[list[int], int]:
        """(rows of a name or of numbers such as "3; 17", how many are missing)."""
        named = _spaced(named)
        exact = self._places.get(named)
        if exact is not None:
            return exact, 0
        if not ROWS.fullmatch(named):
            return [], 1
        numbers = [int(number) for number in re.findall(r"\d+", named)]
        there = [self._numbered[number] for number in numbers if number in self._numbered]
        return there, len(numbers) - len(there)


def named_rows(vectors: VectorSet, wanted: Collection[str]) -> tuple[NamedBy, NamedRows]:
    """What the wanted ids name rows by, and the rows by it.

    The vectors' ids if one of them is wanted; else their texts, or, for vectors without ids,
    numbers of rows in the file from 1, whichever names more.
    """
    numbers = vectors.numbers
    ids = vectors.ids or ()
    by_id = NamedRows(ids, ())
    if by_id.n_found(wanted):
        return "ids", by_id
    by_text = NamedRows(vectors.texts or (), ())
    by_number = NamedRows((), range(1, len(vectors) + 1) if numbers is None else numbers.tolist())
    n_texts, n_numbers = by_text.n_found(wanted), by_number.n_found(wanted)
    if not n_texts and (ids or not n_numbers):
        details = {"id": next(iter(wanted), ""), "n": len(wanted), "known": "".join(ids[:1])}
        raise CorpusError("other_ids" if ids else "no_known_ids", **details)
    if ids or n_texts >= n_numbers:
        return "texts", by_text
    if "0" in wanted:
        raise CorpusError("row_zero")
    return "numbers", by_number


def _spaced(name: str) -> str:
    """A name for comparing; 7.0 is 7, as pandas writes whole numbers of a column with a gap."""
    return _WHOLE.sub(r"\1", " ".join(name.split()))
