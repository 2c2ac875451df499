"""A border changes no eigenvalue, no direction and no answer about signs."""

import numpy as np
import pytest

from geometry.linalg.bordered import eigh, is_above


def covariance(d: int, scale: float = 1.0) -> np.ndarray:
    """(d, d) with one null direction, as LayerNorm leaves it."""
    X = np.random.default_rng(d).standard_normal((2 * d, d)) * np.geomspace(1, 0.01, d)
    X -= X.mean(axis=1, keepdims=True)
    return X.T @ X * scale


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e100, 0.0])
@pytest.mark.parametrize("d", [1, 63, 64, 128])
def test_the_eigenproblem_is_numpys(d, scale):
    S = covariance(d, scale)
    values, V = eigh(S)
    assert values.shape == (d,)
    assert V.shape == (d, d)
    largest = max(values[-1], 1e-300)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(S), rtol=0, atol=1e-14 * largest)
    np.testing.assert_allclose(V.T @ V, np.eye(d), atol=1e-13)
    np.testing.assert_allclose(V * values @ V.T, S, rtol=0, atol=1e-14 * largest)


@pytest.mark.parametrize("level", [1.0, 0.0, -1.0])
@pytest.mark.parametrize("d", [63, 64, 128])
def test_above_a_level_or_not(d, level):
    S = covariance(d) + 2 * np.eye(d)  # its least eigenvalue is 2
    assert is_above(S + level * np.eye(d), level + 1.999)
    assert not is_above(S + level * np.eye(d), level + 2.001)
