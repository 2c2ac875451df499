"""Float32 products for many rows: the same moments, the same ranks, and a refusal where not."""

import numpy as np
import pytest

from geometry.linalg import scatter32
from geometry.linalg.moments import LEAST_ROWS, Moments
from geometry.transform.whiten import Whitening

N, D = 20_000, 24


def rotated(values: np.ndarray, *, seed: int = 0, shift: float = 3.0) -> np.ndarray:
    """(N, D) float32 rows whose covariance has these eigenvalues, along no axis of theirs."""
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


def taken(X: np.ndarray) -> bool:
    """Whether float32 served these rows; refused rows leave every direction weak."""
    weak = Moments.of(X).weak
    return weak is not None and weak.shape[1] <= scatter32.MOST_WEAK * D


@pytest.mark.parametrize("X", CLOUDS.values(), ids=CLOUDS)
def test_the_moments_are_those_of_float64(X):
    assert taken(X)
    ours, theirs = Moments.of(X), exact(X)
    assert (ours.n_rows, ours.weight, ours.weight2) == (N, N, N)
    np.testing.assert_allclose(ours.mean, theirs.mean, rtol=1e-6, atol=1e-6)
    # in every direction, the weak too: the square root of the precision on both sides
    values, V = np.linalg.eigh(theirs.scatter)
    alive = values > 1e-9 * values[-1]
    W = V[:, alive] / np.sqrt(values[alive])
    np.testing.assert_allclose(W.T @ ours.scatter @ W, np.eye(alive.sum()), atol=1e-4)
    assert ours.quartic == pytest.approx(theirs.quartic, rel=1e-5)
    size = theirs.quartic**0.75 * N**0.25
    np.testing.assert_allclose(ours.cubic, theirs.cubic, atol=1e-5 * size)
    assert ours.ledoit_wolf() == pytest.approx(theirs.ledoit_wolf(), rel=1e-4)


@pytest.mark.parametrize("X", CLOUDS.values(), ids=CLOUDS)
def test_the_ranks_are_those_of_float64(X):
    ours, theirs = Whitening("zca").fit(X), exact(X)
    eps = float(np.finfo(np.float32).eps)
    values = np.linalg.eigvalsh(theirs.covariance)
    floor = max((D * eps) ** 2 * values[-1], 4 * eps**2 * float(theirs.mean @ theirs.mean))
    assert ours.rank_ == int(np.sum(values > floor))
    assert ours.rank_floor_ == pytest.approx(floor, rel=1e-3)


def test_too_many_weak_directions_are_refused():
    X = rotated(np.r_[np.ones(D // 2), np.full(D // 2, 1e-8)])
    assert not taken(X)
    np.testing.assert_array_equal(Moments.of(X).scatter, exact(X).scatter)


def test_weak_directions_that_the_first_rows_hide_are_found_out():
    # round at first; then one axis a thousand times as long, beside which all others are weak
    X = rotated(np.ones(D))
    X[LEAST_ROWS:, 0] *= 1000
    assert not taken(X)
    np.testing.assert_array_equal(Moments.of(X).scatter, exact(X).scatter)


def test_a_constant_cloud_has_no_variance():
    assert np.abs(Moments.of(np.full((N, D), 0.1, dtype=np.float32)).covariance).max() < 1e-30


@pytest.mark.parametrize("scale", [1e-18, 1e-8, 1e8, 1e15])
def test_clouds_of_any_size(scale, recwarn):
    X = CLOUDS["a null direction"] * np.float32(scale)
    assert not taken(X)  # third and fourth powers leave float32's range
    fitted = Whitening("zca").fit(X)
    assert fitted.rank_ == D - 1
    assert np.isfinite(fitted.transform(X)).all()
    assert not recwarn.list


def test_a_row_out_of_range_after_the_probe(recwarn):
    X = CLOUDS["round"].copy()
    X[-1] = 1e13
    np.testing.assert_array_equal(Moments.of(X).scatter, exact(X).scatter)
    assert not recwarn.list


def test_noise_is_not_underrated():
    # the figure that the safe level rests on, for the clouds that float32 serves
    for name, X in CLOUDS.items():
        centred = X - X.mean(axis=0, dtype=np.float64).astype(np.float32)
        blocks = [centred[i : i + scatter32.BLOCK_ROWS] for i in range(0, N, scatter32.BLOCK_ROWS)]
        single = sum((Z.T @ Z).astype(np.float64) for Z in blocks)
        double = centred.T.astype(np.float64) @ centred.astype(np.float64)
        noise = np.linalg.norm(single - double, 2)
        assert noise <= scatter32.NOISE * np.linalg.norm(double) / np.sqrt(D), name


def test_few_rows_or_another_precision_are_left_to_float64():
    X = CLOUDS["round"]
    assert Moments.of(X[:1000]).weak is None
    assert Moments.of(X.astype(np.float64)).weak is None
    assert Moments.of(X, np.ones(N)).weak is None


@pytest.mark.parametrize("X", CLOUDS.values(), ids=CLOUDS)
def test_a_stream_learns_from_its_first_blocks(X):
    total = Moments.of(X[:2000])
    assert total.weak is None  # too few for a probe of their own
    for start in range(2000, N, 2000):
        total = total.merge(Moments.of(X[start : start + 2000], like=total))
    assert total.weak is not None
    assert total.weak.shape[1] <= 1
    values, V = np.linalg.eigh(exact(X).scatter)
    alive = values > 1e-9 * values[-1]
    W = V[:, alive] / np.sqrt(values[alive])
    np.testing.assert_allclose(W.T @ total.scatter @ W, np.eye(alive.sum()), atol=1e-4)


def test_a_stream_that_is_refused_once_tries_no_more():
    X = rotated(np.ones(D))
    X[6000:, 0] *= 1000
    total = Moments.of(X[:3000]).merge(Moments.of(X[3000:6000], like=Moments.of(X[:3000])))
    assert total.weak.shape == (D, 0)
    refused = Moments.of(X[6000:9000], like=total)
    np.testing.assert_array_equal(refused.scatter, exact(X[6000:9000]).scatter)
    total = total.merge(refused)
    again = Moments.of(X[9000:12000], like=total)
    np.testing.assert_array_equal(again.scatter, exact(X[9000:12000]).scatter)


def test_blocks_far_from_the_first_are_summed_about_their_own_mean():
    # sorted rows: later ones lie 30 spreads away from the rows that showed the weak directions
    X = rotated(np.ones(D))
    X[5000:] += np.float32(30)
    first = Moments.of(X[:5000])
    ours, theirs = Moments.of(X[5000:], like=first), exact(X[5000:])
    np.testing.assert_allclose(ours.scatter, theirs.scatter, atol=1e-3 * N)
    np.testing.assert_allclose(ours.mean, theirs.mean, atol=1e-5)
