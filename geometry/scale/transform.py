"""A fitted transform applied to a data set, shard by shard."""

import hashlib
import tempfile
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ..data.limits import OWN_FILES
from ..export.affine import AffineMap, load_transform, transform_bytes
from .engine import Engine
from .errors import ScaleError
from .manifest import Column, Part, RunFolder, VectorData
from .parquet import opened_shard
from .store import joined, read_bytes, read_unchanged, write_bytes
from .vectors import CARRIED, blocks, writing_shard

TRANSFORM = "transform.safetensors"
AXES = ("x", "y", "z")
Mapped = Callable[[np.ndarray], np.ndarray]  # rows (n, d) to rows (n, k)


def transform_data(
    engine: Engine,
    data: VectorData,
    fitted: AffineMap,
    out: str,
    *,
    column: str | None = None,
    dtype: str | None = None,
) -> dict[str, Any]:
    """Map every row of a data set; returns the manifest. Shards that are done are not done again.

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
    """
    chosen = data.column(column)
    about = {**chosen.about, "transform": dict(fitted.about)}
    target = Column(chosen.name, fitted.width, dtype or chosen.dtype, about)
    how = by_affine_map(data, chosen, fitted)
    return map_data(engine, data, out, "transform", chosen, target, **how)


def map_data(
    engine: Engine,
    data: VectorData,
    out: str,
    kind: str,
    source: Column,
    target: Column,
    *,
    loaded: Callable[[str, str], Mapped],
    content: Callable[[str], bytes],
    axes: tuple[str, ...] = (),
    directed: bool = False,
    **settings: Any,
) -> dict[str, Any]:
    """Map every row from one column to another; returns the manifest.

    ``content`` gives the bytes of a file in the run's folder, from which ``loaded`` makes the
    function that maps rows. ``axes`` name single coordinates, too. What the first shard has beside
    its vectors is carried.
    """
    settings |= {"data": data.key, "column": source.name}
    run = RunFolder(out, kind, settings, [target], data.shards)
    with opened_shard(data.shards[0].address) as file:
        names = set(file.schema_arrow.names)
    beside = tuple(name for name in CARRIED if name in names)
    columns = {"source": source, "target": target, "beside": beside, "axes": axes}
    how: dict[str, Any] = {**columns, "skip": engine.skip, "directed": directed, "loaded": loaded}

    def prepare() -> Callable[[Part], int]:
        sha256 = hashlib.sha256(content(run.address)).hexdigest()
        return partial(map_shard, folder=run.address, sha256=sha256, **how)

    return run.work_off(engine, prepare)


def by_affine_map(data: VectorData, source: Column, fitted: AffineMap) -> dict[str, Any]:
    """Arguments of ``map_data``."""
    need_width(data, source, len(fitted.offset))
    matrix = b"" if fitted.matrix is None else fitted.matrix.tobytes()
    # not the file's digest: safetensors writes metadata in any order
    numbers = hashlib.sha256(fitted.offset.tobytes() + matrix).hexdigest()

    def content(folder: str) -> bytes:
        written = transform_bytes(fitted)
        write_bytes(joined(folder, TRANSFORM), written)
        return written

    return {"loaded": transform_of_run, "content": content, "transform": numbers}


def need_width(data: VectorData, column: Column, wanted: int) -> None:
    if wanted != column.dimension:
        found = column.dimension
        raise ScaleError("other_width", folder=data.address, found=found, wanted=wanted)


def map_shard(
    part: Part,
    *,
    folder: str,
    sha256: str,
    loaded: Callable[[str, str], Mapped],
    source: Column,
    target: Column,
    beside: tuple[str, ...],
    axes: tuple[str, ...],
    skip: bool,
    directed: bool,
) -> int:
    apply = loaded(folder, sha256)
    kinds = {name: CARRIED[name] for name in beside} | dict.fromkeys(axes, pa.float32())
    how: dict[str, Any] = {"skip": skip, "beside": beside, "directed": directed}
    with writing_shard(folder, part.name, [target], kinds) as writer:
        for block in blocks(part.source, source, writer.left_out, **how):
            Z = apply(block.X)
            of_rows = {n: block.beside.get(n, pa.nulls(len(Z), kinds[n])) for n in beside}
            of_rows |= {n: pa.array(Z[:, i].astype(np.float32)) for i, n in enumerate(axes)}
            writer.write(block.ids, [Z], of_rows)
    return writer.n_rows


@lru_cache(maxsize=2)
def transform_of_run(folder: str, sha256: str) -> Mapped:
    """The transform in a run's folder, read once in a worker, because a copy a task takes MB."""
    content = read_unchanged(joined(folder, TRANSFORM), sha256, folder=folder)
    return _loaded(content).apply_to_part


def read_transform(address: str) -> AffineMap:
    """``load_transform`` of any address."""
    return _loaded(read_bytes(address), name=address)


def _loaded(content: bytes, name: str = TRANSFORM) -> AffineMap:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(content)
        return load_transform(path, limits=OWN_FILES)
