"""The further measures by hand and by a second route, and what each refuses."""

import numpy as np
import pytest
from IsoScore.IsoScore import IsoScore as published_isoscore
from scipy.special import logsumexp
from scipy.stats import skew
from sklearn.neighbors import NearestNeighbors

from geometry import (
    UndefinedMeasure,
    Whitening,
    alignment,
    cosine_contributions,
    hubness,
    intrinsic_dimension,
    isoscore,
    mean_cosine,
    measure_table,
    participation_ratio,
    partition_isotropy,
    uniformity,
)
from geometry.measure import (
    contextual_table,
    intra_sentence_similarity,
    max_explainable_variance,
    self_similarity,
    top_contribution,
    uniformity_baseline,
    zipfian_baselines,
    zipfian_mean_symmetry,
    zipfian_spectral_entropy,
)
from geometry.measure.neighbours import distinct_distances

pytestmark = pytest.mark.filterwarnings("error")

CORNER = np.array([[1.0, 0], [0, 1], [1, 1]])
CROSS = np.array([[2.0, 0], [-2, 0], [0, 1], [0, -1]])
OF_ROWS = (
    partition_isotropy,
    cosine_contributions,
    top_contribution,
    uniformity,
    hubness,
    intrinsic_dimension,
)
OF_DIRECTIONS = (cosine_contributions, top_contribution, uniformity, hubness)


def cloud(n: int = 70, d: int = 9, *, seed: int = 0, shift: float = 0.5) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) * np.geomspace(2, 0.2, d) + shift


def unit(X):
    return X / np.linalg.norm(X, axis=1, keepdims=True)


# Partition isotropy


def test_partition_isotropy_worked_by_hand():
    # X'X = diag(8, 2): c = +-e1, +-e2; Z = 2 cosh 2 + 2 along e1, 2 + 2 cosh 1 along e2
    assert partition_isotropy(CROSS) == pytest.approx((1 + np.cosh(1)) / (1 + np.cosh(2)))
    # one row: Z(c) = exp(+-5) along it, 1 across it
    assert partition_isotropy([[3.0, 4.0]]) == pytest.approx(np.exp(-10))
    # both signs: with c = +1 alone this would be 1
    assert partition_isotropy([[1.0]]) == pytest.approx(np.exp(-2))


@pytest.mark.parametrize("shift", [0, 0.5, 30])
def test_partition_isotropy_by_brute_force(shift):
    X = cloud(shift=shift)
    _, V = np.linalg.eigh(X.T @ X)
    log_sums = [logsumexp([sign * (x @ c) for x in X]) for c in V.T for sign in (1, -1)]
    assert partition_isotropy(X) == pytest.approx(np.exp(min(log_sums) - max(log_sums)), rel=1e-9)


def test_partition_isotropy_depends_on_scale_and_says_at_which():
    X = cloud()
    assert partition_isotropy(10 * X) < partition_isotropy(X) / 2
    for scale in ("rms", "unit"):
        assert partition_isotropy(10 * X, scale=scale) == pytest.approx(
            partition_isotropy(X, scale=scale)
        )
    rms = np.sqrt((X**2).sum(axis=1).mean())
    assert partition_isotropy(X, scale="rms") == pytest.approx(partition_isotropy(X / rms))
    assert partition_isotropy(X, scale="unit") == pytest.approx(partition_isotropy(unit(X)))
    assert partition_isotropy(1e5 * X) == 0  # below the smallest float, without a warning
    with pytest.raises(ValueError, match="raw, rms, unit; got 'std'"):
        partition_isotropy(X, scale="std")


# Contributions


def test_contributions_worked_by_hand():
    # unit rows e1, e2, (r, r): sums 1 + r both, squares 3/2: both alike
    np.testing.assert_allclose(cosine_contributions(CORNER), [0.5, 0.5])
    # e1, e1, e2: pairs share e1 alone
    np.testing.assert_allclose(cosine_contributions([[1, 0], [2, 0], [0, 3]]), [1, 0])
    assert top_contribution([[1, 0], [2, 0], [0, 3]]) == pytest.approx(1)
    # cosine 3/5: 4/5 from the first axis less 1/5 from the second... of (2, 1) and (2, -1)
    np.testing.assert_allclose(cosine_contributions([[2, 1], [2, -1]]), [4 / 3, -1 / 3])


def test_contributions_by_brute_force():
    X = cloud(30, 6)
    U = unit(X)
    by_pair = np.array([U[i] * U[j] for i in range(30) for j in range(30) if i != j])
    shares = by_pair.mean(axis=0) / mean_cosine(X)
    np.testing.assert_allclose(cosine_contributions(X), shares)
    assert cosine_contributions(X).sum() == pytest.approx(1)
    assert top_contribution(X, k=2) == pytest.approx(np.sort(shares)[-2:].sum())


def test_nothing_to_share():
    with pytest.raises(UndefinedMeasure, match="mean cosine is 0") as caught:
        cosine_contributions(np.array([[1.0, 0], [0, 1]]))
    assert caught.value.code == "no_mean_cosine"
    for k in (0, 3):
        with pytest.raises(ValueError, match=f"between 1 and the 2 dimensions; got {k}"):
            top_contribution(CORNER, k=k)


# Uniformity, alignment


def test_uniformity_worked_by_hand():
    # squared chords 2, 2 - sqrt 2 twice
    mean = (np.exp(-4) + 2 * np.exp(-4 + 2 * np.sqrt(2))) / 3
    assert uniformity(CORNER) == pytest.approx(np.log(mean))
    assert uniformity([[1, 1], [2, 2]]) == pytest.approx(0)
    assert uniformity([[1, 1], [-2, -2]]) == pytest.approx(-8)


def test_uniformity_over_all_pairs():
    X = cloud(60, 5)
    U = unit(X)
    kernel = [np.exp(-2 * ((U[i] - U[j]) ** 2).sum()) for i in range(60) for j in range(i)]
    assert uniformity(X) == pytest.approx(np.log(np.mean(kernel)))


@pytest.mark.parametrize("d", [1, 2, 3, 10, 384])
def test_uniformity_of_isotropic_directions(d):
    X = np.random.default_rng(d).standard_normal((3000, d))
    assert uniformity_baseline(d) == pytest.approx(uniformity(X), abs=0.02)


def test_uniformity_baseline_in_closed_form():
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


# Neighbours


def test_hubness_worked_by_hand():
    # directions at 0, 40, 60 and 150 degrees, k = 1: 0 -> 40, 40 -> 60, 60 -> 40, 150 -> 60;
    # occurrences 0, 2, 2, 0: symmetric
    at = np.radians([0, 40, 60, 150])
    assert hubness(np.column_stack([np.cos(at), np.sin(at)]), k=1) == pytest.approx(0)
    # a star: the centre is everybody's nearest and has one of them: occurrences 3, 1, 0, 0 have
    # deviations 2, 0, -1, -1: m2 = m3 = 3/2
    star = np.array([[1.0, 0, 0], [1, 0.3, 0], [1, -0.2, 0.3], [1, -0.2, -0.3]])
    assert hubness(star, k=1) == pytest.approx(1.5**-0.5)


@pytest.mark.parametrize("k", [1, 5, 10])
def test_hubness_by_scikit_learn_and_scipy(k):
    X = cloud(300, 30)
    found = NearestNeighbors(n_neighbors=k + 1, metric="cosine").fit(X).kneighbors(X)[1][:, 1:]
    assert hubness(X, k=k) == pytest.approx(skew(np.bincount(found.ravel(), minlength=300)))


def test_hubness_needs_more_rows_than_neighbours():
    with pytest.raises(UndefinedMeasure, match="at least 12 rows; got 11"):
        hubness(cloud(11))
    # on a ring everybody has two neighbours that are as near
    turn = 2 * np.pi * np.arange(12) / 12
    ring = np.column_stack([np.cos(turn), np.sin(turn)])
    with pytest.raises(UndefinedMeasure, match="equally often"):
        hubness(ring, k=11 - 1)


@pytest.mark.parametrize(("d", "embedded"), [(1, 1), (2, 2), (2, 50), (5, 20)])
def test_intrinsic_dimension_of_a_flat_manifold(d, embedded):
    rng = np.random.default_rng(d)
    axes = np.linalg.qr(rng.standard_normal((embedded, d)))[0]
    X = rng.uniform(size=(3000, d)) @ axes.T + 7
    assert intrinsic_dimension(X) == pytest.approx(d, rel=0.08)
    assert intrinsic_dimension(np.vstack([X, X[:500]])) == intrinsic_dimension(X)


def test_intrinsic_dimension_of_a_curved_manifold():
    turn = np.random.default_rng(0).uniform(0, 3 * np.pi, 3000)  # a helix
    X = np.column_stack([np.cos(turn), np.sin(turn), turn / 3])
    assert intrinsic_dimension(X) == pytest.approx(1, rel=0.05)


def test_intrinsic_dimension_by_the_published_steps():
    X = cloud(200, 4)
    r = np.sort(np.linalg.norm(X[:, None] - X[None], axis=2), axis=1)[:, 1:3]
    x = np.sort(np.log(r[:, 1] / r[:, 0]))[:180]
    y = -np.log(1 - np.arange(1, 181) / 200)
    slope = np.linalg.lstsq(x[:, None], y, rcond=None)[0][0]
    assert intrinsic_dimension(X) == pytest.approx(slope, rel=1e-9)


def test_intrinsic_dimension_of_tight_clusters_far_apart():
    """Distances of 1e-6 beside clusters 1 apart: float32 alone would measure its own rounding."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.standard_normal((4, 30)), 400, axis=0)
    X[:, :2] += 1e-6 * rng.uniform(size=(1600, 2))
    assert intrinsic_dimension(X) == pytest.approx(2, rel=0.1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", ["pca", "zca", "cholesky", "pca-cor", "zca-cor"])
def test_duplicates_that_a_whitening_moved_by_rounding_are_dropped(method, dtype):
    X = cloud(600, 24) * np.geomspace(100, 0.1, 24)
    X = np.vstack([X, X[:150], X[:20], X[:5], X[:5]]).astype(dtype)
    fitted = Whitening(method).fit(X[:600])
    told = intrinsic_dimension(fitted.transform(X))
    assert told == pytest.approx(intrinsic_dimension(fitted.transform(X[:600])), rel=1e-4)
    again = np.random.default_rng(0).permutation(len(X))
    assert intrinsic_dimension(fitted.transform(X)[again]) == pytest.approx(told, rel=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_row_twice_but_for_rounding(dtype):
    X = cloud(400, 6).astype(dtype)
    nearly = X * (1 + 4 * np.finfo(dtype).eps * np.random.default_rng(1).standard_normal(X.shape))
    twice = np.vstack([X, nearly.astype(dtype)])
    assert intrinsic_dimension(twice) == pytest.approx(intrinsic_dimension(X), rel=1e-3)
    with pytest.raises(UndefinedMeasure, match="at least 3 distinct rows; got 2"):
        intrinsic_dimension(np.vstack([X[:2], nearly[:2].astype(dtype)]))


def test_rows_that_are_near_and_differ_are_kept():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 10))
    near = X[:40] + 10.0 ** rng.uniform(-10, -1, 40)[:, None] * rng.standard_normal((40, 10))
    _, first = distinct_distances(np.vstack([X, near]))
    assert len(first) == 440
    for D, dtype in ((1, np.float32), (1, np.float64), (2, np.float32)):
        rows = np.sort(rng.standard_normal((4000, D)).astype(dtype), axis=0)
        distinct = np.unique(rows, axis=0).astype(np.float64)
        assert len(distinct) - len(distinct_distances(distinct)[1]) <= 1


SIMPLICES = {
    "turned": lambda rng: np.eye(50) @ np.linalg.qr(rng.standard_normal((50, 50)))[0],
    "pca": lambda rng: Whitening("pca").fit_transform(cloud(50, 80)),
    "zca": lambda rng: Whitening("zca").fit_transform(cloud(50, 49)),
    "pca of float32": lambda rng: Whitening("pca").fit_transform(cloud(50, 80).astype(np.float32)),
    "zca of float32": lambda rng: Whitening("zca").fit_transform(cloud(50, 80).astype(np.float32)),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("simplex", SIMPLICES)
def test_a_simplex_has_no_neighbours_but_rounding(simplex, dtype):
    X = SIMPLICES[simplex](np.random.default_rng(0))
    X *= 1 + np.finfo(X.dtype).eps * np.random.default_rng(1).standard_normal(X.shape)
    X = X.astype(dtype)
    for of, told in ((intrinsic_dimension, "equally far"), (hubness, "others equally near")):
        with pytest.raises(UndefinedMeasure, match=told) as refused:
            of(X)
        assert refused.value.code == "equal_distances"
    table = {row.name: row.undefined for row in measure_table(X)}
    assert table["hubness"] == table["intrinsic_dimension"] == "equal_distances"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_uneven_simplex_and_copies_have_no_nearest_ten(dtype):
    X = cloud(60, 100).astype(dtype)
    uneven = Whitening("pca").fit_transform(np.vstack([X, X[:8]]))
    for rows in (uneven, np.repeat(X[:5], 30, axis=0)):
        with pytest.raises(UndefinedMeasure, match="more than 10 others equally near"):
            hubness(rows)
        table = {row.name: row.undefined for row in measure_table(rows)}
        assert table["hubness"] == "equal_distances"
    few_copies = np.vstack([X, np.repeat(X[:1], 10, axis=0)])
    assert np.isfinite(hubness(few_copies))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [13, 100])
def test_many_dimensions_are_no_simplex(n, dtype):
    X = np.random.default_rng(0).standard_normal((n, 20_000)).astype(dtype)
    assert intrinsic_dimension(X) > 200
    assert np.isfinite(hubness(X))
    assert np.isfinite(hubness(1 + 1e-3 * X[:, :300]))  # a needle: cosines of .999999


def test_intrinsic_dimension_needs_three_distinct_rows():
    with pytest.raises(UndefinedMeasure, match="at least 3 distinct rows; got 2"):
        intrinsic_dimension([[1, 2], [1, 2], [3, 4], [3, 4]])
    with pytest.raises(UndefinedMeasure, match="equally far"):
        intrinsic_dimension(np.eye(5))
    assert intrinsic_dimension([[0.0, 0.0], [-0.0, 0.0], [1.0, 0], [3.0, 0]]) > 0


# Contextual tokens


def test_context_worked_by_hand():
    X = np.array([[1.0, 0], [0, 1], [1, 1], [-1, 0]])
    types = ["a", "a", "b", "b"]
    r = 1 / np.sqrt(2)
    # a: cos 0; b: cos -r. All pairs: 0, r, -1, r, 0, -r
    assert self_similarity(X, types) == pytest.approx(-r / 2 - (r - 1) / 6)
    # first sentence: mean (1/2, 1/2): cosines r, r; second: mean (0, 1/2): cosines r, 0
    assert intra_sentence_similarity(X, [7, 7, 9, 9]) == pytest.approx(
        (r + r / 2) / 2 - (r - 1) / 6
    )
    parts = {row.name: row for row in contextual_table(X, types, [7, 7, 9, 9])}
    # a: two equal sigma: 1/2. b: [[2, -1], [-1, 1]] has eigenvalues (3 +- sqrt 5)/2 of 3
    explained = (0.5 + (3 + np.sqrt(5)) / 6) / 2
    assert parts["max_explainable_variance"].value == pytest.approx(explained)
    assert parts["self_similarity"].value == pytest.approx(-r / 2)
    assert parts["self_similarity"].baseline == pytest.approx((r - 1) / 6)
    assert parts["self_similarity"].low is None  # two types give no interval


def test_context_by_brute_force():
    rng = np.random.default_rng(0)
    X = cloud(120, 6)
    types, sentences = rng.integers(40, size=120), np.repeat(np.arange(12), 10)
    U = unit(X)
    cos = U @ U.T
    every = cos[~np.eye(120, dtype=bool)].mean()
    own, explained = [], []
    for t in np.unique(types):
        at = np.flatnonzero(types == t)
        if len(at) > 1:
            own.append(np.mean([cos[i, j] for i in at for j in at if i != j]))
            s = np.linalg.svd(X[at], compute_uv=False) ** 2
            explained.append(s[0] / s.sum())
    assert self_similarity(X, types) == pytest.approx(np.mean(own) - every)
    within = [
        np.mean(U[sentences == s] @ unit(X[sentences == s].mean(0)[None])[0]) for s in range(12)
    ]
    assert intra_sentence_similarity(X, sentences) == pytest.approx(np.mean(within) - every)
    row = contextual_table(X, types, sentences)[2]
    assert row.value == pytest.approx(np.mean(explained))
    assert max_explainable_variance(X, types) == pytest.approx(row.value - row.baseline)


def test_types_dealt_at_random_have_no_context_effect():
    rng = np.random.default_rng(0)
    X, types = cloud(4000, 10), rng.integers(300, size=4000)
    assert self_similarity(X, types) == pytest.approx(0, abs=0.01)
    assert max_explainable_variance(X, types) == pytest.approx(0, abs=0.01)
    static = rng.standard_normal((300, 10))[types]
    assert self_similarity(static, types) == pytest.approx(1, abs=0.02)
    rows = contextual_table(X, types, rng.integers(200, size=4000))
    assert all(row.low < row.value < row.high and row.n == 4000 for row in rows)


def test_context_refuses():
    X = cloud(6, 3)
    with pytest.raises(UndefinedMeasure, match="each type occurs once"):
        self_similarity(X, np.arange(6))
    with pytest.raises(ValueError, match=r"one sentence for each of the 6 rows; got shape \(5,\)"):
        intra_sentence_similarity(X, np.zeros(5))
    X[3] = 0
    for of in (self_similarity, intra_sentence_similarity, max_explainable_variance):
        with pytest.raises(ValueError, match="row 3 is zero"):
            of(X, np.zeros(6))
    codes = [row.undefined for row in contextual_table(cloud(6, 3), np.arange(6), np.arange(6))]
    assert codes == ["no_repeats"] * 3


# Words under their frequencies


def test_zipf_worked_by_hand():
    W = np.array([[1.0, 0], [-1, 0]])
    assert zipfian_mean_symmetry(W, [1, 1]) == pytest.approx(1)
    assert zipfian_mean_symmetry(W, [3, 1]) == pytest.approx(0.5)  # mean (1/2, 0), E|w| = 1
    assert zipfian_spectral_entropy(CROSS, [1, 1, 4, 4]) == pytest.approx(1)  # 8/10, 8/10
    # variances 2, 1/2: p = 4/5, 1/5
    entropy = -(0.8 * np.log(0.8) + 0.2 * np.log(0.2)) / np.log(2)
    assert zipfian_spectral_entropy(CROSS, [5, 5, 5, 5]) == pytest.approx(entropy)


def test_a_frequency_is_a_number_of_copies():
    rng = np.random.default_rng(0)
    W, counts = cloud(30, 4), rng.integers(0, 6, 30)
    copies = np.repeat(W, counts, axis=0)
    for of in (zipfian_mean_symmetry, zipfian_spectral_entropy):
        assert of(W, counts) == pytest.approx(of(copies, np.ones(len(copies))))
        assert of(W, counts) == pytest.approx(of(W, counts / counts.sum()))
    values = np.linalg.eigvalsh(np.cov(copies.T))
    p = values / values.sum()
    assert zipfian_spectral_entropy(W, counts) == pytest.approx(-(p * np.log(p)).sum() / np.log(4))


def test_zipf_baselines():
    p = 1 / np.arange(1, 5001)
    symmetry, entropy = zipfian_baselines(p, 20)
    # |mean| is about sqrt(sum p^2) E|w|: some 50 words' worth, whatever the vocabulary
    p = p / p.sum()
    assert symmetry == pytest.approx(1 - np.sqrt((p**2).sum()), abs=0.03)
    assert 0.8 < entropy < 0.99


@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([1, 1], r"one frequency for each of the 3 rows; got shape \(2,\)"),
        ([1, -1, 1], "row 1 is negative"),
        ([1, 1, np.nan], "row 2 is negative or not finite"),
        ([0, 0, 0], "all frequencies are 0"),
    ],
)
def test_frequencies_that_are_refused(p, message):
    for of in (zipfian_mean_symmetry, zipfian_spectral_entropy):
        with pytest.raises(ValueError, match=message):
            of(CORNER, p)


def test_zipf_of_nothing():
    with pytest.raises(UndefinedMeasure, match="every word"):
        zipfian_mean_symmetry(np.zeros((3, 2)), [1, 1, 1])
    with pytest.raises(UndefinedMeasure, match="all rows are equal"):
        zipfian_spectral_entropy(np.full((3, 2), 0.1), [1, 2, 3])
    with pytest.raises(UndefinedMeasure, match="2 dimensions"):
        zipfian_spectral_entropy(np.ones((3, 1)), [1, 2, 3])


# The published package


@pytest.mark.parametrize(("n", "d"), [(500, 5), (200, 60), (100, 2)])
def test_isoscore_of_the_published_package(n, d):
    X = cloud(n, d) @ np.random.default_rng(1).standard_normal((d, d))
    assert isoscore(X) == pytest.approx(float(published_isoscore(X.T)), abs=1e-10)
    assert isoscore(X) == pytest.approx((participation_ratio(X) - 1) / (d - 1))


# Bad input: see test_bad_input


@pytest.mark.parametrize("of", OF_DIRECTIONS)
def test_a_zero_row_is_named(of):
    X = cloud(20, 3)
    X[[1, 5]] = 0
    with pytest.raises(UndefinedMeasure, match=r"row 1 is zero.*\(2 of 20 rows are\)"):
        of(X)


def test_results_are_plain_floats():
    X = cloud()
    for of in OF_ROWS:
        assert of is cosine_contributions or type(of(X)) is float
