"""The hull's arithmetic in JavaScript gives the answers of scipy and of the linear program."""

import numpy as np
from scipy.spatial import ConvexHull

from geometry.training import separating_direction
from tests.components.scripts import evaluate

ANSWERS = """
  const { hullOf, originIsOutside, directionFor } = await import(`${at}/hull_math.js`);
  return argument.map((points) => ({
    hull: hullOf(points), outside: originIsOutside(points), direction: directionFor(points),
  }));
"""


def test_hull_and_origin_are_those_of_the_library(tmp_path):
    rng = np.random.default_rng(4)
    sets = [rng.uniform(-4, 4, (5, 2)) + rng.uniform(-2, 2, 2) for _ in range(100)]
    found = evaluate(ANSWERS, [points.tolist() for points in sets], tmp_path)
    outside = []
    for points, answer in zip(sets, found, strict=True):
        corners = points[ConvexHull(points).vertices]
        assert {tuple(row) for row in corners} == {tuple(row) for row in answer["hull"]}
        assert answer["outside"] == separating_direction(points).is_outside
        if answer["outside"]:
            assert (points @ answer["direction"] > 0).all()
        outside.append(answer["outside"])
    assert 20 < sum(outside) < 80
