"""Several sets of pairs as one score, under the name of the way: it moves numbers by 20 points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .bootstrap import PairBootstrap
from .scores import PairScore, interval

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
    if how not in AGGREGATIONS:
        raise ValueError(f"how must be one of {', '.join(AGGREGATIONS)}; got {how!r}")
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
    return _averaged(scores, how)


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


def _averaged(scores: Mapping[str, PairScore], how: str) -> Aggregate:
    n = np.array([one.n for one in scores.values()])
    if any(one.spearman is None for one in scores.values()):
        return Aggregate(how, None, None, None, int(n.sum()), scores, "subset")
    weights = np.ones(len(n)) if how == "mean" else n.astype(np.float64)
    values = np.array([one.spearman for one in scores.values()], dtype=np.float64)
    value = float(np.average(values, weights=weights))
    replicates = [one.replicates for one in scores.values()]
    told = [one for one in replicates if one is not None]
    low, high = None, None
    if len(told) == len(replicates) and len({len(one) for one in told}) == 1:
        low, high = interval(np.average(np.stack(told), axis=0, weights=weights))
    return Aggregate(how, value, low, high, int(n.sum()), scores)
