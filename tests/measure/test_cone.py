"""Opening angle and mean-norm share by hand and by a second route."""

import numpy as np
import pytest

from geometry.measure import angles_to_mean, mean_norm_share, opening_angle
from tests.clouds import cloud
from tests.for_each import for_each

CORNER = np.array([[1.0, 0], [0, 1], [1, 1]])  # cosines 0, 1/sqrt 2, 1/sqrt 2


CROSS = np.array([[2.0, 0], [-2, 0], [0, 1], [0, -1]])  # covariance diag(2, 1/2)


def test_mean_norm_share_worked_by_hand():
    # mean (2/3, 2/3), |mean|^2 = 8/9; E|x|^2 = (1 + 1 + 2)/3 = 4/3
    assert mean_norm_share(CORNER) == pytest.approx(2 / 3)
    assert mean_norm_share(CROSS) == 0.0
    assert mean_norm_share([[3, 4]]) == pytest.approx(1)


@for_each("theta", [0.5, 20.0, 44.0, 89.0])
def test_opening_angle_of_a_cone_built_by_hand(theta):
    # a ring at angle theta around the third axis, rows of any length
    turn = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    t = np.radians(theta)
    ring = np.column_stack(
        [np.sin(t) * np.cos(turn), np.sin(t) * np.sin(turn), np.cos(t) + 0 * turn]
    )
    np.testing.assert_allclose(angles_to_mean(7 * ring), theta, atol=1e-6)
    assert opening_angle(ring) == pytest.approx(theta)


def test_a_centred_cloud_has_no_axis():
    X = cloud()
    for centred in (CROSS, X - X.mean(axis=0), (X - X.mean(axis=0)).astype(np.float32)):
        with pytest.raises(ValueError, match="mean vector is zero"):
            opening_angle(centred)
