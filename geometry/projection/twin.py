"""A cloud and the same cloud whitened: the same points, in one basis and at one scale.

The whitening is ZCA, so that both have the same axes; it is drawn at the raw cloud's rms radius.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..linalg.moments import Moments
from ..measure.cone import ANGLE_QUANTILES, angles_to_mean
from ..transform.whitening_map import WhiteningMap, checked_weights, recommended_whitening
from .projection import FRAME_SHARE, Projection, match_radius

FITS = ("recommended", "ledoit-wolf", "full")
FRAME_ROWS = 20_000  # of a larger cloud, evenly spaced rows give the frame
WIDEST_DRAWN = 60.0  # degrees in d dimensions; in the shadow a wider cloud would look like a cone
RIM = 24  # points on the edge of a cone that a frame must hold
STRENGTHS = 8  # stops of the strength beyond its 0
FAR = 1e-9  # knobs nearer to each other than this count as equal


@dataclass(frozen=True)
class ConeEdge:
    """A cone around the mean direction."""

    quantile: float  #: share of the points inside
    angle: float  #: half-angle in all d dimensions, degrees
    drawn: float  #: half-angle in the picture; a linear projection makes it smaller or larger
    axis: np.ndarray  #: (k,) unit vector in the picture
    #: false for a wide cone, except in the angle-true picture, where it may be a disc
    is_drawn: bool


@dataclass(frozen=True)
class Frame:
    """What a picture must show: the origin, FRAME_SHARE of the points, cones; a cylinder in 3D."""

    low: np.ndarray  # (k,) corners of a box around the origin
    high: np.ndarray
    length: float  # from the origin to the far end of the cones


@dataclass(frozen=True)
class Twin:
    """A whitened cloud."""

    vectors: np.ndarray  #: (n, d)
    retained_vectors: np.ndarray  #: (n, k) the same, in the retained directions only
    whitening: WhiteningMap  #: the fitted map


def fit_whitening(
    X: np.ndarray, fit: str = "recommended", *, sample_weight: np.ndarray | None = None
) -> WhiteningMap:
    """The full-strength ZCA whitening of rows; "full" has no shrinkage and all directions."""
    if fit not in FITS:
        raise ValueError(f"fit must be one of {', '.join(FITS)}; got {fit!r}")
    weights = None if sample_weight is None else checked_weights(sample_weight, len(X))
    moments = Moments.of(X, weights)
    n = round(moments.weight**2 / moments.weight2)
    settings: dict[str, Any] = {
        "recommended": recommended_whitening(n, X.shape[1]),
        "ledoit-wolf": {"shrinkage": "ledoit-wolf"},
        "full": {},
    }[fit]
    return WhiteningMap.solve(moments, eps=float(np.finfo(X.dtype).eps), **settings)


def whiten_beside(
    X: np.ndarray, fitted: WhiteningMap, *, centring: float = 1.0, strength: float = 1.0
) -> Twin:
    """Apply a fitted ZCA whitening in part; (0, 0) gives X, (1, 1) the fully whitened cloud.

    Parameters
    ----------
    X : (n, d) array of float
    fitted : WhiteningMap, with the method "zca"
    centring : float in [0, 1], share of the mean that is subtracted
    strength : float in [0, 1], 1 is full whitening
    """
    whitening = fitted.adjust(centring=centring, strength=strength)
    Z = whitening.apply(X)
    fills_all = retained_dimensions(whitening) == X.shape[1]
    return Twin(Z, Z if fills_all else Z @ whitening.components.T.astype(Z.dtype), whitening)


def retained_dimensions(whitening: WhiteningMap) -> int:
    """Dimensions that a cloud fills after the map; below full strength all of them."""
    return len(whitening.components if whitening.strength == 1 else whitening.mean)


def cone_edges(X: np.ndarray, projection: Projection) -> tuple[ConeEdge, ...]:
    """The cones to draw: half of the points lie within the first, 90% within the second.

    Empty where the cloud or the picture has no mean direction, or the picture no origin (a map).
    """
    if projection.origin is None:
        return ()
    if projection.method == "cone" and projection.axes is not None:
        axis = np.eye(projection.n_components)[0]
        drawn = true = _angles(X, projection.axes[0])
    else:
        try:
            true = angles_to_mean(X)
        except ValueError:
            return ()
        from_origin = projection.around_origin
        mean = from_origin.mean(axis=0)
        length = np.linalg.norm(mean)
        if length == 0:
            return ()
        axis = mean / length
        drawn = _angles(from_origin, axis)
    edges = []
    for q in ANGLE_QUANTILES:
        angle, shown = float(np.quantile(true, q)), float(np.quantile(drawn, q))
        is_drawn = projection.method == "cone" or angle <= WIDEST_DRAWN
        edges.append(ConeEdge(q, angle, shown, axis, is_drawn))
    return tuple(edges)


def frame_of(places: np.ndarray, cones: Sequence[ConeEdge] = ()) -> Frame:
    """The frame of a cloud drawn around the origin, with the cones that are drawn."""
    P = places[:: -(-len(places) // FRAME_ROWS)]
    length = float(np.quantile(np.linalg.norm(P, axis=1), FRAME_SHARE))
    held = [length * _rim(cone.axis, cone.drawn) for cone in cones if cone.is_drawn]
    rims = np.vstack([np.zeros((1, P.shape[1])), *held])
    if P.shape[1] == 3:
        radius = max(
            float(np.quantile(np.hypot(P[:, 1], P[:, 2]), FRAME_SHARE)),
            float(np.hypot(rims[:, 1], rims[:, 2]).max()),
        )
        near, far = _ends(P[:, 0], rims[:, 0])
        low = np.array([near, -radius, -radius])
        high = np.array([far, radius, radius])
    else:
        low, high = np.array([_ends(*both) for both in zip(P.T, rims.T, strict=True)]).T
    return Frame(low, high, length)


def _ends(values: np.ndarray, held: np.ndarray) -> tuple[float, float]:
    """The range that has FRAME_SHARE of the values and all that is held."""
    low, high = np.quantile(values, [(1 - FRAME_SHARE) / 2, (1 + FRAME_SHARE) / 2])
    return min(float(low), float(held.min())), max(float(high), float(held.max()))


def _rim(axis: np.ndarray, angle: float) -> np.ndarray:
    """Unit vectors (RIM, k) along the edge of a cone: its arc in 2D, its circle in 3D."""
    half = np.radians(angle)
    across = np.linalg.svd(axis[None, :])[2][1:]  # (k - 1, k), orthogonal to the axis
    if len(axis) == 2:
        turns = np.linspace(-half, half, RIM)[:, None]
        return np.cos(turns) * axis + np.sin(turns) * across[0]
    turns = np.linspace(0, 2 * np.pi, RIM, endpoint=False)[:, None]
    around = np.cos(turns) * across[0] + np.sin(turns) * across[1]
    return np.cos(half) * axis + np.sin(half) * around


def common_scale(raw: Projection, white: Projection) -> tuple[float, float]:
    """(scale of white, half-width of both panels): one rms radius, the origin in the middle."""
    factor = match_radius(raw.around_origin, white.around_origin)
    return factor, max(raw.half_width, factor * white.half_width) * 1.1


def _angles(points: np.ndarray, axis: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(points, axis=1)
    along = points @ axis
    cosines = np.divide(along, lengths, out=np.ones_like(along), where=lengths > 0)
    return np.degrees(np.arccos(cosines.clip(-1.0, 1.0)))


@dataclass(frozen=True)
class Stop:
    factor: float  # gives the stop the raw picture's rms radius
    coordinates: np.ndarray  # (n, k) around the origin, multiplied by ``factor``
    cones: tuple[ConeEdge, ...]  # as ``cone_edges`` gives them
    frame: Frame  # of the coordinates and the cones that are drawn


def film_knobs(strengths: int = STRENGTHS) -> tuple[tuple[float, float], ...]:
    """(centring, strength) of each stop: raw, centred, then whitened in even steps."""
    return ((0.0, 0.0), *((1.0, step / strengths) for step in range(strengths + 1)))


def film(
    X: np.ndarray,
    fitted: WhiteningMap,
    raw: Projection,
    knobs: Sequence[tuple[float, float]] = film_knobs(),
) -> tuple[Stop, ...]:
    """The stops of rows X (n, d) under a fitted whitening, all in the basis of ``raw``.

    Between two stops each point moves along a straight line.
    """
    stops = []
    for s, t in knobs:
        places, cones = _place(X, fitted.adjust(centring=s, strength=t), raw)
        factor = match_radius(raw.around_origin, places)
        places = places * factor
        stops.append(Stop(factor, places, cones, frame_of(places, cones)))
    return tuple(stops)


def _place(
    X: np.ndarray, whitening: WhiteningMap, raw: Projection
) -> tuple[np.ndarray, tuple[ConeEdge, ...]]:
    """Places (n, k) around the origin, and the cones, which a centred cloud does not have."""
    if not (whitening.centring or whitening.strength):
        return raw.around_origin, cone_edges(X, raw)
    if whitening.centring == 1 and raw.axes is not None and raw.method != "cone":
        # both maps are linear, so they are multiplied first: 1% of the work. A centred cloud has no
        # cone
        return (X - whitening.mean) @ (whitening.matrix @ raw.axes.T), ()
    Z = whitening.apply(X)
    picture = raw.apply(Z)
    return picture.around_origin, cone_edges(Z, picture)


def nearest_in_film(
    knobs: Sequence[tuple[float, float]], centring: float, strength: float
) -> tuple[float, float]:
    """(the nearest place on the film's path in stops, its distance in (centring, strength)).

    The knobs are on the path if the distance is below FAR.
    """
    point = np.array([centring, strength])
    found = []
    for place, (start, end) in enumerate(pairwise(knobs)):
        begin = np.array(start)
        way = np.subtract(end, start)
        share = float(np.clip((point - begin) @ way / (way @ way), 0.0, 1.0))
        found.append((place + share, float(np.hypot(*(begin + share * way - point)))))
    return min(found, key=lambda place_and_distance: place_and_distance[1])
