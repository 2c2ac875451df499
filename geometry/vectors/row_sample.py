"""Rows of a file, block by block: all of them, or a sample by seed with exact numbers of all."""

from sys import getsizeof
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
ROOM = 1.25  # times the sample: rows that are held before those with larger keys are left out


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


class RowSample:
    """Collects blocks into one float32 array, or a sample of at most ``sample`` rows.

    Each row gets a random number from the seed, and those with the smallest are the sample: any row
    is as likely as another.
    """

    def __init__(self, sample: int | None, seed: int, limits: Limits, expected: int | None) -> None:
        self.n_rows = 0
        self.not_finite, self.zero = RowCount(), RowCount()
        self.empty: np.ndarray = np.array(True)  # (d,), () before any row: which are missing in all
        self._sample, self._limits, self._expected = sample, limits, expected
        self._random = np.random.default_rng(seed)
        self._rows = GrownRows()
        self._keys: list[np.ndarray] = []
        self._largest = np.inf  # key of a row that may be in the sample
        self._numbers: list[np.ndarray] = []
        self._beside: list[list[str] | None] = []
        self._text_bytes = [0, 0]  # of texts, labels and ids; of other columns
        self.sums: _LengthSums | None = None  # of all rows, once there are more than the sample
        if sample is None and expected is not None:
            self._refuse_too_many(expected)

    def add(self, block: Block) -> None:
        """Take the rows of a block in float32, or those of them that may be in the sample."""
        rows = block.vectors
        m, d = rows.shape
        if not self.n_rows:
            refuse_dimensions(d, self._limits.dimensions)
            self._refuse_bytes(m if self._expected is None else self._expected, d)
            self._step = rows_a_block(d)
            self._beside = [None if each is None else [] for each in block.beside]
        numbers = np.arange(self.n_rows + 1, self.n_rows + m + 1)
        self.n_rows += m
        send_progress(self.n_rows, self._expected or 0)
        finite = np.isfinite(rows).all(axis=1)
        self.not_finite.add(numbers[~finite].tolist())
        self.zero.add(numbers[finite & ~rows.any(axis=1)].tolist())
        if m and self.empty.any():
            self.empty = self.empty & np.isnan(rows).all(axis=0)
        places = np.flatnonzero(finite)
        n = self._rows.n + len(places)
        if self._sample is None:
            self._refuse_too_many(n)
        else:
            keys = np.asarray(self._random.random(m))
            if self.sums is None and n > self._sample:  # the sample has no place for all rows
                self.sums = _LengthSums(d)
                for start in range(0, self._rows.n, self._step):
                    self.sums.add(self._rows.part(start, self._step))
            if self.sums and len(places):
                self.sums.add(rows[places])
            places = places[keys[places] <= self._largest]
            self._keys.append(keys[places])
        self._refuse_bytes(n, d)
        self._rows.add(rows[places])
        self._numbers.append(numbers[places])
        self._take_beside(places.tolist(), block)
        if self._sample is not None and self._rows.n > self._sample * ROOM:
            self._draw(self._sample)

    def _draw(self, sample: int) -> None:
        """Keep the rows with the smallest keys, and from now on take no row with a larger one."""
        keys = np.concatenate(self._keys)
        self._largest = np.partition(keys, sample - 1)[sample - 1]
        kept = np.flatnonzero(keys <= self._largest)
        self._keys = [keys[kept]]
        self._numbers = [np.concatenate(self._numbers)[kept]]
        self._rows.keep(kept, self._step)
        places = kept.tolist()
        self._beside = [column and [column[place] for place in places] for column in self._beside]
        self._text_bytes = [0, 0]
        for i, column in enumerate(self._beside):
            self._count_bytes(i, column or [])

    def _take_beside(self, places: list[int], block: Block) -> None:
        for i, (column, texts) in enumerate(zip(self._beside, block.beside, strict=True)):
            if column is not None and texts is not None:
                shared: dict[str, str] = {}  # equal cells of a block are one string
                taken = [shared.setdefault(texts[place], texts[place]) for place in places]
                column += taken
                self._count_bytes(i, taken)
        most = self._limits.table_bytes // 2
        refuse_unpacked(self._text_bytes[False], most)
        if self._text_bytes[True] > most:  # nobody has chosen these columns
            self._beside[CHOSEN:] = [None for _ in self._beside[CHOSEN:]]

    def _count_bytes(self, place: int, cells: list[str]) -> None:
        strings = cells if place < CHOSEN else {*cells}  # those that equal cells share
        self._text_bytes[place >= CHOSEN] += getsizeof(cells) + sum(map(getsizeof, strings))

    def result(
        self, not_finite: NotFinite
    ) -> tuple[np.ndarray, list[list[str] | None], np.ndarray]:
        """(vectors, [texts, labels, ids, others], numbers from 1) in the file's order."""
        if self.not_finite.n and not_finite == "stop":
            rows = tuple(map(str, self.not_finite.first))
            raise VectorFileError("not_finite", n=self.not_finite.n, rows=rows)
        if not self._rows.n:
            raise VectorFileError("none_finite" if self.n_rows else "empty_file", n=self.n_rows)
        if self._sample is not None and self._rows.n > self._sample:
            self._draw(self._sample)
        return self._rows.whole(), self._beside, np.concatenate(self._numbers)

    def _refuse_too_many(self, n: int) -> None:
        if n > self._limits.vectors:
            found = {"n": self._expected or n, "limit": self._limits.vectors}
            raise VectorFileError("too_many_vectors" if self._expected else "more_vectors", **found)

    def _refuse_bytes(self, n: int, d: int) -> None:
        rows = n if self._sample is None else min(n, self._sample)
        needed = 4 * rows * d
        most = self._limits.table_bytes
        if needed > most:
            fits = most // (4 * d)
            raise VectorFileError("large_set", n=rows, d=d, needed=needed, limit=most, fits=fits)


class _LengthSums:
    def __init__(self, d: int) -> None:
        self._moments: Moments | None = None
        self._norms, self._n_directions = 0.0, 0
        self._directions = np.zeros(d)

    def add(self, rows: np.ndarray) -> None:
        part = Moments.of_part(rows, like=self._moments)
        self._moments = part if self._moments is None else self._moments.merge(part)
        rows = rows.astype(np.float64)
        norms = np.sqrt(np.vecdot(rows, rows))
        self._norms += float(norms.sum())
        some = norms > 0
        self._directions += np.divide(1, norms, out=np.zeros_like(norms), where=some) @ rows
        self._n_directions += int(some.sum())

    def statistics(self) -> WholeStatistics:
        # loads scipy, which files of words do not need
        from ..measure.cosines import mean_cosine_of_sum

        moments = self._moments
        n = self._n_directions
        assert moments is not None
        return WholeStatistics(
            n_rows=moments.n_rows,
            mean=moments.mean,
            covariance=moments.covariance,
            mean_norm=self._norms / moments.n_rows,
            mean_cosine=mean_cosine_of_sum(self._directions, n) if n > 1 else None,
        )
