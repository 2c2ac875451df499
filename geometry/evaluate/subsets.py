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
    """One Spearman for several subsets.

    Attributes
    ----------
    how : str
        One of ``AGGREGATIONS``; print it beside the number.
    spearman : float in [-1, 1] or None
        None if ``undefined`` gives the reason.
    low, high : float or None
        95% bootstrap interval.
    n : int
        Pairs.
    subsets : mapping of str to PairScore
        The score of each subset, by name.
    undefined : str or None
        As in ``PairScore``.
    """

    how: str
    spearman: float | None
    low: float | None
    high: float | None
    n: int
    subsets: Mapping[str, PairScore]
    undefined: str | None = None


class SubsetBootstrap(PairBootstrap):
    """Resamples for pairs of several subsets; ``by_subset`` of a score has the subsets' scores.

    Parameters
    ----------
    gold_scores : (n,) array of float
    subsets : sequence of n str
        The subset of each pair.
    how : str
        One of ``AGGREGATIONS``.
    draws : int
        As in ``PairBootstrap``.
    seed : int
        As in ``PairBootstrap``.

    Raises
    ------
    ValueError
        For another ``how``, and for a subset with too few pairs or constant gold scores. If
        ``how`` is "all" such a subset has no score of its own instead.
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
        whole = _averaged(parts, self.how)
        return PairScore(
            spearman=whole.spearman,
            pearson=_average([score.pearson for score in parts.values()], whole.weights),
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
                f'subset {name} has no score for "{self.how}". {reason} Or aggregate by "all".'
            ) from reason


def resamples_of(
    pairs: Pairs, how: str | None = None, *, draws: int = DRAWS, seed: int = 0
) -> PairBootstrap:
    """The resamples of pairs, for intervals and differences.

    Raises
    ------
    ValueError
        If ``how`` is given for pairs without subsets.
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
    how : str
        "all", "mean" or "wmean".
    draws : int
        Resamples of the bootstrap. ``mean`` and ``wmean`` resample within each subset; ``all``
        resamples all pairs together.
    seed : int
        Seed of the bootstrap.

    Raises
    ------
    ValueError
        For another ``how``, no subsets, and a ``PairScore`` under ``all``.
    """
    _check_how(how)
    if not scores_by_subset:
        raise ValueError("there are no subsets to aggregate; give one or more")
    if how == "all":
        _need_pairs(scores_by_subset)
    scores = {
        name: _scored(subset, draws, seed + place)  # subsets are resampled independently
        for place, (name, subset) in enumerate(scores_by_subset.items())
    }
    if how == "all":
        return _together(scores_by_subset, scores, draws, seed)
    whole = _averaged(scores, how)
    n = sum(score.n for score in scores.values())
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
    whole = PairBootstrap(gold, draws, seed).score(similarities)
    return Aggregate("all", whole.spearman, whole.low, whole.high, whole.n, scores, whole.undefined)


@dataclass(frozen=True)
class _Average:
    """Weighted mean of the subsets' Spearman, and of each resample if all scores have them."""

    weights: np.ndarray
    spearman: float | None
    low: float | None = None
    high: float | None = None
    replicates: np.ndarray | None = None
    undefined: str | None = None


def _averaged(scores: Mapping[str, PairScore], how: str) -> _Average:
    n = np.array([score.n for score in scores.values()], dtype=np.float64)
    weights = np.ones(len(n)) if how == "mean" else n
    value = _average([score.spearman for score in scores.values()], weights)
    if value is None:
        return _Average(weights, None, undefined="subset")
    replicates = [score.replicates for score in scores.values() if score.replicates is not None]
    if len(replicates) < len(scores) or len(set(map(len, replicates))) != 1:
        return _Average(weights, value)
    resampled = np.average(np.stack(replicates), axis=0, weights=weights)
    return _Average(weights, value, *interval(resampled), replicates=resampled)


def _average(values: Sequence[float | None], weights: np.ndarray) -> float | None:
    """The weighted mean; None if a value is None."""
    defined = [value for value in values if value is not None]
    return float(np.average(defined, weights=weights)) if len(defined) == len(values) else None
