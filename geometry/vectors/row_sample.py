"""Rows of a file, block by block: all of them, or a sample by seed with exact numbers of all."""

from __future__ import annotations

from dataclasses import dataclass, field
from sys import getsizeof, intern
from typing import Literal

import numpy as np

from ..data.account import LeftOut
from ..data.embeddings import WholeStatistics
from ..data.limits import Limits
from ..linalg.moments import Moments
from ..process import send_progress
from .errors import MOST_NAMED, VectorFileError, refuse_unpacked
from .row_source import Block, rows_a_block

NotFinite = Literal["stop", "drop"]


CHOSEN = 3  # columns beside the vectors that a reader chose: texts, labels, ids


@dataclass
class Counted:
    """How many rows are of a kind, and the first few of them, from 1."""

    n: int = 0
    first: list[int] = field(default_factory=list)

    def left_out(self, reason: str) -> LeftOut:
        """These rows as a part of an account."""
        return LeftOut(reason, self.n, tuple(self.first))

    def add(self, rows: np.ndarray) -> None:
        """Count rows, given by their numbers from 1."""
        self.n += len(rows)
        self.first += rows[: MOST_NAMED - len(self.first)].tolist()


@dataclass(frozen=True)
class _Rows:
    """Rows of one block: vectors (m, d), m random keys, m numbers from 1, and the block."""

    vectors: np.ndarray
    keys: np.ndarray
    numbers: np.ndarray
    block: Block


class Taken:
    """Collects blocks into one float32 array, or a sample of at most ``sample`` rows.

    Each row gets a random number from the seed, and those with the smallest are the sample. So the
    sample depends on the seed and the number of rows only, and any row is as likely as another.
    """

    def __init__(
        self, *, sample: int | None, seed: int, limits: Limits, expected: int | None
    ) -> None:
        self.n_rows = 0
        self.not_finite, self.zero = Counted(), Counted()
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
            self._begin(d, block)
        numbers = np.arange(self.n_rows + 1, self.n_rows + m + 1)
        if block.numbers is not None:
            numbers = block.numbers
        keys = np.zeros(m) if self._sample is None else np.asarray(self._random.random(m))
        self.n_rows += m
        send_progress(self.n_rows, self._expected or 0)
        finite = np.isfinite(rows).all(axis=1)
        self.not_finite.add(numbers[~finite])
        self.zero.add(numbers[finite & ~rows.any(axis=1)])
        if m and (self.empty is None or self.empty.any()):
            empty = np.asarray(np.isnan(rows).all(axis=0))
            self.empty = empty if self.empty is None else self.empty & empty
        places = np.flatnonzero(finite)
        if not len(places):
            return
        if self._sample is not None and (self._sums or self._n + len(places) > self._sample):
            self._sum(rows[places])
        given = _Rows(rows, keys, numbers, block)
        if self._sample is None:
            self._refuse_too_many(self._n + len(places))
            self._put(np.arange(self._n, self._n + len(places)), places, given)
        else:
            self._draw(places, given)

    def _begin(self, d: int, block: Block) -> None:
        if d > self._limits.dimensions:
            raise VectorFileError(
                "too_large", because="too_many_dimensions", limit=self._limits.dimensions
            )
        known = len(block.vectors) if self._expected is None else self._expected
        reserved = known if self._sample is None else min(self._sample, max(known, 1))
        self._refuse_bytes(reserved, d)
        self._vectors = np.empty((reserved, d), dtype=np.float32)
        self._keys = np.empty(reserved)
        self._numbers = np.empty(reserved, dtype=np.int64)
        self._beside = tuple(None if each is None else [""] * reserved for each in block.beside)

    def _sum(self, rows: np.ndarray) -> None:
        """Add rows to the sums, which begin with the first row that the sample has no place for."""
        if self._sums is None:
            self._sums = _LengthSums(rows.shape[1])
            step = rows_a_block(rows.shape[1])
            for start in range(0, self._n, step):
                self._sums.add(self._vectors[start : min(start + step, self._n)])
        self._sums.add(rows)

    def _draw(self, places: np.ndarray, given: _Rows) -> None:
        """Put those rows into the sample whose keys are among the smallest."""
        assert self._sample is not None
        n_free = self._sample - self._n
        direct, rest = places[:n_free], places[n_free:]
        self._put(np.arange(self._n, self._n + len(direct)), direct, given)
        if not len(rest):
            return
        keys = self._keys[: self._n]
        rest = rest[given.keys[rest] < keys.max()]
        smallest = np.argpartition(np.concatenate([keys, given.keys[rest]]), self._n - 1)[: self._n]
        stays = np.zeros(self._n, dtype=bool)
        stays[smallest[smallest < self._n]] = True
        self._put(np.flatnonzero(~stays), rest[smallest[smallest >= self._n] - self._n], given)

    def _put(self, slots: np.ndarray, places: np.ndarray, given: _Rows) -> None:
        """Copy rows into places of the arrays."""
        if not len(slots):
            return
        end = max(self._n, int(slots[-1]) + 1)
        if end > len(self._vectors):
            self._grow(end)
        self._n = end
        self._vectors[slots] = given.vectors[places]
        self._keys[slots] = given.keys[places]
        self._numbers[slots] = given.numbers[places]
        bytes_of = self._text_bytes
        for i, (column, texts) in enumerate(zip(self._beside, given.block.beside, strict=True)):
            if column is not None and texts is not None:
                for slot, place in zip(slots.tolist(), places.tolist(), strict=True):
                    bytes_of[i >= CHOSEN] += getsizeof(texts[place]) - getsizeof(column[slot])
                    column[slot] = texts[place] if i < CHOSEN else intern(texts[place])
        most = self._limits.table_bytes // 2
        refuse_unpacked(bytes_of[False], most)
        if (
            bytes_of[True] > most
        ):  # nobody has chosen these columns, so the file is read without them
            self._beside = (*self._beside[:CHOSEN], *(None for _ in self._beside[CHOSEN:]))

    def _grow(self, end: int) -> None:
        rows = end + end // 8
        if self._sample is not None:
            rows = min(max(rows, 2 * end), self._sample)
        self._refuse_bytes(end, self._vectors.shape[1])
        self._vectors.resize((rows, self._vectors.shape[1]), refcheck=False)
        self._keys.resize(rows, refcheck=False)
        self._numbers.resize(rows, refcheck=False)
        for column in self._beside:
            if column is not None:
                column += [""] * (rows - len(column))

    def result(
        self, not_finite: NotFinite
    ) -> tuple[np.ndarray, list[list[str] | None], np.ndarray]:
        """(vectors, [texts, labels, ids, others], numbers from 1) in the file's order.

        Raises VectorFileError "not_finite" for NaN or infinity if that is to stop the reading.
        """
        if self.not_finite.n and not_finite == "stop":
            raise VectorFileError(
                "not_finite", n=self.not_finite.n, rows=tuple(map(str, self.not_finite.first))
            )
        if not self._n:
            raise VectorFileError(
                "no_vectors", because="none_finite" if self.n_rows else "empty_file", n=self.n_rows
            )
        if self._sample is None or self._n == self.n_rows - self.not_finite.n:
            order = slice(0, self._n)
            self._vectors.resize((self._n, self._vectors.shape[1]), refcheck=False)
            vectors, numbers = self._vectors, self._numbers[order]
            beside = [None if column is None else column[order] for column in self._beside]
        else:
            by_number = np.argsort(self._numbers[: self._n])
            vectors, numbers = self._vectors[by_number], self._numbers[by_number]
            beside = [
                None if column is None else [column[place] for place in by_number.tolist()]
                for column in self._beside
            ]
        return vectors, beside, numbers

    def whole(self) -> WholeStatistics | None:
        """Exact numbers of all rows, if some are not in the sample."""
        return None if self._sums is None else self._sums.statistics()

    def _refuse_too_many(self, n: int) -> None:
        if n > self._limits.vectors:
            raise VectorFileError(
                "too_many_vectors",
                because=None if self._expected else "more_vectors",
                n=self._expected or n,
                limit=self._limits.vectors,
            )

    def _refuse_bytes(self, rows: int, d: int) -> None:
        if 4 * rows * d > self._limits.table_bytes:
            raise VectorFileError(
                "too_many_bytes",
                because="large_set",
                n=rows,
                d=d,
                needed=4 * rows * d,
                limit=self._limits.table_bytes,
                fits=self._limits.table_bytes // (4 * d),
            )


class _LengthSums:
    """Sums over rows, block by block."""

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
