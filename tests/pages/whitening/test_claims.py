"""Which whitenings have the same cosines, as the page's question says."""

import numpy as np

from geometry import fit_treatment
from geometry.transform import Knobs
from tests.for_each import for_each

RNG = np.random.default_rng(0)
N, D = 120, 6
X = RNG.standard_normal((N, D)) @ RNG.standard_normal((D, D)) + np.linspace(-2, 3, D)
COUNTS = RNG.integers(1, 50, N).astype(float)


def cosines(name: str, **knobs) -> np.ndarray:
    fitted = fit_treatment(name, X, sample_weight=COUNTS if name == "zipf" else None)
    Z = fitted.turn(Knobs(**knobs)).apply(X).vectors
    U = Z / np.linalg.norm(Z, axis=1, keepdims=True)
    return U @ U.T


@for_each(
    ("other", "knobs", "agree"),
    [
        ("cholesky", {"strength": 0.5}, True),
        ("pca", {"strength": 0.5}, True),
        # pca drops directions that zca only reduces
        ("pca", {"strength": 0.5, "n_components": 3}, False),
        ("cholesky", {"strength": 0.5, "n_components": 3}, True),
        ("zca-cor", {}, True),
        ("zca-cor", {"shrinkage": 0.3}, True),  # equal shrinkage at full rank is again a rotation
        ("zca-cor", {"shrinkage": 0.3, "centring": 0.4}, True),
        ("zca-cor", {"strength": 0.5}, False),
        ("zca-cor", {"n_components": 3}, False),
        ("pca-cor", {}, True),
        ("zipf", {}, False),
    ],
)
def test_which_of_them_agree_under_equal_settings(other, knobs, agree):
    found, expected = cosines(other, **knobs), cosines("zca", **knobs)
    assert np.allclose(found, expected, atol=1e-8) is agree
