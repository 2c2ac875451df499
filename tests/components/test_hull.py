"""The hull's arithmetic in JavaScript gives the answers of scipy and of the linear program."""

import numpy as np
from scipy.spatial import ConvexHull

from geometry.training import separating_direction
from tests.components.scripts import evaluate

ANSWERS = """
  const { hullOf, placeOfOrigin, directionFor } = await import(`${at}/hull_math.js`);
  return argument.map((points) => ({
    hull: hullOf(points), where: placeOfOrigin(points), direction: directionFor(points),
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
        is_outside = separating_direction(points).is_outside
        assert answer["where"] == ("outside" if is_outside else "inside")
        if is_outside:
            assert (points @ answer["direction"] > 0).all()
        outside.append(is_outside)
    assert 20 < sum(outside) < 80


def test_an_origin_on_an_edge_or_in_a_corner_is_on_the_border(tmp_path):
    edge, corner = [[1, 0], [-1, 0], [0, 1]], [[0, 0], [1, 0], [0, 1]]
    around = [[0, 0], [1, 0], [-1, 1], [-1, -1]]
    found = evaluate(ANSWERS, [edge, corner, [[0, 0]], around], tmp_path)
    assert [answer["where"] for answer in found] == ["border", "border", "border", "inside"]
    assert not any(separating_direction(np.array(each)).is_outside for each in (edge, corner))
