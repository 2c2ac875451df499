"""The clouds' pictures: one scale around the origin, and a cone of the given width."""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

from geometry.figures.cone import _set_symbols, cone_figure
from geometry.palette import DARK, LIGHT
from geometry.projection.panel import Band, Mark, Panel, Wedge
from geometry.projection.point_colours import PointColours
from geometry.projection.twin import Frame
from tests.for_each import for_each

CAMERA = Path(__file__).parents[2] / "assets/components/twin_cloud/camera.js"
REACH = 4.0
TITLES = ("平均方向", "reste 1", "reste 2")
CHOSEN = Mark([3], "circle-open", "der gewählte")
NEAR = Mark([0, 7, 5], "square-open", "voisins")


def direction(k: int, *components: float) -> np.ndarray:
    axis = np.array(components[:k])
    return axis / np.linalg.norm(axis)


def panel(k: int = 2, **changes) -> Panel:
    points = np.random.default_rng(0).normal(size=(20, k))
    plain = Panel(points, [f"text {row}" for row in range(20)], REACH, TITLES[:k], "原點")
    return replace(plain, **changes)


def by_topic(n: int = 20) -> PointColours:
    return PointColours.by_label([f"topic {row % 3}" for row in range(n)], "topic")


def picture(what: Panel, theme=LIGHT, **settings):
    return cone_figure(what, by_topic(len(what.texts)), theme, **settings)


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


def trace_at(figure, kind: str, **wanted):
    return [
        trace for trace in figure.data
        if trace.type == kind and all(getattr(trace, key) == value for key, value in wanted.items())
    ]  # fmt: skip


def test_one_reach_gives_both_panels_the_same_equal_axes():
    raw = panel()
    white = panel(coordinates=raw.coordinates * 30)
    for layout in (picture(raw).layout, picture(white).layout):
        assert layout.xaxis.range == layout.yaxis.range == (-REACH, REACH)
        assert layout.yaxis.scaleanchor == "x"
        assert layout.yaxis.scaleratio in (None, 1)
    assert picture(raw).layout.height == picture(white).layout.height


@for_each("k", [2, 3])
def test_every_point_is_drawn_where_it_is_with_its_text(k):
    what = panel(k)
    points = picture(what).data[0]
    drawn = np.column_stack([getattr(points, name) for name in "xyz"[:k]])
    assert drawn == pytest.approx(what.coordinates, abs=1e-6)
    assert list(points.text) == what.texts
    assert "%{text}" in points.hovertemplate


def test_the_origin_is_drawn_and_labelled():
    figure = picture(panel())
    [note] = [annotation for annotation in figure.layout.annotations if "原點" in annotation.text]
    assert (note.x, note.y) == (0, 0)
    assert figure.layout.xaxis.zeroline
    assert figure.layout.yaxis.zeroline


@for_each("degrees", [0.5, 11.7, 44.0, 74.9])
@for_each("axis", [(1, 0), (0.6, 0.8), (-1, 0.2), (-0.3, -0.9)])
def test_the_wedge_has_the_half_angle_it_is_given_around_its_axis(degrees, axis):
    unit = direction(2, *axis)
    [shape] = picture(panel(wedges=[Wedge(unit, degrees, "")])).layout.shapes
    start, stop = sector_degrees(shape)
    assert (stop - start) / 2 == pytest.approx(degrees, abs=0.01)
    middle = np.radians((start + stop) / 2)
    assert [np.cos(middle), np.sin(middle)] == pytest.approx(unit, abs=1e-4)
    assert shape.layer == "below"
    assert shape.fillcolor == LIGHT.raw


@for_each("k", [2, 3])
def test_a_wedge_that_is_not_drawn_is_named_and_not_filled(k):
    unit = direction(k, 1, 0, 0)
    wide = Wedge(unit, 20, "so wide", is_drawn=False)
    figure = picture(panel(k, wedges=[Wedge(unit, 20, "narrow"), wide]))
    filled = [shape for shape in figure.layout.shapes if shape.fillcolor == LIGHT.raw]
    assert len(filled if k == 2 else trace_at(figure, "mesh3d")) == 1
    assert "so wide" in figure.layout.annotations[0].text


@for_each("k", [2, 3])
def test_a_frame_gives_the_ends_of_the_axes_and_the_length_of_the_cones(k):
    frame = Frame(np.array([0.0, -1, -1][:k]), np.array([4.0, 1, 1][:k]), 3.0)
    framed = panel(k, frame=frame, wedges=[Wedge(direction(k, 1, 0, 0), 20, "told")])
    margin = 0.04 * 4
    assert framed.ends[0] == pytest.approx([-margin, 4 + margin])
    layout = picture(framed).layout
    axes = [layout.xaxis, layout.yaxis] if k == 2 else [layout.scene.xaxis, layout.scene.yaxis]
    assert [tuple(each.range) for each in axes] == [tuple(ends) for ends in framed.ends[:2]]
    if k == 3:
        [mantle] = trace_at(picture(framed), "mesh3d")
        lengths = np.linalg.norm([mantle.x, mantle.y, mantle.z], axis=0)
        assert lengths.max() == pytest.approx(3)


def test_a_band_is_shaded_on_both_sides_of_the_first_axis():
    shapes = picture(panel(bands=[Band(87.1, 92.9, "90° ± 2.9°")])).layout.shapes
    assert len(shapes) == 2
    for shape, sign in zip(shapes, (1, -1), strict=True):
        assert sector_degrees(shape) == pytest.approx((sign * 87.1, sign * 92.9), abs=0.01)
        assert shape.fillcolor == LIGHT.white


@for_each("k", [2, 3])
def test_marks_ring_their_rows_and_are_named_in_the_legend(k):
    what = panel(k, marks=[CHOSEN, NEAR])
    rings = [trace for trace in picture(what).data if trace.showlegend]
    assert [trace.name for trace in rings] == [CHOSEN.caption, NEAR.caption]
    for ring, mark in zip(rings, what.marks, strict=True):
        drawn = np.column_stack([getattr(ring, name) for name in "xyz"[:k]])
        assert drawn == pytest.approx(what.coordinates[list(mark.rows)], abs=1e-6)
        assert ring.marker.symbol == mark.symbol
    assert picture(what).layout.height > picture(panel(k)).layout.height


@for_each("k", [2, 3])
def test_captions_are_above_the_picture_word_for_word(k):
    captions = ["50% im Umkreis von 40,3°", "90% 在 46.3° 以內", "bande: 90° ± 2,9°"]
    unit = direction(k, 1, 0, 0)
    what = panel(
        k,
        wedges=[Wedge(unit, 10, captions[0]), Wedge(unit, 20, captions[1])],
        bands=[Band(87, 93, captions[2])],
    )
    [note] = [
        annotation for annotation in picture(what).layout.annotations if "<br>" in annotation.text
    ]
    assert note.text.split("<br>") == captions
    assert (note.yref, note.y, note.yanchor) == ("paper", 1, "bottom")


def test_deep_axes_run_through_the_origin_and_are_named_at_their_ends():
    figure = picture(panel(3))
    lines = trace_at(figure, "scatter3d", mode="lines+text")
    assert len(lines) == 3
    for place, line in enumerate(lines):
        ends = np.array([line.x, line.y, line.z])  # (3, 2)
        assert ends[place].tolist() == [-REACH, REACH]
        assert np.delete(ends, place, axis=0).tolist() == [[0, 0], [0, 0]]
        assert list(line.text) == ["", TITLES[place]]
    [origin] = trace_at(figure, "scatter3d", mode="markers+text")
    assert (origin.x, origin.y, origin.z) == ((0,), (0,), (0,))
    assert list(origin.text) == ["原點"]


@for_each("degrees", [0.2, 30.0, 75.0])
@for_each("axis", [(1, 0, 0), (0, 0, 1), (1, -2, 0.5)])
def test_the_mantle_is_at_the_given_angle_to_its_axis(degrees, axis):
    unit = direction(3, *axis)
    [mantle] = trace_at(picture(panel(3, wedges=[Wedge(unit, degrees, "")])), "mesh3d")
    tip, *rim = np.column_stack([mantle.x, mantle.y, mantle.z])
    assert tip.tolist() == [0, 0, 0]
    along = np.array(rim) @ unit / np.linalg.norm(rim, axis=1)
    assert np.degrees(np.arccos(along.clip(-1, 1))) == pytest.approx(degrees, abs=1e-4)
    assert np.linalg.norm(rim, axis=1) == pytest.approx(REACH)
    # A closed fan: every triangle begins at the tip and contains one edge of the rim.
    edges = {frozenset(pair) for pair in zip(mantle.j, mantle.k, strict=True)}
    assert set(mantle.i) == {0}
    assert edges == {frozenset((row, row % len(rim) + 1)) for row in range(1, len(rim) + 1)}


@for_each("k", [2, 3])
def test_zoom_and_camera_remain_with_new_data(k):
    first = picture(panel(k)).layout
    other = picture(panel(k, reach=9.0, wedges=[Wedge(direction(k, 1, 1, 1), 30, "x")])).layout
    assert first.uirevision == other.uirevision
    assert first.uirevision
    assert first.scene.camera == other.scene.camera


@for_each("k", [2, 3])
def test_light_and_dark_differ_and_each_is_its_theme_s(k):
    what = panel(k, wedges=[Wedge(direction(k, 1, 0, 0), 20, "told")], marks=[CHOSEN])
    palettes = []
    for theme in (LIGHT, DARK):
        figure = picture(what, theme)
        assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == theme.paper
        assert figure.layout.font.color == theme.ink
        text = figure.to_json()
        assert theme.raw in text
        assert theme.accent in text
        palettes.append({colour for _, colour in figure.data[0].marker.colorscale})
    assert palettes[0].isdisjoint(palettes[1])


def test_the_first_view_is_that_of_the_linked_clouds():
    script = CAMERA.read_text(encoding="utf-8")
    azimuth = re.search(r"HOME_AZIMUTH = Math\.atan2\((.+?), (.+?)\)", script).groups()
    elevation = float(re.search(r"HOME_ELEVATION = (.+?);", script)[1])
    eye = picture(panel(3)).layout.scene.camera.eye
    # the first axis points up: the azimuth is in the plane of the other two
    assert [float(part) for part in azimuth] == [eye.z, eye.y]
    assert math.atan2(eye.x, math.hypot(eye.y, eye.z)) == pytest.approx(elevation, abs=0.005)
    assert (picture(panel(3)).layout.scene.camera.up.x, elevation > 0) == (1, True)


def test_without_plotly_s_private_name_the_symbols_are_the_same():
    class Renamed:
        """Plotly's settings of a marker without ``_props``."""

    symbols = np.array([0, 1, 4])
    fast, plain = go.scattergl.Marker(), go.scattergl.Marker()
    _set_symbols(fast, symbols)
    plain.symbol = symbols
    assert fast.to_plotly_json()["symbol"].tolist() == list(plain.symbol) == [0, 1, 4]
    renamed = Renamed()
    _set_symbols(renamed, symbols)
    assert renamed.symbol is symbols
