"""Several sets of pairs as one score, under the name of the way: it moves numbers by 20 points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from .bootstrap import PairBootstrap, checked_gold
from .scores import PairScore, interval

if TYPE_CHECKING:
    from ..data.pairs import Pairs

AGGREGATIONS = ("all", "mean", "wmean")
Subset = PairScore | tuple[np.ndarray, np.ndarray]  # a score, or similarities and gold scores


@dataclass(frozen=True)
class Aggregate:
    """One Spearman for several subsets.

    how : of ``AGGREGATIONS``, never to be left out beside the number.   spearman : in [-1, 1],
    None where ``undefined`` says why.   low, high : 95% bootstrap interval.   n : pairs.
    subsets : each one's own score, by name.
    """

    how: str
    spearman: float | None
    low: float | None
    high: float | None
    n: int
    subsets: Mapping[str, PairScore]
    undefined: str | None = None


class SubsetBootstrap(PairBootstrap):
    """Resamples for pairs of several subsets, scored as one by a named way.

    gold_scores : (n,).   subsets : (n,) the name of each pair's subset.   how : of
    ``AGGREGATIONS``.   draws, seed : as of ``PairBootstrap``.
    Its scores tell each subset's own in ``by_subset``; under "all" those of subsets too small or
    too uniform for one are left out, under the others they are refused. Raises ValueError for
    another way, and naming such a subset.
    """

    def __init__(
        self,
        gold_scores: np.ndarray,
        subsets: Sequence[str],
        how: str,
        draws: int = 1000,
        seed: int = 0,
    ) -> None:
        _check_how(how)
        super().__init__(gold_scores, draws, seed)
        if len(subsets) != self.n:
            raise ValueError(f"{len(subsets)} names of subsets for {self.n} pairs; give one each")
        names = np.asarray(subsets, dtype=str)
        rows = {name: np.flatnonzero(names == name) for name in dict.fromkeys(names.tolist())}
        self.how = how
        self.subsets = tuple((name, len(of_one)) for name, of_one in rows.items())
        self._rows = rows
        self._parts: dict[str, PairBootstrap] = {}
        for place, (name, of_one) in enumerate(rows.items()):
            gold = self._scorable(name, of_one)
            if gold is not None:  # other pairs, other resamples
                self._parts[name] = PairBootstrap(gold, draws, seed + place)

    def score(self, similarities: np.ndarray, *, similarity: str = "cosine") -> PairScore:
        """The score of all subsets by ``how``, with each one's own.

        pearson : aggregated in the same way, its interval for "all" alone.
        """
        s = self._checked(similarities)
        parts = {
            name: part.score(s[self._rows[name]], similarity=similarity)
            for name, part in self._parts.items()
        }
        if self.how == "all":
            return replace(super().score(s, similarity=similarity), by_subset=parts)
        whole = _averaged(parts, self.how)
        return PairScore(
            spearman=whole.spearman,
            pearson=_average([one.pearson for one in parts.values()], whole.weights),
            low=whole.low,
            high=whole.high,
            n=self.n,
            similarity=similarity,
            draws=0 if whole.replicates is None else int(np.isfinite(whole.replicates).sum()),
            seed=self.seed,
            undefined=whole.undefined,
            replicates=whole.replicates,
            by_subset=parts,
        )

    def _scorable(self, name: str, rows: np.ndarray) -> np.ndarray | None:
        try:
            return checked_gold(self.gold_scores[rows])
        except ValueError as reason:
            if self.how == "all":
                return None
            raise ValueError(
                f'subset {name} has no score for "{self.how}": {reason}; or aggregate by "all"'
            ) from reason


def resamples_of(
    pairs: Pairs, how: str | None = None, *, draws: int = 1000, seed: int = 0
) -> PairBootstrap:
    """The resamples of pairs; by ``how`` of their subsets, None for the pairs as one set.

    Raises ValueError for a way to aggregate where the pairs name no subsets.
    """
    if how is None:
        return PairBootstrap(pairs.gold_scores, draws, seed)
    _check_how(how)
    if pairs.subsets is None:
        raise ValueError(
            f"{pairs.name} names no subsets to aggregate by {how!r}. Add a column subset, genre or "
            "dataset, give several sets, or leave the aggregation out"
        )
    return SubsetBootstrap(pairs.gold_scores, pairs.subsets, how, draws, seed)


def aggregate(
    scores_by_subset: Mapping[str, Subset], how: str = "all", *, draws: int = 1000, seed: int = 0
) -> Aggregate:
    """Spearman over subsets.

    - ``all``: of the pairs of all subsets together, as one set. Reimers, Gurevych 2019 (SBERT);
      Gao et al. 2021 (SimCSE).
    - ``mean``: of the subsets' scores. Huang et al. 2021 (WhiteningBERT).
    - ``wmean``: the same, weighted by pairs. Li et al. 2020 (BERT-flow), Su et al. 2021.

    scores_by_subset : {name: (similarities, gold_scores)}; for mean and wmean a ``PairScore`` will
    do. Resamples keep to their subset for these two, and take from all pairs for ``all``.
    Raises ValueError for another way, no subsets, and scores alone under ``all``.
    """
    _check_how(how)
    if not scores_by_subset:
        raise ValueError("there are no subsets to aggregate; give one or more")
    if how == "all":
        _need_pairs(scores_by_subset)
    scores = {
        name: _scored(subset, draws, seed + place)  # other pairs, other resamples
        for place, (name, subset) in enumerate(scores_by_subset.items())
    }
    if how == "all":
        return _together(scores_by_subset, scores, draws, seed)
    whole = _averaged(scores, how)
    n = sum(one.n for one in scores.values())
    return Aggregate(how, whole.spearman, whole.low, whole.high, n, scores, whole.undefined)


def _check_how(how: str) -> None:
    if how not in AGGREGATIONS:
        raise ValueError(f"how must be one of {', '.join(AGGREGATIONS)}; got {how!r}")


def _need_pairs(subsets: Mapping[str, Subset]) -> None:
    for name, subset in subsets.items():
        if isinstance(subset, PairScore):
            raise ValueError(
                f'"all" ranks the pairs of all subsets together, and {name} is a score alone; '
                "give (similarities, gold_scores)"
            )


def _scored(subset: Subset, draws: int, seed: int) -> PairScore:
    if isinstance(subset, PairScore):
        return subset
    similarities, gold = subset
    return PairBootstrap(gold, draws, seed).score(similarities)


def _together(
    subsets: Mapping[str, Subset], scores: Mapping[str, PairScore], draws: int, seed: int
) -> Aggregate:
    pairs = [subset for subset in subsets.values() if not isinstance(subset, PairScore)]
    similarities, gold = (np.concatenate(side) for side in zip(*pairs, strict=True))
    one = PairBootstrap(gold, draws, seed).score(similarities)
    return Aggregate("all", one.spearman, one.low, one.high, one.n, scores, one.undefined)


@dataclass(frozen=True)
class _Average:
    """Spearman averaged over subsets with those weights, in every resample too where there are."""

    weights: np.ndarray
    spearman: float | None
    low: float | None = None
    high: float | None = None
    replicates: np.ndarray | None = None
    undefined: str | None = None


def _averaged(scores: Mapping[str, PairScore], how: str) -> _Average:
    n = np.array([one.n for one in scores.values()], dtype=np.float64)
    weights = np.ones(len(n)) if how == "mean" else n
    value = _average([one.spearman for one in scores.values()], weights)
    if value is None:
        return _Average(weights, None, undefined="subset")
    replicates = [one.replicates for one in scores.values()]
    told = [one for one in replicates if one is not None]
    if len(told) < len(replicates) or len({len(one) for one in told}) != 1:
        return _Average(weights, value)
    resampled = np.average(np.stack(told), axis=0, weights=weights)
    return _Average(weights, value, *interval(resampled), replicates=resampled)


def _average(values: Sequence[float | None], weights: np.ndarray) -> float | None:
    """None where one of them is."""
    told = [value for value in values if value is not None]
    return float(np.average(told, weights=weights)) if len(told) == len(values) else None
