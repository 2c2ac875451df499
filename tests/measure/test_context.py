"""Contextual measures by hand and by brute force."""

import numpy as np
import pytest

from geometry import (
    UndefinedMeasure,
)
from geometry.measure import (
    contextual_table,
    intra_sentence_similarity,
    max_explainable_variance,
    self_similarity,
)

pytestmark = pytest.mark.filterwarnings("error")


def cloud(n: int = 70, d: int = 9, *, seed: int = 0, shift: float = 0.5) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) * np.geomspace(2, 0.2, d) + shift


def unit(X):
    return X / np.linalg.norm(X, axis=1, keepdims=True)


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
        with pytest.raises(ValueError, match="row 4 is zero"):
            of(X, np.zeros(6))
    codes = [row.undefined for row in contextual_table(cloud(6, 3), np.arange(6), np.arange(6))]
    assert codes == ["no_repeats"] * 3


def test_tokens_of_one_sentence_are_left_out_together():
    """Types have no effect: only the shared part of a sentence changes their similarity."""
    rng = np.random.default_rng(0)
    types, sentences = rng.integers(60, size=1200), np.repeat(np.arange(60), 20)
    X = rng.standard_normal((60, 8))[sentences] + 0.3 * rng.standard_normal((1200, 8)) + 0.8

    def widths(units):
        rows = {row.name: row for row in contextual_table(X, types, units)}
        return [rows[name].high - rows[name].low for name in OVER_TYPES]

    for together, alone in zip(widths(sentences), widths(np.arange(1200) // 2), strict=True):
        assert together > 2 * alone
    assert contextual_table(X, types, sentences % 39)[0].low is None  # too few sentences


OVER_TYPES = ("self_similarity", "max_explainable_variance")
