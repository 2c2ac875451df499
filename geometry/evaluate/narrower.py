"""Does a narrower cone score worse? Mean cosines against scores, and the cells that say no."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from .ranks import spearman


@dataclass(frozen=True)
class CounterExample:
    """Cells ``narrow`` and ``wide`` by their places: the narrower cone has the higher score.

    cosine_gap, score_gap : narrow minus wide, both above 0.
    """

    narrow: int
    wide: int
    cosine_gap: float
    score_gap: float


@dataclass(frozen=True)
class Narrower:
    """What n cells say: their rank correlation and how many of their pairs contradict the rule.

    correlation : Spearman of mean cosine and score; None with fewer than 3 cells or without order.
    pairs : pairs of cells that differ in both.   against : those whose narrower cone scores higher.
    examples : of these, largest product of the two gaps first, each cell at most once.
    """

    n: int
    correlation: float | None
    pairs: int
    against: int
    examples: tuple[CounterExample, ...]


def narrower_against_score(
    mean_cosines: Sequence[float], scores: Sequence[float], *, most: int = 3
) -> Narrower:
    """Compare all pairs of cells; mean_cosines and scores (n,), in any unit, finite.

    Cells are no independent sample (layers of one model on one set of pairs), so the correlation
    has no p-value here. Raises ValueError for unequal lengths.
    """
    if len(mean_cosines) != len(scores):
        raise ValueError(f"{len(mean_cosines)} mean cosines for {len(scores)} scores")
    found, pairs = [], 0
    for i, j in combinations(range(len(scores)), 2):
        narrow, wide = (i, j) if mean_cosines[i] > mean_cosines[j] else (j, i)
        cosine_gap = mean_cosines[narrow] - mean_cosines[wide]
        score_gap = scores[narrow] - scores[wide]
        pairs += bool(cosine_gap and score_gap)
        if cosine_gap > 0 and score_gap > 0:
            found.append(CounterExample(narrow, wide, cosine_gap, score_gap))
    ordered = sorted(found, key=lambda one: -one.cosine_gap * one.score_gap)
    return Narrower(
        len(scores), _correlation(mean_cosines, scores), pairs, len(found), _apart(ordered, most)
    )


def _apart(found: Sequence[CounterExample], most: int) -> tuple[CounterExample, ...]:
    """The first ``most`` in which no cell stands twice."""
    taken: set[int] = set()
    kept: list[CounterExample] = []
    for one in found:
        if len(kept) < most and not taken & {one.narrow, one.wide}:
            kept.append(one)
            taken |= {one.narrow, one.wide}
    return tuple(kept)


def _correlation(mean_cosines: Sequence[float], scores: Sequence[float]) -> float | None:
    if len(scores) < 3 or len(set(mean_cosines)) == 1 or len(set(scores)) == 1:
        return None
    return spearman(np.asarray(mean_cosines), np.asarray(scores))
