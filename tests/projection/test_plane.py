"""The plane's algebra on the numbers that the page states."""

import numpy as np
import pytest

from geometry.projection.plane import (
    POINTS,
    Plane,
    background_cloud,
)
from tests.for_each import for_each

# e1 = (1, 0) in all; e2 as written. cos(a, b) = (g11 - g22) / sqrt((g11 + g22)^2 - 4 g12^2)
BASES = [
    (Plane(), 0.0),
    # G = diag(1, 4): -3 / 5
    (Plane(length_2=2), -0.6),
    # G = [[1, 1], [1, 2]]: -1 / sqrt(9 - 4)
    (Plane(length_2=np.sqrt(2), angle=45), -1 / np.sqrt(5)),
    # G = [[1, 0.5], [0.5, 1.25]]: -0.25 / sqrt(5.0625 - 1) = -0.12403
    (
        Plane(length_2=np.sqrt(1.25), angle=np.degrees(np.arctan2(1, 0.5))),
        -0.25 / np.sqrt(4.0625),
    ),
    # e1 is longer, so the sign changes
    (Plane(length_1=2), 0.6),
    # equal lengths at 60 degrees: g11 = g22, so the angle alone changes nothing
    (Plane(angle=60), 0.0),
]


@for_each(("plane", "ab"), BASES)
def test_cosines_worked_by_hand(plane, ab):
    np.testing.assert_allclose(plane.true_cosines(), [ab, -ab, -1], atol=1e-12)
    assert plane.cosine_by_formula() == pytest.approx(ab, abs=1e-12)
    assert plane.first_axis_shorter == (ab < -1e-9)


def test_the_basis_its_gram_matrix_and_the_figures_as_the_page_prints_them():
    printed = [round(plane.true_cosines()[1], 3) for plane, _ in BASES[1:4]]
    assert printed == [0.6, 0.447, 0.124]
    plane = Plane(length_1=3, length_2=2, angle=60)
    np.testing.assert_allclose(plane.basis, [[3, 1], [0, np.sqrt(3)]])
    np.testing.assert_allclose(plane.gram, [[9, 3], [3, 4]])
    assert Plane().basis.tolist() == [[1, 0], [0, 1]]  # exact at a right angle
    # (2, 2) is 2 e1 + 2 e2
    np.testing.assert_allclose(plane.place(POINTS)[0], [8, 2 * np.sqrt(3)])


def test_a_turn_turns_everything_and_no_cosine():
    plane = Plane(length_1=3, length_2=2, angle=60, turn=30)
    np.testing.assert_allclose(plane.basis.T, [[3 * 0.75**0.5, 1.5], [0, 2]], atol=1e-15)
    np.testing.assert_allclose(plane.gram, [[9, 3], [3, 4]])
    for turn, axes in (
        (90, [[0, 1], [-1, 0]]),
        (-90, [[0, -1], [1, 0]]),
        (180, [[-1, 0], [0, -1]]),
    ):
        assert Plane(turn=turn).basis.T.tolist() == axes  # exact at right angles


def test_a_shift_makes_the_cone_and_a_point_on_the_origin_has_no_cosine():
    # a, b, c at (5, 5), (5, 1), (1, 5): 30 / sqrt(50 * 26) twice, and 10 / 26
    cosines = Plane(shift=(3, 3)).true_cosines()
    np.testing.assert_allclose(cosines, [30 / np.sqrt(1300), 30 / np.sqrt(1300), 10 / 26])
    assert [round(c, 3) for c in cosines] == [0.832, 0.832, 0.385]
    cosines = Plane(shift=(-2, -2)).true_cosines()  # a falls on the origin
    assert np.isnan(cosines[:2]).all()
    assert cosines[2] == pytest.approx(0)  # b (0, -4), c (-4, 0)


def test_the_background_cloud_is_isotropic_exactly():
    cloud = background_cloud(200, seed=4)
    np.testing.assert_allclose(cloud.mean(axis=0), 0, atol=1e-14)
    np.testing.assert_allclose(cloud.T @ cloud / 200, 2 * np.eye(2), atol=1e-12)
    np.testing.assert_array_equal(cloud, background_cloud(200, seed=4))
    assert not np.array_equal(cloud, background_cloud(200, seed=5))
    with pytest.raises(ValueError, match="at least 3 points"):
        background_cloud(2)


@for_each(
    "bad",
    [
        {"length_1": 0},
        {"length_2": -1},
        {"length_1": float("nan")},
        {"angle": 0},
        {"angle": 180},
        {"angle": float("nan")},
        {"turn": float("inf")},
    ],
)
def test_no_basis(bad):
    with pytest.raises(
        ValueError, match={"angle": "angle", "turn": "turn"}.get(next(iter(bad)), "lengths")
    ):
        Plane(**bad)
