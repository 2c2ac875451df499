"""A test for each claim in the whitening page's text: where it holds and where not.

Fits are of full rank or narrow (n <= d), points fitted or held out, directions all or k.
"""

import numpy as np

from geometry import fit_treatment
from geometry.transform import Knobs, Treated, Treatment
from tests.for_each import for_each

RNG = np.random.default_rng(0)
N, D = 120, 6
X = RNG.standard_normal((N, D)) @ RNG.standard_normal((D, D)) + np.linspace(-2, 3, D)
OTHER = RNG.standard_normal((30, D)) @ RNG.standard_normal((D, D)) + 1
NARROW = X[:5]  # rank 4 of 6
COUNTS = RNG.integers(1, 50, N).astype(float)


def fit(name: str, rows: np.ndarray = X) -> Treatment:
    return fit_treatment(name, rows, sample_weight=COUNTS[: len(rows)] if name == "zipf" else None)


def turned(name: str, fitted_on: np.ndarray, shown: np.ndarray, **knobs) -> Treated:
    return fit(name, fitted_on).turn(Knobs(**knobs)).apply(shown)


def cosines(Z: np.ndarray) -> np.ndarray:
    U = Z / np.linalg.norm(Z, axis=1, keepdims=True)
    return U @ U.T


def covariance(Z: np.ndarray) -> np.ndarray:
    return np.cov(Z.T, bias=True)


def beside_diagonal(S: np.ndarray) -> float:
    return float(np.abs(S - np.diag(np.diag(S))).max())


# about-…


def test_pca_drops_null_directions_which_zca_scales_like_the_widest():
    pca, zca = (turned(name, NARROW, OTHER).vectors for name in ("pca", "zca"))
    V = np.linalg.svd(NARROW - NARROW.mean(axis=0))[2]
    inside, outside = V[:4].T @ V[:4], V[4:].T @ V[4:]
    np.testing.assert_allclose(pca, zca @ inside, atol=1e-8)
    largest = np.linalg.eigvalsh(np.cov(NARROW.T, ddof=0))[-1]
    widest = (OTHER - NARROW.mean(axis=0)) / np.sqrt(largest)
    np.testing.assert_allclose(zca @ outside, widest @ outside, atol=1e-8)
    assert np.abs(cosines(zca) - cosines(pca)).max() > 0.01


@for_each(("strength", "agree"), [(1.0, True), (0.5, False)])
def test_below_strength_1_zca_leaves_a_part_of_what_is_left_out(strength, agree):
    pca, zca = (turned(name, X, X, strength=strength, n_components=3) for name in ("pca", "zca"))
    assert np.allclose(pca.vectors, zca.vectors, atol=1e-9) is agree
    assert zca.retained.shape == (N, 3 if agree else D)


# question-same-cosines


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
    expected = cosines(turned("zca", X, X, **knobs).vectors)
    found = cosines(turned(other, X, X, **knobs).vectors)
    assert np.allclose(found, expected, atol=1e-8) is agree


# chart-covariance, chart-correlation, question-fit, simplex-fit


@for_each(
    ("name", "fitted_on", "shown", "knobs", "diagonal"),
    [
        ("zca", X, X, {}, True),
        ("zca-cor", X, X, {}, True),
        ("zca", X, OTHER, {}, False),
        ("zca", NARROW, NARROW, {}, False),
        ("zipf", X, X, {}, False),
        ("zca", X, X, {"shrinkage": 0.3}, False),
        ("zca", X, X, {"n_components": 3}, False),
        ("zca", X, X, {"strength": 0.5}, False),
    ],
)
def test_where_nothing_stays_beside_the_diagonal(name, fitted_on, shown, knobs, diagonal):
    Z = turned(name, fitted_on, shown, **knobs).vectors
    for S in (covariance(Z), np.corrcoef(Z.T)):
        assert (beside_diagonal(S) < 1e-9) is diagonal
