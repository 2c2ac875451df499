"""The score of one set of pairs, and the difference between two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

LEAST_PAIRS = 3  # two points always lie on a line
REASONS = {  # why there is no Spearman, by code
    "constant_scores": "all similarities are equal",
    "zero_row": "a vector is zero and has no direction",
    "constant_row": "a vector has equal entries and no order among them",
    "nothing_left": "the treatment leaves nothing of the vectors but rounding",
    "subset": "a subset has no score",
    "too_narrow": "in bfloat16 its vectors, whose cosines all exceed .999, can't be told apart",
}


@dataclass(frozen=True)
class PairScore:
    """How well similarities agree with gold scores over n pairs.

    spearman, pearson : in [-1, 1].   low, high and pearson_low, pearson_high : their 95%
    intervals, percentiles of a bootstrap over pairs.   draws : resamples that the intervals rest
    on; those of few pairs that have no Spearman are left out.   seed : of the resamples.
    undefined : why there is no value, a code of ``REASONS``; then the others are None.
    replicates (draws asked,) : Spearman of each resample, for differences; NaN where it has none.
    by_subset : each subset's own score, where this is one of several (``SubsetBootstrap``).
    """

    spearman: float | None
    pearson: float | None
    low: float | None
    high: float | None
    n: int
    similarity: str = "cosine"
    draws: int = 0
    seed: int = 0
    pearson_low: float | None = None
    pearson_high: float | None = None
    undefined: str | None = None
    replicates: np.ndarray | None = field(default=None, repr=False, compare=False)
    by_subset: Mapping[str, PairScore] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def without(cls, code: str, *, n: int, similarity: str, seed: int) -> PairScore:
        """The score that is not there, and why."""
        return cls(None, None, None, None, n, similarity, 0, seed, undefined=code)


@dataclass(frozen=True)
class Difference:
    """After minus before, of Spearman on the same pairs, with its 95% interval (paired bootstrap).

    value in [-2, 2]; None, as low and high, where one of the two is undefined.
    """

    value: float | None
    low: float | None
    high: float | None

    @property
    def is_clear(self) -> bool:
        """True where the interval leaves out 0."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


def interval(replicates: np.ndarray) -> tuple[float | None, float | None]:
    """2.5 and 97.5% percentiles of those that are numbers; None where none is."""
    told = replicates[np.isfinite(replicates)]
    if not len(told):
        return None, None
    low, high = np.percentile(told, [2.5, 97.5])
    return float(low), float(high)
