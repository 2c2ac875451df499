"""Eigenproblems of few rows in many dimensions: the range's solution is that of numpy."""

import numpy as np
import pytest

from geometry.linalg import spectrum
from geometry.linalg.moments import Moments

N, D = 24, 160


def cloud(condition: float = 30.0) -> np.ndarray:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, D)) * np.geomspace(1, 1 / condition, N)[:, None]
    X[3] = X[5]
    return X + 2


@pytest.mark.parametrize("condition", [1.0, 30.0, 1e5])
def test_the_range_gives_the_spectrum_of_numpy(condition, monkeypatch):
    monkeypatch.setattr(spectrum, "WIDE", D)
    S = Moments.of(cloud(condition)).covariance
    assert spectrum.eigh_in_range(S, N) is not None
    values, V = spectrum.eigh_of_rank(S, N)
    exact = np.linalg.eigh(S)
    rounding = D * np.finfo(float).eps * exact[0][-1]
    np.testing.assert_allclose(values, exact[0], atol=rounding)
    np.testing.assert_array_equal(spectrum.eigvalsh_of_rank(S, N), values)
    np.testing.assert_allclose(V.T @ V, np.eye(D), atol=1e-12)
    np.testing.assert_allclose((V * values) @ V.T, S, atol=10 * rounding)
