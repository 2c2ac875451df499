"""A fitted transform applied to a data set, shard by shard."""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ..data.limits import OWN_FILES
from ..export.affine import AffineMap, load_transform, transform_bytes
from .encode import described, work_off
from .engine import Engine
from .errors import ScaleError
from .manifest import Column, RunFolder, Shard, VectorData
from .parquet import names_of
from .store import joined, read_bytes, read_unchanged, write_bytes
from .vectors import RowsLeftOut, ShardWriter, blocks

TRANSFORM = "transform.safetensors"
CARRIED = {"text": pa.string(), "label": pa.string(), "weight": pa.float64()}
AXES = ("x", "y", "z")


@dataclass(frozen=True)
class TransformTask:
    """A shard, and where its mapped rows go. ``axes`` are columns of single coordinates, too."""

    name: str
    shard: Shard
    source: Column
    out: Column
    folder: str
    sha256: str
    beside: tuple[str, ...]
    axes: tuple[str, ...]
    skip: bool


def transform_data(
    engine: Engine,
    data: VectorData,
    fitted: AffineMap,
    out: str,
    *,
    column: str | None = None,
    dtype: str | None = None,
) -> dict[str, Any]:
    """Map every row of a data set. Shards that are done are not done again.

    Parameters
    ----------
    engine : Engine
    data : VectorData
    fitted : AffineMap
        The result of ``load_transform``.
    out : str
        The folder of the new data set.
    column : str, optional
        Column of vectors; needed if there are several.
    dtype : str, optional
        Type of the numbers on disk; by default that of the data set.

    Returns
    -------
    dict
        The manifest.
    """
    chosen = data.column(column)
    about = {**chosen.about, "transform": dict(fitted.about)}
    target = Column(chosen.name, fitted.width, dtype or chosen.dtype, about)
    return map_data(engine, data, fitted, out, "transform", chosen, target)


def map_data(
    engine: Engine,
    data: VectorData,
    fitted: AffineMap,
    out: str,
    kind: str,
    chosen: Column,
    target: Column,
    *,
    axes: bool = False,
) -> dict[str, Any]:
    """``transform_data`` from one column to another; ``axes`` writes each coordinate alone, too."""
    if len(fitted.offset) != chosen.dimension:
        raise ScaleError(
            "other_width", folder=data.address, found=chosen.dimension, wanted=len(fitted.offset)
        )
    content = transform_bytes(fitted)
    sha256 = hashlib.sha256(content).hexdigest()
    matrix = b"" if fitted.matrix is None else fitted.matrix.tobytes()
    # not the file's digest: safetensors writes metadata in any order
    numbers = hashlib.sha256(fitted.offset.tobytes() + matrix).hexdigest()
    settings = {"data": data.key, "column": chosen.name, "transform": numbers}
    sources = [shard.address for shard in data.shards]
    run = RunFolder(out, kind, settings, [described(target)], sources)
    beside = carried_columns(data)
    return work_off(
        engine,
        run,
        transform_shard,
        lambda i: TransformTask(
            run.names[i],
            data.shards[i],
            chosen,
            target,
            run.address,
            sha256,
            beside,
            AXES[: target.dimension] if axes else (),
            engine.skip,
        ),
        prepare=lambda: write_bytes(joined(run.address, TRANSFORM), content),
    )


def carried_columns(data: VectorData) -> tuple[str, ...]:
    """The columns of the first shard that are carried to the new data set."""
    return tuple(name for name in CARRIED if name in names_of(data.shards[0].address))


def transform_shard(task: TransformTask) -> int:
    """Map a shard and write it; returns the number of rows."""
    fitted = transform_of_run(task.folder, task.sha256)
    left_out = RowsLeftOut()
    kinds = {name: CARRIED[name] for name in task.beside}
    kinds |= {name: pa.float32() for name in task.axes}
    with ShardWriter(task.folder, task.name, [task.out], kinds) as writer:
        for block in blocks(
            task.shard, task.source, beside=task.beside, skip=task.skip, left_out=left_out
        ):
            Z = fitted.apply_to_part(block.X)
            beside = {name: block.beside.get(name, pa.nulls(len(Z), kinds[name])) for name in kinds}
            beside |= {
                name: pa.array(Z[:, i].astype(np.float32)) for i, name in enumerate(task.axes)
            }
            writer.write(block.ids, [Z], beside)
    writer.log(left_out)
    return writer.n_rows


@lru_cache(maxsize=2)
def transform_of_run(folder: str, sha256: str) -> AffineMap:
    """The transform in a run's folder, read once in a worker, because a copy a task takes MB."""
    content = read_unchanged(joined(folder, TRANSFORM), sha256, folder=folder)
    return read_transform_bytes(content)


def read_transform(address: str) -> AffineMap:
    """``load_transform`` of any address."""
    return read_transform_bytes(read_bytes(address), name=address)


def read_transform_bytes(content: bytes, name: str = TRANSFORM) -> AffineMap:
    """The transform in the bytes of a file of that name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(content)
        return load_transform(path, limits=OWN_FILES)
