"""Moments: sums worked by hand, blocks against the whole, Ledoit-Wolf against scikit-learn."""

import numpy as np
import pytest

from geometry.linalg.moments import Moments, ledoit_wolf
from tests.for_each import for_each


def test_worked_by_hand():
    # rows (1, 0), (3, 0), (2, 3): mean (2, 1); z = (-1, -1), (1, -1), (0, 2)
    # scatter = [[1+1+0, 1-1+0], [0, 1+1+4]]; |z|^2 = 2, 2, 4
    # cubic = 2(-1, -1) + 2(1, -1) + 4(0, 2) = (0, 4); quartic = 4 + 4 + 16
    m = Moments.of(np.array([[1.0, 0.0], [3.0, 0.0], [2.0, 3.0]]))
    assert m.n_rows == 3
    assert m.weight == m.weight2 == 3.0
    np.testing.assert_allclose(m.mean, [2, 1])
    np.testing.assert_allclose(m.scatter, [[2, 0], [0, 6]])
    np.testing.assert_allclose(m.cubic, [0, 4], atol=1e-12)
    assert m.quartic == pytest.approx(24)
    np.testing.assert_allclose(m.covariance, [[2 / 3, 0], [0, 2]])


def test_weights_worked_by_hand():
    # rows 0 (weight 3) and 4 (weight 1): mean 1, z = -1 and 3
    # scatter = 3 * 1 + 9 = 12; cubic = 3 * (-1) + 27 = 24; quartic = 3 + 81 = 84
    m = Moments.of(np.array([[0.0], [4.0]]), np.array([3.0, 1.0]))
    assert (m.weight, m.weight2) == (4.0, 10.0)
    assert m.mean == pytest.approx([1])
    assert m.scatter == pytest.approx(12)
    assert m.cubic == pytest.approx(24)
    assert m.quartic == pytest.approx(84)


def test_a_long_mean_cancels_nothing():
    # X'X/n - mu mu' would be wrong in the first digit here: 1e16 - 1e16 for a variance of 1
    X = np.random.default_rng(3).standard_normal((500, 3)) + 1e8
    centred = X - X.mean(axis=0)
    np.testing.assert_allclose(Moments.of(X).covariance, centred.T @ centred / 500, rtol=1e-7)
    halves = Moments.of(X[:200]).merge(Moments.of(X[200:]))
    np.testing.assert_allclose(halves.covariance, centred.T @ centred / 500, rtol=1e-7)


@for_each("n", [7, 5000, 20_000])
@for_each("dtype", [np.float32, np.float64])
def test_equal_rows_have_no_variance(n, dtype):
    # 0.1 has no exact binary form, so a sum over many rows is rounded, and its mean with it
    m = Moments.of(np.full((n, 3), 0.1, dtype=dtype))
    assert np.abs(m.covariance).max() < 1e-30


def test_ledoit_wolf_has_nothing_to_shrink_in_one_dimension_or_a_round_cloud():
    assert ledoit_wolf(Moments.of(np.array([[1.0], [2.0], [4.0]]))) == 0.0
    corners = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])  # covariance I / 2, its own target
    assert ledoit_wolf(Moments.of(corners)) == 0.0


def test_no_rows():
    with pytest.raises(ValueError, match="at least one row"):
        Moments.of(np.empty((0, 3)))
