"""Shards of vectors: read by blocks of rows that depend on nothing but the rows, and written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..linalg.rows import refuse_not_finite
from .errors import ScaleError
from .manifest import ID_STEP, Column, Shard, write_log
from .parquet import FLOATS, batches_of, is_list, opened_shard, unreadable
from .store import inside, joined, known_digest, last_name, version_of, written

BLOCK_BYTES = 2**26  # bytes of the float32 rows in memory at a time
BESIDE = ("text", "label")  # columns that a shard may have beside its vectors
MOST_LISTED = 100  # rows left out whose numbers a log lists


@dataclass(frozen=True)
class ShardBlock:
    """Rows of a shard."""

    ids: np.ndarray  # (m,)
    X: np.ndarray  # (m, d), valid until the next block is read
    beside: Mapping[str, pa.Array]  # text, label and weight, as far as requested and there
    rows: np.ndarray  # (m,), their places in the shard, from 0

    def taken(self, sound: np.ndarray) -> ShardBlock:
        """The rows where ``sound`` (m,) is True."""
        keep = pa.array(sound)
        beside = {name: values.filter(keep) for name, values in self.beside.items()}
        return ShardBlock(self.ids[sound], self.X[sound], beside, self.rows[sound])


class RowsLeftOut:
    """Rows that are left out: their number, and the first few of them, from 1."""

    def __init__(self) -> None:
        self.n = 0
        self.rows: list[int] = []

    def add(self, rows: Sequence[int]) -> None:
        self.n += len(rows)
        self.rows += [int(row) + 1 for row in rows[: MOST_LISTED - len(self.rows)]]


def block_rows(dimension: int) -> int:
    """Rows of a block: a power of two, of 64 MB at most."""
    return int(2 ** np.floor(np.log2(max(BLOCK_BYTES // (4 * dimension), 256))))


def blocks(
    shard: Shard,
    column: Column,
    *,
    beside: Sequence[str] = (),
    skip: bool = False,
    left_out: RowsLeftOut | None = None,
) -> Iterator[ShardBlock]:
    """The rows of a shard, block by block.

    Raises
    ------
    ScaleError
        "unreadable_shard", "damaged_shard", "no_column", "other_dimension", or without ``skip``
        "bad_row" with the row.
    """
    if shard.sha256:
        _refuse_other_content(shard)
    d, most = column.dimension, block_rows(column.dimension)
    X = np.empty((min(most, max(shard.rows, 1)), d), dtype=np.float32)
    ids = np.empty(len(X), dtype=np.int64)
    others: dict[str, list[pa.Array]] = {}
    filled = row = 0
    with opened_shard(shard.address) as file:
        if shard.sha256 and file.metadata.num_rows != shard.rows:
            raise ScaleError("damaged_shard", shard=shard.address)
        names = file.schema_arrow.names
        if column.name not in names:
            raise ScaleError(
                "no_column", shard=shard.address, column=column.name, names=tuple(names)
            )
        # ids of another program may be texts: then rows are numbered
        has_ids = "id" in names and pa.types.is_integer(file.schema_arrow.field("id").type)
        carried = (*(["id"] if has_ids else []), *beside)
        wanted = [column.name, *(n for n in carried if n in names)]
        for batch in batches_of(file, wanted, shard.address):
            start = 0
            rows = _matrix(batch.column(column.name), d, shard.address, row)
            while start < len(rows):
                take = min(len(rows) - start, len(X) - filled)
                part = slice(start, start + take)
                X[filled : filled + take] = rows[part]
                numbers = shard.place * ID_STEP + row + np.arange(take)
                if has_ids:
                    given = batch.column("id")[part].cast(pa.int64(), safe=False)
                    numbers = pc.coalesce(given, pa.array(numbers)).to_numpy()
                ids[filled : filled + take] = numbers
                for name in wanted[1:]:
                    others.setdefault(name, []).append(batch.column(name)[part])
                start, filled, row = start + take, filled + take, row + take
                if filled == len(X):
                    yield _checked(shard, ids, X, others, row - filled, skip, left_out)
                    filled, others = 0, {}
    if filled:
        yield _checked(shard, ids[:filled], X[:filled], others, row - filled, skip, left_out)


def _refuse_other_content(shard: Shard) -> None:
    """Raise ScaleError if the file is not what the manifest states.

    The content is digested once in a process, because that takes a third of the time of a sum.
    """
    inside(shard.address.rpartition("/")[0], last_name(shard.address))
    try:
        found = known_digest(shard.address, version_of(shard.address))
    except FileNotFoundError as error:
        raise unreadable(shard.address, error) from error
    if found != shard.sha256:
        raise ScaleError("damaged_shard", shard=shard.address)


def _checked(
    shard: Shard,
    ids: np.ndarray,
    X: np.ndarray,
    others: Mapping[str, list[pa.Array]],
    start: int,
    skip: bool,
    left_out: RowsLeftOut | None,
) -> ShardBlock:
    beside = {name: pa.concat_arrays(parts) for name, parts in others.items() if name != "id"}
    block = ShardBlock(ids, X, beside, start + np.arange(len(X)))
    try:
        refuse_not_finite(X)
    except ValueError as error:
        sound = np.isfinite(X).all(axis=1)
        bad = block.rows[~sound]
        if not skip:
            raise ScaleError(
                "bad_row", because="not_finite", shard=shard.address, row=int(bad[0]) + 1
            ) from error
        if left_out is not None:
            left_out.add(list(bad))
        return block.taken(sound)
    return block


def _matrix(values: pa.Array, d: int, address: str, start: int) -> np.ndarray:
    """(m, d) of a column of lists; ``start`` is the number of its first row, for errors."""
    if not is_list(values.type) or str(values.type.value_type) not in FLOATS:
        raise ScaleError("not_vectors", shard=address, found=str(values.type))
    valid = values.is_valid().to_numpy(zero_copy_only=False)
    if pa.types.is_fixed_size_list(values.type):
        widths = np.full(len(values), values.type.list_size)
    else:
        widths = np.diff(values.offsets.to_numpy())
    wrong = np.flatnonzero((widths != d) & valid)
    if len(wrong):
        raise ScaleError(
            "other_dimension",
            shard=address,
            row=start + int(wrong[0]) + 1,
            found=int(widths[wrong[0]]),
            wanted=d,
        )
    flat = np.asarray(values.flatten().to_numpy(zero_copy_only=False)).reshape(-1, d)
    if valid.all():
        return flat
    rows = np.full((len(values), d), np.nan, dtype=flat.dtype)  # a row without a vector
    rows[valid] = flat
    return rows


class ShardWriter:
    """Writes a shard's rows and, at its end, the worker's log of it."""

    def __init__(
        self,
        folder: str,
        name: str,
        columns: Sequence[Column],
        beside: Mapping[str, pa.DataType],
    ) -> None:
        self._folder, self._name = folder, name
        self._columns = columns
        self.n_rows = 0
        self._schema = pa.schema(
            [
                pa.field("id", pa.int64(), nullable=False),
                *(pa.field(name, kind) for name, kind in beside.items()),
                *(
                    # lists that may have nulls are read four times as slowly
                    pa.field(each.name, _list_type(each), nullable=False)
                    for each in columns
                ),
            ]
        )

    def __enter__(self) -> ShardWriter:
        self._context = written(joined(self._folder, "shards", self._name))
        self._file = self._context.__enter__()
        self._parquet = pq.ParquetWriter(
            self._file,
            self._schema,
            # compression shrinks texts, and hardly vectors
            compression={
                name: "none" if name in [c.name for c in self._columns] else "zstd"
                for name in self._schema.names
            },
            use_dictionary=[name for name in BESIDE if name in self._schema.names],
            write_statistics=False,
        )
        return self

    def write(
        self, ids: np.ndarray, vectors: Sequence[np.ndarray], beside: Mapping[str, pa.Array]
    ) -> None:
        """Append rows, with the vectors (m, d) of each column in order."""
        arrays = [pa.array(ids, pa.int64())]
        for name in self._schema.names[1 : len(self._schema) - len(self._columns)]:
            arrays.append(beside[name].cast(self._schema.field(name).type))
        for column, X in zip(self._columns, vectors, strict=True):
            with np.errstate(over="ignore"):  # the next line raises instead
                flat = np.ascontiguousarray(X, dtype=column.dtype).ravel()
            if column.dtype == "float16" and not np.isfinite(flat).all():
                raise ScaleError(
                    "float16_overflow", shard=self._name, largest=float(np.abs(X).max())
                )
            arrays.append(
                pa.FixedSizeListArray.from_arrays(pa.array(flat), type=_list_type(column))
            )
        self._parquet.write_batch(pa.record_batch(arrays, schema=self._schema))
        self.n_rows += len(ids)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        try:
            if kind is None:
                self._parquet.close()
            else:
                self._give_up()
        except BaseException as failure:
            self._give_up()
            self._context.__exit__(type(failure), failure, failure.__traceback__)
            raise
        self._context.__exit__(kind, error, trace)

    def _give_up(self) -> None:
        self._file.is_given_up = True
        self._parquet.close()

    def log(self, left_out: RowsLeftOut, *, blank: int = 0) -> dict[str, Any]:
        """Write the log of the shard, after which it counts as done; returns it."""
        entry = {
            "rows": self.n_rows,
            "bytes": self._file.size,
            "sha256": self._file.sha256,
            "blank": blank,
            "left_out": left_out.n,
            "rows_left_out": left_out.rows,
        }
        write_log(self._folder, self._name, entry)
        return entry


def _list_type(column: Column) -> pa.DataType:
    kind = pa.float16() if column.dtype == "float16" else pa.float32()
    return pa.list_(pa.field("item", kind, nullable=False), column.dimension)
