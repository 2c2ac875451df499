"""Merging moments is associative, commutative and exact."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from geometry.linalg.moments import Moments, ledoit_wolf
from tests.clouds import clouds, seeds

FIELDS = ("n_rows", "weight", "weight2", "mean", "scatter", "cubic", "quartic")


def assert_same(first: Moments, second: Moments) -> None:
    size = max(1.0, abs(first.quartic))
    for field in FIELDS:
        np.testing.assert_allclose(
            getattr(first, field), getattr(second, field), rtol=1e-7, atol=1e-10 * size
        )


@given(clouds(rows=(3, 60)), st.data(), seeds)
def test_any_grouping_gives_one_answer(X, data, seed):
    w = np.random.default_rng(seed).uniform(0, 2, len(X))
    i = data.draw(st.integers(1, len(X) - 2))
    j = data.draw(st.integers(i + 1, len(X) - 1))
    a, b, c = (Moments.of(X[s], w[s]) for s in (slice(0, i), slice(i, j), slice(j, None)))
    whole = Moments.of(X, w)
    for merged in (a.merge(b).merge(c), a.merge(b.merge(c)), c.merge(a).merge(b)):
        assert_same(merged, whole)


@given(clouds(rows=(3, 60)), seeds)
def test_ledoit_wolf_is_a_share_for_any_weights(X, seed):
    w = np.random.default_rng(seed).exponential(size=len(X))
    assert 0 <= ledoit_wolf(Moments.of(X, w)) <= 1
    scaled = Moments.of(X, w * 1e-3)
    np.testing.assert_allclose(ledoit_wolf(scaled), ledoit_wolf(Moments.of(X, w)), rtol=1e-6)
