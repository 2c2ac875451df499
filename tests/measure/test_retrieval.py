"""Recall, nDCG and MRR: by hand, beside scikit-learn, with intervals over queries."""

from dataclasses import astuple
from itertools import product

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from geometry.measure import mrr_at_k, ndcg_at_k, paired_change, recall_at_k, retrieval_score


def test_recall_and_reciprocal_rank_by_hand():
    found = np.array([[4, 7, 1], [0, 2, 3], [5, 8, 6]])
    relevant = [{7: 1.0, 9: 1.0, 4: 2.0, 8: 1.0}, {5: 1.0}, {5: 1.0, 6: 1.0}]
    assert recall_at_k(found, relevant).tolist() == [2 / 4, 0.0, 1.0]
    relevant[0] = {7: 1.0, 1: 2.0}
    assert mrr_at_k(found, relevant).tolist() == [1 / 2, 0.0, 1.0]


def test_ndcg_is_scikit_learn_s():
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((20, 50))
    grades = rng.integers(0, 4, (20, 50)) * (rng.random((20, 50)) < 0.2)
    grades[:, 0] = 1  # at least one relevant row
    relevant = [{int(row): float(each[row]) for row in np.flatnonzero(each)} for each in grades]
    for k in (1, 5, 50):
        found = np.argsort(-scores, axis=1)[:, :k]
        expected = [ndcg_score([g], [s], k=k) for g, s in zip(grades, scores, strict=True)]
        np.testing.assert_allclose(ndcg_at_k(found, relevant), expected)


def test_a_score_has_paired_intervals():
    rng = np.random.default_rng(0)
    before = rng.random(400)
    after = before + 0.1 + 0.01 * rng.standard_normal(400)
    found = retrieval_score(before, after)
    assert found.change.value == pytest.approx(found.after.value - found.before.value)
    # The scores vary much between queries, the changes little; each reach is 1.96 standard errors.
    for estimate, values in ((found.before, before), (found.change, after - before)):
        reach = 1.96 * values.std() / 20
        assert estimate.high - estimate.low == pytest.approx(2 * reach, rel=0.1)
    assert retrieval_score(before[:9], after[:9]).change.low is None


def test_few_queries_have_the_means_that_random_signs_keep():
    change = np.array([0.2, 0, 0, 0.4, -0.2, 0.2, 0, 0.2, 0, 0])
    found = paired_change(change)
    widened = np.append(change, [0.4, -0.4])
    signs = np.array(list(product((1, -1), repeat=len(widened))))

    def p_value(mean, side):
        """Of a one-sided test by all signs."""
        sums = signs @ (widened - mean) * side
        return np.mean(sums >= sums[0] - 1e-12)

    for end, side in ((found.low, 1), (found.high, -1)):
        assert p_value(end - side * 1e-6, side) <= 0.025 < p_value(end + side * 1e-6, side)
    assert found.low < found.value < found.high


def test_queries_of_one_unit_count_once():
    rng = np.random.default_rng(0)
    change = rng.standard_normal(20)
    for n in (1, 5):  # each query once, or five times
        for count in (12, 60):
            one = np.resize(change, count)
            found = paired_change(np.repeat(one, n), units=np.repeat(np.arange(count), n))
            assert astuple(found) == pytest.approx(astuple(paired_change(one))), (n, count)
    assert paired_change(np.ones(40), units=np.repeat(np.arange(9), 5)[:40]).low is None
    units = np.repeat(np.arange(60), np.arange(1, 61))
    large = paired_change((units >= 45) * 1.0, units=units)  # 1/4 of the units, not of the queries
    assert (large.low + large.high) / 2 == pytest.approx(795 / 1830, abs=0.03)


def test_what_is_refused():
    found = np.array([[0, 1]])
    with pytest.raises(ValueError, match="1 lists of rows for 2 queries"):
        recall_at_k(found, [{0: 1.0}, {1: 1.0}])
    for empty in ({}, {0: 0.0}):
        with pytest.raises(ValueError, match="query 0 needs a relevant row"):
            ndcg_at_k(found, [empty])
    with pytest.raises(ValueError, match="0 scores before"):
        retrieval_score(np.array([]), np.array([]))
