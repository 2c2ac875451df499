"""Words by frequency: hand-worked bins, neighbours by brute force, tables of opposite direction."""

import threading

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.neighbors import NearestNeighbors

from geometry import UndefinedMeasure, frequency_direction, mean_cosine
from geometry.measure import (
    frequency_bins,
    nearest_distances,
    neighbour_means,
    sentence_means,
    without_frequent,
)
from geometry.measure.frequency import by_rank, shuffled_difference
from geometry.measure.neighbours import largest
from tests.for_each import for_each

HAND = np.array([[3.0, 4], [0, 1], [0, 2], [5, 12]])  # norms 5, 1, 2, 13
COUNTS = np.array([10, 40, 20, 10])  # ranks 2, 0, 1, 3: of equal counts the earlier row


def words(n=300, d=12, *, seed=0):
    """Vectors whose norms rise with the row."""
    rng = np.random.default_rng(seed)
    U = rng.standard_normal((n, d))
    U /= np.linalg.norm(U, axis=1, keepdims=True)
    return U * np.linspace(1, 2, n)[:, None]


def test_the_direction_by_hand():
    assert by_rank(COUNTS).tolist() == [1, 2, 0, 3]
    found = frequency_direction(HAND, COUNTS, edges=(1, 2))
    assert [each.value for each in found.norms] == [1, 2, 9]
    assert found.starts == (0, 1, 2)
    assert (found.n, found.order) == (4, "rising")
    assert found.spearman.value == pytest.approx(spearmanr([5, 1, 2, 13], -COUNTS)[0])
    assert found.spearman.low is None  # of four words


def test_opposite_tables_have_opposite_directions():
    X, counts = words(), np.arange(300, 0, -1)
    near = frequency_direction(X, counts, edges=(50, 200))
    far = frequency_direction(X, counts[::-1], edges=(50, 200))
    assert (near.order, far.order) == ("rising", "falling")
    assert near.spearman.value == pytest.approx(1)
    assert far.spearman.value == pytest.approx(-1)
    mixed = X * np.where(np.abs(np.arange(300) - 150) < 60, 2.0, 1.0)[:, None]
    assert frequency_direction(mixed, counts, edges=(50, 200)).order == "neither"
    assert frequency_direction(X, counts, edges=()).order == "neither"  # a single bin


@for_each("shift", [0.0, 5.0])
@for_each("block_rows", [7, 512])
def test_neighbours_are_scikit_learn_s(shift, block_rows):
    X = (words() + shift).astype(np.float32)
    reports = []
    distances, dots = neighbour_means(
        X, (1, 3, 7), block_rows=block_rows, progress=lambda *of: reports.append(of)
    )
    theirs, _ = NearestNeighbors(n_neighbors=7, algorithm="brute").fit(X.astype(float)).kneighbors()
    products = X.astype(float) @ X.T.astype(float)
    np.fill_diagonal(products, -np.inf)
    top = -np.sort(-products, axis=1)
    for place, k in enumerate((1, 3, 7)):
        np.testing.assert_allclose(distances[:, place], theirs[:, :k].mean(axis=1), rtol=1e-9)
        np.testing.assert_allclose(dots[:, place], top[:, :k].mean(axis=1), rtol=1e-9)
    assert reports[-1] == (300, 300)
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)


def test_the_neighbours_can_be_cancelled(monkeypatch):
    searched = []
    monkeypatch.setattr(
        "geometry.measure.frequency.largest", lambda *of: searched.append(1) or largest(*of)
    )

    def stop(*_):
        # the page's job is cancelled in this thread
        assert threading.current_thread() is threading.main_thread()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        neighbour_means(words(), block_rows=2, progress=stop)
    assert len(searched) <= 3  # of 150 blocks


def test_bins_are_means_of_their_words():
    X, counts = words(), np.arange(300)  # the last row is the most frequent
    neighbours = neighbour_means(X)
    bins = frequency_bins(X, counts, neighbours, edges=(100, 299))
    assert [(each.start, each.stop, each.n) for each in bins] == [
        (0, 100, 100),
        (100, 299, 199),
        (299, 300, 1),
    ]
    rows = np.arange(200, 300)
    first = bins[0]
    assert first.norm.value == pytest.approx(np.linalg.norm(X[rows], axis=1).mean())
    assert first.norm.low < first.norm.value < first.norm.high
    assert first.cosine.value == pytest.approx(mean_cosine(X[rows]))
    for place in range(3):
        assert first.distances[place] == pytest.approx(neighbours[0][rows, place].mean())
        assert first.dots[place] == pytest.approx(neighbours[1][rows, place].mean())
    assert bins[2].cosine is None
    assert bins[2].norm.low is None


def test_shuffled_ranks_leave_the_difference_that_chance_makes():
    """Of two random parts, its standard deviation is s sqrt(n / (n - 1) (1/a + 1/b)), over all."""
    values = np.random.default_rng(0).standard_normal(500) + 3
    low, high = shuffled_difference(values, 100, 300, draws=2000)
    spread = values.std(ddof=1) * np.sqrt(1 / 100 + 1 / 300)
    assert (low, high) == pytest.approx((-1.96 * spread, 1.96 * spread), rel=0.1)


def test_sentence_means_leave_out_the_most_frequent_types():
    vectors = np.array([[1.0, 0], [3, 0], [0, 4], [8, 8], [0, 1]])
    sentences, ranks = np.array([0, 0, 1, 1, 2]), np.array([0, 1, 1, 2, 0])
    assert sentence_means(vectors, sentences, ranks, without=0).tolist() == [[2, 0], [4, 6], [0, 1]]
    assert sentence_means(vectors, sentences, ranks, without=1).tolist() == [[3, 0], [4, 6]]
    assert sentence_means(vectors, sentences, ranks, without=2).tolist() == [[8, 8]]


def test_the_nearest_of_the_vectors():
    found = nearest_distances([[0.0, 0], [5, 11]], HAND)
    np.testing.assert_allclose(found, [1, 1])
    X, Y = words(), words(40, seed=3)
    expected = np.linalg.norm(Y[:, None] - X, axis=2).min(axis=1)
    np.testing.assert_allclose(nearest_distances(Y, X), expected)


def test_what_has_no_direction():
    with pytest.raises(UndefinedMeasure):
        frequency_direction(np.eye(4), np.arange(4))  # all of one length
    with pytest.raises(UndefinedMeasure):
        frequency_direction(HAND, np.ones(4))
    with pytest.raises(ValueError, match="one count for each of the 4 rows"):
        frequency_direction(HAND, np.ones(3))
    with pytest.raises(ValueError, match="at least 0"):
        frequency_direction(HAND, -COUNTS)
    with pytest.raises(UndefinedMeasure):
        neighbour_means(HAND, (4,))


def test_frequent_types_are_compared_with_as_many_random_tokens():
    """Brute force: with three tokens a sentence, the control averages over which one goes."""
    rng = np.random.default_rng(3)
    n = 60
    frequent = np.array([2.0, 0, 0, 0]) + 0.1 * rng.standard_normal((n, 4))
    others = rng.standard_normal((2 * n, 4)) + 0.2
    X = np.concatenate([frequent, others])
    sentences = np.concatenate([np.arange(n), np.repeat(np.arange(n), 2)])
    ranks = np.concatenate([np.zeros(n, dtype=int), np.ones(2 * n, dtype=int)])
    found = without_frequent(X, sentences, ranks, without=1, draws=2000)
    pairs = others.reshape(n, 2, 4)
    assert found.n == n
    assert found.value == pytest.approx(mean_cosine(pairs.mean(axis=1)))
    # E of the cosine of two different sentences: the mean unit vector of each over its three means
    means = np.stack([pairs.sum(axis=1), frequent + pairs[:, 0], frequent + pairs[:, 1]], axis=1)
    units = (means / np.linalg.norm(means, axis=2, keepdims=True)).mean(axis=1)
    total = units.sum(axis=0)
    expected = (total @ total - (units**2).sum()) / (n * (n - 1))
    assert found.control == pytest.approx(expected, abs=0.003)
    assert found.difference.value == pytest.approx(found.value - found.control)
    assert found.difference.falls  # the common vector makes these sentences alike
