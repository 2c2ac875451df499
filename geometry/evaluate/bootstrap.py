"""The score of one set of pairs, with bootstrap intervals, and the difference between two scores.

Resamples are shared by every set of similarities, so that differences are paired. Ranks in a
resample need no sort: that of equal values is the drawn values below plus half of those in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.errors import CorpusError
from ..data.frames import Framed
from ..linalg.moments import Moments
from ..linalg.rows import need_whole, slices
from ..measure.correlation import TieGroups, is_constant, pearson
from ..measure.intervals import units_of
from ..transform.whitening_map import WhiteningMap
from .similarities import pair_similarities

if TYPE_CHECKING:
    from ..data.pairs import Pairs
    from ..transform.whiten import Whitening

LEAST_PAIRS = 3  # two points always lie on a line
LEAST_DRAWN = 10  # of 3 to 5 pairs, resamples often all have one order; 8 and more cover
DRAWS = 1000  # resamples of an interval
DRAWS_AT_ONCE = 128  # 1,400 pairs by 128 draws in float64 fit about into a processor's cache
AGGREGATIONS = ("all", "mean", "wmean")  # published ones, which differ by up to 20 points


@dataclass(frozen=True)
class PairScore(Framed):
    """How well similarities agree with gold scores over n pairs."""

    #: spearman, pearson: in [-1, 1], or None if undefined
    spearman: float | None
    pearson: float | None
    #: low, high, pearson_low, pearson_high: 95% bootstrap intervals; None below 10 pairs
    low: float | None
    high: float | None
    n: int  #: pairs
    similarity: str = "cosine"  #: one of ``SIMILARITIES``
    #: Resamples behind the intervals. A resample whose scores are constant is not counted.
    draws: int = 0
    seed: int = 0  #: of the resamples
    pearson_low: float | None = None
    pearson_high: float | None = None
    is_linked: bool = False  #: as ``PairBootstrap``: the intervals are too narrow
    #: why there is no value: "constant_scores", all similarities are equal; "zero_row", a vector is
    #: zero; "constant_row", a vector has equal entries, which have no ranks; "nothing_left", the
    #: treatment leaves only rounding; "subset", a subset has no score; "too_narrow", bfloat16 can't
    #: distinguish vectors whose cosines all exceed 0.999
    undefined: str | None = None
    #: (draws,) spearman of each resample, for differences; NaN if the resample has none
    replicates: np.ndarray | None = field(default=None, repr=False, compare=False)
    #: the score of each subset (``SubsetBootstrap``)
    by_subset: Mapping[str, PairScore] = field(default_factory=dict, repr=False, compare=False)

    def _records(self) -> list[dict[str, Any]]:
        shown = [each.name for each in fields(self) if each.repr]
        scores = {"all": self, **self.by_subset}
        return [
            {"pairs": subset, **{name: getattr(score, name) for name in shown}}
            for subset, score in scores.items()
        ]


@dataclass(frozen=True)
class Difference:
    """Spearman after minus Spearman before, on the same pairs, with its 95% interval.

    By a paired bootstrap. All are None if one of the scores is undefined, the ends below 10 pairs.
    """

    value: float | None
    low: float | None
    high: float | None

    @property
    def is_clear(self) -> bool:
        """True if the interval excludes 0."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


def interval(replicates: np.ndarray) -> tuple[float | None, float | None]:
    """2.5 and 97.5% percentiles of the finite replicates; (None, None) if there are none."""
    finite = replicates[np.isfinite(replicates)]
    if not len(finite):
        return None, None
    low, high = np.percentile(finite, [2.5, 97.5])
    return float(low), float(high)


class PairBootstrap:
    """Resamples of pairs with one set of gold scores, for any number of similarities.

    Every ``score`` uses the same resamples, so that differences are paired. They take 8 bytes a
    pair and draw. ``SubsetBootstrap`` has another ``how`` and ``subsets``: it aggregates several
    subsets in other ways. Gold scores that are too few, not finite or all equal raise ValueError.

    Parameters
    ----------
    gold_scores : (n,) array of float, n >= 3
    draws : int, resamples
    seed : int, of the draw
    units : (n,) array, optional
        Pairs of one unit, such as pairs that share sentences (``Pairs.units``), are drawn together.
        By default each pair is a unit. Each also is one below 10 effective units, n^2 over the sum
        of their squared sizes (Kish 1965). Then ``is_linked`` is True, the intervals too narrow.
    n_units : int, optional
        Units that are drawn from, where other pairs have some: ``units`` are their numbers from 0.

    Efron, Tibshirani 1993, chapter 13 (percentiles); Davison, Hinkley 1997, section 3.8 (units).
    """

    how: str = "all"
    subsets: tuple[tuple[str, int], ...] = ()  # (name, number of pairs)

    def __init__(
        self,
        gold_scores: np.ndarray,
        draws: int = DRAWS,
        seed: int = 0,
        *,
        units: np.ndarray | None = None,
        n_units: int | None = None,
    ) -> None:
        self.gold_scores = checked_gold(gold_scores)
        need_whole("draws", draws, at_least=1)
        self.n = len(self.gold_scores)
        # below LEAST_DRAWN pairs there is no interval
        self.draws = int(draws) if n_units is not None or self.n >= LEAST_DRAWN else 0
        self.seed = seed
        unit = units_of(units, self.n) if n_units is None else np.asarray(units)
        sizes = np.bincount(unit)
        is_alone = n_units is None and self.n**2 / (sizes**2).sum() < LEAST_DRAWN
        self.is_linked = bool(self.draws and is_alone and len(sizes) < self.n)
        unit = np.arange(self.n) if is_alone else unit
        n_drawn = int(unit.max()) + 1 if n_units is None else n_units
        self._counts = drawn_counts(n_drawn, self.draws, seed)[unit]  # (n, draws)
        self._drawn = self._counts.sum(axis=0, dtype=np.float64)  # pairs in each resample
        self._gold = TieGroups.of(self.gold_scores)
        # the doubled, centred rank of each pair, times how often it was drawn
        self._gold_ranks = np.empty((self.n, self.draws), dtype=np.int32)
        self._gold_spread = np.empty(self.draws)  # sum of the squared ranks
        for some in slices(self.draws, DRAWS_AT_ONCE):
            counts = self._counts[:, some].astype(np.float64)
            ranks, sizes = resampled_ranks(self._gold, counts)  # (g, b)
            self._gold_spread[some] = np.einsum("gb,gb,gb->b", sizes, ranks, ranks)
            ranks = np.repeat(ranks, self._gold.sizes, axis=0)  # (n, b), in gold's order
            self._gold_ranks[self._gold.order, some] = ranks * counts[self._gold.order]

    def score(self, similarities: np.ndarray, *, similarity: str = "cosine") -> PairScore:
        """Spearman and Pearson of similarities (n,) against gold, with their intervals.

        Constant similarities give a score that is ``undefined``. Raises ValueError for another
        length, NaN or infinity.
        """
        s = self._checked(similarities)
        if is_constant(s):
            return self.undefined("constant_scores", similarity)
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
            is_linked=self.is_linked,
            replicates=replicates,
        )

    def undefined(self, code: str, similarity: str) -> PairScore:
        """No score, for the reason of that code in ``PairScore.undefined``."""
        none = (None, None, None, None)
        return PairScore(*none, self.n, similarity, seed=self.seed, undefined=code)

    def difference(
        self, before: PairScore | np.ndarray, after: PairScore | np.ndarray
    ) -> Difference:
        """Spearman after minus before; each is a score of this bootstrap, or similarities (n,)."""
        first, second = (
            side if isinstance(side, PairScore) else self.score(side) for side in (before, after)
        )
        for score in (first, second):
            if (score.n, score.seed) != (self.n, self.seed):
                raise ValueError(
                    "a score of other resamples can't be paired with these; score anew"
                )
        return difference(first, second)

    def spearmans(self, groups: TieGroups) -> np.ndarray:
        """(draws,) Spearman of every resample; NaN if it is constant on either side."""
        out = np.empty(self.draws)
        for some in slices(self.draws, DRAWS_AT_ONCE):
            ranks, sizes = resampled_ranks(groups, self._counts[:, some].astype(np.float64))
            gold = groups.sums(self._gold_ranks[:, some].astype(np.float64))  # (g, b)
            shared = np.einsum("gb,gb->b", ranks, gold)
            spread = np.einsum("gb,gb,gb->b", sizes, ranks, ranks) * self._gold_spread[some]
            out[some] = _ratio(shared, spread)
        return out

    def pearsons(self, similarities: np.ndarray) -> np.ndarray:
        """(draws,) Pearson of every resample; NaN if it is constant on either side."""
        x, y = (
            (values - values.mean()) / np.ptp(values) for values in (similarities, self.gold_scores)
        )
        sums = np.stack([x, y, x * x, y * y, x * y])  # (5, n)
        out = np.empty(self.draws)
        for some in slices(self.draws, DRAWS_AT_ONCE):
            drawn = np.maximum(self._drawn[some], 1)
            mx, my, xx, yy, xy = sums @ self._counts[:, some].astype(np.float64) / drawn
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


def evaluate_pairs(
    left: np.ndarray,
    right: np.ndarray,
    gold_scores: np.ndarray,
    *,
    similarity: str = "cosine",
    precision: Whitening | WhiteningMap | Moments | None = None,
    draws: int = DRAWS,
    seed: int = 0,
    units: np.ndarray | None = None,
) -> PairScore:
    """Spearman and Pearson of the pairs' similarities against human scores, with intervals.

    Equal similarities share the mean of their ranks. If all are equal the score is ``undefined``. A
    row without such a similarity raises UndefinedMeasure, which names it; ValueError for unequal
    lengths, NaN, infinity, constant gold scores and fewer than 3 pairs.

    Parameters
    ----------
    left : (n, d) array of float, n >= 3, the first of each pair
    right : (n, d) array of float, the second of each pair
    gold_scores : (n,) array of float, human scores in any range
    similarity : str, as in ``pair_similarities``
    precision : Whitening, WhiteningMap or Moments, optional
        As in ``pair_similarities``.
    draws : int, resamples of the bootstrap
    seed : int, of the bootstrap
    units : (n,) array, optional
        As in ``PairBootstrap``; give ``Pairs.units`` where pairs share sentences. By default the
        pairs are independent.
    """
    sizes = [len(np.atleast_1d(side)) for side in (left, right, gold_scores)]
    if len(set(sizes)) != 1:
        raise ValueError(
            f"{sizes[0]} left vectors, {sizes[1]} right ones and {sizes[2]} gold scores; every "
            "pair needs one of each"
        )
    bootstrap = PairBootstrap(gold_scores, draws, seed, units=units)
    similarities = pair_similarities(left, right, similarity, precision=precision)
    return bootstrap.score(similarities, similarity=similarity)


def difference(before: PairScore, after: PairScore) -> Difference:
    """Spearman after minus before, of two scores on the same resamples."""
    if before.spearman is None or after.spearman is None:
        return Difference(None, None, None)
    if before.replicates is None or after.replicates is None:
        return Difference(after.spearman - before.spearman, None, None)
    low, high = interval(after.replicates - before.replicates)
    return Difference(after.spearman - before.spearman, low, high)


def drawn_counts(n: int, draws: int, seed: int) -> np.ndarray:
    """How often each resample of the bootstrap takes each pair, (n, draws)."""
    rng = np.random.default_rng(seed)
    counts = np.empty((draws, n), dtype=np.uint32 if n >= 2**16 else np.uint16)
    for row in counts:
        row[:] = np.bincount(rng.integers(n, size=n), minlength=n)
    return np.ascontiguousarray(counts.T)


def resampled_ranks(groups: TieGroups, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """2 (rank - mean rank) and size, (g, b) each, of every group of equal values by resample.

    With S drawn values below the group and in it, w of them in it, its mean rank is S - (w - 1)/2.
    Twice that is a whole number, so that equal values tie exactly.
    """
    sizes = groups.sums(counts)  # (g, b)
    ranks = np.cumsum(sizes, axis=0)
    drawn = ranks[-1].copy()  # of each resample
    ranks *= 2
    ranks -= sizes
    ranks -= drawn
    return ranks, sizes


def checked_gold(gold_scores: np.ndarray) -> np.ndarray:
    """Gold scores as (n,) float64; CorpusError for too few or equal ones."""
    gold = np.asarray(gold_scores, dtype=np.float64)
    if gold.ndim != 1:
        raise ValueError(f"gold_scores must be one number a pair, shape (n,); got {gold.shape}")
    if len(gold) < LEAST_PAIRS:
        raise CorpusError("too_few_pairs", n=len(gold), limit=LEAST_PAIRS)
    _refuse_not_finite(gold, "gold score")
    if is_constant(gold):
        raise CorpusError("equal_scores", n=len(gold), score=f"{gold[0]:g}")
    return gold


def _refuse_not_finite(values: np.ndarray, name: str) -> None:
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise ValueError(
            f"the {name} of pair {bad[0]} is {values[bad[0]]} ({len(bad)} of {len(values)} are "
            "NaN or infinite). Drop these pairs or fill them in"
        )


def _ratio(shared: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """shared / sqrt(spread) in [-1, 1]; NaN if the spread is 0."""
    return np.clip(shared / np.sqrt(np.where(spread > 0, spread, np.nan)), -1.0, 1.0)


Subset = PairScore | tuple[np.ndarray, np.ndarray]  # a score, or (similarities, gold scores)


@dataclass(frozen=True)
class Aggregate:
    """One Spearman for several subsets."""

    how: str  #: one of ``AGGREGATIONS``; print it beside the number
    #: in [-1, 1]; None if ``undefined`` gives the reason, as in ``PairScore``
    spearman: float | None
    #: low, high: 95% bootstrap interval
    low: float | None
    high: float | None
    n: int  #: pairs
    subsets: Mapping[str, PairScore]  #: by the subset's name
    undefined: str | None = None


class SubsetBootstrap(PairBootstrap):
    """Resamples for pairs of several subsets; ``by_subset`` of a score has the subsets' scores.

    A subset with too few pairs or constant gold scores raises ValueError. If ``how`` is "all" it
    has no score of its own instead.

    Parameters
    ----------
    gold_scores : (n,) array of float
    subsets : sequence of n str, the subset of each pair
    how : str, one of ``AGGREGATIONS``
    draws : int, as in ``PairBootstrap``
    seed : int, as in ``PairBootstrap``
    units : (n,) array, optional
        Of pairs that are drawn together within their subset.
    """

    def __init__(
        self,
        gold_scores: np.ndarray,
        subsets: Sequence[str],
        how: str,
        draws: int = DRAWS,
        seed: int = 0,
        *,
        units: np.ndarray | None = None,
    ) -> None:
        _check_how(how)
        super().__init__(gold_scores, draws, seed, units=units)
        if len(subsets) != self.n:
            raise ValueError(f"{len(subsets)} names of subsets for {self.n} pairs; give one each")
        names = np.asarray(subsets, dtype=str)
        rows = {name: np.flatnonzero(names == name) for name in dict.fromkeys(names.tolist())}
        self.how = how
        self.subsets = tuple((name, len(numbers)) for name, numbers in rows.items())
        self._rows = rows
        self._parts: dict[str, PairBootstrap] = {}
        for place, (name, numbers) in enumerate(rows.items()):  # resampled independently
            unit = units_of(None if units is None else units[numbers], len(numbers))
            try:
                self._parts[name] = PairBootstrap(
                    self.gold_scores[numbers], draws, seed + place, units=unit
                )
            except ValueError as reason:
                if how != "all":
                    raise ValueError(
                        f'subset {name} has no score for "{how}". {reason} Or aggregate by "all".'
                    ) from reason
        self.is_linked |= any(part.is_linked for part in self._parts.values())

    def score(self, similarities: np.ndarray, *, similarity: str = "cosine") -> PairScore:
        """The aggregated score, with the score of each subset.

        Pearson is aggregated in the same way; it has an interval for "all" alone.
        """
        s = self._checked(similarities)
        parts = {
            name: part.score(s[self._rows[name]], similarity=similarity)
            for name, part in self._parts.items()
        }
        if self.how == "all":
            return replace(super().score(s, similarity=similarity), by_subset=parts)
        found = _averaged(parts, self.how)
        return replace(found, similarity=similarity, seed=self.seed, is_linked=self.is_linked)


def resamples_of(
    pairs: Pairs, how: str | None = None, *, draws: int = DRAWS, seed: int = 0
) -> PairBootstrap:
    """Resamples in which pairs that share sentences stay together; ``how`` is of subsets."""
    if how is None:
        return PairBootstrap(pairs.gold_scores, draws, seed, units=pairs.units)
    _check_how(how)
    if pairs.subsets is None:
        raise ValueError(
            f"{pairs.name} names no subsets to aggregate by {how!r}. Add a column subset, genre or "
            "dataset, give several sets, or leave the aggregation out"
        )
    return SubsetBootstrap(pairs.gold_scores, pairs.subsets, how, draws, seed, units=pairs.units)


def aggregate(
    scores_by_subset: Mapping[str, Subset], how: str = "all", *, draws: int = DRAWS, seed: int = 0
) -> Aggregate:
    """Spearman over subsets.

    - ``all``: of the pairs of all subsets together, as one set. Reimers, Gurevych 2019 (SBERT);
      Gao et al. 2021 (SimCSE).
    - ``mean``: of the subsets' scores. Huang et al. 2021 (WhiteningBERT).
    - ``wmean``: the same, weighted by pairs. Li et al. 2020 (BERT-flow), Su et al. 2021.

    Parameters
    ----------
    scores_by_subset : {name: (similarities, gold_scores)}
        Two arrays (n,) a subset. For ``mean`` and ``wmean`` also {name: PairScore}.
    how : str, "all", "mean" or "wmean"
    draws : int
        Resamples of the bootstrap. ``mean`` and ``wmean`` resample within each subset; ``all``
        resamples all pairs together.
    seed : int
    """
    _check_how(how)
    if not scores_by_subset:
        raise ValueError("there are no subsets to aggregate; give one or more")
    scores: dict[str, PairScore] = {}
    for place, (name, subset) in enumerate(scores_by_subset.items()):
        if not isinstance(subset, PairScore):  # subsets are resampled independently
            scores[name] = PairBootstrap(subset[1], draws, seed + place).score(subset[0])
        elif how == "all":
            raise ValueError(
                f'"all" ranks the pairs of all subsets together, and {name} is a score alone; '
                "give (similarities, gold_scores)"
            )
        else:
            scores[name] = subset
    if how == "all":
        similarities, gold = map(np.concatenate, zip(*scores_by_subset.values(), strict=True))
        whole = PairBootstrap(gold, draws, seed).score(similarities)
    else:
        whole = _averaged(scores, how)
    return Aggregate(how, whole.spearman, whole.low, whole.high, whole.n, scores, whole.undefined)


def _check_how(how: str) -> None:
    if how not in AGGREGATIONS:
        raise ValueError(f"how must be one of {', '.join(AGGREGATIONS)}; got {how!r}")


def _averaged(scores: Mapping[str, PairScore], how: str) -> PairScore:
    """Weighted mean of the subsets' scores, and of each resample if all scores have them."""
    n = np.array([score.n for score in scores.values()])
    weights = np.ones(len(n)) if how == "mean" else n
    values = np.array([[each.spearman, each.pearson] for each in scores.values()], dtype=float)
    # NaN, where a subset has none
    means = np.average(values, axis=0, weights=weights)
    value, of_pearson = (None if np.isnan(mean) else float(mean) for mean in means)
    found = PairScore(value, of_pearson, None, None, int(n.sum()), by_subset=scores)
    if value is None:
        return replace(found, pearson=None, undefined="subset")
    replicates = [score.replicates for score in scores.values() if score.replicates is not None]
    if len(replicates) < len(scores) or len(set(map(len, replicates))) != 1:
        return found
    resampled = np.average(np.stack(replicates), axis=0, weights=weights)
    low, high = interval(resampled)
    drawn = int(np.isfinite(resampled).sum())
    return replace(found, low=low, high=high, draws=drawn, replicates=resampled)
