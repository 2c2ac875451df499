"""Rows of a data set drawn by a hash of their id, so that any split into shards draws the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .engine import Engine, Summed
from .manifest import Column, Shard, VectorData
from .vectors import RowsLeftOut, blocks

SPARE = 6  # standard deviations that a draw may fall short of its mean


@dataclass(frozen=True)
class Sample:
    """Rows in the order of their ids.

    Attributes
    ----------
    ids : (m,) int64
    X : (m, d) float32
    hashes : (m,) uint64
    numbers : (m,) int64
        Place of each row in the data set, from 1.
    texts, labels : list of m str, or None
    """

    ids: np.ndarray
    X: np.ndarray
    hashes: np.ndarray
    numbers: np.ndarray
    texts: list[str | None] | None = None
    labels: list[str | None] | None = None

    def joined(self, other: Sample) -> Sample:
        def both(a: list[str | None] | None, b: list[str | None] | None) -> list[str | None] | None:
            return None if a is None or b is None else a + b

        return Sample(
            np.concatenate([self.ids, other.ids]),
            np.concatenate([self.X, other.X]),
            np.concatenate([self.hashes, other.hashes]),
            np.concatenate([self.numbers, other.numbers]),
            both(self.texts, other.texts),
            both(self.labels, other.labels),
        )

    def taken(self, rows: np.ndarray) -> Sample:
        def of(values: list[str | None] | None) -> list[str | None] | None:
            return None if values is None else [values[row] for row in rows]

        return Sample(
            self.ids[rows],
            self.X[rows],
            self.hashes[rows],
            self.numbers[rows],
            of(self.texts),
            of(self.labels),
        )


def hash_of(ids: np.ndarray, seed: int = 0) -> np.ndarray:
    """(n,) uint64, evenly spread, of int64 ids: SplitMix64 (Steele, Lea, Flood 2014)."""
    with np.errstate(over="ignore"):
        z = ids.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15) * np.uint64(seed + 1)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(z ^ (z >> np.uint64(31)))


@dataclass(frozen=True)
class SampleTask:
    """A shard, the rows of the shards before it, and the largest hash that is drawn."""

    shard: Shard
    before: int
    column: Column
    limit: int
    seed: int
    beside: tuple[str, ...]
    skip: bool

    @property
    def name(self) -> str:
        return self.shard.name


def sample_of_shard(task: SampleTask) -> Summed:
    """The rows drawn from a shard, and the number of rows read."""
    n, parts, left_out = 0, [], RowsLeftOut()
    for block in blocks(
        task.shard, task.column, beside=task.beside, skip=task.skip, left_out=left_out
    ):
        numbers = task.before + n + np.arange(1, len(block.ids) + 1)
        n += len(block.ids)
        hashes = hash_of(block.ids, task.seed)
        drawn = np.flatnonzero(hashes <= np.uint64(task.limit))
        if len(drawn):
            texts, labels = (
                block.beside[name].take(drawn).to_pylist() if name in block.beside else None
                for name in ("text", "label")
            )
            parts.append(
                Sample(
                    block.ids[drawn],
                    block.X[drawn],
                    hashes[drawn],
                    numbers[drawn],
                    texts,
                    labels,
                )
            )
    total = None
    for part in parts:
        total = part if total is None else total.joined(part)
    return n, total, left_out


def draw(
    engine: Engine,
    data: VectorData,
    column: Column,
    n: int,
    *,
    seed: int = 0,
    beside: Sequence[str] = (),
) -> Sample:
    """The n rows with the smallest hashes, in the order of their ids; all rows if there are fewer.

    Parameters
    ----------
    engine : Engine
    data : VectorData
    column : Column
    n : int
    seed : int
        Seed of the hash.
    beside : sequence of str
        "text" and "label", if they are wanted.
    """
    most = 2**64 - 1
    share = (n + SPARE * np.sqrt(n) + SPARE) / max(data.n_rows, 1)
    limit = most if share >= 1 else int(share * most)
    before = np.cumsum([0, *(shard.rows for shard in data.shards)]).tolist()
    tasks = [
        SampleTask(shard, first, column, limit, seed, tuple(beside), engine.skip)
        for shard, first in zip(data.shards, before, strict=False)
    ]
    found: Sample | None = engine.total(sample_of_shard, Sample.joined, tasks).value
    if found is None:
        found = Sample(
            np.empty(0, np.int64),
            np.empty((0, column.dimension), np.float32),
            np.empty(0, np.uint64),
            np.empty(0, np.int64),
        )
    smallest = np.argsort(found.hashes, kind="stable")[:n]
    return found.taken(smallest[np.argsort(found.ids[smallest], kind="stable")])
