"""IsoScore, participation ratio and effective rank by hand and by a second route."""

import numpy as np
import pytest
from IsoScore.IsoScore import IsoScore as package_isoscore
from sklearn.metrics import silhouette_score

from geometry.measure import (
    effective_rank,
    isoscore,
    isoscore_baseline,
    participation_baseline,
    participation_ratio,
)
from tests.clouds import cloud
from tests.for_each import for_each

CROSS = np.array([[2.0, 0], [-2, 0], [0, 1], [0, -1]])  # covariance diag(2, 1/2)


OF_SPREAD = (participation_ratio, isoscore, effective_rank)


def test_spread_worked_by_hand():
    # lambda = 2, 1/2: PR = 2.5^2 / 4.25 = 25/17; IsoScore = (PR - 1)/(2 - 1) = 8/17
    assert participation_ratio(CROSS) == pytest.approx(25 / 17)
    assert isoscore(CROSS) == pytest.approx(8 / 17)
    # sigma = sqrt 8, sqrt 2, so p = 2/3, 1/3: exp(H) = (3/2)^(2/3) 3^(1/3) = 3 / 2^(2/3)
    assert effective_rank(CROSS) == pytest.approx(3 / 2 ** (2 / 3))
    # two equal rows (1, 1) and no centring: one direction
    assert participation_ratio([[1, 1], [1, 1]], centred=False) == pytest.approx(1)
    assert effective_rank([[1, 1], [1, 1]], centred=False) == pytest.approx(1)


@for_each("centred", [True, False])
def test_spread_by_singular_values(centred):
    X = cloud(50, 7)
    s = np.linalg.svd(X - X.mean(axis=0) if centred else X, compute_uv=False)
    p = s / s.sum()
    assert effective_rank(X, centred=centred) == pytest.approx(np.exp(-(p * np.log(p)).sum()))
    ratio = (s**2).sum() ** 2 / (s**4).sum()
    assert participation_ratio(X, centred=centred) == pytest.approx(ratio)


def test_effective_rank_ignores_null_directions_and_the_baseline_of_isoscore():
    X = cloud(60, 4)
    assert effective_rank(np.hstack([X, X])) == pytest.approx(effective_rank(X), rel=1e-6)
    few = np.random.default_rng(0).standard_normal((5, 40))
    assert effective_rank(few) < 4 + 1e-9  # n - 1 directions at most
    assert isoscore_baseline(1000, 768) == pytest.approx(0.5645, abs=5e-5)
    # Two points always lie on a line.
    assert isoscore_baseline(2, 2) == isoscore_baseline(2, 384) == 0.0
    assert isoscore(np.array([[0.0, 1], [5, 3]])) == pytest.approx(0, abs=1e-12)


def test_participation_baseline_of_few_rows():
    """n = 4 at d = 384 cannot have a ratio above 3, the rank."""
    rng = np.random.default_rng(0)
    for n, d in ((2, 10), (4, 384), (10, 384), (3, 2), (4, 3), (10, 13), (30, 5)):
        drawn = rng.standard_normal((20 if d > 100 else 2000, n, d))
        ratios = np.array([participation_ratio(X) for X in drawn])
        baseline = participation_baseline(n, d)
        assert 1 <= baseline <= min(n - 1, d)
        # Exact for the inverse, so at most the mean ratio, and at most 4% below it.
        assert baseline == pytest.approx(1 / np.mean(1 / ratios), rel=0.01)
        least = 0.955 if min(n, d) < 10 else 0.985
        assert least < baseline / ratios.mean() < 1.005
        assert (baseline - 1) / (d - 1) == pytest.approx(isoscore_baseline(n, d))
    assert participation_baseline(2, 10) == 1
    assert participation_baseline(50, 1) == 1


@for_each("of", OF_SPREAD)
def test_rows_equal_but_for_the_last_bit_have_no_spread(of):
    X = np.tile([0.1, 0.3, 0.7], (50, 1))
    X[3] = np.nextafter(X[3], 1)
    with pytest.raises(ValueError, match="all rows are equal"):
        of(X)


pytestmark = pytest.mark.filterwarnings("error")


@for_each(("n", "d"), [(500, 5), (200, 60), (100, 2)])
def test_isoscore_of_the_published_package(n, d):
    X = cloud(n, d) @ np.random.default_rng(1).standard_normal((d, d))
    assert isoscore(X) == pytest.approx(float(package_isoscore(X.T)), abs=1e-10)
    assert isoscore(X) == pytest.approx((participation_ratio(X) - 1) / (d - 1))


def test_a_cloud_of_clusters_can_be_isotropic():
    """A claim of the page whitening: 40 tight clusters, one at each end of 20 axes."""
    centres = np.vstack([np.eye(20), -np.eye(20)])
    cluster = np.repeat(np.arange(40), 50)
    X = centres[cluster] + 0.02 * np.random.default_rng(0).standard_normal((2000, 20))
    assert isoscore(X) > 0.99
    assert silhouette_score(X, cluster) > 0.9
