"""A whitening or a removal fitted on a data set, from moments of each shard that are merged."""

from functools import partial
from typing import Any

import numpy as np

from ..linalg.moments import Moments
from ..transform.removal_map import RemovalMap
from ..transform.whitening_map import METHODS, WhiteningMap
from .engine import Engine
from .errors import ScaleError
from .manifest import Column, Shard, VectorData
from .vectors import ShardBlock, whole_sum

REMOVALS = ("removal", "removal-uncentred")
FIT_METHODS = (*METHODS, *REMOVALS)


def moments_of_block(
    shard: Shard, block: ShardBlock, earlier: Moments | None, *, weights: str | None
) -> Moments:
    w = None
    if weights is not None:
        if weights not in block.beside:
            raise ScaleError("no_column", shard=shard.address, column=weights, names=())
        w = block.beside[weights].to_numpy(zero_copy_only=False).astype(np.float64)
        if not (np.isfinite(w).all() and (w >= 0).all()):
            raise ScaleError("bad_weights", shard=shard.address, column=weights)
    try:
        return Moments.of(block.X, w, like=earlier)  # earlier rows of the shard: twice as fast
    except ValueError as error:
        raise ScaleError("bad_numbers", shard=shard.address, detail=str(error)) from error


def moments_of(
    engine: Engine, data: VectorData, column: Column, *, weights: str | None = None
) -> Moments:
    """The moments of all rows, from the data set's folder if they are there, else in one pass."""
    name = f"moments-{column.name}" + ("" if weights is None else f"-{weights}")
    part = partial(moments_of_block, weights=weights)
    beside = () if weights is None else (weights,)
    found = whole_sum(engine, data, column, Moments, part, name=name, beside=beside)
    if found.n_rows < 2:
        raise ScaleError("too_few_rows", folder=data.address)
    return found


def fit_data(
    engine: Engine,
    data: VectorData,
    *,
    column: str | None = None,
    method: str = "zca",
    n_components: int | None = None,
    shrinkage: float | str | None = None,
    centring: float = 1.0,
    strength: float = 1.0,
    weights: str | None = None,
) -> WhiteningMap | RemovalMap:
    """A whitening or a removal of the rows of a data set.

    Parameters
    ----------
    engine : Engine
    data : VectorData
    column : str, optional
        Column of vectors; needed if there are several.
    method : str
        A whitening ("pca", "zca", "cholesky", "pca-cor", "zca-cor"), or "removal" of leading
        directions, after centring or ("removal-uncentred") without it.
    n_components : int, optional
        Directions to retain of a whitening, or to remove.
    shrinkage : float in [0, 1] or "ledoit-wolf", optional
    centring : float in [0, 1]
    strength : float in [0, 1]
        All three as in ``Whitening``.
    weights : str, optional
        A column of weights, such as word frequencies.
    """
    if method not in FIT_METHODS:
        raise ValueError(f"method must be one of {', '.join(FIT_METHODS)}; got {method!r}")
    partly: dict[str, Any] = {"shrinkage": shrinkage, "centring": centring, "strength": strength}
    if method in REMOVALS and (*partly.values(),) != (None, 1, 1):
        raise ValueError(f"shrinkage, centring and strength are of whitenings; method is {method}")
    chosen = data.column(column)
    moments = moments_of(engine, data, chosen, weights=weights)
    how: dict[str, Any] = {"eps": float(np.finfo(chosen.dtype).eps), "n_components": n_components}
    if method in REMOVALS:
        return RemovalMap.solve(moments, **how, centred=method == "removal")
    return WhiteningMap.solve(moments, **how, method=method, **partly)
