"""One score for several subsets of pairs. Published ways to aggregate differ by up to 20 points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from .bootstrap import DRAWS, PairBootstrap, PairScore, checked_gold, interval

if TYPE_CHECKING:
    from ..data.pairs import Pairs

AGGREGATIONS = ("all", "mean", "wmean")
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
    """

    def __init__(
        self,
        gold_scores: np.ndarray,
        subsets: Sequence[str],
        how: str,
        draws: int = DRAWS,
        seed: int = 0,
    ) -> None:
        _check_how(how)
        super().__init__(gold_scores, draws, seed)
        if len(subsets) != self.n:
            raise ValueError(f"{len(subsets)} names of subsets for {self.n} pairs; give one each")
        names = np.asarray(subsets, dtype=str)
        rows = {name: np.flatnonzero(names == name) for name in dict.fromkeys(names.tolist())}
        self.how = how
        self.subsets = tuple((name, len(numbers)) for name, numbers in rows.items())
        self._rows = rows
        self._parts: dict[str, PairBootstrap] = {}
        for place, (name, numbers) in enumerate(rows.items()):
            gold = self._scorable(name, numbers)
            if gold is not None:  # subsets are resampled independently
                self._parts[name] = PairBootstrap(gold, draws, seed + place)

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
        return replace(_averaged(parts, self.how), similarity=similarity, seed=self.seed)

    def _scorable(self, name: str, rows: np.ndarray) -> np.ndarray | None:
        try:
            return checked_gold(self.gold_scores[rows])
        except ValueError as reason:
            if self.how == "all":
                return None
            raise ValueError(
                f'subset {name} has no score for "{self.how}". {reason} Or aggregate by "all".'
            ) from reason


def resamples_of(
    pairs: Pairs, how: str | None = None, *, draws: int = DRAWS, seed: int = 0
) -> PairBootstrap:
    """The resamples of pairs, for intervals and differences; ``how`` is for pairs with subsets."""
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
    pairs = []
    for place, (name, subset) in enumerate(scores_by_subset.items()):
        if isinstance(subset, PairScore):
            scores[name] = subset
        else:  # subsets are resampled independently
            similarities, gold = subset
            pairs.append(subset)
            scores[name] = PairBootstrap(gold, draws, seed + place).score(similarities)
        if how == "all" and isinstance(subset, PairScore):
            raise ValueError(
                f'"all" ranks the pairs of all subsets together, and {name} is a score alone; '
                "give (similarities, gold_scores)"
            )
    if how == "all":
        similarities, gold = (np.concatenate(side) for side in zip(*pairs, strict=True))
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
    value = _average([score.spearman for score in scores.values()], weights)
    found = PairScore(value, None, None, None, int(n.sum()), by_subset=scores)
    if value is None:
        return replace(found, undefined="subset")
    found = replace(found, pearson=_average([each.pearson for each in scores.values()], weights))
    replicates = [score.replicates for score in scores.values() if score.replicates is not None]
    if len(replicates) < len(scores) or len(set(map(len, replicates))) != 1:
        return found
    resampled = np.average(np.stack(replicates), axis=0, weights=weights)
    low, high = interval(resampled)
    drawn = int(np.isfinite(resampled).sum())
    return replace(found, low=low, high=high, draws=drawn, replicates=resampled)


def _average(values: Sequence[float | None], weights: np.ndarray) -> float | None:
    defined = [value for value in values if value is not None]
    return float(np.average(defined, weights=weights)) if len(defined) == len(values) else None
