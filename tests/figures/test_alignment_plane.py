"""The plane: points and path as given, one scale of colours, labels that do not overlap."""

import numpy as np
import pytest

from geometry.figures.alignment_plane import LABEL_HEIGHT, PlanePath, PlanePoint, plane_figure
from geometry.palette import DARK, LIGHT
from tests.for_each import for_each

PATH = PlanePath(
    np.array([-1.0, -2.0, -3.0]),
    np.array([0.2, 0.25, 0.3]),
    np.array([80.0, 70.0, 90.0]),
    ("a", "b", "c"),
    "path",
)


def points():
    """Two nearly equal points on the left, one point on the right."""
    return [
        PlanePoint(-3.9, 0.8, 84.0, "white", "about white"),
        PlanePoint(-3.9, 0.801, 85.0, "flow", "about flow", is_main=True),
        PlanePoint(-1.0, 0.2, 80.0, "raw", "about raw"),
    ]


@for_each("theme", [LIGHT, DARK])
def test_points_path_and_labels(theme):
    figure = plane_figure(points(), PATH, ("u", "a", "score"), theme, height=400)
    line, dots = figure.data
    assert np.array(line.x) == pytest.approx(PATH.uniformity)
    assert list(line.marker.color) == [80, 70, 90]
    assert list(dots.y) == [0.8, 0.801, 0.2]
    assert line.marker.coloraxis == dots.marker.coloraxis == "coloraxis"
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (70, 90)
    low, high = figure.layout.yaxis.range
    scale = (400 - 110) / (high - low)
    heights = [
        scale * label.y - label.ay for label in figure.layout.annotations if "raw" not in label.text
    ]
    assert abs(heights[0] - heights[1]) >= LABEL_HEIGHT - 1e-9
    assert [label.text for label in figure.layout.annotations] == ["white", "<b>flow</b>", "raw"]
    left, _, right = figure.layout.annotations
    assert left.ax > 0 > right.ax  # towards the middle
