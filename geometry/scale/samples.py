"""Rows of a data set drawn by a hash of their id, so that any split into shards draws the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .engine import Engine
from .manifest import Column, Shard, VectorData
from .vectors import ShardBlock, sum_of_shard

SPARE = 6  # standard deviations that a draw may fall short of its mean


@dataclass(frozen=True)
class Sample:
    """Rows in the order of their ids."""

    ids: np.ndarray  #: (m,) int64
    X: np.ndarray  #: (m, d) float32
    hashes: np.ndarray  #: (m,) uint64
    numbers: np.ndarray  #: (m,) place of each row in the data set, from 1
    texts: np.ndarray | None = None  #: (m,) of str or None
    labels: np.ndarray | None = None

    def merge(self, other: Sample) -> Sample:
        def both(a: np.ndarray | None, b: np.ndarray | None) -> Any:
            return None if a is None or b is None else np.concatenate([a, b])

        return Sample(*map(both, vars(self).values(), vars(other).values()))

    def taken(self, rows: np.ndarray) -> Sample:
        parts: list[Any] = [None if each is None else each[rows] for each in vars(self).values()]
        return Sample(*parts)


def hash_of(ids: np.ndarray, seed: int = 0) -> np.ndarray:
    """(n,) uint64, evenly spread, of int64 ids: SplitMix64 (Steele, Lea, Flood 2014)."""
    with np.errstate(over="ignore"):
        z = ids.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15) * np.uint64(seed + 1)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(z ^ (z >> np.uint64(31)))


def sample_of_block(
    shard: Shard, block: ShardBlock, _earlier: Sample | None, *, limit: int, seed: int
) -> Sample | None:
    hashes = hash_of(block.ids, seed)
    is_drawn = hashes <= np.uint64(limit)
    if not is_drawn.any():
        return None
    some = block.taken(is_drawn)
    texts, labels = (
        some.beside[name].to_numpy(zero_copy_only=False) if name in some.beside else None
        for name in ("text", "label")
    )
    numbers = shard.before + 1 + some.rows
    return Sample(some.ids, some.X, hashes[is_drawn], numbers, texts, labels)


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
    part = partial(sample_of_block, limit=limit, seed=seed)
    work = partial(sum_of_shard, part=part, column=column, skip=engine.skip, beside=tuple(beside))
    found: Sample | None = engine.total(work, data.shards).value
    if found is None:
        none = np.empty(0, np.int64)
        X = np.empty((0, column.dimension), np.float32)
        found = Sample(none, X, none.astype(np.uint64), none)
    smallest = np.argsort(found.hashes, kind="stable")[:n]
    return found.taken(smallest[np.argsort(found.ids[smallest], kind="stable")])
