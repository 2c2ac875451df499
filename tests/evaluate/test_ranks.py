"""Rank moves by hand, with ranks as scipy gives them."""

import numpy as np
import pytest
from scipy.stats import rankdata

from geometry.evaluate.ranks import RankMoves

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
    for ranks, values in zip(
        (moves.gold, moves.before, moves.after), (gold, before, after), strict=True
    ):
        assert np.array_equal(ranks, rankdata(values))
    assert moves.moved.sum() == 0  # a permutation of ranks has the same sum


def test_unequal_lengths_are_refused():
    with pytest.raises(ValueError, match=r"lengths \[3, 4\]"):
        RankMoves.of(GOLD, GOLD[:3], GOLD)
