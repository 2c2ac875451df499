"""Rows of a file, block by block: all of them, or a sample by seed with exact numbers of all."""

from sys import getsizeof, intern
from typing import Literal

import numpy as np

from ..data.account import RowCount
from ..data.embeddings import WholeStatistics
from ..data.limits import Limits
from ..linalg.moments import Moments
from ..process import send_progress
from .errors import VectorFileError, refuse_dimensions, refuse_unpacked
from .row_source import Block, rows_a_block

NotFinite = Literal["stop", "drop"]
CHOSEN = 3  # columns beside the vectors that a reader chose: texts, labels, ids


class RowSample:
    """Collects blocks into one float32 array, or a sample of at most ``sample`` rows.

    Each row gets a random number from the seed, and those with the smallest are the sample: any row
    is as likely as another.
    """

    def __init__(
        self, *, sample: int | None, seed: int, limits: Limits, expected: int | None
    ) -> None:
        self.n_rows = 0
        self.not_finite, self.zero = RowCount(), RowCount()
        self.empty: np.ndarray | None = None  # which numbers are missing in all rows
        self._sample, self._limits, self._expected = sample, limits, expected
        self._random = np.random.default_rng(seed)
        self._vectors = np.empty((0, 0), dtype=np.float32)
        self._keys = np.empty(0)
        self._numbers = np.empty(0, dtype=np.int64)
        self._n = 0  # rows of the arrays that are in use
        self._beside: tuple[list[str] | None, ...] = ()
        self._text_bytes = [0, 0]  # of texts, labels and ids; of other columns
        self._sums: _LengthSums | None = None
        if sample is None and expected is not None:
            self._refuse_too_many(expected)

    def add(self, block: Block) -> None:
        """Take the rows of a block, or those of them that are in the sample."""
        with np.errstate(over="ignore"):  # a float64 too large for float32 is then not finite
            rows = block.vectors.astype(np.float32)
        m, d = rows.shape
        if not self.n_rows:
            refuse_dimensions(d, self._limits.dimensions)
            known = m if self._expected is None else self._expected
            reserved = known if self._sample is None else min(self._sample, max(known, 1))
            self._refuse_bytes(reserved, d)
            self._vectors = np.empty((reserved, d), dtype=np.float32)
            self._keys = np.empty(reserved)
            self._numbers = np.empty(reserved, dtype=np.int64)
            self._beside = tuple(None if each is None else [""] * reserved for each in block.beside)
        numbers = np.arange(self.n_rows + 1, self.n_rows + m + 1)
        if block.numbers is not None:
            numbers = block.numbers
        self.n_rows += m
        send_progress(self.n_rows, self._expected or 0)
        finite = np.isfinite(rows).all(axis=1)
        self.not_finite.add(numbers[~finite].tolist())
        self.zero.add(numbers[finite & ~rows.any(axis=1)].tolist())
        if m and (self.empty is None or self.empty.any()):
            empty = np.asarray(np.isnan(rows).all(axis=0))
            self.empty = empty if self.empty is None else self.empty & empty
        places = np.flatnonzero(finite)
        slots = np.arange(self._n, self._n + len(places))
        keys = np.zeros(m)
        if self._sample is None:
            self._refuse_too_many(self._n + len(places))
        else:
            keys = np.asarray(self._random.random(m))
            if self._sums or len(places) > self._sample - self._n:
                self._sum(rows[places])
                slots, places = self._drawn(places, keys[places], self._sample)
        if not len(slots):
            return
        end = max(self._n, int(slots[-1]) + 1)
        if end > len(self._vectors):
            self._grow(end)
        self._n = end
        self._vectors[slots], self._keys[slots] = rows[places], keys[places]
        self._numbers[slots] = numbers[places]
        self._take_beside(slots.tolist(), places.tolist(), block)

    def _drawn(
        self, places: np.ndarray, keys: np.ndarray, sample: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """(slots, rows of the block that take them): of all rows those with the smallest keys."""
        pool = np.concatenate([self._keys[: self._n], keys])
        is_drawn = np.zeros(len(pool), dtype=bool)
        is_drawn[np.argpartition(pool, min(sample, len(pool)) - 1)[:sample]] = True
        free = np.arange(self._n, min(sample, len(pool)))
        slots = np.concatenate([np.flatnonzero(~is_drawn[: self._n]), free])
        return slots, places[is_drawn[self._n :]]

    def _take_beside(self, slots: list[int], places: list[int], block: Block) -> None:
        for i, (column, texts) in enumerate(zip(self._beside, block.beside, strict=True)):
            if column is not None and texts is not None:
                for slot, place in zip(slots, places, strict=True):
                    more = getsizeof(texts[place]) - getsizeof(column[slot])
                    self._text_bytes[i >= CHOSEN] += more
                    column[slot] = texts[place] if i < CHOSEN else intern(texts[place])
        most = self._limits.table_bytes // 2
        refuse_unpacked(self._text_bytes[False], most)
        if self._text_bytes[True] > most:  # nobody has chosen these columns
            self._beside = (*self._beside[:CHOSEN], *(None for _ in self._beside[CHOSEN:]))

    def _sum(self, rows: np.ndarray) -> None:
        """Add rows to the sums, which begin with the first row that the sample has no place for."""
        if self._sums is None:
            self._sums = _LengthSums(rows.shape[1])
            step = rows_a_block(rows.shape[1])
            for start in range(0, self._n, step):
                self._sums.add(self._vectors[start : min(start + step, self._n)])
        if len(rows):
            self._sums.add(rows)

    def _grow(self, end: int) -> None:
        rows = end + end // 8
        if self._sample is not None:
            rows = min(max(rows, 2 * end), self._sample)
        d = self._vectors.shape[1]
        self._refuse_bytes(end, d)
        self._vectors.resize((rows, d), refcheck=False)
        self._keys.resize(rows, refcheck=False)
        self._numbers.resize(rows, refcheck=False)
        for column in self._beside:
            if column is not None:
                column += [""] * (rows - len(column))

    def result(
        self, not_finite: NotFinite
    ) -> tuple[np.ndarray, list[list[str] | None], np.ndarray]:
        """(vectors, [texts, labels, ids, others], numbers from 1) in the file's order."""
        if self.not_finite.n and not_finite == "stop":
            rows = tuple(map(str, self.not_finite.first))
            raise VectorFileError("not_finite", n=self.not_finite.n, rows=rows)
        if not self._n:
            raise VectorFileError("none_finite" if self.n_rows else "empty_file", n=self.n_rows)
        self._vectors.resize((self._n, self._vectors.shape[1]), refcheck=False)
        numbers = self._numbers[: self._n]
        if self._sums is None:
            beside = [None if column is None else column[: self._n] for column in self._beside]
            return self._vectors, beside, numbers
        order = np.argsort(numbers)
        return (
            self._vectors[order],
            [
                None if column is None else [column[place] for place in order.tolist()]
                for column in self._beside
            ],
            numbers[order],
        )

    def whole(self) -> WholeStatistics | None:
        return None if self._sums is None else self._sums.statistics()

    def _refuse_too_many(self, n: int) -> None:
        if n > self._limits.vectors:
            raise VectorFileError(
                "too_many_vectors" if self._expected else "more_vectors",
                n=self._expected or n,
                limit=self._limits.vectors,
            )

    def _refuse_bytes(self, rows: int, d: int) -> None:
        needed, most = 4 * rows * d, self._limits.table_bytes
        if needed > most:
            raise VectorFileError(
                "large_set", n=rows, d=d, needed=needed, limit=most, fits=most // (4 * d)
            )


class _LengthSums:
    def __init__(self, d: int) -> None:
        self._moments: Moments | None = None
        self._norms, self._directions, self._n_directions = 0.0, np.zeros(d), 0

    def add(self, rows: np.ndarray) -> None:
        part = Moments.of_part(rows, like=self._moments)
        self._moments = part if self._moments is None else self._moments.merge(part)
        rows = rows.astype(np.float64)
        norms = np.sqrt(np.vecdot(rows, rows))
        self._norms += float(norms.sum())
        some = norms > 0
        self._directions += np.divide(1, norms, out=np.zeros_like(norms), where=some) @ rows
        self._n_directions += int(some.sum())

    def statistics(self) -> WholeStatistics | None:
        moments, n = self._moments, self._n_directions
        if moments is None:
            return None
        squared = float(self._directions @ self._directions)
        return WholeStatistics(
            n_rows=moments.n_rows,
            mean=moments.mean,
            covariance=moments.scatter / moments.weight,
            mean_norm=self._norms / moments.n_rows,
            mean_cosine=(squared - n) / (n * (n - 1)) if n > 1 else None,
        )
