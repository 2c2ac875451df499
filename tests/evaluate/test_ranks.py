"""Rank moves by hand, with ranks as scipy gives them."""

import numpy as np
import pytest

from geometry.evaluate.ranks import RankMoves

GOLD = np.array([0.0, 1, 2, 3])


def test_moves_by_hand():
    moves = RankMoves.of(GOLD, np.array([0.9, 0.1, 0.2, 0.3]), np.array([0.1, 0.2, 0.4, 0.4]))
    assert moves.before.tolist() == [4, 1, 2, 3]
    assert moves.moved.tolist() == [-3, 1, 1.5, 0.5]  # equal values share the mean of their ranks
    # |4 - 1| - |1 - 1|, |1 - 2| - 0, |2 - 3| - |3.5 - 3|, |3 - 4| - |3.5 - 4|
    assert moves.gained.tolist() == [3, 1, 0.5, 0.5]
    assert moves.gained_most(2).tolist() == [0, 1]
    assert moves.lost_most(5).tolist() == []
    with pytest.raises(ValueError, match=r"lengths \[3, 4\]"):
        RankMoves.of(GOLD, GOLD[:3], GOLD)
