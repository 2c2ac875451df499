"""The plane's arithmetic in JavaScript gives the library's numbers."""

import numpy as np

from geometry.projection.plane import (
    POINTS,
    Plane,
    background_cloud,
    pair_cosines,
    whiten_points,
)
from pages.cosine_basis.explore import BasisScene, state_of
from tests.components.scripts import evaluate

NUMBERS = """
  const { cosinesOf, gram, halfRangeOf, placing } = await import(`${at}/plane_math.js`);
  const text = (value) => JSON.parse(JSON.stringify(value).replaceAll("null", '"none"'));
  return argument.planes.map((plane) => ({
    gram: gram(plane),
    cloud: text(cosinesOf(plane, "cloud", argument.cloud)),
    points: text(cosinesOf(plane, "points", argument.cloud)),
  }));
"""


def planes() -> list[BasisScene]:
    """Planes that the controls can make; in some, points are equal, collinear or at the origin."""
    rng = np.random.default_rng(6)
    found = []
    for row in range(200):
        low, high = rng.uniform(0.25, 3, 2), rng.uniform((15, -180), (165, 180))
        points = rng.integers(-40, 41, (3, 2)) / 10
        if row % 5 == 0:
            points = np.array([1, -2, 3])[:, None] * rng.integers(-13, 14, 2) / 10
        shift = tuple((rng.integers(-40, 41, 2) / 10).tolist()) if row % 2 else (0.0, 0.0)
        plane = Plane(*low, high[0], shift, high[1])
        found.append(BasisScene(plane, "position", "cloud", True, points if row % 3 else POINTS))
    return [*found, BasisScene(Plane(), "position", "cloud", True, np.zeros((3, 2)))]


def test_every_number_is_the_librarys_to_a_billionth(tmp_path):
    cloud, settings = background_cloud(80, seed=9), planes()
    message = {"planes": [state_of(scene) for scene in settings], "cloud": cloud.tolist()}
    answers = evaluate(NUMBERS, message, tmp_path)
    assert len(answers) == len(settings)
    for scene, answer in zip(settings, answers, strict=True):
        plane, points = scene.plane, scene.points
        (g11, g12), (_, g22) = plane.gram
        wanted = {
            "coordinates": pair_cosines(points),
            "true": plane.true_cosines(points),
            "cloud": pair_cosines(whiten_points(plane, cloud, points)),
            "points": pair_cosines(whiten_points(plane, points, points)),
        }
        found = {
            **{key: answer["cloud"][key] for key in ("coordinates", "true")},
            **{fit: answer[fit]["whitened"] for fit in ("cloud", "points")},
        }
        np.testing.assert_allclose(answer["gram"], [g11, g12, g22], rtol=0, atol=1e-9)
        for key, values in wanted.items():
            numbers = [np.nan if value == "none" else value for value in found[key]]
            np.testing.assert_allclose(numbers, values, rtol=0, atol=1e-9, err_msg=f"{key} {scene}")
