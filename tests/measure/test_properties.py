"""Properties that every measure has on any cloud, and properties that some measures lack."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geometry import (
    UndefinedMeasure,
    alignment,
    cosine_contributions,
    hubness,
    intrinsic_dimension,
    measure_table,
    partition_isotropy,
    uniformity,
)
from geometry.measure import (
    angles_to_mean,
    effective_rank,
    isoscore,
    mean_cosine,
    mean_norm_share,
    opening_angle,
    pairwise_cosines,
    participation_ratio,
    positive_cosine_share,
    self_similarity,
    zipfian_mean_symmetry,
    zipfian_spectral_entropy,
)
from geometry.measure.cosines import cosine_shares, isotropic_cosine_shares
from tests.clouds import clouds, rotation, seeds

scales = st.floats(1e-6, 1e6)


spread_clouds = clouds(rows=(3, 60))


MEASURES = (
    mean_cosine,
    mean_norm_share,
    opening_angle,
    participation_ratio,
    isoscore,
    effective_rank,
)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda f: f.__name__)
@given(X=spread_clouds, seed=seeds, scale=scales)
def test_scale_and_rotation_change_nothing(measure, X, seed, scale):
    moved = scale * X @ rotation(X.shape[1], seed)
    assert measure(moved) == pytest.approx(measure(X), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("measure", [mean_cosine, positive_cosine_share])
@given(X=spread_clouds, seed=seeds)
def test_each_row_may_have_its_own_length(measure, X, seed):
    lengths = np.random.default_rng(seed).uniform(0.01, 100, (len(X), 1))
    assert measure(lengths * X) == pytest.approx(measure(X), abs=1e-9)


@given(clouds(rows=(2, 25)))
def test_cosines_by_brute_force(X):
    every = [
        X[i] @ X[j] / (np.linalg.norm(X[i]) * np.linalg.norm(X[j]))
        for i in range(len(X))
        for j in range(len(X))
        if i != j
    ]
    assert mean_cosine(X) == pytest.approx(np.mean(every), abs=1e-9)
    assert positive_cosine_share(X) == pytest.approx(np.mean(np.array(every) > 0), abs=1e-9)
    assert pairwise_cosines(X).mean() == pytest.approx(np.mean(every), abs=1e-5)


@given(spread_clouds)
def test_ranges(X):
    n, d = X.shape
    assert -1 / (n - 1) - 1e-9 <= mean_cosine(X) <= 1 + 1e-9
    assert 0 <= positive_cosine_share(X) <= 1
    assert 0 <= mean_norm_share(X) <= 1 + 1e-9
    assert 0 <= opening_angle(X) <= 180
    most = min(n - 1, d)
    assert 1 - 1e-9 <= participation_ratio(X) <= effective_rank(X) * (1 + 1e-9)
    assert effective_rank(X) <= most + 1e-6
    assert -1e-9 <= isoscore(X) <= (most - 1) / (d - 1) + 1e-9


@given(spread_clouds, seeds)
def test_the_order_of_rows_changes_nothing(X, seed):
    mixed = np.random.default_rng(seed).permutation(X)
    for measure in (*MEASURES, positive_cosine_share):
        assert measure(mixed) == pytest.approx(measure(X), rel=1e-9, abs=1e-9)


@given(clouds(rows=(3, 40)), seeds)
def test_a_shift_changes_no_isoscore(X, seed):
    shift = np.random.default_rng(seed).standard_normal(X.shape[1]) * 20
    assert isoscore(X + shift) == pytest.approx(isoscore(X), abs=1e-7)


@given(st.integers(2, 12), st.data(), seeds)
def test_isoscore_of_k_equal_axes(d, data, seed):
    k = data.draw(st.integers(1, d))
    axes = np.vstack([np.eye(d)[:k], -np.eye(d)[:k]]) @ rotation(d, seed)
    assert isoscore(axes) == pytest.approx((k - 1) / (d - 1), abs=1e-9)


@given(spread_clouds, st.floats(0, 1), st.floats(0, 1))
def test_opening_angle_grows_with_its_quantile(X, p, q):
    low, high = sorted((p, q))
    assert opening_angle(X, quantile=low) <= opening_angle(X, quantile=high) + 1e-9
    assert angles_to_mean(X).shape == (len(X),)


@given(st.integers(3, 500), st.integers(1, 60))
def test_the_isotropic_reference_is_a_symmetric_distribution(d, bins):
    edges = np.linspace(-1, 1, bins + 1)
    shares = isotropic_cosine_shares(edges, d)
    assert shares.sum() == pytest.approx(1)
    np.testing.assert_allclose(shares, shares[::-1], atol=1e-9)
    assert cosine_shares(np.array([0.2, -0.4]), edges).sum() == pytest.approx(1)


spread_clouds = clouds(rows=(14, 60))


@pytest.mark.parametrize(
    "measure",
    [
        uniformity,
        hubness,
        intrinsic_dimension,
        lambda X: zipfian_mean_symmetry(X, np.arange(len(X)) + 1),
        lambda X: zipfian_spectral_entropy(X, np.arange(len(X)) + 1),
        lambda X: self_similarity(X, np.arange(len(X)) // 2 * 2),
    ],
)
@given(X=spread_clouds, seed=seeds, scale=scales)
def test_scale_and_rotation_change_no_further_measure(measure, X, seed, scale):
    moved = scale * X @ rotation(X.shape[1], seed)
    assert measure(moved) == pytest.approx(measure(X), rel=1e-5, abs=1e-6)


@given(X=spread_clouds, seed=seeds)
def test_a_shift_does_not_change_the_intrinsic_dimension(X, seed):
    shift = np.random.default_rng(seed).standard_normal(X.shape[1]) * 20
    assert intrinsic_dimension(X + shift) == pytest.approx(intrinsic_dimension(X), rel=1e-5)


@given(X=spread_clouds, seed=seeds)
def test_rotation_moves_cosine_between_dimensions_and_not_their_sum(X, seed):
    """The shares depend on the axes, which makes rogue dimensions possible."""
    turned = X @ rotation(X.shape[1], seed)
    try:
        before, after = cosine_contributions(X), cosine_contributions(turned)
    except UndefinedMeasure:
        return
    assert before.sum() == pytest.approx(1)
    assert after.sum() == pytest.approx(1)
    lengths = np.random.default_rng(seed).uniform(0.01, 100, (len(X), 1))
    np.testing.assert_allclose(cosine_contributions(lengths * X), before, rtol=1e-4, atol=1e-7)


def test_rotation_does_move_contributions():
    X = np.array([[1.0, 0], [2, 0], [3, 0.1]])
    assert cosine_contributions(X)[0] > 0.99
    assert cosine_contributions(X @ np.array([[1, 1], [-1, 1]]))[0] < 0.6


@given(X=spread_clouds, seed=seeds)
def test_partition_isotropy_turns_with_the_cloud(X, seed):
    value = partition_isotropy(X, scale="rms")
    assert 0 <= value <= 1 + 1e-12
    assert partition_isotropy(X @ rotation(X.shape[1], seed), scale="rms") == pytest.approx(
        value, rel=1e-5
    )
    assert partition_isotropy(-X, scale="rms") == pytest.approx(value, rel=1e-5)  # both signs


@given(X=spread_clouds, scale=st.floats(2.0, 10.0))
def test_partition_isotropy_is_not_scale_invariant(X, scale):
    X = X / np.sqrt((X**2).sum(axis=1).mean())
    raw = partition_isotropy(X)
    assert partition_isotropy(X, scale="rms") == pytest.approx(raw)
    assert partition_isotropy(scale * X, scale="rms") == pytest.approx(raw, rel=1e-6)
    assert partition_isotropy(scale * X) < raw


@given(X=spread_clouds)
def test_ranges_of_further_measures(X):
    d = X.shape[1]
    assert -8 <= uniformity(X) <= 1e-12
    assert intrinsic_dimension(X) > 0
    assert 0 <= alignment(X, X[::-1]) <= 4 + 1e-12
    p = np.ones(len(X))
    assert 0 <= zipfian_mean_symmetry(X, p) <= 1
    assert 0 <= zipfian_spectral_entropy(X, p) <= 1 + 1e-12
    assert isoscore(X) * (d - 1) == pytest.approx(participation_ratio(X) - 1)


@given(X=clouds(rows=(2, 40)))
def test_alignment_over_all_pairs_is_the_mean_cosine(X):
    n = len(X)
    i, j = np.nonzero(~np.eye(n, dtype=bool))
    assert alignment(X[i], X[j]) == pytest.approx(2 - 2 * mean_cosine(X), abs=1e-9)


@given(X=clouds(rows=(2, 90)), seed=seeds)
def test_a_table_has_a_value_or_a_reason(X, seed):
    for row in measure_table(X, seed=seed % 3):
        assert (row.value is None) == (row.undefined is not None)
        assert (row.low is None) or (row.low <= row.value <= row.high)
        assert (row.low is None) == (row.high is None)
        assert row.value is None or np.isfinite(row.value)
