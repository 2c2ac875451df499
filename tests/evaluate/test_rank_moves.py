"""Ranks that move, cells that contradict, the share that is pooling: by hand and by scipy."""

import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr

from geometry.evaluate.narrower import narrower_against_score
from geometry.evaluate.pooling_share import PoolingShare
from geometry.evaluate.rank_moves import RankMoves

GOLD = np.array([0.0, 1, 2, 3])


def test_moves_by_hand():
    moves = RankMoves.of(GOLD, np.array([0.9, 0.1, 0.2, 0.3]), np.array([0.1, 0.2, 0.4, 0.3]))
    assert moves.before.tolist() == [4, 1, 2, 3]
    assert moves.moved.tolist() == [-3, 1, 2, 0]
    # |4 - 1| - |1 - 1|, |1 - 2| - 0, |2 - 3| - |4 - 3|, |3 - 4| - |3 - 4|
    assert moves.gained.tolist() == [3, 1, 0, 0]
    assert moves.gained_most(5).tolist() == [0, 1]
    assert moves.lost_most(5).tolist() == []


def test_ties_share_their_rank_as_scipy_s_do():
    rng = np.random.default_rng(0)
    gold, before, after = rng.integers(0, 5, (3, 60)).astype(float)
    moves = RankMoves.of(gold, before, after)
    for found, values in zip(
        (moves.gold, moves.before, moves.after), (gold, before, after), strict=True
    ):
        assert np.array_equal(found, rankdata(values))
    assert moves.moved.sum() == 0  # ranks only change hands


def test_unequal_lengths_are_refused():
    with pytest.raises(ValueError, match=r"lengths \[3, 4\]"):
        RankMoves.of(GOLD, GOLD[:3], GOLD)


def test_cells_that_contradict_by_hand():
    # cells 0 and 1 keep the rule; 2 is the narrowest and scores best
    found = narrower_against_score([0.1, 0.5, 0.9], [60.0, 50.0, 70.0])
    assert (found.n, found.pairs, found.against) == (3, 3, 2)
    assert found.correlation == pytest.approx(spearmanr([0.1, 0.5, 0.9], [60, 50, 70])[0])
    [example] = found.examples  # of (2, 0) and (2, 1) one: no cell is named twice
    assert (example.narrow, example.wide) == (2, 1) if 0.4 * 20 > 0.8 * 10 else (2, 0)
    assert example.cosine_gap > 0
    assert example.score_gap > 0


def test_a_rule_without_exception_has_no_examples():
    found = narrower_against_score([0.1, 0.5, 0.9], [70.0, 60.0, 50.0])
    assert (found.correlation, found.against, found.examples) == (-1.0, 0, ())


def test_equal_cells_are_no_pair_and_too_few_have_no_correlation():
    found = narrower_against_score([0.5, 0.5], [60.0, 50.0])
    assert (found.pairs, found.against, found.correlation) == (0, 0, None)
    assert narrower_against_score([0.5] * 3, [1.0, 2.0, 3.0]).correlation is None
    with pytest.raises(ValueError, match="2 mean cosines for 1 scores"):
        narrower_against_score([0.1, 0.2], [1.0])


def test_the_published_share_of_pooling():
    # Reimers, Gurevych 2019, Table 1, STS-B: (46.35 - 16.50) / (58.02 - 16.50)
    assert PoolingShare(16.50, 46.35, 58.02).share == pytest.approx(29.85 / 41.52)
    assert PoolingShare(60.0, 65.0, 50.0).share is None
