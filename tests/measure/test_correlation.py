"""Ranks with ties, and Spearman, by hand and against scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata

from geometry.measure.correlation import TieGroups, ranks_in_rows, spearman

SMALL_NUMBERS = st.integers(-6, 6).map(float)  # many ties


def test_by_hand():
    assert spearman([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(0.8)
    assert spearman([1, 2, 2, 9], [1, 2, 3, 4]) == pytest.approx(4.5 / np.sqrt(4.5 * 5))
    assert TieGroups.of(np.array([7.0, 1.0, 7.0, 3.0])).ranks().tolist() == [3.5, 1, 3.5, 2]


@given(arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 9)), elements=SMALL_NUMBERS))
def test_ranks(X):
    assert np.array_equal(ranks_in_rows(X), rankdata(X, axis=1))
    assert np.array_equal(TieGroups.of(X[0]).ranks(), rankdata(X[0]))
