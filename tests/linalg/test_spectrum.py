"""Eigenproblems of few rows in many dimensions: the range's solution is that of numpy."""

import numpy as np
import pytest

from geometry import project
from geometry.linalg import spectrum
from geometry.linalg.moments import Moments
from geometry.transform.whitening_map import METHODS, WhiteningMap

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


def both(of, monkeypatch):
    """The results of numpy's solution and of the range's."""
    plain = of()
    monkeypatch.setattr(spectrum, "WIDE", D // 2)
    return plain, of()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_whitening_of_few_rows_is_the_same_in_the_range(method, dtype, monkeypatch):
    X = cloud().astype(dtype)
    rows = np.vstack([X, np.random.default_rng(1).standard_normal((5, D))]).astype(dtype)
    plain, found = both(lambda: WhiteningMap.of(X, method=method), monkeypatch)
    assert found.rank == plain.rank == N - 2
    atol = 1e-3 if dtype == np.float32 else 1e-8
    np.testing.assert_allclose(found.apply(rows), plain.apply(rows), atol=atol)


@pytest.mark.parametrize("method", ["svd", "pca", "mean", "cone"])
def test_a_picture_of_few_rows_is_the_same_in_the_range(method, monkeypatch):
    X = cloud()
    plain, found = both(lambda: project(X, method=method, n_components=3), monkeypatch)
    np.testing.assert_allclose(found.coordinates, plain.coordinates, atol=1e-9)
    np.testing.assert_allclose(found.axes @ found.axes.T, np.eye(3), atol=1e-12)
