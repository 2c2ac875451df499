"""Kurtosis and skewness of columns: by hand and beside scipy."""

import numpy as np
import pytest
from scipy.stats import kurtosis, skew

from geometry.measure.axis_shapes import mean_kurtosis, mean_skewness


def test_by_hand():
    # (-1, -1, -1, 3) / sqrt 3: third moment 2 / sqrt 3, fourth 21 / 9
    one = np.array([0.0, 0, 0, 4])
    Z = np.stack([one, -one], axis=1)
    assert mean_skewness(Z) == pytest.approx(2 / np.sqrt(3))
    assert mean_kurtosis(Z) == pytest.approx(21 / 9 - 3)


def test_beside_scipy():
    Z = np.random.default_rng(0).gamma(1.5, size=(200, 4)) * [1, -2, 3, 4]
    assert mean_kurtosis(Z) == pytest.approx(kurtosis(Z).mean())
    assert mean_skewness(Z) == pytest.approx(np.abs(skew(Z)).mean())
