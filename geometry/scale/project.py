"""Two or three coordinates for every row of a data set."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from ..export.affine import AffineMap
from ..projection.moment_axes import moment_axes
from ..projection.umap_fit import UMAP_NEIGHBOURS, fit_umap
from .encode import described, work_off
from .engine import Engine
from .errors import ScaleError
from .fit import moments_of
from .manifest import Column, Run, Shard, VectorData
from .samples import draw
from .store import joined, read_bytes, write_bytes
from .transform import AXES, CARRIED, _beside, map_data
from .vectors import LeftOut, ShardWriter, blocks

LINEAR = ("svd", "pca", "mean")
PROJECTIONS = (*LINEAR, "umap")
SAMPLE = 10_000  # rows that UMAP is fitted on
NEAREST = 5  # rows of the sample that place another row
COORDINATES, FITTED = "coordinates", "umap.safetensors"


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
        Of vectors; needed if there are several.
    method : str
        "pca", "svd" and "mean" are exact, on axes from the moments of all rows; see ``project``.
        "umap" is fitted on a sample, and the other rows are placed between its nearest rows.
    n_components : int
        2 or 3.
    sample : int
        Rows that "umap" is fitted on; drawn by a hash of their ids.
    seed : int
        Of "umap" and of the hash.

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
    if method == "umap":
        return _by_sample(engine, data, out, chosen, target, sample, seed)
    moments = moments_of(engine, data, chosen)
    second = moments.covariance + np.outer(moments.mean, moments.mean)
    axes, centre = moment_axes(method, moments.mean, second, n_components)
    fitted = AffineMap(centre, axes.T, {"method": method})
    return map_data(engine, data, fitted, out, "project", chosen, target, axes=True)


@dataclass(frozen=True)
class PlaceTask:
    """A shard to be placed by a fitted sample in the run's folder."""

    name: str
    shard: Shard
    source: Column
    out: Column
    folder: str
    sha256: str
    beside: tuple[str, ...]
    skip: bool


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
    run = Run(out, "project", settings, [described(target)], [s.address for s in data.shards])
    place = joined(run.address, FITTED)
    beside = _beside(data)

    content = b""

    def prepare() -> None:
        nonlocal content
        try:
            content = read_bytes(place)  # of a run that ended before
            return
        except FileNotFoundError:
            pass
        rows = draw(engine, data, chosen, sample, seed=seed)
        coordinates = fit_umap(rows.X, target.dimension, seed, UMAP_NEIGHBOURS)
        content = save({"rows": rows.X, "coordinates": coordinates.astype(np.float32)})
        write_bytes(place, content)

    return work_off(
        engine,
        run,
        place_shard,
        lambda i: PlaceTask(
            run.names[i],
            data.shards[i],
            chosen,
            target,
            run.address,
            hashlib.sha256(content).hexdigest(),
            beside,
            engine.skip,
        ),
        prepare=prepare,
    )


def place_shard(task: PlaceTask) -> int:
    """Place a shard's rows and write their coordinates; returns the number of rows."""
    units, coordinates = _fitted_sample(task.folder, task.sha256)
    left_out = LeftOut()
    axes = AXES[: task.out.dimension]
    kinds = {name: CARRIED[name] for name in task.beside} | {name: pa.float32() for name in axes}
    with ShardWriter(task.folder, task.name, [task.out], kinds) as writer:
        for block in blocks(
            task.shard, task.source, beside=task.beside, skip=task.skip, left_out=left_out
        ):
            P = place_by_nearest(block.X, units, coordinates)
            beside = {name: block.beside.get(name, pa.nulls(len(P), kinds[name])) for name in kinds}
            beside |= {name: pa.array(P[:, i]) for i, name in enumerate(axes)}
            writer.write(block.ids, [P], beside)
    writer.log(left_out)
    return writer.n_rows


@lru_cache(maxsize=1)
def _fitted_sample(folder: str, sha256: str) -> tuple[np.ndarray, np.ndarray]:
    """(unit rows, coordinates) of the sample that UMAP was fitted on."""
    from safetensors.numpy import load

    content = read_bytes(joined(folder, FITTED))
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ScaleError("other_run", folder=folder)
    arrays = load(content)
    X = arrays["rows"]
    return X / np.linalg.norm(X, axis=1, keepdims=True), arrays["coordinates"]


def place_by_nearest(
    X: np.ndarray, units: np.ndarray, coordinates: np.ndarray, *, k: int = NEAREST
) -> np.ndarray:
    """Coordinates (n, 2) or (n, 3) of rows X: the mean of their k nearest rows of the sample.

    A row of the sample stays at its own place. The weights are 1 - cosine of the (k + 1)-th
    nearest, minus 1 - cosine, so that a row moves without jumps.

    Parameters
    ----------
    X : (n, d) float32
    units : (m, d) float32
        Unit rows of the sample.
    coordinates : (m, 2) or (m, 3) float32
    k : int
    """
    from ..measure.neighbours import largest

    k = min(k, len(units) - 1)
    found = np.empty((len(X), coordinates.shape[1]), dtype=np.float32)
    for start in range(0, len(X), 512):
        rows = X[start : start + 512]
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        cosines = (rows / np.where(norms > 0, norms, 1)) @ units.T
        near, last = largest(cosines, k + 1)
        values = np.take_along_axis(cosines, near[:, :k], axis=1)
        weights = (values - last[:, None] + 1e-7).astype(np.float64)
        own = values[:, 0] > 1 - 1e-6  # a row of the sample, or its equal
        weights[own, 1:] = 0
        weights /= weights.sum(axis=1, keepdims=True)
        found[start : start + 512] = np.einsum("nk,nkp->np", weights, coordinates[near[:, :k]])
    return found
