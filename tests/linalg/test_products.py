"""Float32 products of many rows give the moments and ranks of float64, or None."""

import numpy as np
import pytest

from geometry.linalg import products
from geometry.linalg.moments import Moments, ledoit_wolf
from geometry.linalg.products import centred_product, sums_in_float32
from geometry.transform.whiten import Whitening
from tests.for_each import for_each

N, D = 20_000, 24


def rotated(values: np.ndarray, *, seed: int = 0, shift: float = 3.0) -> np.ndarray:
    """(N, D) float32 rows whose covariance has these eigenvalues and no axis as eigenvector."""
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.standard_normal((D, D)))[0]
    X = rng.standard_normal((N, D)) * np.sqrt(values) @ Q
    return (X + shift * rng.standard_normal(D)).astype(np.float32)


def layer_norm(X: np.ndarray) -> np.ndarray:
    """Rows that sum to 0: one null direction, as a LayerNorm leaves."""
    return X - X.mean(axis=1, keepdims=True)


CLOUDS = {
    "round": rotated(np.ones(D)),
    "a steep spectrum": rotated(np.geomspace(1, 1e-3, D)),
    "a weak direction": rotated(np.r_[np.geomspace(1, 0.1, D - 1), 1e-6]),
    "a null direction": layer_norm(rotated(np.geomspace(1, 0.1, D))),
    "a long mean": rotated(np.ones(D), shift=300),
    "heavy tails": np.exp(rotated(np.full(D, 0.5), shift=0)),
}


def exact(X: np.ndarray) -> Moments:
    """Float64 throughout."""
    return Moments.of(X.astype(np.float64))


@for_each("X", CLOUDS.values())
def test_the_moments_are_those_of_float64(X):
    assert sums_in_float32(X) is not None
    ours, theirs = Moments.of(X), exact(X)
    assert (ours.n_rows, ours.weight, ours.weight2) == (N, N, N)
    np.testing.assert_allclose(ours.mean, theirs.mean, rtol=1e-6, atol=1e-6)
    # Compare in every direction, weak ones included, by the precision's square root on both sides.
    values, V = np.linalg.eigh(theirs.scatter)
    alive = values > 1e-9 * values[-1]
    W = V[:, alive] / np.sqrt(values[alive])
    np.testing.assert_allclose(W.T @ ours.scatter @ W, np.eye(alive.sum()), atol=1e-4)
    assert ours.quartic == pytest.approx(theirs.quartic, rel=1e-5)
    size = theirs.quartic**0.75 * N**0.25
    np.testing.assert_allclose(ours.cubic, theirs.cubic, atol=1e-5 * size)
    assert ledoit_wolf(ours) == pytest.approx(ledoit_wolf(theirs), rel=1e-4)


@for_each("X", CLOUDS.values())
@for_each("before", ["a weak direction", "a null direction", "round"])
def test_weak_directions_of_other_rows_change_no_sum(X, before):
    earlier = Moments.of(CLOUDS[before])
    assert earlier.weak is not None
    assert earlier.weak.shape[1] == (before != "round")
    ours, theirs = Moments.of(X, like=earlier), exact(X)
    assert ours.weak is not None  # float32 products
    values, V = np.linalg.eigh(theirs.scatter)
    alive = values > 1e-9 * values[-1]
    W = V[:, alive] / np.sqrt(values[alive])
    np.testing.assert_allclose(W.T @ ours.scatter @ W, np.eye(alive.sum()), atol=1e-4)


def test_too_many_weak_directions_are_refused_also_where_the_first_rows_hide_them():
    X = rotated(np.r_[np.ones(D // 2), np.full(D // 2, 1e-8)])
    assert sums_in_float32(X) is None
    np.testing.assert_array_equal(Moments.of(X).scatter, exact(X).scatter)
    # The first rows are isotropic. Later one axis is 1,000 times as long, so the others are weak.
    X = rotated(np.ones(D))
    X[products.BLOCK_ROWS :, 0] *= 1000
    assert sums_in_float32(X) is None
    np.testing.assert_array_equal(Moments.of(X).scatter, exact(X).scatter)


@pytest.mark.parametrize("scale", [1e-18, 1e-8, 1e8, 1e15])
def test_clouds_of_any_size(scale, recwarn):
    X = CLOUDS["a null direction"] * np.float32(scale)
    assert sums_in_float32(X) is None  # third and fourth powers leave float32's range
    fitted = Whitening("zca").fit(X)
    assert fitted.rank_ == D - 1
    assert np.isfinite(fitted.transform(X)).all()
    assert not recwarn.list


def test_rows_far_from_the_first_block_are_summed_about_their_own_mean():
    # The rows are sorted. Later rows lie 30 deviations from the first block, which gives the shift.
    X = rotated(np.ones(D))
    X[5000:] += np.float32(30)
    for rows in (X, X[5000:]):
        ours, theirs = Moments.of(rows), exact(rows)
        np.testing.assert_allclose(ours.scatter, theirs.scatter, atol=1e-3 * N)
        np.testing.assert_allclose(ours.mean, theirs.mean, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 7, 8, 50])
def test_centred_product_by_blocks(monkeypatch, n, dtype):
    monkeypatch.setattr(products, "BLOCK_ROWS", 7)
    rng = np.random.default_rng(n)
    X, shift, W = (rng.standard_normal(s).astype(dtype) for s in ((n, 5), (5,), (5, 3)))
    Z = centred_product(X, shift, W)
    assert Z.dtype == dtype
    np.testing.assert_allclose(Z, (X - shift) @ W, atol=1e-6)
