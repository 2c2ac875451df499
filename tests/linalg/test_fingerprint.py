"""Rows of another cloud than the fit are noticed, and other rows of the same cloud are not."""

import re
from collections.abc import Iterator

import numpy as np
import pytest

from geometry import read_bundled
from geometry.encode.disk_cache import SHIPPED, read_shipped, shipped_index
from geometry.linalg.moments import FLAT, Fingerprint, Moments
from tests.clouds import unit

SQUARE = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])  # mean 0, deviations 1


def far(fit: np.ndarray, X: np.ndarray) -> bool:
    return Fingerprint.of(Moments.of(fit)).is_far(X)


def test_the_limits_by_hand():
    fingerprint = Fingerprint(np.zeros(50), np.ones(50), 400)
    limit = 2 + 4 * np.sqrt(1 / 400 + 1 / 1)
    for apart, is_far in ((0.99 * limit, False), (-0.99 * limit, False), (-1.01 * limit, True)):
        assert fingerprint.is_far(np.array([[apart, *np.ones(49)]])) == is_far
    for factor, is_far in ((0.51, False), (0.49, True), (1.99, False), (2.01, True)):
        assert far(SQUARE, factor * SQUARE) == is_far


def test_dimensions_without_spread_have_a_least_deviation():
    deviations = Fingerprint.of(Moments.of(SQUARE * [3, 0])).deviations
    np.testing.assert_allclose(deviations, [3, FLAT * np.sqrt(9 / 2)])
    np.testing.assert_array_equal(Fingerprint.of(Moments.of(np.ones((4, 2)))).deviations, [1, 1])


def test_weighted_rows_have_none():
    """Their mean is not that of the rows to which the map is applied."""
    assert Fingerprint.of(Moments.of(SQUARE, np.arange(1.0, 5.0))) is None


def shipped() -> Iterator[tuple[str, np.ndarray]]:
    for key, entry in shipped_index().items():
        name = entry["file"].partition(".")[0]
        if "-layer-" in name:
            yield name, read_shipped(key, SHIPPED)


@pytest.mark.slow
def test_the_figures_beside_the_limits():
    clouds = dict(shipped())
    assert len(clouds) == 36
    place = {name: re.sub("pairs|topics", "", name) for name in clouds}  # model, language, layer
    n_others, missed, far_rows = 0, set(), 0
    for name, X in clouds.items():
        fingerprint = Fingerprint.of(Moments.of(X))
        for other, Y in clouds.items():
            if place[other] == place[name]:
                assert not fingerprint.is_far(Y)
            elif place[other].replace("-zh", "") != place[name].replace("-zh", ""):
                n_others += 1
                if not fingerprint.is_far(Y):
                    missed.add((name, other))
        assert far(X, unit(X))
        assert far(unit(X), X)
        n_others += 2
        order = np.random.default_rng(0).permutation(len(X))
        half = Fingerprint.of(Moments.of(X[order[::2]]))
        assert not half.is_far(X[order[1::2]])
        far_rows += sum(half.is_far(X[row : row + 1]) for row in order[1:200:2])
        if "topics" in name:
            corpus = read_bundled("topics-zh" if "zh" in name else "topics")
            labels = np.array(corpus.labels)
            assert not any(far(X[labels != one], X[labels == one]) for one in set(labels))
    assert (len(missed), n_others, far_rows) == (7, 1292, 3)
    assert {re.search(r"layer-(\d)", each)[1] for pair in missed for each in pair} == set("345")
