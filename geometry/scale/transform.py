"""A data set mapped shard by shard: by a fitted transform, or to two or three coordinates."""

import hashlib
import tempfile
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from safetensors.numpy import save

from ..data.limits import OWN_FILES
from ..export.affine import AffineMap, load_transform, transform_bytes
from ..projection.neighbour_maps import MAPS, fit_map, place
from ..projection.projection import moment_axes
from .engine import Engine
from .errors import ScaleError
from .fit import moments_of
from .manifest import Column, Part, RunFolder, VectorData
from .store import joined, opened_shard, read_arrays, read_bytes, read_unchanged, write_bytes
from .vectors import CARRIED, blocks, draw, writing_shard

TRANSFORM = "transform.safetensors"
AXES = ("x", "y", "z")
LINEAR = ("svd", "pca", "mean")
PROJECTIONS = (*LINEAR, *MAPS)
SAMPLE = 10_000  # rows that a map is fitted on
COORDINATES, FITTED = "coordinates", "map.safetensors"
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


# ---- coordinates ----


def project_data(
    engine: Engine,
    data: VectorData,
    out: str,
    *,
    column: str | None = None,
    method: str = "pca",
    n_components: int = 2,
    sample: int = SAMPLE,
    seed: int = 0,
) -> dict[str, Any]:
    """Coordinates of every row: a data set of the column "coordinates", and of x, y and z.

    Returns its manifest.

    Parameters
    ----------
    engine : Engine
    data : VectorData
    out : str
        The folder of the new data set.
    column : str, optional
        Column of vectors; needed if there are several.
    method : str
        "pca", "svd" and "mean" are exact, on axes from the moments of all rows; see ``project``.
        "umap" and "tsne" are fitted on a sample, and every row is placed by ``projection.place``.
    n_components : int
        2 or 3.
    sample : int
        Rows that a map is fitted on; drawn by a hash of their ids.
    seed : int
        Seed of a map and of the hash.
    """
    if method not in PROJECTIONS:
        raise ValueError(f"method must be one of {', '.join(PROJECTIONS)}; got {method!r}")
    if n_components not in (2, 3):
        raise ValueError(f"n_components must be 2 or 3; got {n_components}")
    axes = AXES[:n_components]
    chosen = data.column(column)
    if chosen.dimension < 3:
        raise ScaleError("too_few_columns", folder=data.address, found=chosen.dimension, wanted=3)
    about = {**chosen.about, "projection": method}
    target = Column(COORDINATES, n_components, "float32", about)
    if method not in MAPS:
        moments = moments_of(engine, data, chosen)
        second = moments.covariance + np.outer(moments.mean, moments.mean)
        basis, centre = moment_axes(method, moments.mean, second, n_components)
        how = by_affine_map(data, chosen, AffineMap(centre, basis.T, {"method": method}))
        return map_data(engine, data, out, "project", chosen, target, axes=axes, **how)

    def content(folder: str) -> bytes:
        address = joined(folder, FITTED)
        try:
            return read_bytes(address)  # stored by a run that ended before
        except FileNotFoundError:
            X = draw(engine, data, chosen, sample, seed=seed).X
            X = X[X.any(axis=1)]  # a row of zeros has no neighbours by cosine, and so no place
            places = fit_map(X, method, n_components, random_state=seed, most_fitted=None)
            written = save({"rows": X, "coordinates": places.astype(np.float32)})
            write_bytes(address, written)
            return written

    how = {"sample": sample, "seed": seed, "loaded": placing_of_run, "content": content}
    return map_data(engine, data, out, "project", chosen, target, axes=axes, directed=True, **how)


def placing_of_run(folder: str, sha256: str) -> Mapped:
    fitted = read_arrays(joined(folder, FITTED), sha256, folder=folder)
    known = {"sample": fitted["rows"], "coordinates": fitted["coordinates"]}
    return partial(place, threads=1, **known)  # type: ignore[arg-type]
