"""Properties of the plane that hold in every basis."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from geometry.projection.plane import POINTS, Plane, background_cloud, pair_cosines, whiten_points

lengths = st.floats(0.1, 10)
angles = st.floats(5, 175)
shifts = st.tuples(st.floats(-10, 10), st.floats(-10, 10))
bases = st.builds(Plane, lengths, lengths, angles)


@given(bases)
def test_the_sign_is_set_by_the_lengths(plane):
    assume(abs(plane.length_1 - plane.length_2) > 1e-6)
    ab, ac, _ = plane.true_cosines()
    assert plane.first_axis_shorter == (ab < 0 < ac)
    assert plane.first_axis_shorter != (ac < 0 < ab)


@given(lengths, lengths, angles, shifts, st.integers(0, 50))
def test_whitening_on_the_background_restores_the_zeros(length_1, length_2, angle, shift, seed):
    plane = Plane(length_1, length_2, angle, shift)
    white = whiten_points(plane, background_cloud(50, seed=seed))
    np.testing.assert_allclose(pair_cosines(white), [0, 0, -1], atol=1e-9)


@given(lengths, lengths, angles, shifts)
def test_the_three_points_whiten_to_a_triangle(length_1, length_2, angle, shift):
    white = whiten_points(Plane(length_1, length_2, angle, shift), POINTS)
    np.testing.assert_allclose(pair_cosines(white), -0.5, atol=1e-6)
    sides = np.linalg.norm(white - np.roll(white, 1, axis=0), axis=1)
    np.testing.assert_allclose(sides, sides[0], atol=1e-6)
