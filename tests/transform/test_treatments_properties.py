"""Properties of treatments that hold for every cloud."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from geometry import fit_treatment
from geometry.transform import Knobs
from tests.clouds import clouds

full_rank = clouds(more_rows_than_dimensions=True)
shares = st.floats(0, 1)
shrinkages = st.sampled_from([None, 0.0, 0.3, "ledoit-wolf"])


def fit(name: str, X: np.ndarray):
    return fit_treatment(name, X, sample_weight=np.ones(len(X)))


@given(full_rank, shares, shares, shrinkages)
def test_pca_turned_back_is_zca(X, centring, strength, shrinkage):
    knobs = Knobs(centring, strength, None, shrinkage)
    for turned, zca in (("pca", "zca"), ("pca-cor", "zca-cor")):
        np.testing.assert_allclose(
            fit(turned, X).turn(knobs).apply(X).vectors,
            fit(zca, X).turn(knobs).apply(X).vectors,
            atol=1e-6,
        )
