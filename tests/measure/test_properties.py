"""Properties that every measure has on any cloud, and properties that some measures lack."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geometry import hubness, intrinsic_dimension, partition_isotropy, uniformity
from geometry.measure import (
    effective_rank,
    isoscore,
    mean_cosine,
    mean_norm_share,
    opening_angle,
    participation_ratio,
    positive_cosine_share,
    self_similarity,
    zipfian_spectral_entropy,
)
from tests.clouds import clouds, rotation, seeds

scales = st.floats(1e-6, 1e6)


# not so round that the mean has no direction
spread_clouds = clouds(rows=(14, 60)).filter(lambda X: mean_norm_share(X) > 0.01)


def contextual(X):
    return self_similarity(X, np.arange(len(X)) // 2 * 2)


def partition(X):
    return partition_isotropy(X, scale="rms")


def zipfian(X):
    return zipfian_spectral_entropy(X, np.arange(len(X)) + 1)


MEASURES = (
    mean_cosine,
    mean_norm_share,
    opening_angle,
    participation_ratio,
    isoscore,
    effective_rank,
    uniformity,
    hubness,
    intrinsic_dimension,
    contextual,
    partition,
    zipfian,
)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda f: f.__name__)
@given(X=spread_clouds, seed=seeds, scale=scales)
def test_scale_and_rotation_change_nothing(measure, X, seed, scale):
    moved = scale * X @ rotation(X.shape[1], seed)
    assert measure(moved) == pytest.approx(measure(X), rel=1e-5, abs=1e-6)


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


@given(X=spread_clouds, seed=seeds)
def test_a_shift_changes_neither_intrinsic_dimension_nor_isoscore(X, seed):
    shift = np.random.default_rng(seed).standard_normal(X.shape[1]) * 20
    assert intrinsic_dimension(X + shift) == pytest.approx(intrinsic_dimension(X), rel=1e-5)
    assert isoscore(X + shift) == pytest.approx(isoscore(X), abs=1e-7)
