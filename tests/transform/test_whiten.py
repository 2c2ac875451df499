"""Whitening: by hand, against scikit-learn, and with directions of zero variance."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.covariance import LedoitWolf
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator

from geometry.transform.whiten import Whitening
from geometry.transform.whitening_map import METHODS
from tests.for_each import for_each

CROSS = np.array([[2.0, 0], [-2, 0], [0, 1], [0, -1]])  # covariance diag(2, 1/2)
ALL = for_each("method", METHODS)


def cloud(n: int, d: int, *, seed: int = 0, shift: float = 2.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    mixing = np.linalg.qr(rng.standard_normal((d, d)))[0] * np.geomspace(3, 0.3, d)
    return rng.standard_normal((n, d)) @ mixing.T + shift


def covariance(X: np.ndarray) -> np.ndarray:
    return np.cov(X.T, bias=True)


# By hand


def with_covariance(S: list) -> np.ndarray:
    """Four rows whose covariance is S: plus and minus sqrt(2) times the columns of a root."""
    L = np.linalg.cholesky(np.array(S, dtype=float))
    return np.sqrt(2) * np.vstack([L.T, -L.T]) + [3.0, -1.0]


# W by hand, columns of pca up to sign.
# Sigma = [[5, 4], [4, 5]]: lambda 9 and 1 along (1, 1) and (1, -1), over sqrt 2; P has 1.8 and 0.2.
# Sigma = [[4, 2], [2, 5]] = L L' with L = [[2, 0], [1, 2]], so L^(-T) = [[1/2, -1/4], [0, 1/2]].
# Sigma = [[4, 1.68], [1.68, 9]]: correlation 0.28, theta 1.28 and 0.72, deviations 2 and 3;
# sqrt(2 * 1.28) = 1.6 and sqrt(2 * 0.72) = 1.2; P^(-1/2) has (a + b)/2 and (a - b)/2 with
# a = 1.28^(-1/2) = 0.883883 and b = 0.72^(-1/2) = 1.178511.
R = np.sqrt(0.5)
BY_HAND = [
    ("pca", [[5, 4], [4, 5]], [[R / 3, R], [R / 3, -R]]),
    ("zca", [[5, 4], [4, 5]], [[2 / 3, -1 / 3], [-1 / 3, 2 / 3]]),
    ("cholesky", [[4, 2], [2, 5]], [[0.5, -0.25], [0, 0.5]]),
    ("pca-cor", [[4, 1.68], [1.68, 9]], [[1 / 3.2, 1 / 2.4], [1 / 4.8, -1 / 3.6]]),
    (
        "zca-cor",
        [[4, 1.68], [1.68, 9]],
        [[1.031197 / 2, -0.147314 / 2], [-0.147314 / 3, 1.031197 / 3]],
    ),
]


@for_each(("method", "S", "W"), BY_HAND)
def test_each_method_by_hand(method, S, W):
    X = with_covariance(S)
    fitted = Whitening(method).fit(X)
    np.testing.assert_allclose(fitted.map_.matrix, W, atol=1e-6)
    white = fitted.transform(X)
    np.testing.assert_allclose(white, (X - [3, -1]) @ W, atol=1e-5)
    np.testing.assert_allclose(white.T @ white / 4, np.eye(2), atol=1e-12)


def test_half_strength_by_hand():
    # Sigma = [[5, 4], [4, 5]]: Sigma^(1/2) = [[2, 1], [1, 2]] (values 3 and 1), whose L is
    # [[sqrt 2, 0], [1/sqrt 2, sqrt 1.5]]; zca has Sigma^(-1/4), values 3^(-1/2) and 1
    X = with_covariance([[5, 4], [4, 5]])
    L = np.array([[np.sqrt(2), 0], [R, np.sqrt(1.5)]])
    cholesky = Whitening("cholesky", strength=0.5).fit(X)
    np.testing.assert_allclose(cholesky.map_.inverse, L.T, atol=1e-12)
    a, b = (3**-0.5 + 1) / 2, (3**-0.5 - 1) / 2
    zca = Whitening("zca", strength=0.5).fit(X)
    np.testing.assert_allclose(zca.map_.matrix, [[a, b], [b, a]], atol=1e-12)
    # Of the correlation 0.8: theta 1.8 and 0.2, to the power -1/4, and deviations 5^(1/4).
    a, b = (1.8**-0.25 + 0.2**-0.25) / 2, (1.8**-0.25 - 0.2**-0.25) / 2
    cor = Whitening("zca-cor", strength=0.5).fit(X)
    np.testing.assert_allclose(cor.map_.matrix, np.array([[a, b], [b, a]]) / 5**0.25, atol=1e-12)


def test_axes_point_to_their_largest_entry():
    components = Whitening().fit(cloud(60, 8)).components_
    largest = np.abs(components).argmax(axis=1)
    assert (components[np.arange(8), largest] > 0).all()
    np.testing.assert_allclose(components @ components.T, np.eye(8), atol=1e-12)


# Second routes


@for_each("weighted", [False, True])
def test_every_method_is_its_formula(weighted):
    X = cloud(80, 6)
    w = np.random.default_rng(1).random(80) if weighted else np.ones(80)
    p = w / w.sum()
    centred = X - p @ X
    S = (centred.T * p) @ centred
    D = np.diag(np.diag(S) ** -0.5)
    lam, V = np.linalg.eigh(S)
    theta, G = np.linalg.eigh(D @ S @ D)
    formulas = {
        "pca": (V / np.sqrt(lam))[:, ::-1],
        "zca": V / np.sqrt(lam) @ V.T,
        "cholesky": np.linalg.inv(np.linalg.cholesky(S)).T,
        "pca-cor": (D @ G / np.sqrt(theta))[:, ::-1],
        "zca-cor": D @ G / np.sqrt(theta) @ G.T,
    }
    for method, W in formulas.items():
        ours = Whitening(method).fit_transform(X, sample_weight=w)
        theirs = centred @ W
        if method.startswith("pca"):
            ours, theirs = np.abs(ours), np.abs(theirs)  # up to sign
        np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-10, err_msg=method)


def test_ledoit_wolf_is_scikit_learns():
    X = cloud(30, 20)
    theirs = LedoitWolf().fit(X)
    ours = Whitening("zca", shrinkage="ledoit-wolf").fit(X)
    assert ours.shrinkage_ == pytest.approx(theirs.shrinkage_, rel=1e-9)
    rebuilt = ours.components_.T * ours.eigenvalues_ @ ours.components_
    np.testing.assert_allclose(rebuilt, theirs.covariance_, atol=1e-10)


# scikit-learn's own checks

SETTINGS = [
    {},
    # Under pca, shrinkage keeps null directions with equal variances, so their basis is arbitrary.
    {"method": "cholesky", "centring": 0.5, "strength": 0.3, "shrinkage": 0.1},
    {"method": "pca-cor"},
    {"method": "zca-cor", "n_components": 1, "strength": 0.4},
]


@for_each("settings", SETTINGS)
def test_estimator_checks(settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks use odd data on purpose
        check_estimator(Whitening(**settings), on_skip=None)


# Null directions have the smallest scale


def null_clouds() -> list:
    rng = np.random.default_rng(5)
    base = rng.standard_normal((500, 20))
    constant = base.copy()
    constant[:, 3] = 7.3
    low = rng.standard_normal((400, 10)) @ rng.standard_normal((10, 60)) + 100
    return [
        (np.hstack([base, base]), 20),
        (constant, 19),
        (np.vstack([base[:10]] * 50), 9),
        (rng.standard_normal((50, 80)), 49),
        (rng.standard_normal((120, 120)), 119),
        (low, 10),
        (base - base.mean(axis=1, keepdims=True), 19),
    ]


@for_each("dtype", [np.float32, np.float64])
@for_each(("X", "rank"), null_clouds())
def test_null_directions_are_found(X, rank, dtype):
    X = X.astype(dtype)
    zca = Whitening("zca").fit(X)
    assert zca.rank_ == rank
    assert (zca.scales_[rank:] == zca.scales_.min()).all()
    assert np.abs(zca.transform(X)).max() < 30
    pca = Whitening("pca").fit(X)
    white = pca.transform(X)
    assert white.shape[1] == rank
    np.testing.assert_allclose(covariance(white), np.eye(rank), atol=2e-3)  # float32's


def test_a_float32_cone_is_not_divided_by_rounding():
    # Near 1000, float32 numbers are 6e-5 apart. A spread of 1e-5 is only rounding.
    rng = np.random.default_rng(6)
    X = (rng.standard_normal((400, 30)) * 1e-5 + 1000).astype(np.float32)
    fitted = Whitening("zca").fit(X)
    assert fitted.rank_ == 0
    assert (fitted.scales_ == 1.0).all()
    wide = (rng.standard_normal((400, 30)) + 1000).astype(np.float32)
    assert Whitening().fit(wide).rank_ == 30
    white = Whitening("zca").fit_transform(wide)
    np.testing.assert_allclose(covariance(white), np.eye(30), atol=1e-2)


NEARLY_CONSTANT = 1000.0  # the mean of a column whose deviation is a few times its rounding


def with_a_nearly_constant_column(units: float, dtype: str) -> np.ndarray:
    X = cloud(3000, 10)
    noise = np.random.default_rng(1).standard_normal(len(X))
    X[:, 3] = NEARLY_CONSTANT * (1 + units * np.finfo(dtype).eps * noise)
    return X.astype(dtype)


@for_each("dtype", ["float32", "float64"])
@for_each("units", [1.0, 2.2, 5.0, 30.0, 1000.0])
@for_each("method", ["zca-cor", "pca-cor"])
def test_a_nearly_constant_column_leaves_the_others_to_be_whitened(method, units, dtype):
    X = with_a_nearly_constant_column(units, dtype)
    w = Whitening(method).fit(X)
    assert w.rank_ == (9 if units < 2 else 10)  # below 2 eps |mean| a deviation is rounding
    assert isinstance(w.rank_floor_, float)
    assert w.rank_ == np.sum(w.eigenvalues_ > w.rank_floor_)
    white = covariance(w.transform(X.astype(np.float64)))
    expected = np.ones(len(white))
    expected[: len(white) - w.rank_] = 0
    np.testing.assert_allclose(np.linalg.eigvalsh(white), expected, atol=1e-4)


@ALL
@for_each("dtype", [np.float32, np.float64])
@for_each("shrinkage", [None, 0.3, "ledoit-wolf"])
@for_each("n", [2, 5000])
def test_a_constant_cloud_has_rank_0_and_goes_to_0(method, dtype, shrinkage, n):
    X = np.tile(np.array([0.1, -700.3, 1e-3], dtype=dtype), (n, 1))
    fitted = Whitening(method, shrinkage=shrinkage).fit(X)
    assert fitted.rank_ == 0
    assert (fitted.scales_ == 1.0).all()
    # the mean is rounded to the input's precision, no more
    assert np.abs(fitted.transform(X)).max() <= 1e-3 * (dtype == np.float32) + 1e-10


# Output, and back


def test_inverse_transform_of_what_was_left_out():
    X = cloud(60, 5)
    centred = X - X.mean(axis=0)
    for method in ("pca", "zca"):
        fitted = Whitening(method, n_components=2).fit(X)
        V = fitted.components_.T
        back = fitted.inverse_transform(fitted.transform(X))
        np.testing.assert_allclose(back, centred @ V @ V.T + X.mean(axis=0), atol=1e-10)
    # Under zca, directions reduced by half are not lost.
    fading = Whitening("zca", n_components=2, strength=0.5).fit(X)
    np.testing.assert_allclose(fading.inverse_transform(fading.transform(X)), X, atol=1e-10)


# Fitting in parts


def test_one_row_alone_has_no_covariance():
    X = cloud(31, 4)
    parts = Whitening().partial_fit(X[:1])
    for ask in (lambda: parts.transform(X), lambda: parts.rank_, lambda: Whitening().fit(X[:1])):
        with pytest.raises(ValueError, match=r"one row|1 sample"):
            ask()
    assert parts.partial_fit(X[1:]).rank_ == 4


# What is refused


@for_each(
    "settings",
    [
        {"method": "svd"},
        {"centring": -0.1},
        {"centring": "1"},
        {"strength": 1.1},
        {"strength": float("nan")},
        {"shrinkage": 2},
        {"shrinkage": "lw"},
        {"n_components": 0},
        {"n_components": 6},
        {"n_components": 2.0},
    ],
)
def test_parameters_out_of_range(settings):
    (name,) = settings
    fresh = Whitening(**settings)
    with pytest.raises(ValueError, match=name):
        fresh.fit(cloud(20, 5))
    with pytest.raises(NotFittedError):
        clone(fresh).transform(cloud(20, 5))


@pytest.mark.filterwarnings("error")
@for_each(
    ("n", "bad", "row", "dtype"),
    [
        (40, np.nan, 3, np.float32),
        (30_000, np.inf, -1, np.float64),
        (30_000, -np.inf, 3, np.float32),
    ],
)
def test_a_row_that_is_not_finite_is_named(n, bad, row, dtype):
    X = np.random.default_rng(0).standard_normal((n, 6)).astype(dtype)
    fitted = Whitening().fit(X)
    X[row, 2] = bad
    message = rf"row {row % n + 1} has NaN or infinity \(1 of {n} rows do\)"
    for refusing in (Whitening().fit, Whitening().partial_fit, fitted.transform, fitted.map_.apply):
        with pytest.raises(ValueError, match=message):
            refusing(X)
    with pytest.raises(ValueError, match=message):
        fitted.partial_fit(X)
    assert fitted.n_samples_seen_ == n


@for_each("mode", ["r", "c"])
def test_a_read_only_memory_map_is_released_and_a_private_change_stays(tmp_path, mode):
    np.ones((500_000, 8), np.float32).tofile(tmp_path / "rows")  # 16 MB
    X = np.memmap(tmp_path / "rows", np.float32, mode, shape=(500_000, 8))
    if mode == "c":
        X[7] = 5
    Whitening().partial_fit(X)
    of_files = Path("/proc/self/smaps").read_text().split(f"{tmp_path}/rows")[1].split("Rss:")[1]
    assert (int(of_files.split()[0]) < 8000, X[7, 0]) == (mode == "r", 1 if mode == "r" else 5)
