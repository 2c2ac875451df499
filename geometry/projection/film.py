"""The film from a raw cloud to its white self: what is seen at each of its stops.

First the mean is taken away, then the axes are made equal, as the two knobs of a whitening do.
Between two stops a picture moves each point along a straight line; at the stops it is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..transform.whitening_map import WhiteningMap
from .projection import Projection, match_radius
from .twin import ConeEdge, cone_edges

STRENGTHS = 8  # stops of the strength beyond its 0
FAR = 1e-9  # knobs nearer to each other than this are the same


@dataclass(frozen=True)
class Stop:
    """One picture of the film, as it is drawn.

    centring, strength : the knobs, in [0, 1].   coordinates (n, k) around the origin, multiplied by
    ``factor``, which gives every stop the raw picture's rms radius.   cones : as ``cone_edges``.
    """

    centring: float
    strength: float
    factor: float
    coordinates: np.ndarray
    cones: tuple[ConeEdge, ...]


def film_knobs(strengths: int = STRENGTHS) -> tuple[tuple[float, float], ...]:
    """(centring, strength) of each stop: raw, centred, and on to white in even steps."""
    return ((0.0, 0.0), *((1.0, step / strengths) for step in range(strengths + 1)))


def film(
    X: np.ndarray,
    fitted: WhiteningMap,
    raw: Projection,
    knobs: Sequence[tuple[float, float]] = film_knobs(),
) -> tuple[Stop, ...]:
    """The stops of rows X (n, d) under a fitted whitening, all in the basis of ``raw``.

    raw : the projection of X itself; not "umap", which can't place other vectors.
    """
    return tuple(stop_at(X, fitted, raw, centring=s, strength=t) for s, t in knobs)


def stop_at(
    X: np.ndarray, fitted: WhiteningMap, raw: Projection, *, centring: float, strength: float
) -> Stop:
    """One picture anywhere, on the film's path or off it."""
    places, cones = _seen(X, fitted.adjust(centring=centring, strength=strength), raw)
    factor = match_radius(raw.around_origin, places)
    return Stop(centring, strength, factor, places * factor, cones)


def _seen(
    X: np.ndarray, turned: WhiteningMap, raw: Projection
) -> tuple[np.ndarray, tuple[ConeEdge, ...]]:
    """Places (n, k) around the origin, and the cones of a cloud that has a mean direction."""
    if not (turned.centring or turned.strength):
        return raw.around_origin, cone_edges(X, raw)
    if turned.centring == 1 and raw.axes is not None and raw.method != "cone":
        # straight into the picture: a hundredth of the work, and no cone without a mean
        onto = turned.matrix @ raw.axes.T  # (d, k)
        return (X - turned.mean) @ onto, ()
    Z = turned.apply(X)
    picture = raw.apply(Z)
    return picture.around_origin, cone_edges(Z, picture)


def place_in_film(
    knobs: Sequence[tuple[float, float]], centring: float, strength: float
) -> float | None:
    """Where on the film's path these knobs lie, in stops from its beginning; None off the path.

    (0.5, 0) is half a stop; (1, 0.25) of nine stops is 3.0; (0.5, 0.5) is on no path.
    """
    place, distance = nearest_in_film(knobs, centring, strength)
    return place if distance < FAR else None


def nearest_in_film(
    knobs: Sequence[tuple[float, float]], centring: float, strength: float
) -> tuple[float, float]:
    """The place on the film's path that is nearest to these knobs, and how far it is from them.

    In stops, and as a straight way in the plane of the two knobs.
    """
    asked = np.array([centring, strength])
    found = []
    for place, (start, end) in enumerate(pairwise(knobs)):
        begin, way = np.array(start), np.subtract(end, start)
        share = float(np.clip((asked - begin) @ way / (way @ way), 0.0, 1.0))
        found.append((place + share, float(np.hypot(*(begin + share * way - asked)))))
    return min(found, key=lambda one: one[1])
