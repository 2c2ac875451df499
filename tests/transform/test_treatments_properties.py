"""Properties of treatments that hold for every cloud."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from geometry import fit_treatment
from geometry.evaluate.fit_size import whitening_by_size
from geometry.transform import Knobs
from geometry.transform.treatments import PAIRS, TRAINING, TREATMENTS
from tests.clouds import clouds, rotation, seeds

OF_MOMENTS = [name for name, kind in TREATMENTS.items() if kind.takes_moments]
OFFERED = [name for name, kind in TREATMENTS.items() if kind.needs not in (PAIRS, TRAINING)]
FULL = ("zca", "pca", "cholesky", "zca-cor", "pca-cor")
full_rank = clouds(more_rows_than_dimensions=True)
shares = st.floats(0, 1)
shrinkages = st.sampled_from([None, 0.0, 0.3, "ledoit-wolf"])


def fit(name: str, X: np.ndarray):
    return fit_treatment(name, X, sample_weight=np.ones(len(X)))


@given(clouds(rows=(4, 60)), st.sampled_from(["zca", "pca", "cholesky", "removed"]), st.data())
def test_retained_vectors_have_the_cosines_of_the_drawn_vectors(X, name, data):
    d = X.shape[1]
    knobs = Knobs(
        n_components=data.draw(st.integers(1, d)), n_removed=data.draw(st.integers(0, d - 1))
    )
    treated = fit(name, X).turn(knobs).apply(X)
    products = [Z @ Z.T for Z in (treated.retained, treated.vectors)]
    np.testing.assert_allclose(*products, atol=1e-6)
    assert treated.retained.shape[1] <= d


@given(full_rank, shares, shares, shrinkages)
def test_pca_turned_back_is_zca(X, centring, strength, shrinkage):
    knobs = Knobs(centring, strength, None, shrinkage)
    for turned, zca in (("pca", "zca"), ("pca-cor", "zca-cor")):
        np.testing.assert_allclose(
            fit(turned, X).turn(knobs).apply(X).vectors,
            fit(zca, X).turn(knobs).apply(X).vectors,
            atol=1e-6,
        )


@given(clouds(), st.sampled_from(["zca", "zca-cor", "cholesky", "zipf", "centred"]))
def test_that_is_the_identity_whatever_the_rank(X, name):
    fitted = fit(name, X).turn(Knobs(centring=0, strength=0))
    np.testing.assert_allclose(fitted.apply(X).vectors, X, atol=1e-9)


@given(clouds(rows=(4, 60)), st.sampled_from(OFFERED), shares, shares, shrinkages)
def test_a_turn_and_back_is_the_plain_fit(X, name, centring, strength, shrinkage):
    plain = fit(name, X)
    turned = plain.turn(Knobs(centring, strength, 1, shrinkage, 0)).turn(Knobs())
    np.testing.assert_allclose(turned.apply(X).vectors, plain.apply(X).vectors, atol=1e-9)


@given(clouds(rows=(4, 60)), st.sampled_from(OF_MOMENTS), shares, shares)
def test_lines_stay_lines(X, name, centring, strength):
    fitted = fit(name, X).turn(Knobs(centring, strength))
    middle = fitted.apply((X[:2] + X[2:4]) / 2).vectors
    ends = fitted.apply(X[:4]).vectors
    np.testing.assert_allclose(middle, (ends[:2] + ends[2:]) / 2, atol=1e-6)


@given(full_rank, st.sampled_from(FULL), seeds)
def test_half_a_cloud_is_white_where_it_was_fitted_and_not_beside(X, name, seed):
    """The fitted half's covariance is I; that of the other half need not be."""
    rows = np.vstack([X, X @ np.diag(np.linspace(1, 2, X.shape[1]))])
    order = np.random.default_rng(seed).permutation(len(rows))
    half, other = rows[order[: len(X)]], rows[order[len(X) :]]
    fitted = fit(name, half)
    covariance = np.cov(fitted.apply(half).retained.T, bias=True)
    np.testing.assert_allclose(covariance, np.eye(X.shape[1]), atol=1e-5)
    # The same affine map applies to the other half, so its covariance is W' S W.
    found = fitted.apply(other).retained
    W = np.linalg.lstsq(half - half.mean(axis=0), fitted.apply(half).retained, rcond=None)[0]
    expected = W.T @ np.cov(other.T, bias=True) @ W
    scale = np.abs(expected).max()
    np.testing.assert_allclose(np.cov(found.T, bias=True) / scale, expected / scale, atol=1e-5)


@settings(max_examples=25)
@given(seeds, st.integers(8, 24), st.floats(1, 100))  # 7 rows in 6 dimensions are too few
def test_held_out_isoscore_falls_as_n_nears_d(seed, d, narrow):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40 * d, d)) * np.geomspace(1, 1 / narrow, d) @ rotation(d, seed)
    near, five, twenty = whitening_by_size(X, sizes=(d + 1, 5 * d, 20 * d), random_state=seed)
    falls = [size.isoscore["full"] for size in (near, five, twenty)]
    assert falls[0] < falls[1] < falls[2]
    assert falls[0] < 0.6 * falls[2]


@settings(max_examples=25)
@given(seeds, st.integers(2, 8))
def test_beyond_n_equal_d_a_full_fit_does_not_depend_on_the_axes(seed, d):
    """Whitening does not depend on an invertible map of X, so every cloud has the same result."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((20 * d, d))
    mapped = X * np.geomspace(1, 30, d) @ rotation(d, seed) + 3
    sizes = (2 * d, 10 * d)
    for first, second in zip(
        whitening_by_size(X, sizes=sizes), whitening_by_size(mapped, sizes=sizes), strict=True
    ):
        np.testing.assert_allclose(first.isoscore["full"], second.isoscore["full"], atol=1e-6)
