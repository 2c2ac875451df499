"""Words and rows, block by block, into one float32 array that never has a second copy."""

from __future__ import annotations

import io
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..data.account import DUPLICATE, MOST_ROWS, NOT_FINITE, UNWANTED, Account, LeftOut
from ..data.decode import REPLACE
from ..data.embeddings import VectorReport, VectorTable
from ..data.limits import LIMITS, Limits
from .errors import MOST_NAMED, VectorFileError, too_large

SPARE = 1.02  # reserved rows for each estimated row, because lines differ in length
UTF8 = "utf-8"
BESIDE_A_WORD = 100  # bytes that lists and sets of words take for each


@dataclass(frozen=True)
class Wanted:
    """What is known of a file, and what is taken of it.

    name : title of the table
    size : bytes of the file; None if unknown
    path : of a file on disk, in whose folder the words may be; else None
    max_words : the first so many; None is all
    words : these alone; None is all
    encoding : of the words; None is UTF-8, where bytes that do not fit are replaced and counted
    limits : how large the file may be
    """

    name: str
    size: int | None = None
    path: Path | None = None
    max_words: int | None = None
    words: Collection[str] | None = None
    encoding: str | None = None
    limits: Limits = LIMITS

    def __post_init__(self) -> None:
        if self.max_words is not None and self.max_words < 1:
            raise ValueError(f"max_words must be at least 1, or None for all; got {self.max_words}")
        if isinstance(self.words, str):
            raise ValueError("words is one text; give a collection of words")
        if self.words is not None:
            object.__setattr__(self, "words", frozenset(self.words))
        try:
            "".encode((self.encoding or UTF8).removesuffix(REPLACE))
        except LookupError as error:
            raise VectorFileError("unknown_encoding", encoding=self.encoding) from error

    @property
    def max_bytes(self) -> int:
        """Limit of the table's memory, and of what the file unpacks to."""
        return self.limits.table_bytes

    def refuse_dimensions(self, d: int) -> None:
        """Raise VectorFileError for rows of more numbers than the limit."""
        if d > self.limits.dimensions:
            raise VectorFileError(
                "too_large", because="too_many_dimensions", limit=self.limits.dimensions
            )

    def refuse_words(self, n: int) -> None:
        """Raise VectorFileError for more words than the limit."""
        if n > self.limits.words:
            raise VectorFileError("too_large", because="too_many_words", limit=self.limits.words)

    def refuse_rows(self, n: int) -> None:
        """Raise VectorFileError for more rows than the limit, if all words are wanted."""
        if self.max_words is None and self.words is None:
            self.refuse_words(n)

    def at_most(self, n: int) -> int:
        """How many words of a file of n words can be wanted at most."""
        bounds = (n, self.max_words, None if self.words is None else len(self.words))
        return min(bound for bound in bounds if bound is not None)


def in_memory(file: BinaryIO, most: int, *, of_words: bool = True) -> BinaryIO:
    """The content in memory, at most so many bytes."""
    content = file.read(most + 1)
    if len(content) > most:
        raise VectorFileError(
            "too_large", because="unpacked" if of_words else "unpacked_set", limit=most
        )
    return io.BytesIO(content)


@dataclass
class _Counts:
    rows: int = 0
    replaced: int = 0
    spaced: int = 0
    n_duplicates: int = 0
    n_not_finite: int = 0
    duplicates: list[str] = field(default_factory=list)
    not_finite: list[str] = field(default_factory=list)
    left_out: dict[str, tuple[int, list[int]]] = field(default_factory=dict)

    def leave_out(self, reason: str) -> None:
        """Count the row that came last under the reason that it is not taken."""
        n, rows = self.left_out.get(reason, (0, []))
        self.left_out[reason] = n + 1, [*rows, self.rows][:MOST_ROWS]


class Gathering:
    """Collects blocks of words and rows; ``is_full`` once no more are wanted.

    Attributes
    ----------
    is_whole : bool
        A reader that skips blocks of the file sets it to False.
    """

    def __init__(self, d: int, wanted: Wanted, *, expected: int) -> None:
        wanted.refuse_dimensions(d)
        self.d, self.wanted = d, wanted
        self._word_bytes = 0
        self.words: list[str] = []
        self.numbers: list[int] = []  # row numbers in the file, from 1
        self.counts = _Counts()
        self.is_whole = True
        self._known: set[str] = set()
        self._most_rows = wanted.max_bytes // (4 * d) + 1
        reserved = min(wanted.at_most(max(1, expected)), self._most_rows)
        self._rows = np.empty((max(1, reserved), d), dtype=np.float32)

    @property
    def is_full(self) -> bool:
        """True once every wanted word was found."""
        return len(self.words) >= self.wanted.at_most(len(self.words) + 1)

    def add(
        self, words: Sequence[bytes] | Sequence[str], block: np.ndarray, *, share_read: float = 0.0
    ) -> None:
        """Add a block. ``share_read`` of the file, 0 if unknown, gives an estimate of the rows."""
        taken = self._take(self._decoded(words), np.isfinite(block).all(axis=1))
        self.wanted.refuse_words(self.counts.rows)
        if not taken:
            return
        start, end = len(self.words) - len(taken), len(self.words)
        self._word_bytes += sum(map(sys.getsizeof, self.words[start:]))
        beside = self._word_bytes + BESIDE_A_WORD * end
        if 4 * self.d * end + beside > self.wanted.max_bytes:
            raise too_large(end, self.d, self.wanted.max_bytes, beside=beside)
        if end > len(self._rows):
            more = int(end / share_read * SPARE) if share_read else 0
            rows = self.wanted.at_most(max(end + end // 8, more))
            rows = max(end, min(rows, self._most_rows))  # new rows are filled with zeros
            self._rows.resize((rows, self.d), refcheck=False)
        self._rows[start:end] = block if len(taken) == len(block) else block[taken]

    def table(
        self,
        file_format: str,
        *,
        n_stated: int | None = None,
        n_rows: int | None = None,
        used: tuple[str, ...] = (),
        unused: tuple[str, ...] = (),
    ) -> VectorTable:
        """The table of all that was added; no block can be added after it.

        n_stated : rows that the file's header states
        n_rows : rows that the file has, where that is known
        used, unused : the file's columns
        """
        if not self.words:
            raise VectorFileError("no_vectors", because="none_wanted")
        self._rows.resize((len(self.words), self.d), refcheck=False)
        counts = self.counts
        report = VectorReport(
            format=file_format,
            n_rows=counts.rows,
            n_stated=n_stated,
            complete=self.is_whole,
            n_duplicates=counts.n_duplicates,
            duplicates=tuple(counts.duplicates),
            n_not_finite=counts.n_not_finite,
            not_finite=tuple(counts.not_finite),
            n_replaced=counts.replaced,
            n_spaced=counts.spaced,
        )
        is_all = len(self.words) == counts.rows
        numbers = None if is_all else np.array(self.numbers)
        rest = max(0, (n_rows or 0) - counts.rows)  # rows after the last that was wanted
        if rest:
            n, numbers_unwanted = counts.left_out.get(UNWANTED, (0, []))
            after = range(counts.rows + 1, counts.rows + 1 + min(rest, MOST_ROWS))
            counts.left_out[UNWANTED] = n + rest, [*numbers_unwanted, *after][:MOST_ROWS]
        left_out = tuple(
            LeftOut(reason, n, tuple(rows)) for reason, (n, rows) in counts.left_out.items()
        )
        account = Account(counts.rows + rest, len(self.words), left_out, used, unused)
        return VectorTable(
            self._rows, tuple(self.words), self.wanted.name, report, numbers, account
        )

    def _take(self, words: Sequence[str], finite: np.ndarray) -> list[int]:
        """Rows of the block that are taken; their words join ``words``."""
        chosen, known, counts = self.wanted.words, self._known, self.counts
        most = self.wanted.at_most(len(self.words) + len(words))
        taken = []
        for row, (word, is_finite) in enumerate(zip(words, finite.tolist(), strict=True)):
            if len(self.words) == most:
                self.is_whole = False
                break
            counts.rows += 1
            counts.spaced += " " in word
            if chosen is not None and word not in chosen:
                counts.leave_out(UNWANTED)
            elif word in known:
                counts.n_duplicates += 1
                _name(counts.duplicates, word)
                counts.leave_out(DUPLICATE)
            elif not is_finite:
                counts.n_not_finite += 1
                _name(counts.not_finite, word)
                counts.leave_out(NOT_FINITE)
            else:
                known.add(word)
                self.words.append(word)
                self.numbers.append(counts.rows)
                taken.append(row)
        return taken

    def _decoded(self, words: Sequence[Any]) -> list[str]:
        encoding = (self.wanted.encoding or UTF8).removesuffix(REPLACE)
        if words and isinstance(words[0], str):  # a reader of tables replaces bytes itself
            self.counts.replaced += sum("\ufffd" in word for word in words)
            return list(words)
        try:
            return b"\n".join(words).decode(encoding).split("\n") if words else []
        except UnicodeDecodeError:
            return [self._decoded_alone(word, encoding) for word in words]

    def _decoded_alone(self, word: bytes, encoding: str) -> str:
        try:
            return word.decode(encoding)
        except UnicodeDecodeError:
            self.counts.replaced += 1
            return word.decode(encoding, "replace")


def _name(named: list[str], word: str) -> None:
    if len(named) < MOST_NAMED:
        named.append(word)
