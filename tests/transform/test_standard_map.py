"""Standardising: dimensions that are constant but for rounding."""

import warnings

import numpy as np

from geometry.linalg.moments import Moments
from geometry.transform.whitening_map import StandardMap
from tests.for_each import for_each


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
    np.testing.assert_allclose(found[:, :2].var(axis=0), 1, atol=1e-3)
    assert found.dtype == dtype
