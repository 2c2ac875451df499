"""Measures of unequal and of correlated dimensions, by hand and by numpy."""

import numpy as np
import pytest

from geometry import UndefinedMeasure
from geometry.measure.dimensions import (
    independent_correlation,
    mean_absolute_correlation,
    widest_variance,
)


def test_by_hand():
    X = np.array([[0.0, 0.0, 1.0], [2.0, 4.0, 1.0], [4.0, 8.0, 1.0]])
    # variances 8/3, 32/3, 0: mean 40/9
    assert widest_variance(X) == pytest.approx((32 / 3) / (40 / 9))
    assert mean_absolute_correlation(X) == pytest.approx(1)  # the constant one is left out
    # r = -1/2 of (0, 1, 2) and (0, 1, -1)
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, -1.0]])
    assert mean_absolute_correlation(X) == pytest.approx(0.5)


def test_against_numpy_and_what_does_not_change_them():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 12)) @ rng.standard_normal((12, 12))
    r = np.corrcoef(X.T)
    expected = np.abs(r[np.triu_indices(12, 1)]).mean()
    for Y in (X, X + 5, X / X.std(axis=0)):
        assert mean_absolute_correlation(Y) == pytest.approx(expected)
    assert widest_variance(X + 5) == pytest.approx(widest_variance(X))
    assert widest_variance(X / X.std(axis=0)) == pytest.approx(1)


def test_independent_dimensions_have_the_expected_correlation():
    X = np.random.default_rng(0).standard_normal((300, 200))
    assert mean_absolute_correlation(X) == pytest.approx(independent_correlation(300), rel=0.02)


def test_a_cloud_without_spread_or_with_one_dimension_has_neither():
    with pytest.raises(UndefinedMeasure):
        widest_variance(np.ones((4, 3)))
    with pytest.raises(UndefinedMeasure):
        mean_absolute_correlation(np.arange(4.0)[:, None])
