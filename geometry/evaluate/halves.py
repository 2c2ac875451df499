"""The best of many cells without a dev set: one half of the pairs chooses, one is scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .bootstrap import PairBootstrap, checked_gold
from .cells import Cell, Chosen, Grid, choose_on_dev
from .ranks import is_constant, spearman
from .scores import LEAST_PAIRS, PairScore


def halves(gold_scores: np.ndarray, *, random_state: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """(dev, test): rows of the pairs, sorted, drawn once; of an odd number test has one more.

    gold_scores (n,) : of the pairs, in any range.
    Raises ValueError where a half would have fewer than 3 pairs, or scores that are all equal.
    """
    gold = np.asarray(gold_scores)
    order = np.random.default_rng(random_state).permutation(len(gold))
    dev, test = np.sort(order[: len(gold) // 2]), np.sort(order[len(gold) // 2 :])
    try:
        for half in (dev, test):
            checked_gold(gold[half])
    except ValueError as reason:
        raise ValueError(
            f"{len(gold)} pairs can't be cut into halves of at least {LEAST_PAIRS} with scores "
            "that are not all the same; choose on other pairs"
        ) from reason
    return dev, test


class RecordingBootstrap(PairBootstrap):
    """A bootstrap that keeps what it scored last, so that halves need no second fit.

    ``taken`` : (score, similarities (n,)) in the order of the calls; to be emptied by the caller.
    """

    def __init__(self, gold_scores: np.ndarray, draws: int = 1000, seed: int = 0) -> None:
        super().__init__(gold_scores, draws, seed)
        self.taken: list[tuple[PairScore, np.ndarray]] = []

    def score(self, similarities: np.ndarray, *, similarity: str = "cosine") -> PairScore:
        found = super().score(similarities, similarity=similarity)
        self.taken.append((found, np.asarray(similarities, dtype=np.float64)))
        return found


class HalfChoice:
    """Looks at cells as they are scored, and holds the similarities of the best one alone.

    gold_scores, random_state : as in ``halves``, which raises.
    """

    def __init__(self, gold_scores: np.ndarray, *, random_state: int = 0) -> None:
        self._gold = np.asarray(gold_scores, dtype=np.float64)
        self._dev, self._test = halves(self._gold, random_state=random_state)
        self._cells: list[Cell] = []
        self._best = -np.inf
        self._similarities: np.ndarray | None = None

    def see(self, cells: Sequence[Cell], taken: Sequence[tuple[PairScore, np.ndarray]]) -> None:
        """Score them on the half that chooses; ``taken`` holds their similarities."""
        for cell in cells:
            alike = next((found for score, found in taken if score is cell.score), None)
            value = None
            if alike is not None and not is_constant(alike[self._dev]):
                value = spearman(alike[self._dev], self._gold[self._dev])
                if value > self._best:
                    self._best, self._similarities = value, alike
            score = replace(
                PairScore.without(
                    "constant_scores",
                    n=len(self._dev),
                    similarity=cell.score.similarity,
                    seed=cell.score.seed,
                ),
                spearman=value,
                undefined=None if value is not None else cell.score.undefined or "constant_scores",
            )
            self._cells.append(replace(cell, score=score, difference=None))

    def chosen(self, *, draws: int = 1000, seed: int = 0) -> Chosen:
        """The best cell there, without an interval, and its score on the other half, with one.

        Raises ValueError where no cell has a score.
        """
        on_dev = Grid(tuple(self._cells), "one half", len(self._dev), "", 0, seed)
        best = on_dev.best()
        assert self._similarities is not None  # of the best cell
        bootstrap = PairBootstrap(self._gold[self._test], draws, seed)
        score = bootstrap.score(self._similarities[self._test], similarity=best.score.similarity)
        on_test = Grid((replace(best, score=score),), "the other half", score.n, "", draws, seed)
        return choose_on_dev(on_dev, on_test)
