"""Narrowness against score, and the share due to pooling, by hand and by scipy."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from geometry.claims.scores import (
    PoolingInterval,
    PoolingShare,
    narrower_against_score,
    shuffled_against,
)
from geometry.evaluate import published_scores
from geometry.evaluate.bootstrap import PairScore
from geometry.evaluate.published import datasets


def test_cells_that_contradict_by_hand():
    # cells 0 and 1 agree with the claim; 2 is the narrowest and scores best
    found = narrower_against_score([0.1, 0.5, 0.9], [60.0, 50.0, 70.0])
    assert (found.n, found.pairs, found.against) == (3, 3, 2)
    assert found.correlation == pytest.approx(spearmanr([0.1, 0.5, 0.9], [60, 50, 70])[0])


def test_shuffled_scores_contradict_half_of_the_pairs():
    # Kendall's tau of n shuffled cells has the variance 2 (2n + 5) / (9n (n - 1)), and the share
    # of pairs against is (1 + tau) / 2
    n = 30
    low, high = shuffled_against(np.arange(n), np.linspace(50, 80, n), draws=2000)
    spread = np.sqrt(2 * (2 * n + 5) / (9 * n * (n - 1))) / 2
    assert (low, high) == pytest.approx((0.5 - 1.96 * spread, 0.5 + 1.96 * spread), abs=0.01)
    assert shuffled_against([0.1, 0.2], [1.0, 2.0]) == (0.0, 1.0)  # one pair
    # equal cells are no pair
    assert shuffled_against([0.1, 0.1, 0.2], [1.0, 2.0, 2.0]) == (0.0, 1.0)


def test_equal_cells_are_no_pair_and_too_few_have_no_correlation():
    found = narrower_against_score([0.5, 0.5], [60.0, 50.0])
    assert (found.pairs, found.against, found.correlation) == (0, 0, None)
    assert narrower_against_score([0.5] * 3, [1.0, 2.0, 3.0]).correlation is None
    rule = narrower_against_score([0.1, 0.5, 0.9], [70.0, 60.0, 50.0])
    assert (rule.correlation, rule.against) == (-1.0, 0)
    with pytest.raises(ValueError, match="2 mean cosines for 1 scores"):
        narrower_against_score([0.1, 0.2], [1.0])


def test_the_published_share_differs_by_set():
    """Reimers, Gurevych 2019, Table 1: (mean - [CLS]) / (GloVe - [CLS])."""
    shares = []
    for name in datasets():
        row = {s.name: s.value for s in published_scores(name) if s.table == "sbert_table_1"}
        shares.append(PoolingShare(row["BERT CLS"], row["avg BERT"], row["avg GloVe"]).share)
    assert [round(100 * share) for share in shares] == [53, 69, 96, 84, 90, 72, 142]


def with_replicates(value: float, replicates: np.ndarray) -> PairScore:
    return PairScore(value, None, None, None, 9, replicates=replicates)


def test_the_interval_of_a_share_is_of_paired_resamples():
    """Gaps of 1 to 1.2 vary with [CLS]; the mean is always half-way, a share of 50%."""
    cls = np.linspace(0.1, 0.3, 201)
    static = cls + np.linspace(1.2, 1.0, 201)
    scores = [with_replicates(r[0], r) for r in (cls, (cls + static) / 2, static)]
    found = PoolingInterval.of(*scores)
    assert found.gap == pytest.approx((1.005, 1.195))
    assert found.share == pytest.approx((0.5, 0.5))
    # A gap that may be 0 gives no share. Scores without resamples give no interval.
    near = [*scores[:2], with_replicates(0.3, cls + np.linspace(-0.1, 1.0, 201))]
    assert PoolingInterval.of(*near).share is None
    assert PoolingInterval.of(*scores[:2], PairScore(0.5, None, None, None, 9)) is None
