"""What the page ``cosine_basis`` shows in one run: a basis, three points, and their cosines."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np

from geometry.projection.plane import POINTS, Plane, background_cloud, pair_cosines, whiten_points

CLOUD_N, CLOUD_SEED = 80, 9  # a seed whose cloud is hardly wider than the three points


@dataclass(frozen=True, eq=False)
class Cosines:
    """Cosines of the three pairs; ``whitened`` is None without whitening."""

    coordinates: np.ndarray
    true: np.ndarray
    whitened: np.ndarray | None


@dataclass(frozen=True, eq=False)
class Scene:
    """The reader's choices and the numbers that follow from them."""

    plane: Plane
    reading: str  # "coordinates" or "position": how the text reads the numbers of a, b, c
    whiten: str  # "no", or fitted on the "cloud" or the "points"
    unit_circle: bool
    points: np.ndarray = field(default_factory=POINTS.copy)
    is_hidden: bool = False  # before a guess: only the first picture is shown

    @property
    def has_usual_points(self) -> bool:
        """True if a, b, c are the three points that the page's text names."""
        return bool(np.array_equal(self.points, POINTS))

    @cached_property
    def cosines(self) -> Cosines:
        """The cosines of a, b, c: of their coordinates, as placed, and after whitening."""
        points = self.whitened(self.points)
        return Cosines(
            coordinates=pair_cosines(self.points),
            true=self.plane.true_cosines(self.points),
            whitened=None if points is None else pair_cosines(points),
        )

    def whitened(self, coordinates: np.ndarray) -> np.ndarray | None:
        """Whitened positions (n, 2) of coordinates (n, 2); None without whitening."""
        if self.whiten == "no":
            return None
        fit_on = {"cloud": background(), "points": self.points}[self.whiten]
        return whiten_points(self.plane, fit_on, coordinates)


@cache
def background() -> np.ndarray:
    """Coordinates (CLOUD_N, 2) of the background cloud."""
    return background_cloud(CLOUD_N, seed=CLOUD_SEED)


def facts_of(scene: Scene) -> dict[str, float]:
    """The cosines of a, b and of a, c, and the basis, for the lesson's sentences."""
    found, plane = scene.cosines, scene.plane
    facts = {"length_1": plane.length_1, "length_2": plane.length_2, "angle": plane.angle}
    facts["usual"] = float(scene.has_usual_points and plane == Plane(length_2=2.0))
    facts |= {"ab": float(found.true[0]), "ac": float(found.true[1])}
    facts["ab_coordinates"] = float(found.coordinates[0])
    if found.whitened is not None:
        facts["ab_whitened"] = float(found.whitened[0])
    return facts
