"""A cloud and the whitened cloud: the ends of the film, one scale, cones."""

import numpy as np
import pytest
from sklearn.covariance import ledoit_wolf_shrinkage

from geometry import mean_norm_share, project
from geometry.projection import whiten_beside
from geometry.projection.projection import map_picture
from geometry.projection.twin import ConeEdge, common_scale, cone_edges, fit_whitening, frame_of
from tests.for_each import for_each

RNG = np.random.default_rng(0)
D = 6
CLOUD = RNG.standard_normal((200, D)) * np.geomspace(3, 0.2, D) + np.linspace(-1, 3, D)


def covariance(X):
    return np.cov(X.T, bias=True)


@for_each("fit", ["recommended", "ledoit-wolf", "full"])
@for_each("dtype", [np.float32, np.float64])
def test_at_zero_nothing_moves(fit, dtype):
    X = CLOUD.astype(dtype)
    twin = whiten_beside(X, fit_whitening(X, fit), centring=0, strength=0)
    np.testing.assert_array_equal(twin.vectors, X)
    assert twin.vectors.dtype == dtype
    assert twin.retained_vectors is twin.vectors


def test_centring_alone_and_strength_alone():
    fitted = fit_whitening(CLOUD, "full")
    centred = whiten_beside(CLOUD, fitted, centring=1, strength=0).vectors
    np.testing.assert_allclose(centred, CLOUD - CLOUD.mean(axis=0), atol=1e-12)
    scaled = whiten_beside(CLOUD, fitted, centring=0, strength=1).vectors
    np.testing.assert_allclose(covariance(scaled), np.eye(D), atol=1e-10)
    assert mean_norm_share(scaled) > mean_norm_share(CLOUD)  # the cone narrows before it opens
    half = whiten_beside(CLOUD, fitted, centring=0, strength=0.5).vectors
    eigenvalues = np.linalg.eigvalsh(covariance(CLOUD)) ** 0.5
    np.testing.assert_allclose(np.linalg.eigvalsh(covariance(half)), eigenvalues, atol=1e-10)


def test_the_three_fits():
    few = CLOUD[: 4 * D]
    assert fit_whitening(CLOUD).shrinkage == 0  # n >= 5 d
    expected = ledoit_wolf_shrinkage(few)
    for fit in ("recommended", "ledoit-wolf"):
        assert fit_whitening(few, fit).shrinkage == pytest.approx(expected)
    assert fit_whitening(few, "full").shrinkage == 0
    with pytest.raises(ValueError, match="recommended, ledoit-wolf, full; got 'oas'"):
        fit_whitening(few, "oas")


def test_retained_vectors_are_the_retained_directions():
    few = np.random.default_rng(1).standard_normal((30, 40)) + 2
    fitted = fit_whitening(few, "recommended")
    assert len(fitted.components) == 3  # 30 / 10
    white = whiten_beside(few, fitted)
    assert white.vectors.shape == (30, 40)
    assert white.retained_vectors.shape == (30, 3)
    np.testing.assert_allclose(
        white.retained_vectors @ white.retained_vectors.T,
        white.vectors @ white.vectors.T,
        atol=1e-10,
    )
    soft = whiten_beside(few, fitted, strength=0.5)  # other directions are not yet reduced to 0
    assert soft.retained_vectors is soft.vectors


def test_common_scale_by_hand():
    raw = np.array([[4.0, 0, 0], [0, 3, 0], [4, 0, 0], [0, 3, 0], [0, 0, 0]])
    white = np.array([[0.2, 0, 0], [0, 0.1, 0], [0.2, 0, 0], [0, 0.1, 0], [0, 0, 0]])
    first, second = project(raw, "svd"), project(white, "svd")
    factor, reach = common_scale(first, second)
    # rms radii: sqrt(50 / 5) and sqrt(0.1 / 5)
    assert factor == pytest.approx(np.sqrt(50 / 0.1))
    farthest = max(
        np.quantile([4, 3, 4, 3, 0], 0.99), factor * np.quantile([0.2, 0.1, 0.2, 0.1, 0], 0.99)
    )
    assert reach == pytest.approx(1.1 * farthest)


# six rows at 20 degrees, ten at 30 degrees and two at 60 degrees around the first axis, in
# opposite pairs, so that the mean is the axis exactly
def hand_cone(d=4):
    rows = []
    for place, (degrees, pairs) in enumerate([(20, 3), (30, 5), (60, 1)]):
        for _ in range(pairs):
            for sign in (1, -1):
                row = np.zeros(d)
                row[0] = np.cos(np.radians(degrees))
                row[1 + place] = sign * np.sin(np.radians(degrees))
                rows.append(row)
    return np.array(rows)


@for_each("k", [2, 3])
def test_the_cones_edges_angle_true(k):
    X = hand_cone()
    half, most = cone_edges(X, project(X, "cone", k))
    assert (half.quantile, most.quantile) == (0.5, 0.9)
    assert half.angle == half.drawn == pytest.approx(30)
    # 18 rows: the 0.9 quantile is 0.3 of the way from the 16th (30) to the 17th (60).
    assert most.angle == most.drawn == pytest.approx(30 + 0.3 * 30)
    np.testing.assert_array_equal(half.axis, np.eye(k)[0])


def test_the_cones_edges_on_a_linear_picture():
    X = hand_cone()
    picture = project(X, "mean", 2)
    # The picture's axes: the cone's axis, and the direction of the 30-degree rows (most variance).
    np.testing.assert_allclose(np.abs(picture.axes), np.eye(4)[[0, 2]], atol=1e-9)
    half, most = cone_edges(X, picture)
    assert half.angle == pytest.approx(30)
    assert most.angle == pytest.approx(39)
    # The other rows are on the axis: 8 at 0 degrees, 10 at 30.
    assert half.drawn == pytest.approx(30)
    assert most.drawn == pytest.approx(30)
    np.testing.assert_allclose(half.axis, [1, 0], atol=1e-12)


def test_no_cone_without_an_origin_or_a_mean():
    assert cone_edges(CLOUD, map_picture(CLOUD, CLOUD[:, :2], "tsne")) == ()
    white = whiten_beside(CLOUD, fit_whitening(CLOUD)).vectors
    assert cone_edges(white, project(CLOUD, "svd").apply(white)) == ()


@for_each("k", [2, 3])
def test_a_frame_holds_the_origin_the_cloud_and_the_cones(k):
    rng = np.random.default_rng(k)
    P = rng.standard_normal((500, k)) * 0.2 + [5.0, 0, 0][:k]
    axis = np.eye(k)[0]
    frame = frame_of(P, [ConeEdge(0.5, 50.0, 50.0, axis, is_drawn=True)])
    assert ((frame.low <= P) & (frame.high >= P)).all(axis=1).mean() > 0.97
    assert (frame.low <= 0).all()
    assert frame.length == pytest.approx(np.quantile(np.linalg.norm(P, axis=1), 0.99))
    # the rim of the cone is farther from the axis than the points
    assert frame.high[1] == pytest.approx(frame.length * np.sin(np.radians(50)), rel=1e-6)
    assert frame.low[1] == pytest.approx(-frame.high[1])
    assert frame_of(P).high[1] < 1  # without a cone only the points


def test_only_a_narrow_cone_is_drawn_but_every_one_at_its_true_angle():
    X = RNG.standard_normal((2000, 3)) + np.array([1.3, 0, 0])
    flat, true = (cone_edges(X, project(X, method, 2)) for method in ("mean", "cone"))
    assert flat[0].angle < 60 < flat[1].angle == pytest.approx(true[1].angle)
    assert [edge.is_drawn for edge in (*flat, *true)] == [True, False, True, True]
    frames = [frame_of(X[:, :2], cones) for cones in (flat, flat[:1])]
    assert (frames[0].high == frames[1].high).all()
