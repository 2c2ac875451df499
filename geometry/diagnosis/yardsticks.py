"""Scores of a treatment: by labels of nearest neighbours, or by scored pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..evaluate.bootstrap import PairBootstrap
from ..evaluate.similarities import pair_similarities
from ..measure.correlation import spearman
from ..measure.neighbours import agreement_draws, chance_agreement, label_agreement

NEIGHBOURS = 5


class Yardstick(Protocol):
    """Scores treated rows Z; ``rows`` are their numbers in the whole cloud.

    Both scores raise UndefinedMeasure for rows that have none.
    """

    def amount(self, rows: np.ndarray) -> int:
        """How many independent units of these rows the score is a mean over."""

    def score(self, Z: np.ndarray, rows: np.ndarray) -> float:
        """The higher the better."""

    def replicates(self, Z: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Values (B,) whose standard deviation is the standard error of the score.

        They are of the same resamples for every Z of these rows, so differences are paired.
        """


@dataclass(frozen=True)
class LabelYardstick:
    """Share of a row's nearest neighbours by cosine, among other units, that have its label.

    Replicates are of subsamples of half the rows, with neighbours found anew. A bootstrap would
    make copies of a row its nearest neighbours.

    Attributes
    ----------
    labels : (n,) array of str
    units : (n,) array of int
        Copies of one row, and sentences of one text, are one unit. They nearly always have one
        label, so counting them as neighbours would hide what a treatment changes.
    seed : int
        Seed of the subsamples.
    """

    labels: np.ndarray
    units: np.ndarray
    seed: int

    def amount(self, rows: np.ndarray) -> int:
        """0 for one label, and where every row has a label of its own."""
        n_labels = len(np.unique(self.labels[rows]))
        n_units = len(np.unique(self.units[rows]))
        return n_units if 1 < n_labels < n_units else 0

    def score(self, Z: np.ndarray, rows: np.ndarray) -> float:
        labels, units = list(self.labels[rows]), self.units[rows]
        return label_agreement(Z, labels, k=NEIGHBOURS, units=units)

    def chance(self, rows: np.ndarray) -> float:
        """The score of neighbours drawn at random."""
        return chance_agreement(list(self.labels[rows]), units=self.units[rows])

    def replicates(self, Z: np.ndarray, rows: np.ndarray) -> np.ndarray:
        labels, units = list(self.labels[rows]), self.units[rows]
        draws = agreement_draws(Z, labels, k=NEIGHBOURS, units=units, seed=self.seed)
        if draws is None:
            return np.full(1, np.nan)
        drawn = draws.n_units // 2
        return np.asarray(draws.shares * np.sqrt(drawn / (draws.n_units - drawn)))


class PairYardstick:
    """Spearman's correlation of cosines with the scores of pairs of rows; bootstrap over pairs."""

    def __init__(self, left: np.ndarray, right: np.ndarray, gold: np.ndarray, seed: int) -> None:
        self.left, self.right, self.gold, self.seed = left, right, gold, seed
        # Resamples of the rows of the last call
        self._bootstrap: tuple[bytes, PairBootstrap] | None = None

    def amount(self, rows: np.ndarray) -> int:
        """0 where the pairs of these rows all have one score."""
        gold = self.gold[self._inside(rows)]
        return len(gold) if len(np.unique(gold)) > 1 else 0

    def score(self, Z: np.ndarray, rows: np.ndarray) -> float:
        return spearman(self._similarities(Z, rows), self.gold[self._inside(rows)])

    def replicates(self, Z: np.ndarray, rows: np.ndarray) -> np.ndarray:
        inside = self._inside(rows)
        if self._bootstrap is None or self._bootstrap[0] != inside.tobytes():
            self._bootstrap = inside.tobytes(), PairBootstrap(self.gold[inside], seed=self.seed)
        found = self._bootstrap[1].score(self._similarities(Z, rows)).replicates
        return np.full(1, np.nan) if found is None else found

    def _similarities(self, Z: np.ndarray, rows: np.ndarray) -> np.ndarray:
        inside = self._inside(rows)
        place = np.zeros(int(rows.max()) + 1, dtype=np.int64)
        place[rows] = np.arange(len(rows))
        left, right = (Z[place[side[inside]]] for side in (self.left, self.right))
        return pair_similarities(left, right)

    def _inside(self, rows: np.ndarray) -> np.ndarray:
        """(p,) True for pairs of which both rows are among these."""
        return np.isin(self.left, rows) & np.isin(self.right, rows)
