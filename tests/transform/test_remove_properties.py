"""Removal of any cloud leaves nothing along removed directions and commutes with rotations."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from geometry.transform.remove import CommonComponentRemoval
from tests.clouds import clouds, rotation, seeds

wide_enough = clouds(rows=(4, 60), dimensions=(3, 12))
centrings = st.booleans()


def removal(X, centred, share):
    """A fitted removal of between 0 and d - 1 directions."""
    D = round(share * (X.shape[1] - 1))
    return CommonComponentRemoval(D, centred=centred).fit(X)


def a_gap_follows(fitted) -> bool:
    """Whether the removed directions are determined: the next variance is clearly smaller."""
    D, variances = fitted.n_components_, fitted.variances_
    return D == 0 or variances[D - 1] > 1.01 * variances[D]


shares = st.floats(0, 1)


@given(wide_enough, centrings, shares)
def test_nothing_is_left_along_what_was_removed(X, centred, share):
    fitted = removal(X, centred, share)
    without = fitted.transform(X)
    np.testing.assert_allclose(without @ fitted.components_.T, 0, atol=1e-9)
    second = without.T @ without / len(X)
    expected = np.concatenate(
        [fitted.variances_[fitted.n_components_ :], np.zeros(fitted.n_components_)]
    )
    np.testing.assert_allclose(np.linalg.eigvalsh(second)[::-1], expected, atol=1e-9)


@given(wide_enough, centrings, shares, seeds, st.floats(0.01, 100))
def test_a_rotation_and_a_scale_go_through(X, centred, share, seed, scale):
    fitted = removal(X, centred, share)
    assume(a_gap_follows(fitted))
    Q = rotation(X.shape[1], seed)
    turned = removal(scale * X @ Q, centred, share)
    np.testing.assert_allclose(
        turned.transform(scale * X @ Q), scale * fitted.transform(X) @ Q, atol=1e-7 * scale
    )


@given(wide_enough, shares, st.data())
def test_weights_lie_between_the_rows_and_plain_removal(X, share, data):
    fitted = removal(X, True, share).map_
    D = len(fitted.weights)
    w = np.array(data.draw(st.lists(st.floats(0, 1), min_size=D, max_size=D)))
    centred = X - fitted.offset
    np.testing.assert_allclose(fitted.reweigh(np.zeros(D)).apply(X), centred, atol=1e-9)
    np.testing.assert_allclose(fitted.reweigh(np.ones(D)).apply(X), fitted.apply(X), atol=1e-9)
    left = fitted.reweigh(w).apply(X) @ fitted.components.T
    np.testing.assert_allclose(left, (1 - w) * (centred @ fitted.components.T), atol=1e-9)
    for weights in (np.ones(X.shape[1] + 1), np.ones((2, 2)), np.full(D + 1, np.nan)):
        with pytest.raises(ValueError, match="weights"):
            fitted.reweigh(weights)
