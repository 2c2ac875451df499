"""Every measure by hand and by a second route, and what each refuses."""

import numpy as np
import pytest

from geometry import measure
from geometry.linalg.rows import unit_rows
from geometry.measure import (
    angles_to_mean,
    effective_rank,
    isoscore,
    isoscore_baseline,
    mean_cosine,
    mean_norm_share,
    opening_angle,
    pairwise_cosines,
    participation_baseline,
    participation_ratio,
    positive_cosine_share,
)
from geometry.measure.cosines import cosine_shares, isotropic_angle_spread, isotropic_cosine_shares

CORNER = np.array([[1.0, 0], [0, 1], [1, 1]])  # cosines 0, 1/sqrt 2, 1/sqrt 2
CROSS = np.array([[2.0, 0], [-2, 0], [0, 1], [0, -1]])  # covariance diag(2, 1/2)

OF_DIRECTIONS = (
    unit_rows,
    mean_cosine,
    pairwise_cosines,
    positive_cosine_share,
    angles_to_mean,
    opening_angle,
)
OF_SPREAD = (participation_ratio, isoscore, effective_rank)
ALL = (*OF_DIRECTIONS, *OF_SPREAD, mean_norm_share)


def cloud(n: int = 70, d: int = 9, *, seed: int = 0, shift: float = 0.5) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) * np.geomspace(2, 0.2, d) + shift


def cosines_by_loop(X: np.ndarray) -> list[float]:
    return [
        float(X[i] @ X[j] / np.sqrt((X[i] @ X[i]) * (X[j] @ X[j])))
        for i in range(len(X))
        for j in range(i + 1, len(X))
    ]


def published_isoscore(X: np.ndarray) -> float:
    """Rudman et al. 2022, Algorithm 1, step by step."""
    n = X.shape[1]
    _, V = np.linalg.eigh(np.cov(X.T))
    reoriented = X @ V  # step 2: PCA without reduction
    variances = np.diag(np.cov(reoriented.T))  # step 3
    normalised = np.sqrt(n) * variances / np.linalg.norm(variances)  # step 4
    defect = np.linalg.norm(normalised - 1) / np.sqrt(2 * (n - np.sqrt(n)))  # step 5
    used = (n - defect**2 * (n - np.sqrt(n))) ** 2 / n**2  # step 6: share of dimensions used
    return float((n * used - 1) / (n - 1))  # step 7


# Cosines


def test_cosines_worked_by_hand():
    r = 1 / np.sqrt(2)
    np.testing.assert_allclose(unit_rows(CORNER), [[1, 0], [0, 1], [r, r]])
    assert mean_cosine(CORNER) == pytest.approx(2 * r / 3)
    np.testing.assert_allclose(pairwise_cosines(CORNER), [0, r, r], atol=1e-7)
    assert positive_cosine_share(CORNER) == pytest.approx(2 / 3)  # 0 is not above 0
    # +-e1, +-e2: two opposite pairs, four right angles
    assert mean_cosine(CROSS) == pytest.approx(-2 / 6)
    assert positive_cosine_share(CROSS) == 0.0
    assert mean_cosine([[1, 2], [2, 4]]) == pytest.approx(1)


@pytest.mark.parametrize("block_rows", [1, 7, 2048])
def test_cosines_by_brute_force(block_rows):
    X = cloud()
    every = cosines_by_loop(X)
    assert mean_cosine(X) == pytest.approx(np.mean(every), abs=1e-12)
    np.testing.assert_allclose(pairwise_cosines(X), every, atol=1e-6)
    share = positive_cosine_share(X, block_rows=block_rows)
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
    seen = cosine_shares(pairwise_cosines(X), edges)
    np.testing.assert_allclose(seen, isotropic_cosine_shares(edges, 20), atol=0.005)


def test_random_directions_are_nearly_orthogonal():
    assert isotropic_angle_spread(384) == pytest.approx(2.925, abs=1e-3)
    X = np.random.default_rng(0).standard_normal((300, 384))
    angles = np.degrees(np.arccos(pairwise_cosines(X)))
    assert angles.std() == pytest.approx(isotropic_angle_spread(384), rel=0.02)


# The mean, and the cone around it


def test_mean_norm_share_worked_by_hand():
    # mean (2/3, 2/3), |mean|^2 = 8/9; E|x|^2 = (1 + 1 + 2)/3 = 4/3
    assert mean_norm_share(CORNER) == pytest.approx(2 / 3)
    assert mean_norm_share(CROSS) == 0.0
    assert mean_norm_share([[3, 4]]) == pytest.approx(1)


@pytest.mark.parametrize("theta", [0.5, 20.0, 44.0, 89.0])
def test_opening_angle_of_a_cone_built_by_hand(theta):
    # a ring at angle theta around the third axis, rows of any length
    turn = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    t = np.radians(theta)
    ring = np.column_stack(
        [np.sin(t) * np.cos(turn), np.sin(t) * np.sin(turn), np.cos(t) + 0 * turn]
    )
    np.testing.assert_allclose(angles_to_mean(7 * ring), theta, atol=1e-6)
    assert opening_angle(ring) == pytest.approx(theta)


def test_opening_angle_is_a_quantile():
    # mean of CORNER points along (1, 1): angles 45, 45, 0
    np.testing.assert_allclose(angles_to_mean(CORNER), [45, 45, 0], atol=1e-5)
    assert opening_angle(CORNER) == pytest.approx(45)
    assert opening_angle(CORNER, quantile=0) == pytest.approx(0, abs=1e-5)
    assert opening_angle(CORNER, quantile=0.25) == pytest.approx(22.5, abs=1e-5)


def test_a_centred_cloud_has_no_axis():
    X = cloud()
    for centred in (CROSS, X - X.mean(axis=0), (X - X.mean(axis=0)).astype(np.float32)):
        with pytest.raises(ValueError, match="mean vector is zero"):
            opening_angle(centred)


# Spread over the axes


def test_spread_worked_by_hand():
    # lambda = 2, 1/2: PR = 2.5^2 / 4.25 = 25/17; IsoScore = (PR - 1)/(2 - 1) = 8/17
    assert participation_ratio(CROSS) == pytest.approx(25 / 17)
    assert isoscore(CROSS) == pytest.approx(8 / 17)
    # sigma = sqrt 8, sqrt 2, so p = 2/3, 1/3: exp(H) = (3/2)^(2/3) 3^(1/3) = 3 / 2^(2/3)
    assert effective_rank(CROSS) == pytest.approx(3 / 2 ** (2 / 3))
    # two equal rows (1, 1) and no centring: one direction
    assert participation_ratio([[1, 1], [1, 1]], centred=False) == pytest.approx(1)
    assert effective_rank([[1, 1], [1, 1]], centred=False) == pytest.approx(1)


@pytest.mark.parametrize(("n", "d"), [(40, 5), (10, 30), (200, 2)])
def test_isoscore_is_the_published_algorithm(n, d):
    X = cloud(n, d) @ np.random.default_rng(1).standard_normal((d, d))
    assert isoscore(X) == pytest.approx(published_isoscore(X), abs=1e-10)


@pytest.mark.parametrize("d", [2, 5, 12])
def test_isoscore_of_k_equal_axes(d):
    rotation = np.linalg.qr(np.random.default_rng(d).standard_normal((d, d)))[0]
    for k in range(1, d + 1):
        axes = np.vstack([np.eye(d)[:k], -np.eye(d)[:k]]) @ rotation + 3  # and a shift
        assert isoscore(axes) == pytest.approx((k - 1) / (d - 1), abs=1e-10)


@pytest.mark.parametrize("centred", [True, False])
def test_spread_by_singular_values(centred):
    X = cloud(50, 7)
    s = np.linalg.svd(X - X.mean(axis=0) if centred else X, compute_uv=False)
    p = s / s.sum()
    assert effective_rank(X, centred=centred) == pytest.approx(np.exp(-(p * np.log(p)).sum()))
    ratio = (s**2).sum() ** 2 / (s**4).sum()
    assert participation_ratio(X, centred=centred) == pytest.approx(ratio)


def test_effective_rank_ignores_null_directions():
    X = cloud(60, 4)
    assert effective_rank(np.hstack([X, X])) == pytest.approx(effective_rank(X), rel=1e-6)
    few = np.random.default_rng(0).standard_normal((5, 40))
    assert effective_rank(few) < 4 + 1e-9  # n - 1 directions at most


def test_isoscore_baseline():
    assert isoscore_baseline(1000, 768) == pytest.approx(0.5645, abs=5e-5)
    # two points lie on a line, whatever they are
    assert isoscore_baseline(2, 2) == isoscore_baseline(2, 384) == 0.0
    assert isoscore(np.array([[0.0, 1], [5, 3]])) == pytest.approx(0, abs=1e-12)
    rng = np.random.default_rng(0)
    for n, d, draws in ((1000, 768, 1), (100, 50, 20), (400, 20, 20)):
        simulated = np.mean([isoscore(rng.standard_normal((n, d))) for _ in range(draws)])
        assert isoscore_baseline(n, d) == pytest.approx(simulated, abs=0.005)


def test_participation_baseline_of_few_rows():
    """n = 4 at d = 384 cannot have a ratio above 3, the rank."""
    rng = np.random.default_rng(0)
    for n, d in ((2, 10), (4, 384), (10, 384), (3, 2), (4, 3), (10, 13), (30, 5)):
        drawn = rng.standard_normal((20 if d > 100 else 2000, n, d))
        ratios = np.array([participation_ratio(X) for X in drawn])
        baseline = participation_baseline(n, d)
        assert 1 <= baseline <= min(n - 1, d)
        # exact for the inverse, so no more than the mean, and 4% below it at most
        assert baseline == pytest.approx(1 / np.mean(1 / ratios), rel=0.01)
        least = 0.955 if min(n, d) < 10 else 0.985
        assert least < baseline / ratios.mean() < 1.005
        assert (baseline - 1) / (d - 1) == pytest.approx(isoscore_baseline(n, d))
    assert participation_baseline(2, 10) == 1
    assert participation_baseline(50, 1) == 1


def test_isoscore_does_not_see_a_shift_and_mean_cosine_does():
    X = np.random.default_rng(0).standard_normal((2000, 10))
    assert isoscore(X + 50) == pytest.approx(isoscore(X), abs=1e-9)
    assert mean_cosine(X) < 0.01 < 0.9 < mean_cosine(X + 50)


# Bad input


@pytest.mark.parametrize("of", ALL)
@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.array(1.0), r"shape \(\)"),
        (np.array([1.0, 2.0]), r"shape \(2,\)"),
        (np.zeros((2, 2, 2)), r"shape \(2, 2, 2\)"),
        (np.zeros((3, 0)), r"shape \(3, 0\)"),
    ],
)
def test_shapes_that_are_refused(of, X, message):
    with pytest.raises(ValueError, match=message):
        of(X)


@pytest.mark.parametrize("of", ALL)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_named(of, bad):
    X = cloud(6, 3)
    X[[2, 4], 1] = bad
    with pytest.raises(ValueError, match=r"row 2 .*\(2 of 6 rows do\)"):
        of(X)


@pytest.mark.parametrize("of", OF_DIRECTIONS)
def test_a_zero_row_is_named(of):
    X = cloud(6, 3)
    X[[1, 5]] = 0
    with pytest.raises(ValueError, match=r"row 1 is zero.*\(2 of 6 rows are\)"):
        of(X)


@pytest.mark.parametrize(
    "of",
    [mean_cosine, pairwise_cosines, positive_cosine_share, *OF_SPREAD],
    ids=lambda f: f.__name__,
)
def test_one_row_is_not_enough(of):
    with pytest.raises(ValueError, match="at least 2 rows; got 1"):
        of(np.ones((1, 3)))


@pytest.mark.parametrize("of", [*OF_DIRECTIONS, *OF_SPREAD, mean_norm_share])
def test_no_row_is_not_enough(of):
    with pytest.raises(ValueError, match="got 0"):
        of(np.empty((0, 3)))


@pytest.mark.parametrize("of", OF_SPREAD)
@pytest.mark.parametrize("n", [2, 7, 5000])
def test_equal_rows_have_no_spread(of, n):
    for value in (0.1, 1e6, 0.0):  # 0.1 is rounded when it is summed
        with pytest.raises(ValueError, match="all rows are equal"):
            of(np.full((n, 3), value))


@pytest.mark.parametrize("of", OF_SPREAD)
def test_rows_equal_but_for_the_last_bit_have_no_spread(of):
    X = np.tile([0.1, 0.3, 0.7], (50, 1))
    X[3] = np.nextafter(X[3], 1)
    with pytest.raises(ValueError, match="all rows are equal"):
        of(X)


def test_zeros_have_no_mean_norm_share():
    with pytest.raises(ValueError, match="every row is zero"):
        mean_norm_share(np.zeros((3, 2)))


def test_isoscore_needs_two_dimensions():
    with pytest.raises(ValueError, match=r"at least 2 dimensions.*\(5, 1\)"):
        isoscore(np.ones((5, 1)))


@pytest.mark.parametrize("of", [f for f in ALL if f is not unit_rows])
@pytest.mark.parametrize(
    "odd",
    [
        lambda X: np.round(X * 100).astype(np.int32),
        lambda X: X.astype(np.float16),
        lambda X: X.astype(np.float32),
        lambda X: np.asfortranarray(X),
        lambda X: X[::2, ::-1],
        lambda X: X.tolist(),
    ],
    ids=["int", "float16", "float32", "fortran", "strided", "list"],
)
def test_any_numbers_are_taken(of, odd):
    X = odd(cloud())
    plain = np.ascontiguousarray(np.asarray(X), dtype=np.float64)
    np.testing.assert_allclose(of(X), of(plain), rtol=1e-9)


def test_results_are_plain_floats():
    X = cloud()
    for name in ("mean_cosine", "positive_cosine_share", "mean_norm_share", "opening_angle"):
        assert type(getattr(measure, name)(X)) is float
    assert all(type(of(X)) is float for of in OF_SPREAD)
