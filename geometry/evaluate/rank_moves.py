"""How far each pair's rank moves when its vectors are treated, and whether towards the gold's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .ranks import TieGroups


@dataclass(frozen=True, eq=False)
class RankMoves:
    """Ranks (n,) of n pairs from 1, the least alike, ties averaged: by gold, before and after."""

    gold: np.ndarray
    before: np.ndarray
    after: np.ndarray

    @classmethod
    def of(cls, gold_scores: np.ndarray, before: np.ndarray, after: np.ndarray) -> RankMoves:
        """From gold scores and two sets of similarities, (n,) each, all finite.

        Raises ValueError for unequal lengths.
        """
        sizes = {len(gold_scores), len(before), len(after)}
        if len(sizes) != 1:
            raise ValueError(f"one value a pair is needed in each; got lengths {sorted(sizes)}")
        ranked = (TieGroups.of(np.asarray(v)).ranks() for v in (gold_scores, before, after))
        return cls(*ranked)

    @cached_property
    def moved(self) -> np.ndarray:
        """(n,) rank after minus rank before: above 0 the pair rose among the more alike."""
        return self.after - self.before

    @cached_property
    def gained(self) -> np.ndarray:
        """(n,) how much nearer its rank came to the gold's; below 0 it went away from it."""
        return np.abs(self.before - self.gold) - np.abs(self.after - self.gold)

    def gained_most(self, k: int) -> np.ndarray:
        """Up to k rows that came nearer to the gold's rank, the most first."""
        return self._most(self.gained, k)

    def lost_most(self, k: int) -> np.ndarray:
        """Up to k rows that went away from the gold's rank, the most first."""
        return self._most(-self.gained, k)

    def _most(self, values: np.ndarray, k: int) -> np.ndarray:
        order = np.argsort(-values, kind="stable")[:k]
        return order[values[order] > 0]
