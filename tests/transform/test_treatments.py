"""Every treatment by hand and against the estimator of the same name, and its settings."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from geometry import (
    ClusterwiseRemoval,
    CommonComponentRemoval,
    NormalizingFlow,
    Whitening,
    fit_treatment,
    isoscore,
)
from geometry.transform import IndependentComponents, Knobs, Treatment
from geometry.transform.treatments import PAIRS, TRAINING, TREATMENTS
from tests.for_each import for_each

ROOT2 = np.sqrt(2)
# about (3, 5): variances 2 and 1/2, no correlation, mean variance 5/4
CROSS = np.array([[5.0, 5], [1, 5], [3, 6], [3, 4]])
OFFERED = [name for name, kind in TREATMENTS.items() if kind.needs not in (PAIRS, TRAINING)]

RNG = np.random.default_rng(0)
N, D = 120, 6
X = RNG.standard_normal((N, D)) @ RNG.standard_normal((D, D)) + np.linspace(-2, 3, D)
OTHER = RNG.standard_normal((30, D)) @ RNG.standard_normal((D, D)) + 1
COUNTS = RNG.integers(1, 50, N).astype(float)


def fit(name: str, rows: np.ndarray = X) -> Treatment:
    return fit_treatment(name, rows, sample_weight=COUNTS[: len(rows)] if name == "zipf" else None)


def drawn(name: str, rows: np.ndarray = CROSS, **knobs) -> np.ndarray:
    weights = [3.0, 3, 1, 1] if name == "zipf" else None
    fitted = fit_treatment(name, rows, sample_weight=weights)
    return fitted.turn(Knobs(**knobs)).apply(rows).vectors


def cross(right: float, up: float) -> np.ndarray:
    return np.array([[right, 0], [-right, 0], [0, up], [0, -up]])


@for_each(
    ("name", "knobs", "expected"),
    [
        ("raw", {}, CROSS),
        ("centred", {}, cross(2, 1)),
        ("centred", {"centring": 0.5}, cross(2, 1) + np.array([1.5, 2.5])),
        ("centred", {"strength": 0.3, "shrinkage": 0.4, "n_components": 1}, cross(2, 1)),
        ("standardised", {}, cross(ROOT2, ROOT2)),
        ("zca", {"strength": 0.5}, cross(2 / 2**0.25, 2**0.25)),
        ("zca", {"centring": 0.0, "strength": 0.0}, CROSS),
        ("zca", {"strength": 0.0}, cross(2, 1)),
        ("zca", {"n_components": 1}, cross(ROOT2, 0)),
        ("pca", {"n_components": 1}, cross(ROOT2, 0)),
        # At strength t, the directions left out are multiplied by (1 - t) lambda_1^(-t/2).
        ("zca", {"n_components": 1, "strength": 0.75}, cross(2 / 2**0.375, 0.25 / 2**0.375)),
        ("zca", {"shrinkage": 1.0}, cross(2 / np.sqrt(1.25), 1 / np.sqrt(1.25))),
        # half way to 5/4: variances 13/8 and 7/8
        ("cholesky", {"shrinkage": 0.5}, cross(2 / np.sqrt(1.625), 1 / np.sqrt(0.875))),
        # weights 3, 3, 1, 1: variances 2 * 3/8 * 4 = 3 and 2 * 1/8 = 1/4
        ("zipf", {}, cross(2 / np.sqrt(3), 2)),
        ("removed", {}, cross(0, 1)),
        ("removed", {"n_removed": 0}, cross(2, 1)),
        ("removed", {"n_removed": 1}, cross(0, 1)),
    ],
)
def test_at_knobs_by_hand(name, knobs, expected):
    np.testing.assert_allclose(drawn(name, **knobs), expected, atol=1e-12)


# The second route: the public estimators, with their validation of input.
ESTIMATORS = {
    "centred": lambda: StandardScaler(with_std=False).fit(X),
    "standardised": lambda: StandardScaler().fit(X),
    **{
        name: lambda name=name: Whitening(name).fit(X)
        for name in ("zca", "pca", "cholesky", "zca-cor", "pca-cor")
    },
    "projected": lambda: PCA().fit(X),
    "zipf": lambda: Whitening("zca").fit(X, sample_weight=COUNTS),
    "removed": lambda: CommonComponentRemoval().fit(X),
    "svd": lambda: CommonComponentRemoval(centred=False).fit(X),
    "clusterwise": lambda: ClusterwiseRemoval(random_state=0).fit(X),
    "ica": lambda: IndependentComponents().fit(X),
}


def test_no_treatment_is_forgotten():
    assert set(ESTIMATORS) == set(OFFERED) - {"raw"}
    # the diagnosis offers a cure as a download
    assert all(kind.is_affine for kind in TREATMENTS.values() if kind.cure)


@for_each("rows", [X, OTHER])
@for_each("name", ESTIMATORS)
def test_it_is_the_public_estimator(name, rows):
    expected = ESTIMATORS[name]().transform(rows)
    treated = fit(name).apply(rows)
    products = [Z @ Z.T for Z in (fit(name).reduced(rows), treated.retained)]
    np.testing.assert_allclose(*products, atol=1e-9)
    if name == "projected":  # up to the signs of its axes
        expected, treated_rows = np.abs(expected), np.abs(treated.retained)
        np.testing.assert_allclose(treated_rows, expected, atol=1e-9)
    elif name in ("pca", "pca-cor", "ica"):
        np.testing.assert_allclose(treated.retained, expected, atol=1e-9)
    else:
        np.testing.assert_allclose(treated.vectors, expected, atol=1e-9)
    assert treated.vectors.shape == rows.shape


@for_each("name", OFFERED)
def test_a_map_is_affine_where_the_registry_says_so(name):
    assert hasattr(fit(name).fitted, "affine") == TREATMENTS[name].is_exported
    assert not TREATMENTS["flow"].is_affine


@for_each("dtype", [np.float32, np.float64])
def test_a_flow_s_map(dtype):
    rows = X.astype(dtype)
    flow = NormalizingFlow(n_couplings=2, hidden_units=8, max_epochs=2).fit(rows)
    treated = Treatment("flow", N, None, flow.map_).turn(Knobs(strength=0.1)).apply(rows)
    assert treated.vectors.dtype == dtype
    np.testing.assert_array_equal(treated.vectors, flow.transform(rows))
    np.testing.assert_array_equal(treated.retained, treated.vectors)


@for_each(
    ("name", "knobs", "message"),
    [
        ("zca", {"strength": 1.5}, r"strength must lie in \[0, 1\]"),
        ("pca", {"centring": float("nan")}, r"centring must lie in \[0, 1\]"),
        ("zipf", {"n_components": 0}, r"n_components must be an integer in \[1, 6\]"),
        ("cholesky", {"shrinkage": "lasso"}, "shrinkage must be None"),
        ("removed", {"n_removed": D}, r"n_removed must be an integer in \[0, 5\]"),
        ("removed", {"n_removed": -1}, r"n_removed must be an integer in \[0, 5\]"),
    ],
)
def test_a_knob_out_of_range(name, knobs, message):
    with pytest.raises(ValueError, match=message):
        fit(name).turn(Knobs(**knobs))


def test_knobs_of_a_treatment_are_its_own():
    with pytest.raises(ValueError, match=r"name must be one of raw, .*got 'whitten'"):
        Knobs().of("whitten")
    turned = Knobs(0.3, 0.4, 2, 0.5, 3)
    assert turned.of("removed") == Knobs(n_removed=3)
    assert turned.of("centred") == Knobs(centring=0.3)
    assert turned.of("zca") == turned.of("cholesky") == Knobs(0.3, 0.4, 2, 0.5)
    assert turned.of("flow") == turned.of("raw") == Knobs()


def test_rank_and_rows_of_the_fit():
    few = RNG.standard_normal((4, D))
    said = {name: (fit(name, few).n_rows, fit(name, few).rank) for name in OFFERED}
    without = ("raw", "standardised", "clusterwise")  # these have no rank
    expected = {name: (4, None if name in without else 3) for name in OFFERED}
    assert said == expected | {"svd": (4, 4)}  # not centred
    # at half strength the directions without variance are there too
    assert fit("zca", few).turn(Knobs(strength=0.5)).apply(few).retained.shape == (4, D)
    # full whitening makes a simplex of up to d + 1 rows
    assert [TREATMENTS["zca"].tried(n, D)[0] for n in (D + 1, D + 2)] == ["pca:lw", "pca"]


@for_each("name", ["zca", "pca", "removed", "zca-cor", "cholesky"])
def test_a_truncated_cloud_is_measured_in_its_own_directions(name):
    knobs = Knobs(n_components=3, n_removed=3)
    treated = fit(name).turn(knobs).apply(X)
    assert treated.retained.shape == (N, 3)
    if name == "removed":  # its axes remain unequal
        assert isoscore(treated.retained) < 0.9
        return
    assert isoscore(treated.retained) == pytest.approx(1, abs=1e-9)
    if name != "zca-cor":  # in all d = 6 dimensions IsoScore is (k - 1)/(d - 1)
        assert isoscore(treated.vectors) == pytest.approx(2 / 5, abs=1e-9)
    np.testing.assert_allclose(
        treated.retained @ treated.retained.T, treated.vectors @ treated.vectors.T
    )
