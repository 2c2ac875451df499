"""Clusters of rows, their words, and the agreement of two clusterings."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geometry.explore import (
    cluster_agreement,
    cluster_mixing,
    cluster_words,
    find_clusters,
    merged_clusters,
    share_by_chance,
)
from geometry.linalg.rows import some_rows


def three_groups(n=60, d=2, seed=0):
    centres = np.zeros((3, d))
    centres[1, 0], centres[2, 1] = 20, 20
    group = np.repeat([0, 1, 2], [3 * n // 6, 2 * n // 6, n // 6])
    return centres[group] + np.random.default_rng(seed).standard_normal((n, d)), group


@pytest.mark.parametrize("d", [2, 50])
def test_groups_far_apart_are_the_clusters_the_largest_first(d):
    X, group = three_groups(120, d)
    found = find_clusters(X, smallest=8)
    assert found.labels.shape == (120,)
    inside = found.labels >= 0
    np.testing.assert_array_equal(found.labels[inside], group[inside])
    assert found.sizes == tuple(np.bincount(found.labels[inside]))
    assert list(found.sizes) == sorted(found.sizes, reverse=True)
    assert found.n_clustered == 120
    assert found.n_outside == 120 - sum(found.sizes)
    assert found.n_components == (None if d == 2 else 30)


@pytest.mark.parametrize("d", [2, 50])
def test_one_round_group_is_the_control(d):
    X, _ = three_groups(300, d)
    found = find_clusters(X, smallest=30)
    assert len(found.sizes) == 3
    share, _, high = share_by_chance(X, found)
    assert high < share == found.share


def test_noise_seldom_has_more_clusters_than_its_control(monkeypatch):
    clouds = [np.random.default_rng(seed).standard_normal((300, 2)) * (3, 1) for seed in range(40)]
    shares = [share_by_chance(X, find_clusters(X)) for X in clouds]
    assert sum(share > high for share, _, high in shares) <= 6  # 3; of 5 control clouds 9
    monkeypatch.setattr("geometry.explore.clusters.MOST_COMPARED", 100)
    X = clouds[0]
    sampled = find_clusters(X[some_rows(300, 100, 0)])
    assert share_by_chance(X, find_clusters(X))[0] == sampled.share
    larger = find_clusters(X[some_rows(300, 100, 0)], smallest=20)
    assert share_by_chance(X, find_clusters(X, smallest=60))[0] == larger.share != sampled.share


def test_of_many_rows_a_sample_is_clustered_by_its_seed():
    X, _ = three_groups(600, 50)  # the rows outside of the sample have no cluster
    found = find_clusters(X, max_rows=200, seed=3)
    assert found.n_clustered == found.n_labelled == 200
    assert np.count_nonzero(found.labels >= 0) == sum(found.sizes)
    assert not np.array_equal(found.labels, find_clusters(X, max_rows=200, seed=4).labels)
    np.testing.assert_array_equal(found.labels, find_clusters(X, max_rows=200, seed=3).labels)


@pytest.mark.parametrize(
    ("options", "match"),
    [({"smallest": 1}, "smallest"), ({"max_rows": 1}, "max_rows"), ({"n_components": 0}, "n_comp")],
)
def test_a_setting_without_a_meaning_is_refused(options, match):
    with pytest.raises(ValueError, match=match):
        find_clusters(np.eye(9), **options)


def test_words_are_weighed_by_hand():
    """Cluster 0: fish 3, water 2. Cluster 1: bird 2, water 2, tree 2. A = 5.5."""
    texts = ["fish water", "fish", "fish water", "bird water water", "bird tree", "tree", "alone"]
    labels = np.array([0, 0, 0, 1, 1, 1, -1])
    found = cluster_words(texts, labels, stop_words="none")
    # 3 log(1 + 5.5/3) = 3.12, 2 log(1 + 5.5/4) = 1.73; bird and tree 2 log(1 + 5.5/2) = 2.64
    assert found == (("fish", "water"), ("bird", "tree"))  # one text of cluster 1 has water


def test_words_of_chinese_are_pairs_of_characters_and_function_words_are_left_out():
    texts = ["天氣很好", "今天天氣", "股票上漲", "股票下跌"]
    found = cluster_words(texts, np.array([0, 0, 1, 1]), most=1)
    assert found == (("天氣",), ("股票",))
    texts = ["the cat and the dog", "the cat", "of the sea", "the sea and sky"]
    assert cluster_words(texts, np.array([0, 0, 1, 1])) == (("cat",), ("sea",))


def test_texts_and_labels_must_fit():
    with pytest.raises(ValueError, match="2 texts"):
        cluster_words(["a", "b"], np.zeros(3, dtype=int))
    with pytest.raises(ValueError, match="stop_words"):
        cluster_words(["a", "b"], np.zeros(2, dtype=int), stop_words="mine")


labelled = st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), min_size=2, max_size=30).map(
    np.array
)


@given(labelled)
def test_agreement_counts_pairs(rows):
    """Over all pairs of rows: (index - expected) / (maximum - expected), Hubert & Arabie 1985."""
    found = cluster_agreement(rows[:, 0], rows[:, 1])
    both = rows[(rows >= 0).all(axis=1)]
    assert found.n == len(both)
    if len(both) < 2:
        assert found.value is None
        return
    pairs = list(combinations(both, 2))
    together = np.array([[a[0] == b[0], a[1] == b[1]] for a, b in pairs])
    index, (first, second) = together.all(axis=1).sum(), together.sum(axis=0)
    expected, most = first * second / len(pairs), (first + second) / 2
    by_hand = 1.0 if most == expected else (index - expected) / (most - expected)
    assert found.value == pytest.approx(by_hand)


def test_equal_clusterings_agree_and_shuffled_ones_do_not():
    labels = np.repeat(np.arange(4), 50)
    same = cluster_agreement(labels, (labels + 1) % 4)
    assert same.value == 1
    assert same.low < 0 < same.high < 0.1
    mixed = cluster_agreement(labels, np.random.default_rng(0).permutation(labels))
    assert same.low < mixed.value < same.high
    with pytest.raises(ValueError, match="same rows"):
        cluster_agreement(labels, labels[1:])


def test_mixing_is_0_apart_1_in_a_random_mixture_and_half_on_the_way():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], [2000, 500])
    X = rng.standard_normal((2500, 2))
    assert cluster_mixing(X, labels)[0, 1] == pytest.approx(1, abs=0.07)
    apart = X + 50 * labels[:, None]
    assert cluster_mixing(apart, labels)[0, 1] == 0
    half = apart.copy()
    half[rng.random(2500) < 0.5] %= 3  # half of both are mixed
    assert 0.3 < cluster_mixing(half, labels)[0, 1] < 0.8
    assert merged_clusters(X, labels) == ((0, 1),)
    assert merged_clusters(apart, labels) == ()
    assert merged_clusters(apart, np.full(2500, -1)) == ()


def test_mixing_by_hand():
    # 0 1 0 | 1 1 | 0 0: the nearest other point of each is 1, 0, 1, 1, 1, 0, 0
    places = np.array([[0.0], [0.9], [2.0], [9.0], [9.4], [20.0], [20.4]])
    labels = np.array([0, 1, 0, 1, 1, 0, 0])
    # of 0 two of four neighbours, of 1 one of three
    expected = ((2 / 4) / (3 / 6) + (1 / 3) / (4 / 6)) / 2
    found = cluster_mixing(places, labels, k=1)
    np.testing.assert_allclose(found, [[1, expected], [expected, 1]])


def test_rows_outside_of_the_sample_have_the_cluster_of_their_nearest_row():
    X, group = three_groups(600)
    found = find_clusters(X, max_rows=200, smallest=10)
    assert (found.n_clustered, found.n_labelled) == (200, 600)
    assert sum(found.sizes) + found.n_outside == 600
    for each in range(len(found.sizes)):
        assert len(np.unique(group[found.labels == each])) == 1
    long = np.hstack([X, np.zeros((600, 60))])
    few = find_clusters(long, max_rows=200, smallest=10)
    assert few.n_labelled == few.n_clustered == 200
    assert np.count_nonzero(few.labels >= 0) == sum(few.sizes) <= 200
