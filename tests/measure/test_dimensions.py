"""Measures of single dimensions and their correlations, and ranks: by hand, numpy and scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import kurtosis, rankdata, skew

from geometry import UndefinedMeasure
from geometry.measure.correlation import TieGroups, spearman
from geometry.measure.spectrum import (
    independent_correlation,
    mean_absolute_correlation,
    mean_kurtosis,
    mean_skewness,
    widest_variance,
)

SMALL_NUMBERS = st.integers(-6, 6).map(float)  # many ties


def test_kurtosis_and_skewness_are_scipy_s_and_spearman_by_hand():
    Z = np.random.default_rng(0).gamma(1.5, size=(200, 4)) * [1, -2, 3, 4]
    assert mean_kurtosis(Z) == pytest.approx(kurtosis(Z).mean())
    assert mean_skewness(Z) == pytest.approx(np.abs(skew(Z)).mean())
    assert spearman([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(0.8)
    assert spearman([1, 2, 2, 9], [1, 2, 3, 4]) == pytest.approx(4.5 / np.sqrt(4.5 * 5))


@given(arrays(np.float64, st.integers(1, 9), elements=SMALL_NUMBERS))
def test_ranks_are_scipy_s(x):
    assert np.array_equal(TieGroups.of(x).ranks(), rankdata(x))


def test_unequal_and_correlated_dimensions_by_hand():
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
    expected = np.abs(np.corrcoef(X.T)[np.triu_indices(12, 1)]).mean()
    for Y in (X, X + 5, X / X.std(axis=0)):
        assert mean_absolute_correlation(Y) == pytest.approx(expected)
    assert widest_variance(X + 5) == pytest.approx(widest_variance(X))
    assert widest_variance(X / X.std(axis=0)) == pytest.approx(1)
    X = rng.standard_normal((300, 200))
    assert mean_absolute_correlation(X) == pytest.approx(independent_correlation(300), rel=0.02)


def test_a_cloud_without_spread_or_with_one_dimension_has_neither():
    with pytest.raises(UndefinedMeasure):
        widest_variance(np.ones((4, 3)))
    with pytest.raises(UndefinedMeasure):
        mean_absolute_correlation(np.arange(4.0)[:, None])
