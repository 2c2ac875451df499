"""A cloud's covariance for display: spectrum, cumulative shares, widest dimensions, matrices."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from geometry import UndefinedMeasure
from geometry.linalg.spectrum import Covariances
from tests.for_each import for_each

# variances 2, 0 and 1/2 about (3, 7, 5), no correlation; their mean is 5/6
FLAT = np.array([[2.0, 0, 0], [-2, 0, 0], [0, 0, 1], [0, 0, -1]]) + np.array([3.0, 7, 5])
RNG = np.random.default_rng(0)
CLOUD = RNG.standard_normal((200, 6)) @ RNG.standard_normal((6, 6)) + 10


def test_by_hand():
    found = Covariances.of(FLAT)
    assert found.n_rows == 4
    np.testing.assert_allclose(found.matrix, np.diag([2, 0, 0.5]))
    np.testing.assert_allclose(found.spectrum, [2.4, 0.6, 0])
    np.testing.assert_allclose(found.cumulative, [0.8, 1, 1])
    assert found.widest(2).tolist() == [0, 2]
    np.testing.assert_allclose(found.among(found.widest(2)), np.diag([2.4, 0.6]))
    # a dimension without spread correlates with none, itself included
    correlations = found.among(np.arange(3), correlation=True)
    np.testing.assert_allclose(correlations, np.diag([1, 0, 1]), atol=1e-12)


def test_the_deviation_from_the_identity_by_hand():
    # variances 2, 0 and 1/2: 1 away at most
    assert Covariances.of(FLAT).largest_deviation == pytest.approx(1)
    # variances 1 along (1, 1) and 1/4 along (1, -1), though no entry is 3/4 away
    X = np.array([[1.0, 1], [-1, -1], [0.5, -0.5], [-0.5, 0.5]])
    assert Covariances.of(X).largest_deviation == pytest.approx(0.75)
    # weights 1 and 4 make 2/5 and 2/5 of them
    assert Covariances.of(X, np.array([1, 1, 4, 4])).largest_deviation == pytest.approx(0.6)
    assert Covariances.of(np.vstack([np.eye(4), -np.eye(4)]) * 2).largest_deviation < 1e-12


def test_against_numpy_and_scikit_learn():
    found = Covariances.of(CLOUD)
    np.testing.assert_allclose(found.matrix, np.cov(CLOUD.T, bias=True))
    pca = PCA().fit(CLOUD)
    np.testing.assert_allclose(found.cumulative, np.cumsum(pca.explained_variance_ratio_))
    values = pca.explained_variance_
    np.testing.assert_allclose(found.spectrum, values / values.mean())
    some = np.array([4, 1, 2])
    np.testing.assert_allclose(
        found.among(some, correlation=True), np.corrcoef(CLOUD.T)[np.ix_(some, some)]
    )
    mean = CLOUD.var(axis=0).mean()  # the mean over all dimensions, not only those three
    np.testing.assert_allclose(found.among(some), np.cov(CLOUD[:, some].T, bias=True) / mean)
    assert found.widest(6).tolist() == np.argsort(-CLOUD.var(axis=0)).tolist()


@pytest.mark.filterwarnings("error")
@for_each("value", [0.0, 0.1, 1e6])
@for_each("dtype", [np.float32, np.float64])
def test_rows_that_are_all_equal(value, dtype):
    found = Covariances.of(np.full((3000, 4), value, dtype=dtype))
    for what in ("spectrum", "cumulative"):
        with pytest.raises(UndefinedMeasure, check=lambda error: error.code == "no_spread"):
            getattr(found, what)
    for correlation in (False, True):
        np.testing.assert_array_equal(found.among(np.arange(4), correlation=correlation), 0)
