"""The map by itself: the estimator's own numbers, softened without a second fit."""

import numpy as np
import pytest

from geometry.moments import Moments
from geometry.whiten import Whitening
from geometry.whitening_map import WhiteningMap, recommended_whitening

SETTINGS = [
    {"method": "zca"},
    {"method": "pca"},
    {"method": "zca", "shrinkage": "ledoit-wolf", "n_components": 2},
    {"method": "pca", "shrinkage": 0.1, "n_components": 2},
]


def cloud(n: int = 60, d: int = 5, *, dtype: type = np.float64) -> np.ndarray:
    rng = np.random.default_rng(0)
    return (rng.standard_normal((n, d)) * np.geomspace(3, 0.3, d) + 2).astype(dtype)


def solve(X: np.ndarray, **settings) -> WhiteningMap:
    return WhiteningMap.solve(Moments.of(X), eps=float(np.finfo(X.dtype).eps), **settings)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_it_is_what_the_estimator_applies(settings, dtype):
    X = cloud(dtype=dtype)
    estimator = Whitening(**settings).fit(X)
    solved = solve(X, **settings)
    white = solved.apply(X)
    assert white.dtype == dtype
    np.testing.assert_array_equal(white, estimator.transform(X))
    np.testing.assert_array_equal(solved.undo(white), estimator.inverse_transform(white))
    assert (solved.rank, solved.n_rows, solved.is_simplex) == (5, 60, False)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_softened_is_fitted_so(settings):
    X = cloud()
    full = solve(X, **settings)
    before = full.apply(X)
    for centring, strength in ((0, 0), (1, 0), (0.3, 0.8), (1, 1)):
        soft = full.soften(centring=centring, strength=strength)
        fresh = solve(X, **settings, centring=centring, strength=strength)
        np.testing.assert_allclose(soft.apply(X), fresh.apply(X), atol=1e-12)
        np.testing.assert_allclose(soft.scales, full.scales**strength, rtol=1e-12)
    np.testing.assert_array_equal(full.apply(X), before)


def test_softened_to_nothing_is_the_identity():
    X = cloud()
    for settings in ({}, {"shrinkage": "ledoit-wolf", "n_components": 2}):
        nothing = solve(X, **settings).soften(centring=0, strength=0)
        np.testing.assert_allclose(nothing.apply(X), X, atol=1e-12)


def test_the_directions_left_out_fade():
    # at strength t the part of a row outside the kept directions is multiplied by 1 - t
    X = cloud()
    full = solve(X, n_components=2)
    V = full.components.T
    outside = (X - full.mean) @ (np.eye(5) - V @ V.T)
    for strength in (0, 0.25, 1):
        soft = full.soften(centring=1, strength=strength).apply(X)
        np.testing.assert_allclose(soft - soft @ V @ V.T, (1 - strength) * outside, atol=1e-12)


@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan")])
@pytest.mark.parametrize("name", ["centring", "strength"])
def test_shares_out_of_range(name, value):
    with pytest.raises(ValueError, match=name):
        solve(cloud()).soften(**{"centring": 1, "strength": 1, name: value})


def test_recommended():
    assert recommended_whitening(500, 100) == {}
    assert recommended_whitening(499, 100) == {"shrinkage": "ledoit-wolf"}
    assert recommended_whitening(101, 100) == {"shrinkage": "ledoit-wolf"}
    for n in (2, 50, 100):
        settings = recommended_whitening(n, 100)
        assert settings["shrinkage"] == "ledoit-wolf"
        assert 1 <= settings["n_components"] <= 100
        assert np.isfinite(solve(cloud(n, 100), **settings).apply(cloud(n, 100))).all()
