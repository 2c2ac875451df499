"""Properties that hold for every whitening of every cloud."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from geometry import fit_treatment
from geometry.linalg.rows import unit_rows
from geometry.transform import Knobs
from geometry.transform.whiten import Whitening
from geometry.transform.whitening_map import METHODS
from tests.clouds import clouds, rotation, seeds

methods = st.sampled_from(METHODS)
shrinkages = st.sampled_from([None, 0.0, 0.3, "ledoit-wolf"])
shares = st.floats(0, 1)
full_rank = clouds(more_rows_than_dimensions=True)


def cosines(X: np.ndarray) -> np.ndarray:
    U = unit_rows(X)
    return U @ U.T


@given(full_rank, shrinkages, seeds)
def test_all_full_rank_whitenings_give_one_set_of_cosines(X, shrinkage, seed):
    w = np.random.default_rng(seed).uniform(0.1, 1, len(X))
    for weights in (None, w):
        first, *others = (
            cosines(
                Whitening(method, shrinkage=shrinkage).fit(X, sample_weight=weights).transform(X)
            )
            for method in METHODS
        )
        for other in others:
            np.testing.assert_allclose(other, first, atol=1e-6)


@given(full_rank, seeds, st.sampled_from(["zca-cor", "cholesky"]))
def test_some_methods_are_blind_to_the_units_of_columns(X, seed, method):
    units = np.exp(np.random.default_rng(seed).uniform(-5, 5, X.shape[1]))
    np.testing.assert_allclose(
        Whitening(method).fit_transform(X * units), Whitening(method).fit_transform(X), atol=1e-5
    )


@given(full_rank, shares, shares, shrinkages)
def test_pca_turned_back_is_zca(X, centring, strength, shrinkage):
    knobs = Knobs(centring, strength, None, shrinkage)
    for pair in (("pca", "zca"), ("pca-cor", "zca-cor")):
        turned, zca = (fit_treatment(name, X).turn(knobs).apply(X).vectors for name in pair)
        np.testing.assert_allclose(turned, zca, atol=1e-6)


@given(full_rank)
def test_zca_stays_closest_and_zca_cor_correlates_most(X):
    """Kessy, Lewin & Strimmer (2018), equations 10 and 14: the criteria of the two methods."""
    centred = X - X.mean(axis=0)
    white = {method: Whitening(method).fit_transform(X) for method in METHODS}
    moved = {method: np.sum((Z - centred) ** 2) for method, Z in white.items()}
    assert moved["zca"] <= min(moved.values()) * (1 + 1e-9)
    alignment = {method: np.sum(centred / X.std(axis=0) * Z) for method, Z in white.items()}
    assert alignment["zca-cor"] >= max(alignment.values()) * (1 - 1e-9)


@given(clouds(), methods)
def test_the_covariance_is_the_identity_on_the_retained_subspace(X, method):
    fitted = Whitening(method).fit(X)
    white = fitted.transform(X)
    values = np.linalg.eigvalsh(np.atleast_2d(np.cov(white.T, bias=True)))[::-1]
    np.testing.assert_allclose(values[: fitted.rank_], 1, atol=1e-6)
    np.testing.assert_allclose(values[fitted.rank_ :], 0, atol=1e-6)
    np.testing.assert_allclose(white.mean(axis=0), 0, atol=1e-6)
    assert fitted.rank_ <= min(len(X) - 1, X.shape[1])


@given(st.integers(2, 8), methods, seeds)
def test_repeated_rows_are_a_simplex_whose_cosines_follow_from_how_often_they_came(n, method, seed):
    rng = np.random.default_rng(seed)
    distinct = rng.standard_normal((n, n + 3)) * rng.uniform(0.1, 3, n + 3) + 4
    often = rng.integers(1, 4, n)
    X = rng.permutation(np.repeat(distinct, often, axis=0))
    fitted = Whitening(method).fit(X)
    assert fitted.is_simplex_
    assert fitted.map_.n_distinct == n
    assert fitted.map_.is_regular == (often.max() == 1)
    odds = 1 / (often / often.sum()) - 1
    found = cosines(fitted.transform(distinct))[~np.eye(n, dtype=bool)]
    expected = (-1 / np.sqrt(np.outer(odds, odds)))[~np.eye(n, dtype=bool)]
    np.testing.assert_allclose(found, expected, atol=1e-6)


@given(clouds(rows=(4, 60)), methods, shrinkages, st.data())
def test_blocks_in_any_order_give_one_fit(X, method, shrinkage, data):
    whole = Whitening(method, shrinkage=shrinkage).fit(X)
    cuts = data.draw(st.lists(st.integers(1, len(X) - 1), max_size=4, unique=True).map(sorted))
    blocks = np.split(X, cuts)  # blocks of one row or more; any may be the first
    parts = Whitening(method, shrinkage=shrinkage)
    for block in data.draw(st.permutations(blocks)):
        parts.partial_fit(block)
    assert parts.n_samples_seen_ == len(X)
    assert parts.rank_ == whole.rank_
    np.testing.assert_allclose(parts.shrinkage_, whole.shrinkage_, atol=1e-9)
    np.testing.assert_allclose(parts.mean_, whole.mean_, atol=1e-9)
    np.testing.assert_allclose(parts.eigenvalues_, whole.eigenvalues_, atol=1e-9)
    np.testing.assert_allclose(cosines(parts.transform(X)), cosines(whole.transform(X)), atol=1e-5)


@given(full_rank, seeds, st.floats(1e-3, 1e3), methods)
def test_white_cosines_ignore_scale_rotation_and_shift(X, seed, scale, method):
    d = X.shape[1]
    moved = scale * X @ rotation(d, seed) + np.random.default_rng(seed).standard_normal(d)
    np.testing.assert_allclose(
        cosines(Whitening(method).fit_transform(moved)),
        cosines(Whitening(method).fit_transform(X)),
        atol=1e-6,
    )


@given(clouds(), methods, shares, shares, shrinkages)
def test_inverse_transform_is_exact_on_the_fitted_rows(X, method, centring, strength, shrinkage):
    fitted = Whitening(method, centring=centring, strength=strength, shrinkage=shrinkage).fit(X)
    back = fitted.inverse_transform(fitted.transform(X))
    if method in ("pca", "pca-cor") and centring < 1:
        # the part of the mean outside the span is dropped with the null directions
        V, D = fitted.components_.T, fitted.map_.deviations**strength
        lost = (1 - centring) * (fitted.mean_ - V @ (V.T @ (fitted.mean_ / D)) * D)
        back = back + lost
    np.testing.assert_allclose(back, X, atol=1e-6)
