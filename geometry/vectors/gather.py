"""Words and rows, block by block, into one float32 array that never has a second copy."""

import io
import sys
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..data.account import DUPLICATE, MOST_ROWS, NOT_FINITE, UNWANTED, Account, RowCount
from ..data.decode import REPLACE
from ..data.embeddings import VectorReport, VectorTable
from ..data.limits import LIMITS, Limits
from .errors import VectorFileError, refuse_dimensions, refuse_unpacked, too_large

UTF8 = "utf-8"
BESIDE_A_WORD = 100  # bytes that lists and sets of words take for each


@dataclass(frozen=True)
class WordRequest:
    """What is known of a file of words, and what is taken of it."""

    name: str  # title of the table
    size: int | None = None  # bytes of the file; None if unknown
    path: Path | None = None  # of a file on disk, in whose folder the words may be
    max_words: int | None = None  # the first so many; None is all
    words: Collection[str] | None = None  # these alone; None is all
    encoding: str | None = None  # None is UTF-8; bytes that do not fit are replaced and counted
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

    def refuse_words(self, n: int) -> None:
        if n > self.limits.words:
            raise VectorFileError("too_many_words", limit=self.limits.words)

    def refuse_rows(self, n: int) -> None:
        """Raise VectorFileError for more rows than the limit, if all words are wanted."""
        if self.max_words is None and self.words is None:
            self.refuse_words(n)

    def at_most(self, n: int) -> int:
        bounds = (n, self.max_words, None if self.words is None else len(self.words))
        return min(bound for bound in bounds if bound is not None)


def in_memory(file: BinaryIO, most: int, *, of_words: bool = True) -> BinaryIO:
    content = file.read(most + 1)
    refuse_unpacked(len(content), most, of_words=of_words)
    return io.BytesIO(content)


class Gathering:
    """Collects blocks of words and rows; ``is_full`` once no more are wanted."""

    def __init__(self, d: int, wanted: WordRequest, *, expected: int) -> None:
        refuse_dimensions(d, wanted.limits.dimensions)
        self.d, self.wanted = d, wanted
        self._max_bytes = wanted.limits.table_bytes
        self.is_whole = True  # a reader that skips blocks of the file sets it to False
        self._words: list[str] = []
        self._numbers: list[int] = []  # row numbers in the file, from 1
        self._known: set[str] = set()
        self._n_rows = self._n_replaced = self._n_spaced = self._word_bytes = 0
        self._left_out: dict[str, RowCount] = defaultdict(RowCount)
        # the first few words that were left out
        self._named: dict[str, list[str]] = defaultdict(list)
        self._most_rows = self._max_bytes // (4 * d) + 1
        reserved = min(wanted.at_most(max(1, expected)), self._most_rows)
        self._rows = np.empty((max(1, reserved), d), dtype=np.float32)

    @property
    def is_full(self) -> bool:
        """True once every wanted word was found."""
        return len(self._words) >= self.wanted.at_most(len(self._words) + 1)

    def add(self, words: Sequence[bytes] | Sequence[str], block: np.ndarray) -> None:
        taken = self._take(self._decoded(words), np.isfinite(block).all(axis=1))
        self.wanted.refuse_words(self._n_rows)
        if not taken:
            return
        start, end = len(self._words) - len(taken), len(self._words)
        self._word_bytes += sum(map(sys.getsizeof, self._words[start:]))
        beside = self._word_bytes + BESIDE_A_WORD * end
        if 4 * self.d * end + beside > self._max_bytes:
            raise too_large(end, self.d, self._max_bytes, beside=beside)
        if end > len(self._rows):
            rows = max(end, min(self.wanted.at_most(end + end // 8), self._most_rows))
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
        """The table of all that was added; no block can be added after it."""
        if not self._words:
            raise VectorFileError("none_wanted")
        self._rows.resize((len(self._words), self.d), refcheck=False)
        report = VectorReport(
            format=file_format,
            n_rows=self._n_rows,
            n_stated=n_stated,
            complete=self.is_whole,
            n_duplicates=self._left_out[DUPLICATE].n,
            duplicates=tuple(self._named[DUPLICATE]),
            n_not_finite=self._left_out[NOT_FINITE].n,
            not_finite=tuple(self._named[NOT_FINITE]),
            n_replaced=self._n_replaced,
            n_spaced=self._n_spaced,
        )
        is_all = len(self._words) == self._n_rows
        rest = max(0, (n_rows or 0) - self._n_rows)  # rows after the last that was wanted
        if rest:
            self._left_out[UNWANTED].add(range(self._n_rows + 1, self._n_rows + 1 + rest))
        left_out = (each.left_out(reason) for reason, each in self._left_out.items() if each.n)
        return VectorTable(
            self._rows,
            tuple(self._words),
            self.wanted.name,
            report,
            None if is_all else np.array(self._numbers),
            Account(self._n_rows + rest, len(self._words), tuple(left_out), used, unused),
        )

    def _take(self, words: Sequence[str], finite: np.ndarray) -> list[int]:
        """Rows of the block that are taken; their words join the others."""
        chosen, known = self.wanted.words, self._known
        most = self.wanted.at_most(len(self._words) + len(words))
        taken = []
        for row, (word, is_finite) in enumerate(zip(words, finite.tolist(), strict=True)):
            if len(self._words) == most:
                self.is_whole = False
                break
            self._n_rows += 1
            self._n_spaced += " " in word
            if chosen is not None and word not in chosen:
                self._leave_out(UNWANTED, word)
            elif word in known:
                self._leave_out(DUPLICATE, word)
            elif not is_finite:
                self._leave_out(NOT_FINITE, word)
            else:
                known.add(word)
                self._words.append(word)
                self._numbers.append(self._n_rows)
                taken.append(row)
        return taken

    def _leave_out(self, reason: str, word: str) -> None:
        """Count the row that came last under the reason that it is not taken."""
        self._left_out[reason].add([self._n_rows])
        if len(self._named[reason]) < MOST_ROWS:
            self._named[reason].append(word)

    def _decoded(self, words: Sequence[Any]) -> list[str]:
        encoding = (self.wanted.encoding or UTF8).removesuffix(REPLACE)
        if words and isinstance(words[0], str):  # a reader of tables replaces bytes itself
            self._n_replaced += sum("\ufffd" in word for word in words)
            return list(words)
        try:
            return b"\n".join(words).decode(encoding).split("\n") if words else []
        except UnicodeDecodeError:
            return [self._decoded_alone(word, encoding) for word in words]

    def _decoded_alone(self, word: bytes, encoding: str) -> str:
        try:
            return word.decode(encoding)
        except UnicodeDecodeError:
            self._n_replaced += 1
            return word.decode(encoding, "replace")
