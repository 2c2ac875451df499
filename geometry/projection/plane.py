"""The plane's algebra: the cosines of a(2, 2), b(2, -2), c(-2, 2) in a skewed basis.

The basis vectors e1, e2 are the columns of P, and G = P'P is the Gram matrix. A cosine of
*coordinates* does not depend on P; the true cosine is x'Gy / sqrt(x'Gx y'Gy), and

    cos(a, b) = (g11 - g22) / sqrt((g11 + g22)^2 - 4 g12^2) = -cos(a, c)
"""

from dataclasses import dataclass

import numpy as np

from ..linalg.moments import Moments
from ..transform.whitening_map import WhiteningMap

POINTS = np.array([[2.0, 2.0], [2.0, -2.0], [-2.0, 2.0]])  # a, b, c as rows
ORIGIN = 1e-9  # relative length at or below which a point counts as the origin
PRECISION = 1e-7  # precision of positions in a fit, so that rounding moves no point off a line


@dataclass(frozen=True)
class Plane:
    """A basis of the plane and a shift, and the cosines of a, b, c there."""

    length_1: float = 1.0  #: of e1
    length_2: float = 1.0  #: of e2
    angle: float = 90.0  #: degrees in (0, 180) from e1 to e2
    #: added after the change of basis, in units of the standard basis
    shift: tuple[float, float] = (0.0, 0.0)
    #: Degrees from the first axis to e1. It rotates the whole plane, so without a shift no cosine
    #: depends on it.
    turn: float = 0.0

    def __post_init__(self) -> None:
        if not (self.length_1 > 0 and self.length_2 > 0):
            raise ValueError(
                f"axis lengths must be above 0; got {self.length_1} and {self.length_2}"
            )
        if not 0 < self.angle < 180:
            raise ValueError(f"the angle must lie between 0 and 180 degrees; got {self.angle}")
        if not np.isfinite(self.turn):
            raise ValueError(f"the turn must be a number of degrees; got {self.turn}")

    @property
    def basis(self) -> np.ndarray:
        """P (2, 2), columns e1 and e2."""
        first = self.length_1 * direction(self.turn)
        return np.column_stack([first, self.length_2 * direction(self.turn + self.angle)])

    @property
    def gram(self) -> np.ndarray:
        """G = P'P (2, 2)."""
        return self.basis.T @ self.basis

    @property
    def first_axis_shorter(self) -> bool:
        """The sign condition: cos(a, b) < 0 < cos(a, c) if and only if |e1| < |e2|."""
        return self.length_1 < self.length_2

    def place(self, coordinates: np.ndarray) -> np.ndarray:
        """Places (n, 2) of coordinates (n, 2): x P' + shift."""
        return np.asarray(coordinates, dtype=float) @ self.basis.T + np.asarray(self.shift)

    def true_cosines(self, points: np.ndarray = POINTS) -> np.ndarray:
        """Cosines (3,) of the pairs (a, b), (a, c), (b, c) at their places in the plane.

        points : (3, 2) coordinates of a, b, c. Without a shift this is the cosine under G; nan
        where a point is at the origin.
        """
        return pair_cosines(self.place(points))

    def cosine_by_formula(self) -> float:
        """cos(a, b) of POINTS without a shift, by the formula in this module's docstring."""
        (g11, g12), (_, g22) = self.gram
        return float((g11 - g22) / np.sqrt((g11 + g22) ** 2 - 4 * g12**2))


def direction(degrees: float) -> np.ndarray:
    """Unit vector (2,) at that angle from the first axis; exact at every right angle."""
    theta = np.radians(degrees % 360)
    # cos(pi/2) in floating point is 6e-17, which would show as -0.000; + 0.0 makes -0.0 to 0.0
    return np.array([np.cos(theta), np.sin(theta)]).round(15) + 0.0


def pair_cosines(points: np.ndarray) -> np.ndarray:
    """Cosines (3,) of rows (0, 1), (0, 2), (1, 2); nan where a row is the origin up to rounding."""
    lengths = np.linalg.norm(points, axis=1)
    lengths[lengths <= ORIGIN * lengths.max()] = np.nan
    return (points @ points.T / np.outer(lengths, lengths))[np.triu_indices(3, 1)]


def background_cloud(n: int = 400, *, seed: int = 0) -> np.ndarray:
    """(n, 2) coordinates, isotropic exactly: mean 0 and covariance 2 I in the sample itself."""
    if n < 3:
        raise ValueError(f"the cloud needs at least 3 points to have two axes; got {n}")
    cloud = np.random.default_rng(seed).standard_normal((n, 2))
    return _whitening_of(cloud).apply(cloud) * np.sqrt(2.0)


def whiten_points(plane: Plane, fit_on: np.ndarray, points: np.ndarray = POINTS) -> np.ndarray:
    """Points (m, 2) after a ZCA whitening that is fitted on points of the plane."""
    return _whitening_of(plane.place(fit_on)).apply(plane.place(points))


def _whitening_of(points: np.ndarray) -> WhiteningMap:
    """The ZCA whitening fitted on points (n, 2); of points on one line it leaves what is across."""
    return WhiteningMap.solve(Moments.of(points), eps=PRECISION)
