"""The k nearest rows of a data set to each query, by cosine: exactly, or by an index of usearch."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from safetensors.numpy import save

from ..data.write import saving
from ..measure.intervals import NORMAL
from ..measure.neighbours import largest
from .engine import Engine, ShardSum
from .errors import ScaleError
from .manifest import Column, Shard, VectorData
from .store import absolute, joined, read_arrays, remove, write_bytes, written
from .transform import need_width
from .vectors import RowsLeftOut, ShardBlock, blocks, hash_of, read_keyed, sum_of_shard, write_keyed

if TYPE_CHECKING:
    from usearch.index import Index

QUERY_ROWS = 512  # queries whose products with a block are in memory at a time
RECALL_QUERIES = 200
INDEX = "index"
CONNECTIVITY, EXPANSION = 16, 128  # links of a row in the graph; rows compared when one is added


@dataclass(frozen=True)
class Near:
    """The k nearest rows found so far of each query, nearest first."""

    ids: np.ndarray  # (q, k), -1 where there are fewer rows
    cosines: np.ndarray  # (q, k) float32, -inf there

    def merge(self, other: Near) -> Near:
        """The nearest of both; of equal cosines the lower id comes first."""
        ids = np.concatenate([self.ids, other.ids], axis=1)
        cosines = np.concatenate([self.cosines, other.cosines], axis=1)
        order = np.lexsort((ids, -cosines), axis=1)[:, : self.ids.shape[1]]
        return Near(np.take_along_axis(ids, order, 1), np.take_along_axis(cosines, order, 1))


def search_shard(
    shard: Shard,
    *,
    column: Column,
    queries: str,
    sha256: str,
    k: int,
    itself: bool,  # whether a query's own id is left out
    index: str | None,  # the folder of indexes; None is the exact search
    skip: bool,
) -> ShardSum:
    """The nearest rows of a shard to the unit rows in the file ``queries``, of that digest."""
    given = read_arrays(queries, sha256, folder=queries)
    ids, U = given["ids"], given["units"]
    if index is not None:
        read, left_out = _index_of(shard, column, index, skip=skip)
        near = _search_index(read, ids, U, k, itself=itself)
        return ShardSum(near, shard.rows - left_out.n, (), left_out.of(shard.name))

    def near_of_block(_shard: Shard, block: ShardBlock, _earlier: Near | None) -> Near:
        X = unit(block.X)
        parts = []
        for start in range(0, len(ids), QUERY_ROWS):
            part = slice(start, start + QUERY_ROWS)
            cosines = U[part] @ X.T  # (q, m)
            if itself:
                cosines[ids[part, None] == block.ids[None, :]] = -np.inf
            most = largest(cosines, min(k, len(block.ids)))[0]
            parts.append(_wide(block.ids[most], np.take_along_axis(cosines, most, axis=1), k))
        both = ((each.ids, each.cosines) for each in parts)
        return Near(*map(np.concatenate, zip(*both, strict=True)))

    return sum_of_shard(shard, part=near_of_block, column=column, skip=skip)


def _wide(ids: np.ndarray, cosines: np.ndarray, k: int) -> Near:
    """k columns; missing ones, and a query itself, have the id -1."""
    short = ((0, 0), (0, k - ids.shape[1]))
    ids = np.pad(ids.astype(np.int64), short, constant_values=-1)
    cosines = np.pad(cosines.astype(np.float32), short, constant_values=-np.inf)
    return Near(np.where(np.isneginf(cosines), -1, ids), cosines)


def _search_index(index: Index, ids: np.ndarray, U: np.ndarray, k: int, *, itself: bool) -> Near:
    more = k + itself
    matches: Any = index.search(U, more, exact=False, threads=1)
    keys = np.asarray(matches.keys).reshape(len(U), -1).astype(np.int64)
    with np.errstate(invalid="ignore"):  # distances beyond the counts are not set
        cosines = 1 - np.asarray(matches.distances, dtype=np.float32).reshape(len(U), -1)
    counts = np.asarray(matches.counts).reshape(-1, 1)
    cosines[np.arange(keys.shape[1]) >= counts] = -np.inf
    if itself:
        cosines[keys == ids[:, None]] = -np.inf
    none = Near(np.full((len(U), k), -1), np.full((len(U), k), -np.inf, np.float32))
    return none.merge(_wide(keys, cosines, max(more, keys.shape[1])))


def _index_of(
    shard: Shard, column: Column, folder: str, *, skip: bool
) -> tuple[Index, RowsLeftOut]:
    from usearch.index import Index

    # a column of another program may have any name
    address = joined(folder, f"{quote(column.name, safe='')}-{shard.name}.safetensors")
    key = {"shard": f"{shard.name} {shard.sha256} {shard.size}", "column": column.name}
    graph: dict[str, Any] = {"connectivity": CONNECTIVITY, "expansion_add": EXPANSION}
    graph["expansion_search"] = EXPANSION
    index = Index(ndim=column.dimension, metric="ip", dtype="f32", **graph)
    kept = read_keyed(address, key)
    if kept is not None:
        left_out = RowsLeftOut(int(kept["n_left_out"]), kept["left_out"].tolist())
        if skip or not left_out.n:
            index.load(kept["index"].tobytes())
            return index, left_out
    left_out = RowsLeftOut()
    for block in blocks(shard, column, left_out, skip=skip):
        index.add(block.ids, unit(block.X), threads=1)
    content = np.frombuffer(bytes(index.save() or b""), np.uint8)
    rows = np.array(left_out.first, dtype=np.int64)
    write_keyed(address, key, {"index": content, "n_left_out": left_out.n, "left_out": rows})
    return index, left_out


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

    Returns "queries", "rows", "k", and for the approximate search "recall", "recall_low",
    "recall_high" and "recall_queries".

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
        Of vectors, in both data sets; needed if there are several.
    k : int
    approximate : bool
        Search an index of each shard, which is built at the first search. The recall is measured
        on RECALL_QUERIES queries, drawn by a hash of their ids.
    force : bool
        Replace a file that exists.
    """
    if k < 1:
        raise ValueError(f"k must be 1 or more; got {k}")
    if approximate and find_spec("usearch") is None:
        raise ScaleError("index_missing")
    chosen, of_queries = data.column(column), queries.column(column)
    need_width(queries, of_queries, chosen.dimension)
    out = absolute(out)
    place = out + ".queries"  # where the workers read them while the search lasts
    parts = []
    for shard in queries.shards:
        left_out = RowsLeftOut()
        for block in blocks(shard, of_queries, left_out, skip=engine.skip):
            parts.append((block.ids, unit(block.X)))
        engine.omitted += left_out.of(shard.name)
    ids, units = map(np.concatenate, zip(*parts, strict=True))
    index = joined(data.address if data.has_manifest else out + ".index", INDEX)
    how: dict[str, Any] = {"column": chosen, "queries": place, "k": k, "skip": engine.skip}
    how["itself"] = queries.address == data.address

    def search(rows: np.ndarray, index: str | None) -> tuple[Near, int]:
        content = save({"ids": ids[rows], "units": units[rows]})
        write_bytes(place, content)
        sha256 = hashlib.sha256(content).hexdigest()
        work = partial(search_shard, sha256=sha256, index=index, **how)
        found = engine.total(work, data.shards)
        if found.value is None:
            raise ScaleError("no_vectors", folder=data.address)
        return found.value, found.rows

    near, n_rows = search(np.arange(len(ids)), index if approximate else None)
    summary: dict[str, Any] = {"queries": len(ids), "rows": n_rows, "k": k}
    if approximate:
        drawn = np.sort(np.argsort(hash_of(ids), kind="stable")[:RECALL_QUERIES])
        exact, _ = search(drawn, None)
        summary |= _recall(near.ids[drawn], exact.ids)
    values = {"ids": near.ids, "cosines": near.cosines}
    table = {n: pa.FixedSizeListArray.from_arrays(v.ravel(), k) for n, v in values.items()}
    with saving(Path(out)), written(out, force=force) as file:
        pq.write_table(pa.table({"query": ids, **table}), file)
    remove(place)
    return summary


def _recall(found: np.ndarray, exact: np.ndarray) -> dict[str, float | int]:
    """Mean share of the exact neighbours that were found, with a 95% interval over queries."""
    both = zip(found, exact, strict=True)
    are_found = [np.isin(right[right >= 0], left) for left, right in both]
    shares = np.array([each.mean() if len(each) else 1.0 for each in are_found])
    mean = float(shares.mean())
    reach = NORMAL * float(shares.std(ddof=1)) / np.sqrt(len(shares)) if len(shares) > 1 else 1.0
    return {
        "recall": mean,
        "recall_low": max(0.0, mean - reach),
        "recall_high": min(1.0, mean + reach),
        "recall_queries": len(shares),
    }
