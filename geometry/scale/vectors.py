"""Shards of vectors: read block by block, written, summed, and sampled by a hash of their ids."""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import starmap
from pathlib import Path
from typing import IO, Any, TypeVar
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from safetensors import SafetensorError
from safetensors.numpy import load, save

from ..data.account import RowCount
from ..data.embeddings import VectorSet, VectorSetReport
from . import store
from .engine import Engine, ShardSum, Watch
from .errors import ScaleError
from .manifest import ID_STEP, Column, Shard, VectorData, write_log
from .store import FLOATS, batches_of, is_list, opened_shard, unreadable

BLOCK_BYTES = 2**26  # bytes of the float32 rows in memory at a time
# columns that a shard may have beside its vectors
CARRIED = {"text": pa.string(), "label": pa.string(), "weight": pa.float64()}
SUMS = "sums"
VERSION = "1"  # version of the arithmetic: sums of another version are computed again
# axes of (d,) each; others are numbers, and of "weak" only the first is
AXES = {"mean": 1, "scatter": 2, "cubic": 1, "total": 1, "squares": 1, "weak": 1}
Sum = TypeVar("Sum")
MOST_IN_MEMORY = 1_000_000  # rows of a data set, unless the caller wants others
SPARE = 6  # standard deviations that a draw may fall short of its mean


@dataclass(frozen=True)
class ShardBlock:
    ids: np.ndarray  # (m,)
    X: np.ndarray  # (m, d) float32
    beside: Mapping[str, pa.Array]  # text, label and weight, as far as requested and there
    rows: np.ndarray  # (m,), their places in the shard, from 0

    def taken(self, sound: np.ndarray) -> ShardBlock:
        keep = pa.array(sound)
        beside = {name: values.filter(keep) for name, values in self.beside.items()}
        return ShardBlock(self.ids[sound], self.X[sound], beside, self.rows[sound])


@dataclass
class RowsLeftOut(RowCount):
    """Rows of a shard that are left out because they can't be read."""

    most: int = 100  # whose numbers a log lists
    blank: int = 0  # rows without text, which are left out too

    def of(self, shard: str) -> tuple[tuple[str, int, list[int]], ...]:
        """As ``ShardSum.omitted``."""
        return ((shard, self.n, self.first),) if self.n else ()


def blocks(
    shard: Shard,
    column: Column,
    left_out: RowsLeftOut,
    *,
    skip: bool,
    beside: Sequence[str] = (),
    directed: bool = False,
) -> Iterator[ShardBlock]:
    """The rows of a shard, block by block, without NaN, infinity, or zeros if ``directed``."""
    if shard.sha256:  # digested once in a process: it takes a third of the time of a sum
        store.inside(shard.address.rpartition("/")[0], store.last_name(shard.address))
        try:
            found = store.known_digest(shard.address)
        except FileNotFoundError as error:
            raise unreadable(shard.address, error) from error
        if found != shard.sha256:
            raise ScaleError("damaged_shard", shard=shard.address)
    with opened_shard(shard.address) as file:
        if shard.sha256 and file.metadata.num_rows != shard.rows:
            raise ScaleError("damaged_shard", shard=shard.address)
        names = tuple(file.schema_arrow.names)
        if column.name not in names:
            raise ScaleError("no_column", shard=shard.address, column=column.name, names=names)
        # ids of another program may be texts: then rows are numbered
        has_ids = "id" in names and pa.types.is_integer(file.schema_arrow.field("id").type)
        carried = [name for name in beside if name in names]
        wanted = [column.name, *carried, *(["id"] if has_ids else [])]
        most = max(BLOCK_BYTES // (4 * column.dimension), 256)  # rows; a power of two is read
        row = 0
        for batch in batches_of(file, wanted, shard.address, 2 ** int(np.log2(most))):
            rows = row + np.arange(len(batch))
            ids = shard.place * ID_STEP + rows
            if has_ids:
                given = batch.column("id").cast(pa.int64(), safe=False)
                ids = pc.coalesce(given, pa.array(ids)).to_numpy()
            X = _matrix(batch.column(column.name), column.dimension, shard.address, row)
            block = ShardBlock(ids, X, {name: batch.column(name) for name in carried}, rows)
            yield _sound(block, shard, left_out, skip=skip, directed=directed)
            row += len(batch)


def sum_of_shard(
    shard: Shard,
    *,
    part: Callable[[Shard, ShardBlock, Any], Any],
    column: Column,
    skip: bool,
    beside: Sequence[str] = (),
) -> ShardSum:
    """The merged parts of the blocks; ``part`` gets a block that has rows and the sum before it."""
    n, total = 0, None
    left_out = RowsLeftOut()
    for block in blocks(shard, column, left_out, skip=skip, beside=beside):
        if len(block.ids):
            n += len(block.ids)
            found = part(shard, block, total)
            if found is not None:
                total = found if total is None else total.merge(found)
    return ShardSum(total, n, (), left_out.of(shard.name))


def _sound(
    block: ShardBlock, shard: Shard, left_out: RowsLeftOut, *, skip: bool, directed: bool
) -> ShardBlock:
    for zeros in (False, True) if directed else (False,):
        rows = block.X.any(axis=1) if zeros else np.isfinite(block.X).all(axis=1)
        is_sound = np.asarray(rows)
        bad = block.rows[~is_sound]
        if not len(bad):
            continue
        if not skip:
            at = {"shard": shard.address, "row": int(bad[0]) + 1}
            raise ScaleError("zeros" if zeros else "not_finite", **at)
        left_out.add((bad + 1).tolist())
        block = block.taken(is_sound)
    return block


def _matrix(values: pa.Array, d: int, address: str, start: int) -> np.ndarray:
    """(m, d) float32 of a column of lists; ``start`` is the number of its first row, for errors."""
    if not is_list(values.type) or str(values.type.value_type) not in FLOATS:
        raise ScaleError("not_vectors", shard=address, found=str(values.type))
    valid = values.is_valid().to_numpy(zero_copy_only=False)
    widths = pc.list_value_length(values).fill_null(d).to_numpy()
    wrong = np.flatnonzero(widths != d)
    if len(wrong):
        row = start + int(wrong[0]) + 1
        found = int(widths[wrong[0]])
        raise ScaleError("other_dimension", shard=address, row=row, found=found, wanted=d)
    flat = np.asarray(values.flatten().to_numpy(zero_copy_only=False)).reshape(-1, d)
    flat = flat.astype(np.float32, copy=False)
    if valid.all():
        return flat
    rows = np.full((len(values), d), np.nan, dtype=np.float32)  # a row without a vector
    rows[valid] = flat
    return rows


class ShardWriter:
    """A shard while it is written; ``left_out`` goes into its log."""

    def __init__(
        self,
        file: IO[bytes],
        name: str,
        columns: Sequence[Column],
        beside: Mapping[str, pa.DataType],
    ) -> None:
        self.n_rows = 0
        self.left_out = RowsLeftOut()
        self._name, self._columns, self._beside = name, columns, beside
        # lists that may have nulls are read four times as slowly
        kinds = {}
        for each in columns:
            number = pa.float16() if each.dtype == "float16" else pa.float32()
            kinds[each.name] = pa.list_(pa.field("item", number, nullable=False), each.dimension)
        fields = [pa.field("id", pa.int64(), nullable=False), *starmap(pa.field, beside.items())]
        fields += [pa.field(name, kind, nullable=False) for name, kind in kinds.items()]
        self._schema = pa.schema(fields)
        # compression shrinks texts, and hardly vectors
        names = self._schema.names
        self.parquet = pq.ParquetWriter(
            file,
            self._schema,
            compression={name: "none" if name in kinds else "zstd" for name in names},
            use_dictionary=[name for name in ("text", "label") if name in names],
            write_statistics=False,
        )

    def write(
        self, ids: np.ndarray, vectors: Sequence[np.ndarray], beside: Mapping[str, pa.Array]
    ) -> None:
        arrays = [pa.array(ids, pa.int64())]
        arrays += [beside[name].cast(kind) for name, kind in self._beside.items()]
        for column, X in zip(self._columns, vectors, strict=True):
            with np.errstate(over="ignore"):  # the next line raises instead
                flat = np.ascontiguousarray(X, dtype=column.dtype).ravel()
            if column.dtype == "float16" and not np.isfinite(flat).all():
                largest = float(np.abs(X).max())
                raise ScaleError("float16_overflow", shard=self._name, largest=largest)
            kind = self._schema.field(column.name).type
            arrays.append(pa.FixedSizeListArray.from_arrays(pa.array(flat), type=kind))
        self.parquet.write_batch(pa.record_batch(arrays, schema=self._schema))
        self.n_rows += len(ids)


@contextmanager
def writing_shard(
    folder: str, name: str, columns: Sequence[Column], beside: Mapping[str, pa.DataType]
) -> Iterator[ShardWriter]:
    """A shard that appears whole, and after it the worker's log, which states that it is done."""
    with store.written(store.joined(folder, "shards", name)) as file:
        writer = ShardWriter(file, name, columns, beside)
        try:
            yield writer
            writer.parquet.close()
        except BaseException:
            with suppress(Exception):
                writer.parquet.close()
            writer.parquet.is_open = False  # without the ending that the disk may have refused
            raise
        file.flush()
        with Path(file.name).open("rb") as whole:
            sha256 = hashlib.file_digest(whole, "sha256").hexdigest()
        size = file.tell()
    rows = writer.left_out
    left_out = {"blank": rows.blank, "left_out": rows.n, "rows_left_out": rows.first}
    write_log(folder, name, rows=writer.n_rows, bytes=size, sha256=sha256, **left_out)


def whole_sum(
    engine: Engine,
    data: VectorData,
    column: Column,
    kind: type[Sum],
    part: Callable[..., Sum],
    *,
    name: str | None = None,
    beside: tuple[str, ...] = (),
) -> Sum:
    """The merged parts of all blocks (``sum_of_shard``), which are stored under a name.

    What is stored for the same shards is read. A sum that left out rows or shards is not stored.
    """
    found = None if name is None else read_sum(data, column, name, kind)
    if found is not None:
        return found
    work = partial(sum_of_shard, part=part, column=column, skip=engine.skip, beside=beside)
    found = engine.total(work, data.shards).value
    if found is None:
        raise ScaleError("too_few_rows", folder=data.address)
    if name is not None and data.has_manifest and not (engine.omitted or engine.failures):
        values = {name: value for name, value in vars(found).items() if value is not None}
        try:
            write_keyed(*_place_of(data, name), values)
        except OSError as error:  # the folder is read-only: the next call sums again
            if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise
    return found


def read_sum(data: VectorData, column: Column, name: str, kind: type[Sum]) -> Sum | None:
    """The sum in a data set's folder, if it is of the same shards; else None."""
    arrays = read_keyed(*_place_of(data, name)) if data.has_manifest else None
    if arrays is None:
        return None
    for part, a in arrays.items():
        shape = a.shape[:1] if part == "weak" else a.shape
        if shape != (column.dimension,) * AXES.get(part, 0) or not np.isfinite(a).all():
            return None
    return kind(**{n: a if a.ndim else a.item() for n, a in arrays.items()})


def _place_of(data: VectorData, name: str) -> tuple[str, dict[str, str]]:
    # a column of another program may have any name
    address = store.inside(data.address, SUMS, f"{quote(name, safe='')}.safetensors")
    return address, {"key": data.key, "version": VERSION}


def write_keyed(address: str, key: Mapping[str, str], values: Mapping[str, Any]) -> None:
    """Write arrays and numbers as .safetensors with a key and their digest."""
    # ascontiguousarray makes a number an array of one
    arrays = {n: np.ascontiguousarray(v).reshape(np.shape(v)) for n, v in values.items()}
    # one text, because safetensors writes several in any order
    store.write_bytes(address, save(arrays, metadata={"key": _key(key, arrays)}))


def read_keyed(address: str, key: Mapping[str, str]) -> dict[str, np.ndarray] | None:
    """The arrays of ``write_keyed`` with that key; None if there are none, or damaged ones."""
    try:
        content = store.read_bytes(address)
        arrays = load(content)
        head = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        is_whole = head["__metadata__"]["key"] == _key(key, arrays)
    except (FileNotFoundError, KeyError, SafetensorError, TypeError, ValueError):
        return None
    return arrays if is_whole else None


def _key(key: Mapping[str, str], arrays: Mapping[str, np.ndarray]) -> str:
    parts = (name.encode() + arrays[name].tobytes() for name in sorted(arrays))
    return json.dumps({**key, "sha256": hashlib.sha256(b"".join(parts)).hexdigest()})


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


def open_run(
    folder: str,
    *,
    column: str | None = None,
    sample: int = MOST_IN_MEMORY,
    seed: int = 0,
    watch: Watch | None = None,
) -> VectorSet:
    """A data set as vectors in memory: all rows, or those with the smallest hashes of their ids.

    Parameters
    ----------
    folder : str
        The folder of a vector data set, or of coordinates from ``project_data``.
    column : str, optional
        Column of vectors; needed if there are several.
    sample : int
        Rows at most.
    seed : int
        Seed of the hash.
    watch : callable, optional
        Called with a Report after each shard.
    """
    data = VectorData(folder)
    of = data.column(column)
    rows = draw(Engine(watch=watch), data, of, sample, seed=seed, beside=("text", "label"))
    n_sampled = len(rows.X) if len(rows.X) < data.n_rows else None
    report = VectorSetReport("parquet", data.n_rows, n_sampled=n_sampled, seed=seed)
    return VectorSet(
        name=store.last_name(data.address),
        vectors=rows.X,
        texts=_words(rows.texts),
        labels=_words(rows.labels),
        label_column=None if rows.labels is None else "label",
        report=report,
        numbers=None if report.n_sampled is None else rows.numbers,
    )


def _words(values: np.ndarray | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(value or "" for value in values)
