"""Cosines, contributions, uniformity and alignment by hand and by a second route."""

import numpy as np
import pytest

from geometry import UndefinedMeasure, alignment, cosine_contributions, uniformity
from geometry.linalg.rows import unit_rows
from geometry.measure import (
    cosine_parts,
    mean_cosine,
    measure_table,
    pairwise_cosines,
    positive_cosine_share,
    top_contribution,
    uniformity_baseline,
)
from geometry.measure.cosines import (
    cosine_shares,
    isotropic_cosine_shares,
    mean_cosine_spread,
    rotated_top_contributions,
)
from tests.clouds import cloud, rotation

CORNER = np.array([[1.0, 0], [0, 1], [1, 1]])  # cosines 0, 1/sqrt 2, 1/sqrt 2


CROSS = np.array([[2.0, 0], [-2, 0], [0, 1], [0, -1]])  # covariance diag(2, 1/2)


def cosines_by_loop(X: np.ndarray) -> list[float]:
    return [
        float(X[i] @ X[j] / np.sqrt((X[i] @ X[i]) * (X[j] @ X[j])))
        for i in range(len(X))
        for j in range(i + 1, len(X))
    ]


def test_cosines_worked_by_hand():
    r = 1 / np.sqrt(2)
    np.testing.assert_allclose(unit_rows(CORNER), [[1, 0], [0, 1], [r, r]])
    assert mean_cosine(CORNER) == pytest.approx(2 * r / 3)
    np.testing.assert_allclose(pairwise_cosines(CORNER), [0, r, r], atol=1e-7)
    assert positive_cosine_share(CORNER) == pytest.approx(2 / 3)  # 0 is not above 0
    # +-e1, +-e2: two opposite pairs, four right angles
    assert mean_cosine(CROSS) == pytest.approx(-2 / 6)
    assert positive_cosine_share(CROSS) == 0.0
    assert mean_cosine(np.full((1870, 384), 0.1)) == 1.0  # no rounding above it


def test_cosines_by_brute_force():
    X = cloud()
    every = cosines_by_loop(X)
    assert mean_cosine(X) == pytest.approx(np.mean(every), abs=1e-12)
    np.testing.assert_allclose(pairwise_cosines(X), every, atol=1e-6)
    share = positive_cosine_share(X)
    assert share == pytest.approx(np.mean(np.array(every) > 0))


def test_a_sample_of_rows_is_drawn_without_replacement():
    X = cloud(40, 5)
    drawn = pairwise_cosines(X, max_rows=10, seed=3)
    assert len(drawn) == 45
    assert drawn.max() < 1 - 1e-6  # a row drawn twice would give a cosine of 1
    np.testing.assert_array_equal(drawn, pairwise_cosines(X, max_rows=10, seed=3))
    assert not np.array_equal(drawn, pairwise_cosines(X, max_rows=10, seed=4))
    assert len(pairwise_cosines(X, max_rows=40)) == 40 * 39 / 2


def test_a_float32_cone_is_measured_in_float64():
    # spread 1e-4 around a mean of length sqrt(30): 1 - cosine is about 1e-8, below float32's eps
    rng = np.random.default_rng(0)
    X = (1 + 1e-4 * rng.standard_normal((200, 30))).astype(np.float32)
    every = cosines_by_loop(X.astype(np.float64))
    assert 1 - mean_cosine(X) == pytest.approx(1 - np.mean(every), rel=1e-3)


def test_the_histogram():
    edges = np.linspace(-1, 1, 5)
    np.testing.assert_allclose(
        cosine_shares(np.array([-1, -0.1, 0, 0.6, 1.0]), edges), [0.2, 0.2, 0.2, 0.4]
    )
    # in 3 dimensions the cosine of random directions is uniform (Archimedes)
    np.testing.assert_allclose(isotropic_cosine_shares(edges, 3), [0.25] * 4)
    # in 5 the density is 3/4 (1 - c^2): 3/4 [c - c^3/3] over [0, 1/2] is 11/32
    np.testing.assert_allclose(isotropic_cosine_shares(edges, 5)[2], 11 / 32)
    X = np.random.default_rng(0).standard_normal((600, 20))
    edges = np.linspace(-1, 1, 21)
    found = cosine_shares(pairwise_cosines(X), edges)
    np.testing.assert_allclose(found, isotropic_cosine_shares(edges, 20), atol=0.005)


def test_the_spread_of_the_mean_cosine_of_isotropic_directions():
    # one pair in the plane: the cosine of a uniform angle has the variance 1/2
    assert mean_cosine_spread(2, 2) == pytest.approx(np.sqrt(1 / 2))
    rng = np.random.default_rng(0)
    found = [mean_cosine(rng.standard_normal((6, 4))) for _ in range(4000)]
    assert np.mean(found) == pytest.approx(0, abs=4 * np.std(found) / np.sqrt(4000))
    assert mean_cosine_spread(6, 4) == pytest.approx(np.std(found), rel=0.06)
    with pytest.raises(UndefinedMeasure):
        mean_cosine_spread(1, 4)


pytestmark = pytest.mark.filterwarnings("error")


def test_contributions_worked_by_hand():
    # unit rows e1, e2, (r, r): sums 1 + r both, squares 3/2: both alike
    np.testing.assert_allclose(cosine_contributions(CORNER), [0.5, 0.5])
    # e1, e1, e2: pairs share e1 alone
    np.testing.assert_allclose(cosine_contributions([[1, 0], [2, 0], [0, 3]]), [1, 0])
    assert top_contribution([[1, 0], [2, 0], [0, 3]]) == pytest.approx(1)


def test_parts_of_the_mean_cosine():
    # cosine 3/5 of (2, 1) and (2, -1): 4/5 from the first axis, -1/5 from the second
    np.testing.assert_allclose(cosine_parts([[2, 1], [2, -1]]), [0.8, -0.2])
    np.testing.assert_allclose(cosine_parts([[1.0, 0], [0, 1]]), [0, 0])  # defined at 0 too
    X = cloud(30, 6)
    assert cosine_parts(X).sum() == pytest.approx(mean_cosine(X))
    np.testing.assert_allclose(cosine_parts(X) / mean_cosine(X), cosine_contributions(X))


def test_the_noise_of_few_rows_makes_shares_as_large_as_rotations_of_the_cloud_itself():
    X = np.random.default_rng(1).standard_normal((100, 60)) + 0.1
    turned = [top_contribution(X @ rotation(60, seed), k=5) for seed in range(200)]
    drawn = rotated_top_contributions(60, 99 * mean_cosine(X), k=5)
    assert np.percentile(drawn, [5, 95]) == pytest.approx(np.percentile(turned, [5, 95]), 0.1)
    [row] = measure_table(X, names=["top_5_contributions"])
    assert row.baseline == pytest.approx(np.mean(turned), 0.03)


def test_nothing_to_share():
    with pytest.raises(UndefinedMeasure, check=lambda error: error.because == "no_mean_cosine"):
        cosine_contributions(np.array([[1.0, 0], [0, 1]]))
    for k in (0, 3):
        with pytest.raises(ValueError, match=f"between 1 and the 2 dimensions; got {k}"):
            top_contribution(CORNER, k=k)


def test_uniformity_worked_by_hand_and_its_baseline_in_closed_form():
    # squared chords 2, 2 - sqrt 2 twice
    mean = (np.exp(-4) + 2 * np.exp(-4 + 2 * np.sqrt(2))) / 3
    assert uniformity(CORNER) == pytest.approx(np.log(mean))
    assert uniformity([[1, 1], [2, 2]]) == pytest.approx(0)
    assert uniformity([[1, 1], [-2, -2]]) == pytest.approx(-8)
    # d = 3: cos is uniform on [-1, 1]: (1 - e^-8) / 8
    assert uniformity_baseline(3) == pytest.approx(np.log((1 - np.exp(-8)) / 8), abs=1e-6)
    assert uniformity_baseline(1) == pytest.approx(np.log((1 + np.exp(-8)) / 2))
    assert uniformity_baseline(100_000) == pytest.approx(-4, abs=1e-3)


def test_alignment_worked_by_hand():
    # right angle: 2; opposite: 4; same direction: 0
    assert alignment([[1, 0]], [[0, 5]]) == pytest.approx(2)
    assert alignment([[1, 0], [1, 1]], [[-3, 0], [2, 2]]) == pytest.approx(2)
    X = cloud()
    assert alignment(X, 3 * X) == pytest.approx(0, abs=1e-12)
    rng = np.random.default_rng(0)
    assert alignment(*rng.standard_normal((2, 4000, 20))) == pytest.approx(2, abs=0.02)
    with pytest.raises(ValueError, match=r"shapes differ: \(70, 9\), \(3, 9\)"):
        alignment(X, X[:3])
