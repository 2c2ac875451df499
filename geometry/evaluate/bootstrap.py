"""Bootstrap over pairs: resamples drawn once, shared by every set of similarities.

A resample takes pair i c_i times. Its ranks need no sort: the values were sorted once, and the
rank of a group of equal ones is the number of drawn values below it plus half of those in it.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from .ranks import TieGroups, is_constant, pearson
from .scores import LEAST_PAIRS, Difference, PairScore, interval

DRAWS_AT_ONCE = 128  # 1,400 pairs by 128 draws in float64 stay near a processor's cache


class PairBootstrap:
    """Resamples of pairs with one set of gold scores, for any number of similarities.

    gold_scores : (n,), n >= 3, finite, not all equal.   draws : resamples, 1,000 by default.
    seed : of the draw.   Every ``score`` uses the same resamples, so that differences are paired.
    how, subsets : "all" and none; ``SubsetBootstrap`` scores pairs of several sets by other ways.
    Holds 8 bytes a pair and draw. Raises ValueError for gold scores that order nothing.
    Efron, Tibshirani 1993, chapter 13 (percentiles).
    """

    how: str = "all"
    subsets: tuple[tuple[str, int], ...] = ()  # names, and pairs of each

    def __init__(self, gold_scores: np.ndarray, draws: int = 1000, seed: int = 0) -> None:
        self.gold_scores = checked_gold(gold_scores)
        check_draws(draws)
        self.n, self.draws, self.seed = len(self.gold_scores), int(draws), seed
        self._counts = drawn_counts(self.n, self.draws, seed)  # (n, draws)
        self._gold = TieGroups.of(self.gold_scores)
        # of each pair, as often as it was drawn: its rank, doubled and centred
        self._gold_ranks = np.empty((self.n, self.draws), dtype=np.int32)
        self._gold_spread = np.empty(self.draws)  # sum of their squares
        for some in self._blocks():
            counts = self._counts[:, some].astype(np.float64)
            ranks, sizes = resampled_ranks(self._gold, counts)  # (g, b)
            self._gold_spread[some] = np.einsum("gb,gb,gb->b", sizes, ranks, ranks)
            ranks = np.repeat(ranks, self._gold.sizes, axis=0)  # (n, b), in gold's order
            self._gold_ranks[self._gold.order, some] = ranks * counts[self._gold.order]

    def score(self, similarities: np.ndarray, *, similarity: str = "cosine") -> PairScore:
        """Spearman and Pearson of similarities (n,) against gold, with their intervals.

        similarity : what to call them. Constant ones give a score that is ``undefined``.
        Raises ValueError for another length, NaN or infinity.
        """
        s = self._checked(similarities)
        if is_constant(s):
            return PairScore.without(
                "constant_scores", n=self.n, similarity=similarity, seed=self.seed
            )
        groups = TieGroups.of(s)
        replicates = self.spearmans(groups)
        low, high = interval(replicates)
        pearson_low, pearson_high = interval(self.pearsons(s))
        return PairScore(
            spearman=pearson(groups.ranks(), self._gold.ranks()),
            pearson=pearson(s, self.gold_scores),
            low=low,
            high=high,
            n=self.n,
            similarity=similarity,
            draws=int(np.isfinite(replicates).sum()),
            seed=self.seed,
            pearson_low=pearson_low,
            pearson_high=pearson_high,
            replicates=replicates,
        )

    def difference(
        self, before: PairScore | np.ndarray, after: PairScore | np.ndarray
    ) -> Difference:
        """Spearman after minus before, each a score of this bootstrap or similarities (n,)."""
        first, second = (
            one if isinstance(one, PairScore) else self.score(one) for one in (before, after)
        )
        for one in (first, second):
            if (one.n, one.seed) != (self.n, self.seed):
                raise ValueError(
                    "a score of other resamples can't be paired with these; score anew"
                )
        return difference(first, second)

    def spearmans(self, groups: TieGroups) -> np.ndarray:
        """(draws,) Spearman of every resample; NaN where one of the two is constant in it."""
        out = np.empty(self.draws)
        for some in self._blocks():
            ranks, sizes = resampled_ranks(groups, self._counts[:, some].astype(np.float64))
            gold = groups.sums(self._gold_ranks[:, some].astype(np.float64))  # (g, b)
            shared = np.einsum("gb,gb->b", ranks, gold)
            spread = np.einsum("gb,gb,gb->b", sizes, ranks, ranks) * self._gold_spread[some]
            out[some] = _ratio(shared, spread)
        return out

    def pearsons(self, similarities: np.ndarray) -> np.ndarray:
        """(draws,) Pearson of every resample; NaN where one of the two is constant in it."""
        x, y = (
            (values - values.mean()) / np.ptp(values) for values in (similarities, self.gold_scores)
        )
        sums = np.stack([x, y, x * x, y * y, x * y])  # (5, n)
        out = np.empty(self.draws)
        for some in self._blocks():
            mx, my, xx, yy, xy = sums @ self._counts[:, some].astype(np.float64) / self.n
            variances = (xx - mx**2) * (yy - my**2)
            out[some] = _ratio(xy - mx * my, np.where(variances > 1e-20, variances, 0.0))
        return out

    def _checked(self, similarities: np.ndarray) -> np.ndarray:
        s = np.asarray(similarities, dtype=np.float64)
        if s.shape != (self.n,):
            raise ValueError(
                f"{self.n} similarities are needed, one for each gold score; got shape {s.shape}"
            )
        _refuse_not_finite(s, "similarity")
        return s

    def _blocks(self) -> list[slice]:
        starts = range(0, self.draws, DRAWS_AT_ONCE)
        return [slice(start, min(start + DRAWS_AT_ONCE, self.draws)) for start in starts]


def difference(before: PairScore, after: PairScore) -> Difference:
    """After minus before of two scores on the same resamples."""
    if before.spearman is None or after.spearman is None:
        return Difference(None, None, None)
    if before.replicates is None or after.replicates is None:
        return Difference(after.spearman - before.spearman, None, None)
    low, high = interval(after.replicates - before.replicates)
    return Difference(after.spearman - before.spearman, low, high)


def drawn_counts(n: int, draws: int, seed: int) -> np.ndarray:
    """(n, draws) how often each pair is in each resample of n pairs."""
    rng = np.random.default_rng(seed)
    counts = np.empty((draws, n), dtype=np.uint32 if n >= 2**16 else np.uint16)
    for row in counts:
        row[:] = np.bincount(rng.integers(n, size=n), minlength=n)
    return np.ascontiguousarray(counts.T)


def resampled_ranks(groups: TieGroups, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each group of equal values in each resample: 2 (rank - mean rank), and its size (g, b).

    Whole numbers throughout, so that equal values tie exactly: with S values drawn up to and with
    the group, w of them in it, and n in all, the mean rank of the group is S - (w - 1)/2.
    """
    n = len(groups.order)
    sizes = groups.sums(counts)  # (g, b)
    ranks = np.cumsum(sizes, axis=0)
    ranks *= 2
    ranks -= sizes
    ranks -= n
    return ranks, sizes


def check_draws(draws: Any) -> None:
    """Raise ValueError unless draws is a whole number above 0."""
    is_whole = isinstance(draws, Integral) and not isinstance(draws, bool)
    if not is_whole or draws < 1:
        raise ValueError(f"draws must be a whole number of at least 1; got {draws!r}")


def checked_gold(gold_scores: np.ndarray) -> np.ndarray:
    """Gold scores as (n,) float64; ValueError where nothing can be measured against them."""
    gold = np.asarray(gold_scores, dtype=np.float64)
    if gold.ndim != 1:
        raise ValueError(f"gold_scores must be one number a pair, shape (n,); got {gold.shape}")
    if len(gold) < LEAST_PAIRS:
        raise ValueError(
            f"a correlation needs at least {LEAST_PAIRS} pairs; got {len(gold)}. Add more pairs"
        )
    _refuse_not_finite(gold, "gold score")
    if is_constant(gold):
        raise ValueError(
            f"all {len(gold)} gold scores are {gold[0]:g}: there is no order to agree with. Choose "
            "another column"
        )
    return gold


def _refuse_not_finite(values: np.ndarray, name: str) -> None:
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise ValueError(
            f"the {name} of pair {bad[0]} is {values[bad[0]]} ({len(bad)} of {len(values)} are "
            "NaN or infinite). Drop these pairs or fill them in"
        )


def _ratio(shared: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """shared / sqrt(spread) in [-1, 1], NaN where the spread is 0."""
    told = np.where(spread > 0, spread, np.nan)
    return np.clip(shared / np.sqrt(told), -1.0, 1.0)
