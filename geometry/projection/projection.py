"""From d dimensions to 2 or 3, with figures of how far to trust the picture.

The linear projections keep the origin, because a cone has its apex there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from hashlib import sha256

import numpy as np

from ..linalg.moments import BLOCK_ROWS, Moments
from ..linalg.rows import float_rows, some_rows, unit_rows
from ..linalg.spectrum import eigh_in_range
from ..measure.cone import direction_of
from .neighbour_maps import MAPS, SAME, fit_map

TRUST_ROWS = 600  # trustworthiness is O(n^2); it is computed on a sample of this many rows
TRUST_NEIGHBOURS = 5
METHODS = ("svd", "pca", "mean", "cone", *MAPS)
FRAME_SHARE = 0.99  # of the points are in the frame of a picture


@dataclass(frozen=True)
class Projection:
    """Coordinates, the axes that gave them, and how much of the cloud they show."""

    coordinates: np.ndarray  #: (n, k) float64, k in {2, 3}
    method: str  #: see ``project``
    trustworthiness: float  #: in [0, 1], of TRUST_NEIGHBOURS neighbours
    trust_rows: int  #: how many rows it was computed on
    #: seed of the sample of rows, and of a map; None for a map without a seed
    random_state: int | None
    #: (k, d), or (3, d) for "cone", orthonormal rows; None for a map, "umap" or "tsne". If d < 3
    #: these are the first d columns of axes in 3 dimensions.
    axes: np.ndarray | None = None
    #: (d,) subtracted before the axes apply; zeros except for "pca", None for a map
    centre: np.ndarray | None = None
    #: (k,) place of the true origin in the picture; None for a map
    origin: np.ndarray | None = None
    #: share of sum |x - centre|^2 in the picture, in [0, 1]; 1 for "cone" in 3D, which keeps every
    #: length; None for a map
    explained: float | None = None

    @property
    def n_components(self) -> int:
        """2 or 3."""
        return self.coordinates.shape[1]

    @cached_property
    def content_key(self) -> str:
        """A digest of all fields."""
        digest = sha256()
        for field in fields(self):
            value = getattr(self, field.name)
            is_array = isinstance(value, np.ndarray)
            digest.update(repr((value.shape, value.dtype.str) if is_array else value).encode())
            digest.update(np.ascontiguousarray(value).data if is_array else b"")
        return digest.hexdigest()

    @cached_property
    def is_one_place(self) -> bool:
        """True if all points are at one place, so that none is a neighbour."""
        return bool((self.coordinates == self.coordinates[0]).all())

    @cached_property
    def half_width(self) -> float:
        """Of the square or cube around the origin that has FRAME_SHARE of the points."""
        return float(np.quantile(np.abs(self.around_origin).max(axis=1), FRAME_SHARE))

    @cached_property
    def around_origin(self) -> np.ndarray:
        """Coordinates (n, k) minus the true origin, or minus their mean where there is none."""
        centre = self.coordinates.mean(axis=0) if self.origin is None else self.origin
        return self.coordinates - centre

    def apply(self, X: np.ndarray) -> Projection:
        """Other vectors (m, d) on the same axes, with trust figures of their own.

        "pca" centres them on their own mean; the other methods keep the origin.
        """
        X = _checked(X, self.n_components)
        if self.axes is None or self.centre is None:
            raise ValueError("a map of neighbours has no axes that other vectors could be put on")
        centre = X.mean(axis=0, dtype=np.float64) if self.method == "pca" else self.centre
        return _on_axes(X, self.method, self.axes, centre, self.n_components, self.random_state)


def project(
    X: np.ndarray,
    method: str = "svd",
    n_components: int = 2,
    *,
    random_state: int | None = 0,
    n_neighbors: int | None = None,
    most_fitted: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Projection:
    """Project rows to 2 or 3 dimensions.

    Axes are sign-fixed: the mean lies on the positive side where there is one ("svd", "mean",
    "cone"), else the entry of largest magnitude is positive. MissingExtraError for a map without
    its extra, ``umap`` or ``tsne``.

    Parameters
    ----------
    X : (n, d) array of float, n > n_components
    method : str
        - "svd": leading right singular vectors, *uncentred*: in a cone the first is close to the
          mean direction (Gao et al. 2019, figure 1)
        - "pca": leading principal directions of the centred rows; ``origin`` is the place of 0
        - "mean": the mean direction, then the principal directions orthogonal to it
        - "cone": angle-true: height = component along the mean direction, radius = norm of the
          rest, azimuth from the leading residual plane. In 3D every length and every angle to the
          mean is exact; in 2D the same body is seen from the side
        - "umap": UMAP by cosine (McInnes et al. 2018)
        - "tsne": t-SNE by cosine, started from PCA (van der Maaten & Hinton 2008; Policar et al.
          2024), with the extra ``tsne``

        The last two are maps: they keep neighbours, and have no origin, no cone, no angles and no
        distances between groups.
    n_components : int, 2 or 3
    random_state : int or None
        Seed of a map, and of the rows on which trustworthiness is computed. With None each fit of
        a map gives another one, and "umap" uses all cores.
    n_neighbors : int, optional
        Neighbours in a map; cut to n - 1. None: 15 for "umap", and for "tsne" 90, three times its
        perplexity.
    most_fitted : int, optional
        Of more rows, a map is fitted on a random sample of so many, and the others are placed by
        ``place``. None: on all rows.
    progress : callable, optional, called by a map only, with (stage, done, total)
    """
    X = _checked(X, n_components)
    if method in MAPS:
        coordinates = fit_map(
            X,
            method,
            n_components,
            random_state=random_state,
            n_neighbors=n_neighbors,
            most_fitted=most_fitted,
            progress=progress,
        )
        return map_picture(X, coordinates, method, random_state=random_state)
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}; got {method!r}")
    d = X.shape[1]
    # an axis in a third dimension, where d < 3, is 0 in the others
    moments = Moments.of_part(np.pad(X, ((0, 0), (0, 3 - d))) if d < 3 else X)
    S = moments.scatter
    about_origin = len(X) * np.outer(moments.mean, moments.mean)
    square = float(np.trace(S + about_origin)) / len(X)
    if method == "svd":
        S = S + about_origin
    axes, centre = _axes(method, S, moments.mean, square, n_components, rank=len(X))
    return _on_axes(X, method, axes[:, :d], centre[:d], n_components, random_state)


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


def match_radius(reference: np.ndarray, other: np.ndarray) -> float:
    """The scale that gives ``other`` (n, k) the rms radius of ``reference``; 1.0 if it is zero."""
    rms = [_rms_radius(P) for P in (reference, other)]
    return rms[0] / rms[1] if rms[1] > 0 else 1.0


def settle(picture: Projection, *rows: np.ndarray) -> Projection:
    """The picture, with every point at its origin where the coordinates are only rounding.

    rows : (n, d) float each: the vectors in the picture, and those that they were computed from.
    An rms radius below sqrt(d) eps r is rounding, where r is the largest rms length.
    """
    floor = max(np.sqrt(P.shape[1]) * np.finfo(P.dtype).eps for P in rows)
    far = floor * max(map(_rms_radius, rows))
    if picture.origin is None or _rms_radius(picture.around_origin) > far:
        return picture
    return replace(picture, coordinates=np.tile(picture.origin, (len(picture.coordinates), 1)))


def _rms_radius(P: np.ndarray) -> float:
    return float(np.sqrt(np.einsum("nk,nk->", P, P) / len(P)))


def trustworthiness(
    X: np.ndarray, coordinates: np.ndarray, *, random_state: int | None = 0
) -> tuple[float, int]:
    """Trustworthiness in [0, 1] and the number of rows it was computed on, TRUST_ROWS at most.

    Venna, Kaski 2001, equation 1: the same number as scikit-learn's with metric="cosine", but that
    copies are equally near.
    """
    from scipy.spatial import cKDTree  # its import takes longer than this function

    rows = some_rows(len(X), TRUST_ROWS, random_state or 0)
    m = len(rows)
    k = min(TRUST_NEIGHBOURS, (m - 1) // 2)
    if k < 1:
        return 1.0, m
    P = coordinates[rows]
    shown = cKDTree(P).query(P, k + 1)[1]
    itself = shown == np.arange(m)[:, None]
    itself[~itself.any(axis=1), -1] = True  # more than k others are at the same place
    shown = shown[~itself].reshape(m, k)  # neighbours in the picture
    some = X[rows].astype(np.float64)
    norms = np.linalg.norm(some, axis=1, keepdims=True)
    U = some / np.where(norms > 0, norms, 1.0)  # a zero row is orthogonal to all
    cosines = U @ U.T
    np.fill_diagonal(cosines, -np.inf)
    # rank of each shown neighbour in d dimensions: how many rows are nearer, plus one; copies are
    # equally near, whatever the last digits of their cosines
    near = np.take_along_axis(cosines, shown, axis=1) + SAME  # (m, k)
    ranks = [1 + np.count_nonzero(cosines > column[:, None], axis=1) for column in near.T]
    penalty = (np.array(ranks) - k).clip(min=0).sum()
    return float(1 - 2 * penalty / (m * k * (2 * m - 3 * k - 1))), m


def moment_axes(
    method: str, mean: np.ndarray, second: np.ndarray, n_components: int
) -> tuple[np.ndarray, np.ndarray]:
    """(axes (k, d), centre (d,)) of ``project``, from the mean and E[x x'], not about the mean."""
    S = second if method == "svd" else second - np.outer(mean, mean)
    return _axes(method, S, mean, float(np.trace(second)), n_components)


def _axes(
    method: str, S: np.ndarray, mean: np.ndarray, square: float, k: int, rank: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(axes, centre). S (d, d) is about the mean, but for "svd"; ``square`` is the mean |x|^2."""
    zero = np.zeros(len(mean))
    if method == "pca":
        return _leading(S, k, rank), mean
    if method == "svd":
        axes = _leading(S, k, rank)
        axes[0] *= -1.0 if axes[0] @ mean < 0 else 1.0  # the others have their sign from _signed
        return axes, zero
    direction = direction_of(mean, square)
    # an exact basis of the complement of the mean: the axes are then orthonormal even if all rows
    # lie along the mean and the rest is only rounding
    H = _reflection(direction)
    # the azimuth of "cone" needs a plane, in a picture of 2 dimensions too
    across = _leading(H(H(S).T)[1:, 1:], (3 if method == "cone" else k) - 1, rank)
    rest = _signed(H(np.hstack([np.zeros((len(across), 1)), across])))
    return np.vstack([direction, rest]), zero


def _reflection(direction: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Reflects rows (m, d) so that a unit direction goes to the first axis, or to its opposite."""
    v = direction.copy()
    v[0] += np.copysign(1.0, v[0])
    v /= np.linalg.norm(v)
    return lambda rows: rows - np.outer(2 * (rows @ v), v)


def _leading(S: np.ndarray, k: int, rank: int | None = None) -> np.ndarray:
    few = None if rank is None else eigh_in_range(S, rank)  # more than k, without the others
    _, vectors = few or np.linalg.eigh(S)
    return _signed(vectors[:, ::-1][:, :k].T)


def _signed(axes: np.ndarray) -> np.ndarray:
    largest = axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)]
    return axes * np.where(largest < 0, -1.0, 1.0)[:, None]


def _on_axes(
    X: np.ndarray,
    method: str,
    axes: np.ndarray,
    centre: np.ndarray,
    k: int,
    random_state: int | None,
) -> Projection:
    coordinates, total = np.empty((len(X), k)), 0.0
    for start in range(0, len(X), BLOCK_ROWS):  # a float64 copy of a large cloud is not made
        rows = slice(start, start + BLOCK_ROWS)
        centred = X[rows] - centre
        coordinates[rows] = _place(centred, method, axes, k)
        total += float(np.einsum("nd,nd->", centred, centred))
    return replace(
        map_picture(X, coordinates, method, random_state=random_state),
        axes=axes,
        centre=centre,
        origin=_place(-centre[None], method, axes, k)[0],
        explained=float(np.sum(coordinates**2)) / total if total > 0 else 1.0,
    )


def _place(centred: np.ndarray, method: str, axes: np.ndarray, k: int) -> np.ndarray:
    along = centred @ axes.T  # (n, k), or (n, 3) for "cone"
    if method != "cone":
        return along
    height = along[:, 0]
    squared = np.einsum("nd,nd->n", centred, centred) - height**2
    radius = np.sqrt(squared.clip(min=0.0))  # norm of the part orthogonal to the mean
    azimuth = np.arctan2(along[:, 2], along[:, 1])
    body = np.column_stack([height, radius * np.cos(azimuth), radius * np.sin(azimuth)])
    return body[:, :k]  # in 2D the same body from the side


def map_picture(
    X: np.ndarray, coordinates: np.ndarray, method: str, *, random_state: int | None = 0
) -> Projection:
    """The Projection of a map's coordinates that were fitted elsewhere."""
    trust, rows = trustworthiness(X, coordinates, random_state=random_state)
    return Projection(coordinates, method, trust, rows, random_state)


def _checked(X: np.ndarray, n_components: int) -> np.ndarray:
    X = np.asarray(X)
    if n_components not in (2, 3):
        raise ValueError(f"n_components must be 2 or 3; got {n_components}")
    return float_rows(X, at_least=n_components + 1)
