"""The film from a raw cloud to the whitened cloud: centring, then strength.

The pictures are exact at the stops; between two stops each point moves along a straight line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..transform.whitening_map import WhiteningMap
from .projection import Projection, match_radius
from .twin import ConeEdge, Frame, cone_edges, drawn_cones, frame_of

STRENGTHS = 8  # stops of the strength beyond its 0
FAR = 1e-9  # knobs nearer to each other than this count as equal


@dataclass(frozen=True)
class Stop:
    centring: float  # in [0, 1]
    strength: float  # in [0, 1]
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
    """The stops of rows X (n, d) under a fitted whitening, all in the basis of ``raw``."""
    return tuple(stop_at(X, fitted, raw, centring=s, strength=t) for s, t in knobs)


def stop_at(
    X: np.ndarray, fitted: WhiteningMap, raw: Projection, *, centring: float, strength: float
) -> Stop:
    """The picture at any (centring, strength), on the film's path or off it."""
    places, cones = _place(X, fitted.adjust(centring=centring, strength=strength), raw)
    factor = match_radius(raw.around_origin, places)
    places = places * factor
    return Stop(
        centring, strength, factor, places, cones, frame_of(places, drawn_cones(cones, raw))
    )


def _place(
    X: np.ndarray, whitening: WhiteningMap, raw: Projection
) -> tuple[np.ndarray, tuple[ConeEdge, ...]]:
    """Places (n, k) around the origin, and the cones, which a centred cloud does not have."""
    if not (whitening.centring or whitening.strength):
        return raw.around_origin, cone_edges(X, raw)
    if whitening.centring == 1 and raw.axes is not None and raw.method != "cone":
        # both maps are linear, so they are multiplied first: 1% of the work. A centred cloud has no
        # cone
        return (X - whitening.mean) @ whitening.onto(raw.axes), ()
    Z = whitening.apply(X)
    picture = raw.apply(Z)
    return picture.around_origin, cone_edges(Z, picture)


def place_in_film(
    knobs: Sequence[tuple[float, float]], centring: float, strength: float
) -> float | None:
    """The place of two settings on the film's path, in stops from its start; None off the path."""
    place, distance = nearest_in_film(knobs, centring, strength)
    return place if distance < FAR else None


def nearest_in_film(
    knobs: Sequence[tuple[float, float]], centring: float, strength: float
) -> tuple[float, float]:
    """(the nearest place on the film's path in stops, its distance in (centring, strength))."""
    point = np.array([centring, strength])
    found = []
    for place, (start, end) in enumerate(pairwise(knobs)):
        begin, way = np.array(start), np.subtract(end, start)
        share = float(np.clip((point - begin) @ way / (way @ way), 0.0, 1.0))
        found.append((place + share, float(np.hypot(*(begin + share * way - point)))))
    return min(found, key=lambda place_and_distance: place_and_distance[1])
