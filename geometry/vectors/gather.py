"""Words and rows, block by block, into one float32 array that never has a second copy."""

import io
import sys
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import BinaryIO

import numpy as np

from ..data.account import DUPLICATE, MOST_ROWS, NOT_FINITE, UNWANTED, Account, RowCount
from ..data.embeddings import VectorReport, VectorTable
from ..data.limits import Limits
from .errors import VectorFileError, refuse_dimensions, refuse_unpacked, too_large
from .row_source import RowSource

BESIDE_A_WORD = 100  # bytes that lists and sets of words take for each


def in_memory(file: BinaryIO, most: int, *, of_words: bool = True) -> BinaryIO:
    content = file.read(most + 1)
    refuse_unpacked(len(content), most, of_words=of_words)
    return io.BytesIO(content)


class GrownRows:
    """Rows (n, d) that grow in place, since a list of blocks would need a second copy."""

    def __init__(self) -> None:
        self.n = 0
        self._rows = np.empty((0, 0), dtype=np.float32)

    def add(self, rows: np.ndarray) -> None:
        end = self.n + len(rows)
        if end > len(self._rows) or not self._rows.shape[1]:
            self._rows.resize((end + end // 8, rows.shape[1]), refcheck=False)
        self._rows[self.n : end] = rows
        self.n = end

    def part(self, start: int, step: int) -> np.ndarray:
        return self._rows[start : min(start + step, self.n)]

    def keep(self, places: np.ndarray, step: int) -> None:
        """Keep only these rows, moved to the front ``step`` at a time."""
        for start in range(0, len(places), step):
            some = places[start : start + step]
            self._rows[start : start + len(some)] = self._rows[some]
        self.n = len(places)

    def whole(self) -> np.ndarray:
        """The array; no row can be added after it."""
        self._rows.resize((self.n, self._rows.shape[1]), refcheck=False)
        return self._rows


class Gathering:
    """Collects blocks of words and rows; ``is_full`` once no more are wanted."""

    def __init__(
        self, limits: Limits, max_words: int | None = None, words: Collection[str] | None = None
    ) -> None:
        self._limits, self._chosen = limits, None if words is None else frozenset(words)
        bounds = (max_words, None if self._chosen is None else len(self._chosen))
        self._most = min((each for each in bounds if each is not None), default=None)
        self.is_whole = True  # False if rows of the file are not looked at
        self._rows = GrownRows()
        self._words: list[str] = []
        self._numbers: list[int] = []  # row numbers in the file, from 1
        self._known: set[str] = set()
        self.n_rows = self._n_replaced = self._n_spaced = self._word_bytes = 0
        self._left_out: dict[str, RowCount] = defaultdict(RowCount)
        # the first few words that were left out
        self._named: dict[str, list[str]] = defaultdict(list)

    def is_full(self) -> bool:
        """True once every wanted word was found."""
        return self._most is not None and len(self._words) >= self._most

    def refuse_words(self, n: int) -> None:
        if n > self._limits.words:
            raise VectorFileError("too_many_words", limit=self._limits.words)

    def add(self, words: Sequence[str], block: np.ndarray) -> None:
        refuse_dimensions(d := block.shape[1], self._limits.dimensions)
        taken = self._take(words, np.isfinite(block).all(axis=1).tolist())
        self.refuse_words(self.n_rows)
        end, most = len(self._words), self._limits.table_bytes
        self._word_bytes += sum(map(sys.getsizeof, self._words[self._rows.n :]))
        beside = self._word_bytes + BESIDE_A_WORD * end
        if 4 * d * end + beside > most:
            raise too_large(end, d, most, beside=beside)
        self._rows.add(block if len(taken) == len(block) else block[taken])

    def table(
        self,
        name: str,
        rows: RowSource,
        n: int | None,
        *,
        used: tuple[str, ...] = (),
        unused: tuple[str, ...] = (),
    ) -> VectorTable:
        """The table of all that was added of ``rows``, which may be ``n`` in the file."""
        if not self._words:
            raise VectorFileError("none_wanted")
        report = VectorReport(
            format=rows.format,
            n_rows=self.n_rows,
            n_stated=rows.n_stated,
            complete=self.is_whole,
            n_duplicates=self._left_out[DUPLICATE].n,
            duplicates=tuple(self._named[DUPLICATE]),
            n_not_finite=self._left_out[NOT_FINITE].n,
            not_finite=tuple(self._named[NOT_FINITE]),
            n_replaced=self._n_replaced,
            n_spaced=self._n_spaced,
        )
        is_all = len(self._words) == self.n_rows
        rest = max(0, (n or 0) - self.n_rows)  # rows after the last that was wanted
        if rest:
            self._left_out[UNWANTED].add(range(self.n_rows + 1, self.n_rows + 1 + rest))
        left_out = (each.left_out(reason) for reason, each in self._left_out.items() if each.n)
        return VectorTable(
            self._rows.whole(),
            tuple(self._words),
            name,
            report,
            None if is_all else np.array(self._numbers),
            Account(self.n_rows + rest, len(self._words), tuple(left_out), used, unused),
        )

    def _take(self, words: Sequence[str], finite: Sequence[bool]) -> list[int]:
        """Rows of the block that are taken; their words join the others."""
        taken = []
        for row, (word, is_finite) in enumerate(zip(words, finite, strict=True)):
            if self.is_full():
                self.is_whole = False
                break
            self.n_rows += 1
            self._n_spaced += " " in word
            self._n_replaced += "\ufffd" in word
            if self._chosen is not None and word not in self._chosen:
                self._leave_out(UNWANTED, word)
            elif word in self._known:
                self._leave_out(DUPLICATE, word)
            elif not is_finite:
                self._leave_out(NOT_FINITE, word)
            else:
                self._known.add(word)
                self._words.append(word)
                self._numbers.append(self.n_rows)
                taken.append(row)
        return taken

    def _leave_out(self, reason: str, word: str) -> None:
        """Count the row that came last under the reason that it is not taken."""
        self._left_out[reason].add([self.n_rows])
        if len(self._named[reason]) < MOST_ROWS:
            self._named[reason].append(word)
