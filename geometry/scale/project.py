"""Two or three coordinates for every row of a data set."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pyarrow as pa

from ..export.affine import AffineMap
from ..projection.neighbour_maps import MAPS, fit_map
from ..projection.placing import place
from ..projection.projection import moment_axes
from .encode import described, work_off
from .engine import Engine
from .errors import ScaleError
from .fit import moments_of
from .manifest import Column, RunFolder, VectorData
from .samples import draw
from .store import joined, read_arrays, read_bytes, write_bytes
from .transform import AXES, CARRIED, TransformTask, carried_columns, map_data
from .vectors import RowsLeftOut, ShardBlock, ShardWriter, blocks

LINEAR = ("svd", "pca", "mean")
PROJECTIONS = (*LINEAR, *MAPS)
SAMPLE = 10_000  # rows that a map is fitted on
COORDINATES, FITTED = "coordinates", "map.safetensors"


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

    Returns
    -------
    dict
        The manifest.
    """
    if method not in PROJECTIONS:
        raise ValueError(f"method must be one of {', '.join(PROJECTIONS)}; got {method!r}")
    if n_components not in (2, 3):
        raise ValueError(f"n_components must be 2 or 3; got {n_components}")
    chosen = data.column(column)
    if chosen.dimension < 3:
        raise ScaleError("too_few_columns", folder=data.address, found=chosen.dimension, wanted=3)
    about = {**chosen.about, "projection": method}
    target = Column(COORDINATES, n_components, "float32", about)
    if method in MAPS:
        return _by_sample(engine, data, out, chosen, target, sample, seed)
    moments = moments_of(engine, data, chosen)
    second = moments.covariance + np.outer(moments.mean, moments.mean)
    axes, centre = moment_axes(method, moments.mean, second, n_components)
    fitted = AffineMap(centre, axes.T, {"method": method})
    return map_data(engine, data, fitted, out, "project", chosen, target, axes=True)


def _by_sample(
    engine: Engine,
    data: VectorData,
    out: str,
    chosen: Column,
    target: Column,
    sample: int,
    seed: int,
) -> dict[str, Any]:
    from safetensors.numpy import save

    settings = {"data": data.key, "column": chosen.name, "sample": sample, "seed": seed}
    run = RunFolder(out, "project", settings, [described(target)], [s.address for s in data.shards])
    address = joined(run.address, FITTED)
    beside = carried_columns(data)

    content = b""

    def prepare() -> None:
        nonlocal content
        try:
            content = read_bytes(address)  # stored by a run that ended before
            return
        except FileNotFoundError:
            pass
        X = draw(engine, data, chosen, sample, seed=seed).X
        X = X[X.any(axis=1)]
        coordinates = fit_map(
            X,
            str(target.about["projection"]),
            target.dimension,
            random_state=seed,
            most_fitted=None,
        )
        content = save({"rows": X, "coordinates": coordinates.astype(np.float32)})
        write_bytes(address, content)

    return work_off(
        engine,
        run,
        place_shard,
        lambda i: TransformTask(
            run.names[i],
            data.shards[i],
            chosen,
            target,
            run.address,
            hashlib.sha256(content).hexdigest(),
            beside,
            AXES[: target.dimension],
            engine.skip,
        ),
        prepare=prepare,
    )


def place_shard(task: TransformTask) -> int:
    """Place a shard's rows and write their coordinates; returns the number of rows."""
    fitted = read_arrays(joined(task.folder, FITTED), task.sha256, folder=task.folder)
    left_out = RowsLeftOut()
    kinds = {name: CARRIED[name] for name in task.beside}
    kinds |= {name: pa.float32() for name in task.axes}
    with ShardWriter(task.folder, task.name, [task.out], kinds) as writer:
        for block in blocks(
            task.shard, task.source, beside=task.beside, skip=task.skip, left_out=left_out
        ):
            block = _with_directions(block, task, left_out)
            P = place(block.X, fitted["rows"], fitted["coordinates"], threads=1)
            beside = {name: block.beside.get(name, pa.nulls(len(P), kinds[name])) for name in kinds}
            beside |= {name: pa.array(P[:, i]) for i, name in enumerate(task.axes)}
            writer.write(block.ids, [P], beside)
    writer.log(left_out)
    return writer.n_rows


def _with_directions(block: ShardBlock, task: TransformTask, left_out: RowsLeftOut) -> ShardBlock:
    """The block without its rows of zeros, which have no neighbours by cosine."""
    sound = np.asarray(block.X.any(axis=1))
    if sound.all():
        return block
    bad = block.rows[~sound]
    if not task.skip:
        raise ScaleError("bad_row", because="zeros", shard=task.shard.address, row=int(bad[0]) + 1)
    left_out.add(list(bad))
    return block.taken(sound)
