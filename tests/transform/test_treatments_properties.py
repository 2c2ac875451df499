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


@given(clouds(rows=(4, 60)), st.sampled_from(OF_MOMENTS), shares, shares)
def test_lines_stay_lines(X, name, centring, strength):
    fitted = fit(name, X).turn(Knobs(centring, strength))
    middle = fitted.apply((X[:2] + X[2:4]) / 2).vectors
    ends = fitted.apply(X[:4]).vectors
    np.testing.assert_allclose(middle, (ends[:2] + ends[2:]) / 2, atol=1e-6)


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
