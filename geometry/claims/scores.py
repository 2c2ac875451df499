"""Two claims as numbers: does a narrower cone score worse, and how much of a gap is pooling?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..evaluate.bootstrap import PairScore, interval
from ..measure.correlation import spearman


@dataclass(frozen=True)
class CounterExample:
    """Two cells, by their places, of which the narrower cone has the higher score."""

    narrow: int
    wide: int
    cosine_gap: float  # of the narrow cell, minus that of the wide one
    score_gap: float


@dataclass(frozen=True)
class Narrower:
    """Mean cosine against score over cells, and the pairs of cells that contradict the claim."""

    n: int  # cells
    correlation: float | None  # of mean cosine and score; None below 3 cells, or if one is constant
    pairs: int  # pairs of cells that differ in both
    against: int  # pairs of which the narrower cone scores higher
    examples: tuple[CounterExample, ...]  # largest product of gaps first, each cell at most once


def narrower_against_score(
    mean_cosines: Sequence[float], scores: Sequence[float], *, most: int = 3
) -> Narrower:
    """Compare all pairs of cells: does the narrower of two cells have the lower score?

    The cells are layers of one model on one set of pairs, not an independent sample, so the
    correlation has no p-value.

    Parameters
    ----------
    mean_cosines : (n,) floats, finite
    scores : (n,) floats, finite
        In any unit; the differences in the result have the same.
    most : int, counterexamples in the result at most
    """
    if len(mean_cosines) != len(scores):
        raise ValueError(f"{len(mean_cosines)} mean cosines for {len(scores)} scores")
    against, pairs = [], 0
    for i, j in combinations(range(len(scores)), 2):
        narrow, wide = (i, j) if mean_cosines[i] > mean_cosines[j] else (j, i)
        cosine_gap = mean_cosines[narrow] - mean_cosines[wide]
        score_gap = scores[narrow] - scores[wide]
        pairs += bool(cosine_gap and score_gap)
        if cosine_gap > 0 and score_gap > 0:
            against.append(CounterExample(narrow, wide, cosine_gap, score_gap))
    against.sort(key=lambda example: -example.cosine_gap * example.score_gap)
    cells: set[int] = set()
    apart: list[CounterExample] = []
    for example in against:
        if len(apart) < most and not cells & {example.narrow, example.wide}:
            apart.append(example)
            cells |= {example.narrow, example.wide}
    has_order = len(scores) >= 3 and len(set(mean_cosines)) > 1 < len(set(scores))
    correlation = spearman(np.asarray(mean_cosines), np.asarray(scores)) if has_order else None
    return Narrower(len(scores), correlation, pairs, len(against), tuple(apart))


def shuffled_against(
    mean_cosines: Sequence[float], scores: Sequence[float], *, draws: int = 1000, seed: int = 0
) -> tuple[float, float]:
    """The 95% range of ``against`` / ``pairs`` where the scores are shuffled among the cells.

    Half of the pairs are then against, on average. Cells of one model are alike, so the range of
    other models is wider than this one. At least one pair differs in both.
    """
    narrower = np.sign(np.subtract.outer(mean_cosines, mean_cosines))
    rng = np.random.default_rng(seed)
    shares = []
    for _draw in range(draws):
        shuffled = rng.permutation(scores)
        agree = narrower * np.sign(np.subtract.outer(shuffled, shuffled))
        shares.append(float((agree > 0).sum() / np.count_nonzero(agree)))
    low, high = np.quantile(shares, (0.025, 0.975))
    return float(low), float(high)


@dataclass(frozen=True)
class PoolingShare:
    """Scores of [CLS], of the mean over the same layer's tokens, and of a static average.

    The gap is static - cls, of which pooling explains mean - cls. The share is pooling / gap; above
    1 the mean scores higher than the static average. It is None if [CLS] is not below the static
    average: then there is no gap to explain.
    """

    cls: float
    mean: float
    static: float

    @property
    def gap(self) -> float:
        return self.static - self.cls

    @property
    def pooling(self) -> float:
        return self.mean - self.cls

    @property
    def share(self) -> float | None:
        return self.pooling / self.gap if self.gap > 0 else None


@dataclass(frozen=True)
class PoolingInterval:
    """95% intervals of the gap and of the share, from scores on the same resampled pairs.

    The share has none unless the whole interval of the gap is above 0: a share of no gap means
    nothing.
    """

    gap: tuple[float, float]
    share: tuple[float, float] | None

    @classmethod
    def of(cls, cls_score: PairScore, mean: PairScore, static: PairScore) -> PoolingInterval | None:
        """The intervals of three scores; None if one of them has no replicates.

        Parameters
        ----------
        cls_score : PairScore, of the vectors of [CLS]
        mean : PairScore, of the means of contextual vectors
        static : PairScore, of the averages of static vectors
        """
        replicates = [score.replicates for score in (cls_score, mean, static)]
        if any(each is None for each in replicates):
            return None
        of_cls, of_mean, of_static = np.asarray(replicates)
        gap, pooling = of_static - of_cls, of_mean - of_cls
        low, high = interval(gap)
        if low is None or high is None:
            return None
        share = interval(pooling[gap > 0] / gap[gap > 0]) if low > 0 else (None, None)
        return cls((low, high), None if None in share else share)  # type: ignore[arg-type]
