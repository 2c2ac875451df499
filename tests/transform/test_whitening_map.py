"""The map alone: the estimator's numbers, and softening without a second fit."""

import numpy as np
import pytest

from geometry.linalg.moments import Moments
from geometry.transform.whiten import Whitening
from geometry.transform.whitening_map import METHODS, WhiteningMap, recommended_whitening
from tests.for_each import for_each


def cloud(n: int = 60, d: int = 5, *, dtype: type = np.float64) -> np.ndarray:
    rng = np.random.default_rng(0)
    return (rng.standard_normal((n, d)) * np.geomspace(3, 0.3, d) + 2).astype(dtype)


def solve(X: np.ndarray, **settings) -> WhiteningMap:
    return WhiteningMap.solve(Moments.of(X), eps=float(np.finfo(X.dtype).eps), **settings)


@for_each("method", METHODS)
def test_adjusted_is_fitted_so(method):
    X = cloud()
    start = solve(X, method=method)
    for changes in (
        {"n_components": 2},
        {"shrinkage": 0.3},
        {"shrinkage": "ledoit-wolf", "strength": 0.4},
        {"n_components": 3, "shrinkage": 0, "centring": 0.5, "strength": 1},
        {"n_components": None, "shrinkage": None, "centring": 1},
    ):
        fresh = solve(X, method=method, **changes)
        adjusted = start.adjust(**changes)
        np.testing.assert_allclose(adjusted.apply(X), fresh.apply(X), atol=1e-12)
        assert (adjusted.rank, adjusted.shrinkage) == (fresh.rank, fresh.shrinkage)
    np.testing.assert_array_equal(start.apply(X), solve(X, method=method).apply(X))
    # Settings that are not named do not change.
    adjusted = start.adjust(n_components=2, shrinkage=0.2).adjust(strength=0.5)
    assert (adjusted.n_components, adjusted.shrinkage, adjusted.strength) == (2, 0.2, 0.5)


def test_fitted_on_rows():
    X = cloud(dtype=np.float32)
    w = np.arange(60.0)
    found = WhiteningMap.of(X, w, method="zca-cor", shrinkage="ledoit-wolf")
    expected = Whitening("zca-cor", shrinkage="ledoit-wolf").fit(X, sample_weight=w)
    np.testing.assert_array_equal(found.apply(X), expected.transform(X))
    assert WhiteningMap.of([[0, 1], [1, 0], [3, 3]]).apply([[1, 2]]).dtype == np.float64
    half = WhiteningMap.of(X.astype(np.float16))
    assert half.apply(X.astype(np.float16)).dtype == np.float64


def test_bad_weights_are_refused_and_a_simplex_counts_the_rows_that_weigh():
    for weights in ([1, 1, 1], [1, -1], [1, np.nan], [0, 0], [[1, 1]]):
        with pytest.raises(ValueError, match="sample_weight"):
            WhiteningMap.of([[1.0, 2], [0, 1]], weights)
    X = cloud(8, 10)
    w = np.array([1.0, 1, 1, 1, 1, 0, 0, 0])
    fitted = WhiteningMap.of(X, w)
    assert (fitted.rank, fitted.n_rows, fitted.is_simplex) == (4, 5, True)
    assert [fitted.adjust(n_components=k).makes_simplex for k in (4, 3)] == [True, False]


def test_distinct_rows_are_counted_up_to_rounding_and_to_two_more_than_can_matter():
    X = cloud(8, 10, dtype=np.float32)
    twice = np.vstack([X, X[:3] * (1 + 2e-7), X[:1]])
    fitted = WhiteningMap.of(twice)
    assert (fitted.n_rows, fitted.n_distinct, fitted.rank) == (12, 8, 7)
    assert fitted.is_simplex
    assert not fitted.is_regular
    assert WhiteningMap.of(cloud(400, 10)).n_distinct == 12
    repeated = np.repeat(cloud(4, 10), 100, axis=0)  # more rows than the first check reads
    assert WhiteningMap.of(repeated).n_distinct == 4
    assert not WhiteningMap.of(np.ones((3, 2))).is_simplex  # equal rows are no simplex


def test_blocks_are_taken_to_share_no_row_unless_more_than_enough_differ():
    X, many = cloud(4, 10), cloud(400, 10)
    assert Moments.of(X).merge(Moments.of(X)).n_distinct is None
    assert WhiteningMap.solve(Moments.of(X).merge(Moments.of(X + 1)), eps=1e-16).n_distinct == 8
    assert Moments.of(many).merge(Moments.of(X)).n_distinct == 12


def test_recommended():
    assert recommended_whitening(500, 100) == {}
    assert recommended_whitening(499, 100) == {"shrinkage": "ledoit-wolf"}
    assert recommended_whitening(101, 100) == {"shrinkage": "ledoit-wolf"}
    for n in (2, 50, 100):
        settings = recommended_whitening(n, 100)
        assert settings["shrinkage"] == "ledoit-wolf"
        assert 1 <= settings["n_components"] <= 100
        assert np.isfinite(solve(cloud(n, 100), **settings).apply(cloud(n, 100))).all()
