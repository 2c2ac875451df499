"""Projections against numpy, scikit-learn and hand computation."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.manifold import trustworthiness as sklearn_trustworthiness

from geometry import UndefinedMeasure, project
from geometry.projection.projection import (
    TRUST_ROWS,
    map_picture,
    match_radius,
    settle,
    trustworthiness,
)
from tests.for_each import for_each

LINEAR = ("svd", "pca", "mean", "cone")
RNG = np.random.default_rng(0)
# unequal axes and a mean off all of them: a cone with a shape
CLOUD = RNG.standard_normal((120, 8)) * np.geomspace(3, 0.3, 8) + np.linspace(-1, 2, 8)


def same_up_to_sign(P, Q, *, atol=1e-9):
    signs = np.sign(np.sum(P * Q, axis=0))
    np.testing.assert_allclose(P, Q * signs, atol=atol)


@for_each("k", [2, 3])
def test_svd_is_numpys(k):
    found = project(CLOUD, "svd", k)
    U, sigma, Vt = np.linalg.svd(CLOUD, full_matrices=False)
    same_up_to_sign(found.coordinates, (U * sigma)[:, :k])
    same_up_to_sign(found.axes.T, Vt[:k].T)
    assert found.explained == pytest.approx(np.sum(sigma[:k] ** 2) / np.sum(sigma**2))
    np.testing.assert_array_equal(found.centre, np.zeros(8))
    np.testing.assert_array_equal(found.origin, np.zeros(k))


@for_each("k", [2, 3])
def test_pca_is_sklearns(k):
    found = project(CLOUD, "pca", k)
    oracle = PCA(k, svd_solver="full").fit(CLOUD)
    same_up_to_sign(found.coordinates, oracle.transform(CLOUD))
    same_up_to_sign(found.axes.T, oracle.components_.T)
    np.testing.assert_allclose(found.centre, oracle.mean_)
    assert found.explained == pytest.approx(oracle.explained_variance_ratio_.sum())
    # the picture of the origin
    same = np.sign(np.sum(found.coordinates * oracle.transform(CLOUD), axis=0))
    np.testing.assert_allclose(found.origin, same * oracle.transform(np.zeros((1, 8)))[0])


@for_each("k", [2, 3])
def test_the_mean_frame(k):
    found = project(CLOUD, "mean", k)
    mean = CLOUD.mean(axis=0)
    np.testing.assert_allclose(found.axes @ found.axes.T, np.eye(k), atol=1e-12)
    np.testing.assert_allclose(found.axes[0], mean / np.linalg.norm(mean))
    # The other axes are principal directions of the part orthogonal to the mean.
    rest = CLOUD - np.outer(CLOUD @ found.axes[0], found.axes[0])
    oracle = PCA(k - 1, svd_solver="full").fit(rest)
    same_up_to_sign(found.axes[1:].T, oracle.components_.T)
    np.testing.assert_allclose(found.coordinates, CLOUD @ found.axes.T)
    np.testing.assert_array_equal(found.origin, np.zeros(k))
    assert found.explained == pytest.approx(np.sum(found.coordinates**2) / np.sum(CLOUD**2))


def test_the_cone_by_hand():
    # Mean (3, 0, 0): heights 2 and 4; the rest is in the plane of the other two axes.
    X = np.array([[2.0, 3, 0], [2, -3, 0], [4, 0, 1], [4, 0, -1]])
    found = project(X, "cone", 3)
    np.testing.assert_allclose(found.axes, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(found.coordinates, X, atol=1e-12)
    np.testing.assert_allclose(
        project(X, "cone", 2).coordinates, [[2, 3], [2, -3], [4, 0], [4, 0]], atol=1e-12
    )


@for_each("method", LINEAR)
@for_each("k", [2, 3])
def test_signs_are_fixed(method, k):
    found = project(CLOUD, method, k)
    mean = CLOUD.mean(axis=0)
    for place, axis in enumerate(found.axes):
        if place == 0 and method != "pca":
            assert axis @ mean > 0
        else:
            assert axis[np.abs(axis).argmax()] > 0
    shuffled = CLOUD[np.random.default_rng(1).permutation(len(CLOUD))]
    np.testing.assert_allclose(project(shuffled, method, k).axes, found.axes, atol=1e-9)


@for_each("method", LINEAR)
def test_apply_puts_others_on_the_same_axes(method):
    found = project(CLOUD, method, 3)
    other = CLOUD[:40] * [1, -1, 1, 2, 1, 1, 0.5, 1] + 1
    there = found.apply(other)
    np.testing.assert_array_equal(there.axes, found.axes)
    if method == "pca":  # on its own mean
        np.testing.assert_allclose(there.coordinates.mean(axis=0), np.zeros(3), atol=1e-12)
        np.testing.assert_allclose(there.origin, -other.mean(axis=0) @ found.axes.T)
    elif method == "cone":  # height along the first cloud's mean, and every length
        np.testing.assert_allclose(there.coordinates[:, 0], other @ found.axes[0])
        np.testing.assert_allclose(
            np.linalg.norm(there.coordinates, axis=1), np.linalg.norm(other, axis=1)
        )
    else:
        np.testing.assert_allclose(there.coordinates, other @ found.axes.T)
    assert there.trust_rows == 40
    assert there.trustworthiness == pytest.approx(
        sklearn_trustworthiness(other, there.coordinates, n_neighbors=5, metric="cosine")
    )
    assert there.explained == pytest.approx(
        np.sum(there.coordinates**2) / np.sum((other - there.centre) ** 2)
    )


@for_each("method", LINEAR)
@for_each("k", [2, 3])
@for_each("n", [11, 12, 60, 120])
def test_trustworthiness_is_sklearns(method, k, n):
    X = CLOUD[:n]
    found = project(X, method, k)
    expected = sklearn_trustworthiness(X, found.coordinates, n_neighbors=5, metric="cosine")
    assert found.trustworthiness == pytest.approx(expected, abs=1e-12)
    assert found.trust_rows == n


@for_each(("n", "k"), [(4, 1), (5, 2), (8, 3), (10, 4)])
def test_trustworthiness_of_few_rows_looks_at_fewer_neighbours(n, k):
    X, P = CLOUD[:n], CLOUD[:n, :2]
    expected = sklearn_trustworthiness(X, P, n_neighbors=k, metric="cosine")
    assert trustworthiness(X, P) == (pytest.approx(expected, abs=1e-12), n)


def test_trustworthiness_is_sampled_on_large_clouds():
    X = np.random.default_rng(0).standard_normal((TRUST_ROWS + 300, 5))
    found = project(X, "svd", random_state=7)
    assert found.trust_rows == TRUST_ROWS
    assert found.random_state == 7
    assert found.trustworthiness == project(X, "svd", random_state=7).trustworthiness
    assert found.trustworthiness != project(X, "svd", random_state=8).trustworthiness
    whole = sklearn_trustworthiness(X, found.coordinates, n_neighbors=5, metric="cosine")
    assert found.trustworthiness == pytest.approx(whole, abs=0.03)  # 1,000 of 1,300 rows


@for_each("method", ["mean", "cone"])
@for_each("k", [2, 3])
@for_each("line", [[0, 0, 1.0], [1.0, 1, 1], [1.0, 2, -3], [0, 1e-8, 1]])
def test_rows_on_one_line_still_have_axes(method, k, line):
    X = np.outer([1.0, 2, 3, 4, 5], line)
    found = project(X, method, k)
    np.testing.assert_allclose(found.axes @ found.axes.T, np.eye(len(found.axes)), atol=1e-12)
    assert np.isfinite(found.coordinates).all()
    np.testing.assert_allclose(found.coordinates[:, 0], np.linalg.norm(X, axis=1), rtol=1e-12)
    # A radius is the root of a difference of squares, so it has half of the digits.
    np.testing.assert_allclose(found.coordinates[:, 1:], 0, atol=1e-6)


def test_bad_input():
    with pytest.raises(ValueError, match="svd, pca, mean, cone, umap, tsne; got 'mds'"):
        project(CLOUD, "mds")
    for k in (0, 1, 4):
        with pytest.raises(ValueError, match=f"2 or 3; got {k}"):
            project(CLOUD, "svd", k)
    for shape in ((10,), (10, 0), (3, 4, 5)):
        with pytest.raises(ValueError, match="expected vectors as rows"):
            project(np.ones(shape))
    for method in (*LINEAR, "umap"):
        for k in (2, 3):
            with pytest.raises(ValueError, match=f"at least {k + 1} rows; got {k}"):
                project(CLOUD[:k], method, k)
    for odd in (np.nan, np.inf):
        X = CLOUD.copy()
        X[3, 2] = odd
        with pytest.raises(ValueError, match="NaN or infinity"):
            project(X)
    with pytest.raises(ValueError, match="NaN or infinity"):
        project(CLOUD).apply(X)


@for_each("method", ["mean", "cone"])
def test_no_mean_no_direction(method):
    X = np.vstack([np.eye(4), -np.eye(4)])
    with pytest.raises(UndefinedMeasure, check=lambda error: error.code == "centred"):
        project(X, method)
    assert project(X, "svd").n_components == 2


def test_match_radius_by_hand():
    reference = np.array([[3.0, 4], [0, 5]])  # rms radius 5
    other = np.array([[1.0, 0], [0, 1], [-1, 0]])  # 1
    assert match_radius(reference, other) == pytest.approx(5)
    assert match_radius(other, reference) == pytest.approx(0.2)
    assert match_radius(reference, reference * 0) == 1.0


def test_a_picture_of_rounding_alone_is_at_the_origin():
    rng = np.random.default_rng(5)
    X = (rng.standard_normal((300, 64)) + 4).astype(np.float32)
    first = project(X, "pca")
    emptied = X - X.mean(axis=0)
    emptied -= emptied @ first.axes.T.astype(np.float32) @ first.axes.astype(np.float32)
    noise = first.apply(emptied)
    assert match_radius(first.around_origin, noise.around_origin) > 1e5
    settled = settle(noise, X, emptied)
    assert not settled.around_origin.any()
    assert match_radius(first.around_origin, settled.around_origin) == 1.0
    small = first.apply(emptied + np.float32(1e-4) * X)  # a small remainder that is not rounding
    assert settle(small, X, emptied) is small
    assert settle(first, X) is first


def test_a_map_has_no_frame():
    picture = map_picture(CLOUD, CLOUD[:, :2], "umap", random_state=3)
    assert (picture.axes, picture.centre, picture.origin, picture.explained) == (None,) * 4
    assert (picture.method, picture.random_state, picture.trust_rows) == ("umap", 3, 120)
    with pytest.raises(ValueError, match="no axes"):
        picture.apply(CLOUD)


@pytest.mark.slow
def test_umap_is_seeded_and_shows_clusters():
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((12, 30))
    X = np.repeat(centres, 15, axis=0) + 0.25 * rng.standard_normal((180, 30))
    calls = []
    first = project(X, "umap", random_state=3, progress=lambda *call: calls.append(call))
    second = project(X, "umap", random_state=3)
    np.testing.assert_array_equal(first.coordinates, second.coordinates)
    assert first.coordinates.shape == (180, 2)
    assert np.abs(project(X, "umap", random_state=4).coordinates - first.coordinates).max() > 0
    assert first.trustworthiness > project(X, "svd").trustworthiness + 0.02
    assert [*dict.fromkeys(call[0] for call in calls)] == ["neighbours", "layout"]
    done = [call[1] for call in calls if call[0] == "layout"]
    assert done == sorted(done)
    assert done[-1] == calls[-1][2]
    assert project(X[:6], "umap", 3).coordinates.shape == (6, 3)  # few rows


@for_each("method", LINEAR)
@for_each("d", [1, 2])
def test_fewer_dimensions_than_the_picture_keep_every_length(method, d):
    X = CLOUD[:, :d] + 2
    found = project(X, method, 3)
    lengths = np.linalg.norm(X, axis=1)
    np.testing.assert_allclose(np.linalg.norm(found.around_origin, axis=1), lengths, rtol=1e-9)
    np.testing.assert_allclose(found.apply(X).coordinates, found.coordinates, atol=1e-9)
    assert found.explained == pytest.approx(1)


@pytest.mark.slow
def test_copies_are_at_one_place_in_umap(case):
    """Copies of a file, and of any share of the rows; their directions may differ by rounding."""
    rng = np.random.default_rng(2)
    few = rng.standard_normal((3, 8))
    half = CLOUD.copy()
    half[::2] = half[0]
    scaled = np.vstack([CLOUD[:40], 7 * CLOUD[:40]])
    sets = {  # rows: numbers of their directions
        "file": (np.load(case("33-umap-small-and-duplicates/half-identical.npy")), None),
        "half": (half, [0 if i % 2 == 0 else i for i in range(len(half))]),
        "scaled": (scaled, [*range(40), *range(40)]),
        "three": (np.tile(few, (5, 1)), np.tile([0, 1, 2], 5)),
    }
    for name, (X, numbers) in sets.items():
        if numbers is None:
            numbers = np.unique(X, axis=0, return_inverse=True)[1]
        for k in (2, 3) if name in ("three", "half") else (2,):
            found = project(X, "umap", k)
            assert np.isfinite(found.coordinates).all()
            groups = np.unique(found.coordinates, axis=0, return_inverse=True)[1]
            expected = np.equal.outer(numbers, numbers)
            np.testing.assert_array_equal(np.equal.outer(groups, groups), expected, name)
            assert 0.7 < found.trustworthiness <= 1


def test_equal_rows_have_one_place_in_every_view(case):
    X = np.load(case("33-umap-small-and-duplicates/identical-100.npy"))
    for method in (*LINEAR, "umap"):
        found = project(X, method, 3)
        np.testing.assert_allclose(
            found.coordinates, np.tile(found.coordinates[0], (100, 1)), atol=1e-9
        )
        assert found.trustworthiness == 1
