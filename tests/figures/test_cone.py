"""The clouds' flat pictures: one scale around the origin, and a cone of the given width."""

import re
from dataclasses import replace

import numpy as np
import pytest

from geometry.figures.cone import cone_figure
from geometry.palette import LIGHT
from geometry.projection.panel import Band, Marks, Panel, Wedge
from geometry.projection.point_colours import PointColours
from geometry.projection.twin import Frame
from tests.for_each import for_each

REACH = 4.0
TITLES = ("平均方向", "reste 1")
AXIS = np.array([1.0, 0.0])
CHOSEN = Marks([3], "circle", "der gewählte")
NEAR = Marks([0, 7, 5], "square", "voisins")


def panel(**changes) -> Panel:
    points = np.random.default_rng(0).normal(size=(20, 2))
    plain = Panel(points, [f"text {row}" for row in range(20)], REACH, TITLES, "原點")
    return replace(plain, **changes)


def picture(what: Panel, theme=LIGHT, **settings):
    topics = [f"topic {row % 3}" for row in range(len(what.texts))]
    return cone_figure(what, PointColours.by_label(topics, "topic"), theme, **settings)


def corners(shape) -> np.ndarray:
    """Points (m, 2) of a path shape; the first is the tip."""
    numbers = re.findall(r"(-?[\d.e+-]+),(-?[\d.e+-]+)", shape.path)
    return np.array(numbers, dtype=float)


def sector_degrees(shape) -> tuple[float, float]:
    """First and last direction of a sector, in degrees from the x axis, unwrapped."""
    tip, *arc = corners(shape)
    assert tip.tolist() == [0, 0]
    assert np.linalg.norm(arc, axis=1) == pytest.approx(REACH, rel=1e-4)
    angles = np.degrees(np.unwrap(np.arctan2(*np.array(arc).T[::-1])))
    return float(angles[0]), float(angles[-1])


def test_one_reach_gives_both_panels_the_same_equal_axes():
    raw = panel()
    white = panel(coordinates=raw.coordinates * 30)
    for layout in (picture(raw).layout, picture(white).layout):
        assert layout.xaxis.range == layout.yaxis.range == (-REACH, REACH)
        assert layout.yaxis.scaleanchor == "x"
        assert layout.yaxis.scaleratio in (None, 1)
    assert picture(raw).layout.height == picture(white).layout.height


@for_each("degrees", [0.5, 11.7, 44.0, 74.9])
@for_each("axis", [(1, 0), (0.6, 0.8), (-1, 0.2), (-0.3, -0.9)])
def test_the_wedge_has_the_half_angle_it_is_given_around_its_axis(degrees, axis):
    unit = np.array(axis) / np.linalg.norm(axis)
    [shape] = picture(panel(wedges=[Wedge(unit, degrees, "")])).layout.shapes
    start, stop = sector_degrees(shape)
    assert (stop - start) / 2 == pytest.approx(degrees, abs=0.01)
    middle = np.radians((start + stop) / 2)
    assert [np.cos(middle), np.sin(middle)] == pytest.approx(unit, abs=1e-4)
    assert shape.layer == "below"
    assert shape.fillcolor == LIGHT.raw


def test_a_wedge_that_is_not_drawn_is_named_and_not_filled():
    wide = Wedge(AXIS, 20, "so wide", is_drawn=False)
    figure = picture(panel(wedges=[Wedge(AXIS, 20, "narrow"), wide]))
    assert len([shape for shape in figure.layout.shapes if shape.fillcolor == LIGHT.raw]) == 1
    assert "so wide" in figure.layout.annotations[0].text


def test_a_frame_gives_the_ends_of_the_axes_and_the_length_of_the_cones():
    frame = Frame(np.array([0.0, -1]), np.array([4.0, 1]), 3.0)
    framed = panel(frame=frame, wedges=[Wedge(AXIS, 20, "told")])
    margin = 0.04 * 4
    assert framed.ends[0] == pytest.approx([-margin, 4 + margin])
    layout = picture(framed).layout
    assert [list(layout.xaxis.range), list(layout.yaxis.range)] == framed.ends
    assert np.linalg.norm(corners(layout.shapes[0]), axis=1).max() == pytest.approx(3, rel=1e-4)


def test_a_band_is_shaded_on_both_sides_of_the_first_axis():
    shapes = picture(panel(bands=[Band(87.1, 92.9, "90° ± 2.9°")])).layout.shapes
    assert len(shapes) == 2
    for shape, sign in zip(shapes, (1, -1), strict=True):
        assert sector_degrees(shape) == pytest.approx((sign * 87.1, sign * 92.9), abs=0.01)
        assert shape.fillcolor == LIGHT.white


def test_marks_ring_their_rows_and_are_named_in_the_legend():
    what = panel(marks=[CHOSEN, NEAR])
    rings = [trace for trace in picture(what).data if trace.showlegend]
    assert [trace.name for trace in rings] == [CHOSEN.caption, NEAR.caption]
    for ring, mark in zip(rings, what.marks, strict=True):
        drawn = np.column_stack([ring.x, ring.y])
        assert drawn == pytest.approx(what.coordinates[list(mark.rows)], abs=1e-6)
        assert ring.marker.symbol == f"{mark.shape}-open"
    assert picture(what).layout.height > picture(panel()).layout.height
