"""Standardising: the map gives the numbers of scikit-learn's scaler."""

import warnings

import numpy as np
from sklearn.preprocessing import StandardScaler

from geometry.linalg.moments import Moments
from geometry.transform.whitening_map import StandardMap
from tests.for_each import for_each


def standardised(X: np.ndarray) -> np.ndarray:
    return StandardMap.solve(Moments.of(X), eps=float(np.finfo(X.dtype).eps)).apply(X)


@for_each("dtype", [np.float32, np.float64])
@for_each(("n", "d"), [(200, 8), (5, 8), (2, 3)])
def test_the_map_is_scikit_learns_scaler(n, d, dtype):
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((n, d)) * np.geomspace(0.01, 100, d) + 3).astype(dtype)
    found = standardised(X)
    assert found.dtype == dtype
    np.testing.assert_allclose(
        found, StandardScaler().fit_transform(X), atol=1e-3 if dtype == np.float32 else 1e-9
    )
    np.testing.assert_allclose(found.var(axis=0), 1, atol=1e-3)


@for_each("dtype", [np.float32, np.float64])
@for_each("value", [0.0, 0.1, -700.3, 1e6])
def test_a_constant_dimension_has_the_largest_scale(value, dtype):
    X = np.hstack([np.random.default_rng(0).standard_normal((5000, 2)), np.full((5000, 1), value)])
    X = X.astype(dtype)
    X[::2, 2] *= 1 + np.finfo(dtype).eps  # constant up to rounding
    fitted = StandardMap.solve(Moments.of(X), eps=float(np.finfo(dtype).eps))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fitted.apply(X)
    assert fitted.scale[2] == fitted.scale[:2].max()
    np.testing.assert_allclose(found[:, 2], 0, atol=abs(value) * 1e-7)
