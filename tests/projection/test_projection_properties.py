"""Properties of projections that hold for any cloud."""

import numpy as np
import pytest
from hypothesis import assume, given

from geometry import project
from geometry.measure import angles_to_mean
from tests.clouds import clouds

some = clouds(rows=(6, 40), dimensions=(3, 10))


def has_mean(X: np.ndarray) -> bool:
    """Whether the mean is long enough that rounding does not change its direction."""
    return bool(np.linalg.norm(X.mean(axis=0)) > 1e-2 * np.linalg.norm(X) / np.sqrt(len(X)))


def angles(P: np.ndarray) -> np.ndarray:
    """Degrees between rows and the first axis."""
    return np.degrees(np.arccos((P[:, 0] / np.linalg.norm(P, axis=1)).clip(-1, 1)))


@given(X=some)
def test_the_cone_keeps_every_angle_to_the_mean(X):
    assume(has_mean(X))
    found = project(X, "cone", 3)
    # arccos turns a rounding of 1e-16 near cosine 1 into 1e-8 radians, about 1e-6 degrees
    np.testing.assert_allclose(angles(found.coordinates), angles_to_mean(X), atol=1e-5)
    np.testing.assert_allclose(
        np.linalg.norm(found.coordinates, axis=1), np.linalg.norm(X, axis=1), rtol=1e-9
    )
    assert found.explained == pytest.approx(1)


@given(X=some, Y=some)
def test_applied_the_cone_keeps_angles_to_the_first_mean(X, Y):
    d = min(X.shape[1], Y.shape[1])
    X, Y = X[:, :d], Y[:, :d]
    assume(has_mean(X))
    there = project(X, "cone", 3).apply(Y)
    mean = X.mean(axis=0)
    cosines = Y @ mean / np.linalg.norm(Y, axis=1) / np.linalg.norm(mean)
    np.testing.assert_allclose(
        angles(there.coordinates), np.degrees(np.arccos(cosines.clip(-1, 1))), atol=1e-5
    )
