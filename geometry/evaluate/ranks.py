"""How far ranks move between two scorings; made-up scores that compare Spearman and Pearson."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..measure.correlation import TieGroups

PAIRS = 40
SEED = 21  # unrelated scores of this seed have a Spearman near 0
TOP_GOLD = 5.0  # the scale of STS: 0 is unrelated, 5 the same meaning
FAR_OUT = 4.0  # score of the outlier; all others are in [0, 1]
OUTLIERS = ("none", "agrees", "contradicts")


class MadeUp(NamedTuple):
    """Gold scores (n,), scores of a model (n,), and the row of the outlier."""

    gold: np.ndarray
    scores: np.ndarray
    outlier: int | None


@dataclass(frozen=True)
class Bend:
    """Changes made to scores that agree with the gold scores."""

    noise: float = 0.0  #: in [0, 1], share of a score that is unrelated to the gold
    curve: float = 1.0  #: >= 1, power applied to the scores; it preserves their order
    levels: int = 0  #: number of distinct gold scores, 2 or more; 0 for no ties
    outlier: str = "none"  #: one of ``OUTLIERS``
    is_reversed: bool = False  #: whether the scores fall as the gold rises

    def __post_init__(self) -> None:
        for name, is_fit in (
            ("noise", 0 <= self.noise <= 1),
            ("curve", self.curve >= 1),
            ("levels", self.levels == 0 or self.levels >= 2),
            ("outlier", self.outlier in OUTLIERS),
        ):
            if not is_fit:
                raise ValueError(f"{name} is outside its range: {getattr(self, name)!r}")


def made_up_scores(bend: Bend, *, n: int = PAIRS, random_state: int = SEED) -> MadeUp:
    """Pairs of made-up scores, with gold evenly spread in [0, 5].

    scores = ((1 - noise) u + noise v)^curve, where u is gold / 5 and v is uniform; reversed scores
    have 1 - u in place of u. u and v are the same for every bend. Scores lie in [0, 1] except for
    the outlier. The outlier is the pair with the highest gold ("agrees") or the lowest
    ("contradicts").

    Parameters
    ----------
    bend : Bend
    n : int, >= 3, pairs
    random_state : int
    """
    if n < 3:
        raise ValueError(f"n must be 3 or more; got {n}")
    rng = np.random.default_rng(random_state)
    u = rng.permutation((np.arange(n) + 0.5) / n)
    v = rng.random(n)
    related = 1 - u if bend.is_reversed else u
    scores = ((1 - bend.noise) * related + bend.noise * v) ** bend.curve
    gold = TOP_GOLD * u
    if bend.levels:
        gold = np.floor(u * bend.levels) * TOP_GOLD / (bend.levels - 1)
    if bend.outlier == "none":
        return MadeUp(gold, scores, None)
    place = int(np.argmax(u) if bend.outlier == "agrees" else np.argmin(u))
    scores[place] = FAR_OUT
    return MadeUp(gold, scores, place)


def least_squares_line(x: np.ndarray, y: np.ndarray) -> tuple[tuple[float, float], ...]:
    """The two ends of the least-squares line of y (n,) on x (n,), x not constant."""
    line = np.polynomial.Polynomial.fit(x, y, 1)
    return tuple((float(end), float(line(end))) for end in (x.min(), x.max()))


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
        """Rank gold scores and the similarities before and after a treatment.

        Parameters
        ----------
        gold_scores : (n,) array, finite
        before : (n,) array, finite
        after : (n,) array, finite
        """
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
