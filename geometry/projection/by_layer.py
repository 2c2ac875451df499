"""One cloud at every layer of a model: pictures that can be compared, and a film through them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..linalg.rows import unit_rows
from .projection import Projection, project


def project_layers(
    layers: Sequence[np.ndarray],
    method: str = "mean",
    n_components: int = 2,
    *,
    random_state: int = 0,
) -> tuple[Projection, ...]:
    """The directions of the same points at each layer, each layer in its own basis.

    The lengths of hidden states differ from layer to layer, often by powers of ten, and no cosine
    depends on them. So every row is divided by its length, and all pictures have one scale: no
    point is farther than 1 from the origin. The spaces of two layers have no axes in common. The
    sign of an axis is arbitrary; here it is the one in which the points stay on the same side as
    at the layer before.

    Parameters
    ----------
    layers : sequence of (n, d) arrays of float
        The same n points at each layer. No zero row.
    method : str
        "mean", "svd", "pca" or "cone", see ``project``.
    n_components : int
        2 or 3.
    random_state : int
        Seed of the rows on which trustworthiness is computed.
    """
    pictures: list[Projection] = []
    for X in layers:
        former = pictures[-1] if pictures else None
        pictures.append(
            project_layer(X, method, n_components, former=former, random_state=random_state)
        )
    return tuple(pictures)


def project_layer(
    X: np.ndarray,
    method: str = "mean",
    n_components: int = 2,
    *,
    former: Projection | None = None,
    random_state: int = 0,
) -> Projection:
    """One picture of ``project_layers``.

    Parameters
    ----------
    X : (n, d) array of float
        No zero row.
    method : str
        As in ``project_layers``.
    n_components : int
        As in ``project_layers``.
    random_state : int
        As in ``project_layers``.
    former : Projection, optional
        That of the layer before, whose signs the axes take over.
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
