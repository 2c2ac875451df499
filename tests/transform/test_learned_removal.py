"""Weights learned from scored pairs: by hand, against brute force, and refused input."""

import numpy as np
import pytest
from scipy.stats import pearsonr

from geometry.transform.remove import WeightedRemoval
from tests.for_each import for_each


def scored(m: int = 60, d: int = 6, *, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, pairs of them, and scores that are cosines without the first axis, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((2 * m, d)) * np.array([9.0, *np.linspace(3, 1, d - 1)]) + 1
    pairs = np.arange(2 * m).reshape(2, m).T
    return X, pairs, cosines(X[:, 1:], pairs) + 0.1 * rng.standard_normal(m)


def cosines(X: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    return np.einsum("md,md->m", U[pairs[:, 0]], U[pairs[:, 1]])


def brute_force(X, pairs, gold, components, alpha, shares) -> float:
    """The docstring's objective, computed from the weights and the rows."""
    w = 1 - np.sqrt(shares)
    Z = X - X @ components.T * w @ components
    return 1 - pearsonr(cosines(Z, pairs), gold).statistic + alpha * np.mean((1 - w) ** 2)


# By hand

STEPS = np.array([[3.0, 0, 1], [-3, 0, 1], [0, 2, 1], [0, -2, 1]])  # axes e1, e2; mean (0, 0, 1)


def test_without_pairs_it_is_plain_removal_of_uncentred_rows():
    fitted = WeightedRemoval(1).fit(STEPS)
    np.testing.assert_allclose(fitted.components_, [[1, 0, 0]], atol=1e-12)
    np.testing.assert_array_equal(fitted.weights_, [1])
    assert fitted.pearson_ is None
    assert fitted.n_pairs_ == 0
    without = fitted.transform(STEPS)
    np.testing.assert_allclose(without, [[0, 0, 1], [0, 0, 1], [0, 2, 1], [0, -2, 1]], atol=1e-12)


def test_a_direction_that_misleads_is_removed_and_one_that_helps_is_left():
    X, pairs, _ = scored(m=300)
    gold = cosines(X[:, 1:], pairs)  # gold scores depend on all axes but the first
    fitted = WeightedRemoval(3, alpha=0).fit(X, pairs=pairs, gold_scores=gold)
    assert fitted.weights_[0] > 0.9
    assert fitted.weights_[1:].max() < 0.1
    assert fitted.pearson_ > 0.99


# Second routes


@for_each("alpha", [0.0, 1e-3, 0.1])
def test_no_weights_of_a_grid_are_better(alpha):
    X, pairs, gold = scored()
    fitted = WeightedRemoval(2, alpha=alpha).fit(X, pairs=pairs, gold_scores=gold)
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 21)] * 2), axis=-1).reshape(-1, 2)
    found = (1 - fitted.weights_) ** 2
    at = [
        brute_force(X, pairs, gold, fitted.components_, alpha, shares) for shares in (found, *grid)
    ]
    assert at[0] <= min(at) + 1e-6


# What is refused


@for_each(
    ("pairs", "gold", "message"),
    [
        (None, [1, 2, 3], "belong together"),
        ([[0, 1]] * 3, None, "belong together"),
        ([[0, 1]] * 2, [1, 2], "at least 3 pairs"),
        ([0, 1, 2], [1, 2, 3], "shape"),
        ([[0, 1, 2]] * 3, [1, 2, 3], "shape"),
        ([[0.0, 1.0]] * 3, [1, 2, 3], "integers"),
        ([[0, 1], [0, 120], [1, 2]], [1, 2, 3], r"pair 1 is \(0, 120\); the rows are 0 to 119"),
        ([[0, 1], [1, 2], [-1, 2]], [1, 2, 3], "pair 2"),
        ([[0, 1]] * 3, [1, 2], "one finite number a pair"),
        ([[0, 1]] * 3, 1.0, "one finite number a pair"),
        ([[0, 1]] * 3, [1, np.nan, 2], "one finite number a pair"),
        ([[0, 1]] * 3, [1, 2, np.inf], "one finite number a pair"),
        ([[0, 1]] * 3, [2, 2, 2], "All 3 scores are 2"),
    ],
)
def test_pairs_that_cannot_be_learned_from(pairs, gold, message):
    with pytest.raises(ValueError, match=message):
        WeightedRemoval(1).fit(scored()[0], pairs=pairs, gold_scores=gold)


def test_a_zero_row_has_no_cosine():
    X, pairs, gold = scored()
    X[pairs[7, 1]] = 0
    with pytest.raises(ValueError, match=r"pair 7 has a zero row.*1 of 60 pairs"):
        WeightedRemoval(1).fit(X, pairs=pairs, gold_scores=gold)


@for_each(
    "settings",
    [{"alpha": -1}, {"alpha": np.nan}, {"alpha": np.inf}, {"alpha": "1"}],
)
def test_parameters_out_of_range(settings):
    (name,) = settings
    with pytest.raises(ValueError, match=name):
        WeightedRemoval(1, **settings).fit(scored()[0])
