"""Two sets of vectors of the same rows: alignment, alike or not, and which one is better."""

import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes
from scipy.stats import spearmanr

from geometry import UndefinedMeasure
from geometry.explore import align, compare, cosine_rank_correlation, linear_cka, prefer
from geometry.explore.compare import MOST_PAIRED


def cloud(n=60, d=8, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d)) + 1.0


def rotation(d, seed=1):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))[0]


def test_the_alignment_is_scipys_with_the_best_scale():
    A, B = cloud(30, 3, 0), cloud(30, 3, 5)
    turned, size = orthogonal_procrustes(B, A)
    aligned, residual = align(A, B)
    np.testing.assert_allclose(aligned, B @ turned * size / np.square(B).sum())
    # by hand: two unit vectors at a right angle; no scale brings one nearer than half of both
    assert align(np.eye(2), np.array([[1.0, 0.0], [0.0, 0.0]]))[1] == pytest.approx(0.5)
    assert 0 < residual < 1


def test_pictures_of_other_rows_or_without_points_are_refused():
    with pytest.raises(ValueError, match="same rows"):
        align(cloud(4, 2), cloud(5, 2))
    with pytest.raises(UndefinedMeasure):
        align(cloud(4, 2), np.zeros((4, 2)))


def test_cka_by_hand_and_by_kernels():
    assert linear_cka(np.array([[1.0], [-1.0]]), np.array([[3.0], [7.0]])) == pytest.approx(1)
    X, Y = cloud(40, 5), cloud(40, 9, 3)
    H = np.eye(40) - 1 / 40
    K, L = H @ X @ X.T @ H, H @ Y @ Y.T @ H
    by_kernels = (K * L).sum() / np.sqrt((K * K).sum() * (L * L).sum())
    assert linear_cka(X, Y) == pytest.approx(by_kernels)
    assert linear_cka(X, 3 * X @ rotation(5) + 2) == pytest.approx(1)
    with pytest.raises(UndefinedMeasure):
        linear_cka(X, np.ones((40, 3)))


def test_the_rank_correlation_is_scipys_over_all_pairs():
    X, Y = cloud(25, 4), cloud(25, 6, 2)
    pairs = np.triu_indices(25, 1)
    cosines = [np.corrcoef(each)[pairs] * 0 for each in (X, Y)]
    for place, rows in enumerate((X, Y)):
        U = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        cosines[place] = (U @ U.T)[pairs]
    assert cosine_rank_correlation(X, Y) == pytest.approx(spearmanr(*cosines).statistic)


def test_a_set_is_like_its_rotation_and_unlike_another_one():
    X = cloud(300, 10)
    same = compare(X, X @ rotation(10), k=5)
    assert same.neighbours.jaccard.value == pytest.approx(1)
    assert same.rank_correlation == pytest.approx(1)
    assert same.cka == pytest.approx(1)
    other = compare(X, cloud(300, 10, 9), k=5)
    assert other.neighbours.jaccard.value < 0.05
    assert other.cka == pytest.approx(other.cka_by_chance, abs=0.02)
    assert other.n == other.n_paired == 300 < MOST_PAIRED


def labelled(n=200, spread=0.3, seed=0):
    """Two groups of rows around two directions, and their labels."""
    rng = np.random.default_rng(seed)
    labels = ["a" if row % 2 else "b" for row in range(n)]
    centres = np.eye(6)[[row % 2 for row in range(n)]]
    return centres + spread * rng.standard_normal((n, 6)), labels


def test_the_set_whose_neighbours_share_labels_is_better():
    X, labels = labelled()
    noise = labelled(spread=20.0, seed=4)[0]
    found = prefer(noise, X, labels=labels)
    assert found.better == "second"
    assert (found.measure, found.n) == ("agreement", 200)
    assert found.second > 0.9
    assert prefer(X, noise, labels=labels).better == "first"
    assert prefer(X, X @ rotation(6), labels=labels).better == ""


def test_pairs_decide_and_too_few_of_either_decide_nothing():
    X, _labels = labelled()
    left, right = np.arange(0, 200, 2), np.arange(1, 200, 2)
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    gold = np.einsum("nd,nd->n", U[left], U[right])
    found = prefer(labelled(seed=7)[0], X, pairs=(left, right, gold))
    assert (found.better, found.measure) == ("second", "spearman")
    assert found.second == pytest.approx(1)
    assert prefer(X, X, labels=["a"] * 200) is None
    with pytest.raises(ValueError, match="labels or pairs"):
        prefer(X, X)


def test_rows_of_one_unit_do_not_judge_each_other():
    units = np.arange(400) // 8
    X, labels = cloud(50)[units] + 1e-3 * cloud(400), [str(each % 2) for each in units]
    assert prefer(X, cloud(400), labels=labels).first > 0.9
    assert prefer(X, cloud(400), labels=labels, units=units).first < 0.7


def test_which_is_better_is_the_same_question_both_ways():
    X, labels = labelled()
    Y = labelled(spread=2.0, seed=4)[0]
    Y[:3] = 0  # no direction
    X[10:30] = X[10]  # copies in one set only
    there, back = prefer(X, Y, labels=labels), prefer(Y, X, labels=labels)
    assert there.n == back.n == 200 - 3 - 19
    texts = [str(row) for row in range(200)]
    texts[30] = texts[12]  # the text of a copy
    assert prefer(X, Y, labels=labels, texts=texts).n == there.n - 1
    assert there.change.value == pytest.approx(-back.change.value)
    assert (there.better, back.better) == ("first", "second")
    rng = np.random.default_rng(81)  # the variance of dyads is below 0
    X, labels = rng.standard_normal((60, 10)), rng.integers(0, 3, 60).astype(str).tolist()
    assert prefer(X, X - X.mean(axis=0), labels=labels).better == ""


def test_equal_rows_have_no_neighbours_and_all_else():
    X = cloud(60, 5)
    X[:50] = X[0]
    found = compare(X, cloud(60, 5, 2), k=5)
    assert found.neighbours is None
    assert found.cka is not None
