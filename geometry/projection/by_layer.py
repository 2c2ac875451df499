"""One cloud at a layer of a model, as a picture that can be compared with that of another layer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..linalg.rows import unit_rows
from .projection import Projection, project


def project_layer(
    X: np.ndarray,
    method: str = "mean",
    n_components: int = 2,
    *,
    former: Projection | None = None,
    random_state: int = 0,
) -> Projection:
    """The directions of points at one layer, drawn as at the layer before.

    The lengths of hidden states differ from layer to layer, often by powers of ten, and no cosine
    depends on them. So every row is divided by its length: no point is farther than 1 from the
    origin. The spaces of two layers have no axes in common, and the sign of an axis is arbitrary;
    here it is the one in which the points stay on the same side as at the layer before.

    Parameters
    ----------
    X : (n, d) array of float, no zero row
    method : str, "mean", "svd", "pca" or "cone", see ``project``
    n_components : int, 2 or 3
    former : Projection, optional, that of the layer before
    random_state : int, seed of the rows on which trustworthiness is computed
    """
    picture = project(unit_rows(X), method, n_components, random_state=random_state)
    return picture if former is None else turned_like(former, picture)


def turned_like(former: Projection, picture: Projection) -> Projection:
    """The picture with the sign of each axis that agrees best with the former picture."""
    agreement = np.einsum("nk,nk->k", former.around_origin, picture.around_origin)
    signs = np.where(agreement < 0, -1.0, 1.0)  # (k,)
    if picture.axes is None or picture.origin is None:
        raise ValueError(f"the method {picture.method!r} has no axes")
    of_axes = np.ones(len(picture.axes))  # "cone" has three axes in a picture of two dimensions
    of_axes[: len(signs)] = signs
    return replace(
        picture,
        coordinates=picture.coordinates * signs,
        axes=picture.axes * of_axes[:, None],
        origin=picture.origin * signs,
    )
