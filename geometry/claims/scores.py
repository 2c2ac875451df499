"""Two claims as numbers: does a narrower cone score worse, and how much of a gap is pooling?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..evaluate.bootstrap import PairScore, interval
from ..measure.correlation import spearman


@dataclass(frozen=True)
class Narrower:
    """Mean cosine against score over cells, and the pairs of cells that contradict the claim."""

    n: int  # cells
    correlation: float | None  # of mean cosine and score; None below 3 cells, or if one is constant
    pairs: int  # pairs of cells that differ in both
    against: int  # pairs of which the narrower cone scores higher


def narrower_against_score(mean_cosines: Sequence[float], scores: Sequence[float]) -> Narrower:
    """Compare all pairs of cells: does the narrower of two cells have the lower score?

    The cells are layers of one model on one set of pairs, not an independent sample, so the
    correlation has no p-value.

    Parameters
    ----------
    mean_cosines : (n,) floats, finite
    scores : (n,) floats, finite
    """
    if len(mean_cosines) != len(scores):
        raise ValueError(f"{len(mean_cosines)} mean cosines for {len(scores)} scores")
    cosines = np.asarray(mean_cosines)
    found = np.asarray(scores)
    has_order = len(scores) >= 3 and min(len(set(mean_cosines)), len(set(scores))) > 1
    correlation = spearman(cosines, found) if has_order else None
    return Narrower(len(scores), correlation, *_pairs_and_against(cosines, found))


def _pairs_and_against(cosines: np.ndarray, scores: np.ndarray) -> tuple[int, int]:
    i, j = np.triu_indices(len(scores), k=1)
    agree = np.sign(cosines[i] - cosines[j]) * np.sign(scores[i] - scores[j])
    return int(np.count_nonzero(agree)), int(np.count_nonzero(agree > 0))


def shuffled_against(
    mean_cosines: Sequence[float], scores: Sequence[float], *, draws: int = 1000, seed: int = 0
) -> tuple[float, float]:
    """The 95% range of ``against`` / ``pairs`` where the scores are shuffled among the cells.

    Half of the pairs are then against, on average. Cells of one model are alike, so the range of
    other models is wider than this one. At least one pair differs in both.
    """
    cosines = np.asarray(mean_cosines)
    rng = np.random.default_rng(seed)
    found = [_pairs_and_against(cosines, rng.permutation(scores)) for _draw in range(draws)]
    shares = [against / pairs for pairs, against in found]
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
