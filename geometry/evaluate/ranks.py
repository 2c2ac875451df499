"""How far the ranks of pairs move between two scorings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..measure.correlation import TieGroups


@dataclass(frozen=True, eq=False)
class RankMoves:
    """Ranks (n,) of n pairs by gold score, and by similarity before and after a treatment.

    Rank 1 is the least similar pair; ties are averaged.
    """

    gold: np.ndarray
    before: np.ndarray
    after: np.ndarray

    @classmethod
    def of(cls, gold_scores: np.ndarray, before: np.ndarray, after: np.ndarray) -> RankMoves:
        """Ranks of gold scores and of similarities before and after a treatment, (n,) each."""
        sizes = {len(gold_scores), len(before), len(after)}
        if len(sizes) != 1:
            raise ValueError(f"one value a pair is needed in each; got lengths {sorted(sizes)}")
        return cls(*(TieGroups.of(np.asarray(v)).ranks() for v in (gold_scores, before, after)))

    @cached_property
    def moved(self) -> np.ndarray:
        """(n,) rank after minus rank before; above 0 the pair moved towards the most similar."""
        return self.after - self.before

    @cached_property
    def gained(self) -> np.ndarray:
        """(n,) how much closer the rank came to the gold rank; below 0 it moved away."""
        return np.abs(self.before - self.gold) - np.abs(self.after - self.gold)

    def gained_most(self, k: int) -> np.ndarray:
        """Up to k rows whose rank came closer to the gold rank, the largest gain first."""
        order = np.argsort(-self.gained, kind="stable")[:k]
        return order[self.gained[order] > 0]

    def lost_most(self, k: int) -> np.ndarray:
        """Up to k rows whose rank moved away from the gold rank, the largest loss first."""
        order = np.argsort(self.gained, kind="stable")[:k]
        return order[self.gained[order] < 0]
