"""Two or three coordinates for every row of a data set."""

from functools import partial
from typing import Any

import numpy as np
from safetensors.numpy import save

from ..export.affine import AffineMap
from ..projection.neighbour_maps import MAPS, fit_map, place
from ..projection.projection import moment_axes
from .engine import Engine
from .errors import ScaleError
from .fit import moments_of
from .manifest import Column, VectorData
from .samples import draw
from .store import joined, read_arrays, read_bytes, write_bytes
from .transform import AXES, Mapped, by_affine_map, map_data

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
    chosen, axes = data.column(column), AXES[:n_components]
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
