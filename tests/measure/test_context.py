"""Contextual measures by hand and by brute force."""

import numpy as np
import pytest

from geometry.measure import (
    Annotations,
    annotated_table,
    intra_sentence_similarity,
    self_similarity,
)
from geometry.measure.context import Tokens
from tests.clouds import cloud, unit

pytestmark = pytest.mark.filterwarnings("error")


def table(X, types, sentences):
    return annotated_table(X, Annotations(types=np.array(types), sentences=np.array(sentences)))


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
    tokens = Tokens(X)
    # a: two equal sigma: 1/2. b: [[2, -1], [-1, 1]] has eigenvalues (3 +- sqrt 5)/2 of 3
    explained = (0.5 + (3 + np.sqrt(5)) / 6) / 2
    assert tokens.max_explainable(types, 0).value == pytest.approx(explained)
    own = tokens.self_similarity(types)
    assert (own.value, own.baseline) == pytest.approx((-r / 2, (r - 1) / 6))
    assert table(X, types, [7, 7, 9, 9])[0].low is None  # two types give no interval


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
    assert Tokens(X).max_explainable(types, 0).value == pytest.approx(np.mean(explained))


def text(n: int, seed: int, *, fixed_types: bool) -> tuple[np.ndarray, ...]:
    """n sentences of 4 to 13 tokens with Zipfian types; each has a vector, in a cone."""
    rng = np.random.default_rng(seed)
    sentences = np.repeat(np.arange(n), rng.integers(4, 14, n))
    share = 1 / np.arange(1, 2001)
    types = rng.choice(2000, len(sentences), p=share / share.sum())
    of_type = (np.random.default_rng(7) if fixed_types else rng).standard_normal((2000, 10))
    of_sentence = rng.standard_normal((n, 10))
    noise = rng.standard_normal((len(sentences), 10))
    X = 0.8 * of_type[types] + 0.7 * of_sentence[sentences] + 0.7 * noise + 0.4
    return X, types, sentences


def test_too_few_sentences_have_no_interval():
    X, types, sentences = text(100, 0, fixed_types=True)
    assert all(row.low is None for row in table(X, types, sentences % 39))
