"""The k nearest rows of a data set to each query, by cosine: exactly, or by an index.

The index library is usearch. It has one wheel of 2 MB for each platform, no OpenMP or BLAS that
would conflict with torch's, and an index that grows row by row. faiss-cpu is ten times as large and
brings both; hnswlib has no wheels and needs a compiler.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..data.write import saving
from ..measure.intervals import NORMAL
from ..measure.neighbours import largest
from .engine import Engine, Summed
from .errors import ScaleError
from .manifest import Column, Entry, Shard, VectorData
from .samples import hash_of
from .store import (
    absolute,
    joined,
    read_arrays,
    read_bytes,
    read_json,
    remove,
    write_bytes,
    written,
)
from .vectors import RowsLeftOut, blocks

QUERY_ROWS = 512  # queries whose products with a block are in memory at a time
RECALL_QUERIES = 200
INDEX = "index"
CONNECTIVITY, EXPANSION = 16, 128  # links of a row in the graph; rows compared when one is added


@dataclass(frozen=True)
class Near:
    """The k nearest rows found so far of each query, nearest first.

    ids : (q, k) int64, -1 where there are fewer rows.
    cosines : (q, k) float32, -inf there.
    """

    ids: np.ndarray
    cosines: np.ndarray

    def merge(self, other: Near) -> Near:
        """The nearest of both; of equal cosines the lower id comes first."""
        ids = np.concatenate([self.ids, other.ids], axis=1)
        cosines = np.concatenate([self.cosines, other.cosines], axis=1)
        order = np.lexsort((ids, -cosines), axis=1)[:, : self.ids.shape[1]]
        return Near(np.take_along_axis(ids, order, 1), np.take_along_axis(cosines, order, 1))


@dataclass(frozen=True)
class SearchTask:
    """A shard to search.

    queries, sha256 : the file of the queries' unit rows, and its digest.
    itself : leave out a query's own id.
    index : the address of the shard's index; None is the exact search.
    """

    shard: Shard
    column: Column
    queries: str
    sha256: str
    k: int
    itself: bool
    index: str | None
    skip: bool

    @property
    def name(self) -> str:
        return self.shard.name


def search_shard(task: SearchTask) -> Summed:
    """The nearest rows of a shard."""
    queries = read_arrays(task.queries, task.sha256, folder=task.queries)
    ids, U = queries["ids"], queries["units"]
    if task.index is not None:
        content, left_out = _index_of(task)
        return task.shard.rows - left_out.n, _search_index(task, content, ids, U), left_out
    n, found, left_out = 0, None, RowsLeftOut()
    for block in blocks(task.shard, task.column, skip=task.skip, left_out=left_out):
        n += len(block.ids)
        parts = [
            _nearest_of(
                block.ids, unit(block.X), ids[q : q + QUERY_ROWS], U[q : q + QUERY_ROWS], task
            )
            for q in range(0, len(ids), QUERY_ROWS)
        ]
        near = Near(
            np.concatenate([part.ids for part in parts]),
            np.concatenate([part.cosines for part in parts]),
        )
        found = near if found is None else found.merge(near)
    return n, found, left_out


def _nearest_of(
    ids: np.ndarray, X: np.ndarray, query_ids: np.ndarray, U: np.ndarray, task: SearchTask
) -> Near:
    cosines = U @ X.T  # (q, m)
    if task.itself:
        cosines[query_ids[:, None] == ids[None, :]] = -np.inf
    k = min(task.k, len(ids))
    near = largest(cosines, k)[0]
    return _wide(ids[near], np.take_along_axis(cosines, near, axis=1), task.k)


def _wide(ids: np.ndarray, cosines: np.ndarray, k: int) -> Near:
    """k columns; missing ones, and a query itself, have the id -1."""
    short = ((0, 0), (0, k - ids.shape[1]))
    ids = np.pad(ids.astype(np.int64), short, constant_values=-1)
    cosines = np.pad(cosines.astype(np.float32), short, constant_values=-np.inf)
    return Near(np.where(np.isneginf(cosines), -1, ids), cosines)


def _search_index(task: SearchTask, content: bytes, ids: np.ndarray, U: np.ndarray) -> Near:
    from usearch.index import Index

    index = Index(ndim=task.column.dimension, metric="ip", dtype="f32")
    index.load(content)
    more = task.k + task.itself
    matches: Any = index.search(U, more, exact=False, threads=1)
    keys = np.asarray(matches.keys).reshape(len(U), -1).astype(np.int64)
    with np.errstate(invalid="ignore"):  # distances beyond the counts are not set
        cosines = 1 - np.asarray(matches.distances, dtype=np.float32).reshape(len(U), -1)
    counts = np.asarray(matches.counts).reshape(-1, 1)
    cosines[np.arange(keys.shape[1]) >= counts] = -np.inf
    if task.itself:
        cosines[keys == ids[:, None]] = -np.inf
    found = _wide(keys, cosines, max(more, keys.shape[1]))
    order = np.lexsort((found.ids, -found.cosines), axis=1)[:, : task.k]
    return Near(
        np.take_along_axis(found.ids, order, 1), np.take_along_axis(found.cosines, order, 1)
    )


def _index_of(task: SearchTask) -> tuple[bytes, RowsLeftOut]:
    """Read the shard's index from its file, or build it.

    Also returns the rows that it leaves out.
    """
    from usearch.index import Index

    assert task.index is not None
    left_out = RowsLeftOut()
    key = f"{task.shard.name} {task.shard.sha256} {task.shard.size} {task.column.name}"
    try:
        content = read_bytes(task.index)
        stored = read_json(task.index + ".json")
        about = Entry.read({**stored, "name": task.shard.name, "state": "done"})
        if (stored["key"], about.sha256) == (key, hashlib.sha256(content).hexdigest()):
            left_out.n, left_out.rows = about.left_out, list(about.rows_left_out)
            if task.skip or not left_out.n:
                return content, left_out
    except (FileNotFoundError, KeyError, TypeError, ValueError):
        pass
    index = Index(
        ndim=task.column.dimension,
        metric="ip",
        dtype="f32",
        connectivity=CONNECTIVITY,
        expansion_add=EXPANSION,
        expansion_search=EXPANSION,
    )
    left_out = RowsLeftOut()
    for block in blocks(task.shard, task.column, skip=task.skip, left_out=left_out):
        index.add(block.ids, unit(block.X), threads=1)
    content = bytes(index.save() or b"")
    write_bytes(task.index, content)
    digest = hashlib.sha256(content).hexdigest()
    stored = {"key": key, "sha256": digest, "rows": task.shard.rows, "bytes": len(content)}
    stored |= {"left_out": left_out.n, "rows_left_out": left_out.rows}
    write_bytes(task.index + ".json", json.dumps(stored).encode())
    return content, left_out


def unit(X: np.ndarray) -> np.ndarray:
    """Rows divided by their lengths, float32; a row of zeros stays, with a cosine of 0 to all."""
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return np.asarray(X / np.where(norms > 0, norms, 1), dtype=np.float32)


def find_neighbours(
    engine: Engine,
    data: VectorData,
    queries: VectorData,
    out: str,
    *,
    column: str | None = None,
    k: int = 10,
    approximate: bool = False,
    force: bool = True,
) -> Mapping[str, Any]:
    """The k nearest rows to each query, as a Parquet file of query, ids and cosines.

    Parameters
    ----------
    engine : Engine
    data : VectorData
    queries : VectorData
        Rows of the same model, layer and pooling. If it is the data set itself, no row is its own
        neighbour. All queries are in the memory of each worker.
    out : str
        The address of the Parquet file.
    column : str, optional
        Column of vectors, in both data sets; needed if there are several.
    k : int
    approximate : bool
        Search an index of each shard, which is built at the first search. The recall is measured
        on RECALL_QUERIES queries, drawn by a hash of their ids.
    force : bool
        Replace a file that exists.

    Returns
    -------
    mapping
        "queries", "rows", "k", and for the approximate search "recall", "recall_low",
        "recall_high" and "recall_queries".
    """
    if k < 1:
        raise ValueError(f"k must be 1 or more; got {k}")
    if approximate:
        try:
            import usearch  # noqa: F401
        except ImportError as error:
            raise ScaleError("index_missing") from error
    chosen, of_queries = data.column(column), queries.column(column)
    if of_queries.dimension != chosen.dimension:
        raise ScaleError(
            "other_width",
            folder=queries.address,
            found=of_queries.dimension,
            wanted=chosen.dimension,
        )
    out = absolute(out)
    ids, units = _read_all(queries, of_queries, engine)
    itself = queries.address == data.address

    def search(rows: np.ndarray, *, by_index: bool) -> tuple[Near, int]:
        place, sha256 = _write_queries(out, ids[rows], units[rows])
        folder = data.address if data.has_manifest else out + ".index"
        name = quote(chosen.name, safe="")  # a column of another program may have any name
        tasks = [
            SearchTask(
                shard,
                chosen,
                place,
                sha256,
                k,
                itself,
                joined(folder, INDEX, f"{name}-{shard.name}.usearch") if by_index else None,
                engine.skip,
            )
            for shard in data.shards
        ]
        found = engine.total(search_shard, Near.merge, tasks)
        if found.value is None:
            raise ScaleError("no_vectors", folder=data.address)
        return found.value, found.rows

    every = np.arange(len(ids))
    near, n_rows = search(every, by_index=approximate)
    summary: dict[str, Any] = {"queries": len(ids), "rows": n_rows, "k": k}
    if approximate:
        drawn = np.sort(np.argsort(hash_of(ids), kind="stable")[:RECALL_QUERIES])
        exact, _ = search(drawn, by_index=False)
        summary |= _recall(near.ids[drawn], exact.ids)
    with saving(Path(out)), written(out, force=force) as file:
        pq.write_table(_table(ids, near), file)
    remove(queries_of(out))
    return summary


def _recall(found: np.ndarray, exact: np.ndarray) -> dict[str, float | int]:
    """Mean share of the exact neighbours that were found, with a 95% interval over queries."""
    shares = np.array(
        [
            np.isin(right[right >= 0], left).mean() if (right >= 0).any() else 1.0
            for left, right in zip(found, exact, strict=True)
        ]
    )
    mean = float(shares.mean())
    reach = NORMAL * float(shares.std(ddof=1)) / np.sqrt(len(shares)) if len(shares) > 1 else 1.0
    return {
        "recall": mean,
        "recall_low": max(0.0, mean - reach),
        "recall_high": min(1.0, mean + reach),
        "recall_queries": len(shares),
    }


def _read_all(queries: VectorData, column: Column, engine: Engine) -> tuple[np.ndarray, np.ndarray]:
    """(ids, unit rows) of all queries."""
    parts = []
    for shard in queries.shards:
        left_out = RowsLeftOut()
        for block in blocks(shard, column, skip=engine.skip, left_out=left_out):
            parts.append((block.ids.copy(), unit(block.X)))
        if left_out.n:
            engine.omitted.append((shard.name, left_out.n, left_out.rows))
    return np.concatenate([ids for ids, _ in parts]), np.concatenate([U for _, U in parts])


def queries_of(out: str) -> str:
    """Where the workers read the queries while a search for ``out`` lasts."""
    return out + ".queries"


def _write_queries(out: str, ids: np.ndarray, units: np.ndarray) -> tuple[str, str]:
    from safetensors.numpy import save

    content = save({"ids": np.ascontiguousarray(ids), "units": np.ascontiguousarray(units)})
    place = queries_of(out)
    write_bytes(place, content)
    return place, hashlib.sha256(content).hexdigest()


def _table(ids: np.ndarray, near: Near) -> pa.Table:
    k = near.ids.shape[1]
    return pa.table(
        {
            "query": pa.array(ids),
            "ids": pa.FixedSizeListArray.from_arrays(pa.array(near.ids.ravel()), k),
            "cosines": pa.FixedSizeListArray.from_arrays(pa.array(near.cosines.ravel()), k),
        }
    )
