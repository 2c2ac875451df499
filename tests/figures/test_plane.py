"""The plane's picture: what it draws is what the library says, at one scale, and legible."""

import numpy as np
import pytest

from geometry.figures.plane import PlaneLabels, PlaneScene, draw_plane, shared_half_range
from geometry.figures.plane_labels import PIXELS, half_size, place_labels
from geometry.figures.theme import DARK, LIGHT
from geometry.toy import POINTS, Plane, background_cloud

LABELS = PlaneLabels(
    points=("a (2, 2)", "b (2, −2)", "c (−2, 2)"),
    basis=("e₁", "e₂"),
    x="across",
    y="up",
    cloud="cloud",
    unit_circle="unit circle",
    origin="origin",
    lattice="lattice",
)
PLANES = {
    "standard": Plane(),
    "diagonal": Plane(length_2=2.0),
    "shear": Plane(length_2=2**0.5, angle=45.0),
    "longer e1": Plane(length_1=2.0),
    "shift": Plane(shift=(3.0, 3.0)),
    "wide and shifted": Plane(length_1=1.5, length_2=0.8, angle=120.0, shift=(-1.0, 2.0)),
}


def scene(plane: Plane) -> PlaneScene:
    cloud = plane.place(background_cloud(50))
    return PlaneScene(plane.place(POINTS), plane.basis, np.array(plane.shift), cloud)


def picture(plane: Plane, half_range: float | None = None, **settings):
    what = scene(plane)
    return draw_plane(
        what,
        half_range=half_range or shared_half_range([what]),
        **{"labels": LABELS, "theme": LIGHT, "cloud_colour": LIGHT.raw} | settings,
    )


def trace(figure, name):
    return next(one for one in figure.data if one.name == name)


def end_of(figure, name):
    arrow = trace(figure, name)
    return [arrow.x[-1], arrow.y[-1]]


@pytest.mark.parametrize("plane", PLANES.values(), ids=PLANES)
def test_arrows_end_where_the_library_says(plane):
    figure = picture(plane)
    for name, point in zip("abc", plane.place(POINTS), strict=True):
        assert end_of(figure, name) == pytest.approx(point)
        assert (trace(figure, name).x[0], trace(figure, name).y[0]) == (0, 0)
    for name, axis in zip(("e1", "e2"), plane.basis.T, strict=True):
        assert end_of(figure, name) == pytest.approx(plane.shift + axis)
        assert [trace(figure, name).x[0], trace(figure, name).y[0]] == pytest.approx(plane.shift)


@pytest.mark.parametrize("plane", PLANES.values(), ids=PLANES)
def test_every_label_is_there_and_the_degrees_are_the_true_angles(plane):
    texts = [note.text for note in picture(plane).layout.annotations]
    degrees = [f"{np.degrees(np.arccos(cosine)):.0f}°" for cosine in plane.true_cosines()[:2]]
    assert texts == [*LABELS.basis, *LABELS.points, *degrees]


def test_panels_share_their_scale_and_the_origin_is_in_the_middle():
    scenes = [scene(plane) for plane in PLANES.values()]
    half_range = shared_half_range(scenes)
    for plane in PLANES.values():
        layout = picture(plane, half_range).layout
        assert layout.xaxis.range == layout.yaxis.range == (-half_range, half_range)
        assert (layout.yaxis.scaleanchor, layout.yaxis.scaleratio) == ("x", 1)
    origin = trace(picture(Plane()), "origin")
    assert (origin.x, origin.y) == ((0,), (0,))


@pytest.mark.parametrize("plane", PLANES.values(), ids=PLANES)
def test_the_frame_holds_everything(plane):
    what = scene(plane)
    everything = np.concatenate([what.points, what.cloud, what.basis_origin + what.basis.T])
    assert np.abs(everything).max() <= shared_half_range([what])


def test_a_frame_beyond_the_steps_still_holds_its_points():
    assert shared_half_range([scene(Plane(length_1=40.0))]) >= 40 * 2


def test_axes_are_labelled_and_colours_follow_the_theme():
    figure = picture(Plane(), theme=DARK)
    assert figure.layout.xaxis.title.text == "across"
    assert figure.layout.yaxis.title.text == "up"
    assert figure.layout.paper_bgcolor == DARK.paper
    assert trace(figure, "a").line.color == DARK.ink


def test_the_cloud_and_the_unit_circle_are_carried_by_the_basis():
    plane = PLANES["wide and shifted"]
    figure = picture(plane)
    cloud = trace(figure, "cloud")
    assert np.column_stack([cloud.x, cloud.y]) == pytest.approx(scene(plane).cloud, abs=1e-5)
    circle = trace(figure, "unit circle")
    back = np.linalg.solve(plane.basis, np.array([circle.x, circle.y]) - np.array([plane.shift]).T)
    assert np.linalg.norm(back, axis=0) == pytest.approx(1)


def test_the_unit_circle_is_optional():
    names = [one.name for one in picture(Plane(), unit_circle=False).data]
    assert "unit circle" not in names


def test_a_point_on_the_origin_is_a_dot_without_an_angle():
    figure = picture(Plane(shift=(-2.0, -2.0)))
    assert trace(figure, "a").marker.symbol == "circle"
    assert trace(figure, "b").marker.symbol == "arrow"
    assert not [note.text for note in figure.layout.annotations if "°" in note.text]


@pytest.mark.parametrize("plane", PLANES.values(), ids=PLANES)
def test_labels_cover_no_arrow_and_no_other_label(plane):
    half_range = shared_half_range([scene(plane)])
    figure = picture(plane)
    scale = PIXELS / (2 * half_range)
    notes = figure.layout.annotations
    boxes = [(np.array([note.x, note.y]) * scale, half_size(note.text)) for note in notes]
    for centre, half in boxes:
        for name in ("e1", "e2", "a", "b", "c"):
            arrow = trace(figure, name)
            along = np.linspace(0, 1, 200)[:, None]
            ends = np.column_stack([arrow.x, arrow.y]) * scale
            inside = np.abs(ends[0] + (ends[1] - ends[0]) * along - centre) < half
            assert not inside.all(axis=1).any(), name
    for row, (centre, half) in enumerate(boxes):
        for other, its_half in boxes[:row]:
            assert (np.abs(centre - other) >= half + its_half).any()


def test_a_label_takes_a_later_spot_when_the_first_is_covered():
    wall = np.array([[2.0, -4.0], [2.0, 4.0]])
    crowd = [wall + np.array([shift, 0]) for shift in np.linspace(-1.5, 1.5, 40)]
    [place] = place_labels([np.array([[2.0, 0.0], [-2.0, 0.0]])], ["here"], crowd, 4)
    assert place[0] < 0


def test_a_wide_letter_takes_more_room():
    assert half_size("原點")[0] > half_size("ab")[0]
