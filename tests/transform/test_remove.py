"""Removing common directions: by hand, against numpy and scikit-learn, and empty results."""

import warnings

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.utils.estimator_checks import check_estimator

from geometry.transform.removal_map import default_components
from geometry.transform.remove import ClusterwiseRemoval, CommonComponentRemoval, WeightedRemoval
from tests.for_each import for_each
from tests.transform.test_whiten import cloud

CROSS = np.array([[2.0, 0], [-2, 0], [0, 1], [0, -1]])  # variances 2 and 1/2


def blobs(*, each: int = 40, d: int = 6, seed: int = 0) -> np.ndarray:
    """Three clusters far apart, each with a shape of its own."""
    far = 100 * np.eye(3, d)
    return np.concatenate([cloud(each, d, seed=seed + c) + far[c] for c in range(3)])


# scikit-learn's own checks


@pytest.mark.filterwarnings("ignore")  # the checks use odd data on purpose
@for_each(
    "estimator",
    [
        CommonComponentRemoval(),
        CommonComponentRemoval(1, centred=False),
        ClusterwiseRemoval(2, 1),
        WeightedRemoval(),
    ],
)
def test_estimator_checks(estimator):
    check_estimator(estimator, on_skip=None)


# The whole cloud, by hand


@for_each("shift", [0.0, 5.0])
def test_the_leading_direction_by_hand(shift):
    fitted = CommonComponentRemoval(1).fit(CROSS + shift)
    np.testing.assert_allclose(fitted.mean_, [shift, shift], atol=1e-12)
    np.testing.assert_allclose(fitted.components_, [[1, 0]], atol=1e-12)
    np.testing.assert_allclose(fitted.variances_, [2, 0.5])
    without = fitted.transform(CROSS + shift)
    np.testing.assert_allclose(without, [[0, 0], [0, 0], [0, 1], [0, -1]], atol=1e-12)


def test_an_uncentred_direction_by_hand():
    # rows (3, 1), (3, -1): E[x x'] = diag(9, 1), so that the first direction is (1, 0)
    fitted = CommonComponentRemoval(1, centred=False).fit([[3.0, 1], [3, -1]])
    np.testing.assert_allclose(fitted.mean_, 0)
    np.testing.assert_allclose(fitted.variances_, [9, 1])
    np.testing.assert_allclose(fitted.transform([[5.0, 7]]), [[0, 7]], atol=1e-12)
    # About the mean (3, 0) the only direction is (0, 1), so of (2, 7) remains (2, 0).
    centred = CommonComponentRemoval(1).fit([[3.0, 1], [3, -1]])
    np.testing.assert_allclose(centred.transform([[5.0, 7]]), [[2, 0]], atol=1e-12)


@for_each(("d", "D"), [(1, 0), (2, 1), (50, 1), (149, 1), (300, 3), (384, 4)])
def test_about_one_direction_in_a_hundred(d, D):
    assert default_components(d) == D


# The whole cloud, by a second route


@for_each("D", [0, 1, 3])
@for_each("n", [80, 5])
def test_all_but_the_top_is_scikit_learns_residual(n, D):
    X = cloud(n, 6)
    pca = PCA(D).fit(X) if D else None
    residual = X - X.mean(axis=0) if pca is None else X - pca.inverse_transform(pca.transform(X))
    np.testing.assert_allclose(CommonComponentRemoval(D).fit_transform(X), residual, atol=1e-9)


def test_a_map_that_leaves_nothing_is_marked():
    X = cloud(4, 6)  # rank 3
    fitted = CommonComponentRemoval(2).fit(X)
    assert fitted.rank_ == 3
    assert not fitted.map_.leaves_nothing
    assert fitted.map_.adjust(3).leaves_nothing
    weights = np.array([1, 1, 0.5])
    softened = fitted.map_.reweigh(weights)
    weights[:] = 1  # the map has its own
    assert not softened.leaves_nothing
    assert not fitted.map_.adjust(3).apply(X).any()
    # other rows have further directions
    assert fitted.map_.adjust(3).apply(X + np.eye(4, 6)).any(axis=1).all()
    assert CommonComponentRemoval().fit(np.tile([3.0, 0.1, 7], (5, 1))).map_.leaves_nothing


# Clusters


def test_clusters_by_hand():
    # From each of two distant crosses the longer axis about its own centre is removed.
    there = np.array([100.0, 50])
    X = np.vstack([CROSS, CROSS[:, ::-1] + there])
    fitted = ClusterwiseRemoval(2, 1).fit(X)
    assert sorted(fitted.sizes_) == [4, 4]
    without = fitted.transform(X)
    np.testing.assert_allclose(without[:4], [[0, 0], [0, 0], [0, 1], [0, -1]], atol=1e-12)
    np.testing.assert_allclose(without[4:], [[0, 0], [0, 0], [1, 0], [-1, 0]], atol=1e-12)
    np.testing.assert_allclose(fitted.transform([there + np.array([3, 4])]), [[3, 0]], atol=1e-12)


def test_each_cluster_is_scikit_learns_residual():
    X, new = blobs(), blobs(each=5, seed=7)
    fitted = ClusterwiseRemoval(3, 2, random_state=4).fit(X)
    kmeans = KMeans(3, random_state=4).fit(X)
    np.testing.assert_array_equal(fitted.labels_, kmeans.labels_)
    np.testing.assert_array_equal(fitted.map_.assign(new), kmeans.predict(new))
    for rows in (X, new):
        for cluster in range(3):
            pca = PCA(2).fit(X[kmeans.labels_ == cluster])
            own = rows[kmeans.predict(rows) == cluster]
            residual = own - pca.inverse_transform(pca.transform(own))
            mine = fitted.transform(rows)[kmeans.predict(rows) == cluster]
            np.testing.assert_allclose(mine, residual, atol=1e-9)


def test_no_fitted_row_is_emptied_by_a_small_cluster():
    # k-means gives each of 20 distant rows its own cluster, whose mean would be the row itself.
    singles = 1000 * np.random.default_rng(0).standard_normal((20, 6))
    X = np.vstack([cloud(200, 6), singles])
    fitted = ClusterwiseRemoval(25, 2).fit(X)
    assert fitted.n_clusters_ < 25
    assert fitted.sizes_.min() >= fitted.n_components_ + 2
    assert fitted.sizes_.sum() == 220
    np.testing.assert_array_equal(np.bincount(fitted.labels_), fitted.sizes_)
    assert np.linalg.norm(fitted.transform(X), axis=1).min() > 1e-6


@for_each(
    ("X", "n_clusters", "n_components"),
    [
        (cloud(2, 5), 1, 0),
        (cloud(10, 5), 1, 4),  # at most 10 // 6 clusters, and at most rank 5 less 1 directions
        (cloud(300, 20), 21, 12),
        (np.tile(cloud(4, 5), (50, 1)), 1, 2),  # four distinct rows
        (np.ones((30, 4)), 1, 0),
    ],
)
def test_what_a_small_cloud_cuts(X, n_clusters, n_components):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = ClusterwiseRemoval().fit(X)
        without = fitted.transform(X)
    assert fitted.n_clusters_ <= n_clusters
    assert fitted.n_components_ == n_components
    assert fitted.components_.shape == (fitted.n_clusters_, n_components, X.shape[1])
    assert np.isfinite(without).all()


# Settings


@for_each("kind", [CommonComponentRemoval, WeightedRemoval])
@for_each("n_components", [-1, 5, 6, 2.0, "2", True])
def test_numbers_of_directions_that_are_refused(kind, n_components):
    with pytest.raises(ValueError, match=r"n_components must be an integer in \[0, 4\]"):
        kind(n_components).fit(cloud(20, 5))


@for_each(
    "settings",
    [{"n_clusters": 0}, {"n_clusters": 2.5}, {"n_components": -1}, {"n_components": None}],
)
def test_cluster_settings_that_are_refused(settings):
    (name,) = settings
    with pytest.raises(ValueError, match=name):
        ClusterwiseRemoval(**settings).fit(cloud(20, 5))


def test_the_printed_algorithm_differs_by_a_constant():
    """Mu, Viswanath 2018, algorithm 1, step 3: x - m - U U'x. Here m = (2, 1) and U = e1, so the
    printed result of (x, y) is (-2, y - 1), and ours is (0, y - 1).
    """
    X = np.array([[4.0, 1], [0, 1], [2, 2], [2, 0]])
    found = CommonComponentRemoval(1).fit(X).transform(X)
    np.testing.assert_allclose(found, np.column_stack([np.zeros(4), X[:, 1] - 1]), atol=1e-12)
    printed = X - X.mean(axis=0) - X * [1, 0]
    np.testing.assert_allclose(found - printed, np.tile([2.0, 0], (4, 1)), atol=1e-12)
