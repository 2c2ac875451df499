"""Cosines of related and of unrelated pairs, and which threshold separates them.

Each pair is within a fold and treated by a fit on the others; the rules are in docs/diagnosis.md.
AUC is a mean of placements (DeLong, DeLong, Clarke-Pearson 1988), so its error is a sum over pairs.
Its variance is that of dyads (Aronow, Samii, Assenova 2015), as for neighbours in ``yardsticks``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.sparse import coo_array
from scipy.stats import binomtest

from ..evaluate.fitting import FitSet
from ..linalg.rows import UndefinedMeasure, directions
from ..measure.intervals import MIN_ROWS, NORMAL, Estimate, around, units_of
from . import yardsticks
from .trial import Cure, TrialSplit
from .yardsticks import LabelYardstick, PairYardstick, QueryYardstick, Score, TrialRows

Evidence = Literal["labels", "pairs", "queries", "none"]
MOST = 10_000  # pairs of each kind
LEAST = 20  # pairs of each kind, below which nothing is said of it
LEAST_ABOVE = 10  # pairs that a threshold for precision has above it
WANTED = 0.9  # precision and recall for which a threshold is sought
QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)
EDGES = np.linspace(-1, 1, 101)  # of the histograms
PAIRS_AT_ONCE = 2000
SPARE = 100  # further draws, in place of pairs that were drawn before or are of one unit


@dataclass(frozen=True)
class Threshold:
    """A cosine from which pairs are called related."""

    #: "precision": the most recall with a precision of WANTED; "f1": the best F1; "recall": the
    #: highest with a recall of WANTED
    code: str
    cosine: float
    #: share of the pairs at or above it that are related; see ``Thresholds.share``
    precision: float
    #: recall, false_share: shares of the related and of the unrelated pairs at or above it
    recall: float
    false_share: float
    false_most: float  #: upper end of the false share, one-sided, at 95%


@dataclass(frozen=True)
class PairCosines:
    """The cosines of the pairs after one treatment."""

    kind: str  #: kind, treatment: as in ``Cure``
    treatment: str
    unrelated: tuple[float, ...]  #: QUANTILES of the unrelated pairs, or of random pairs
    #: QUANTILES of the related pairs; None without evidence, as all that follows
    related: tuple[float, ...] | None = None
    auc: Estimate | None = None  #: with ends where there are MIN_ROWS units
    #: AUC less that of raw vectors, on the same pairs; None for raw vectors
    change: Estimate | None = None
    thresholds: tuple[Threshold, ...] = ()
    #: unrelated_shares, related_shares: shares of the pairs between EDGES
    unrelated_shares: tuple[float, ...] = ()
    related_shares: tuple[float, ...] = ()

    @property
    def middle(self) -> float:
        """The median cosine of unrelated pairs."""
        return self.unrelated[len(QUANTILES) // 2]

    def threshold(self, code: str) -> Threshold | None:
        """The threshold of that code; None where there is none."""
        return next((each for each in self.thresholds if each.code == code), None)


@dataclass(frozen=True)
class Thresholds:
    """The finding: cosines of related and unrelated pairs, raw and after each treatment."""

    evidence: Evidence  #: "labels", "pairs", "queries" or "none"
    arms: tuple[PairCosines, ...]  #: raw vectors first
    #: n_related, n_unrelated: pairs; without evidence random pairs are in ``n_unrelated``
    n_related: int
    n_unrelated: int
    #: least_related, most_unrelated: the least score of related pairs, the most of unrelated ones
    least_related: float | None = None
    most_unrelated: float | None = None
    is_binary: bool = False  #: true if there are only two different scores
    seed: int = 0

    @property
    def share(self) -> float:
        """Share of the compared pairs that are related."""
        return self.n_related / (self.n_related + self.n_unrelated)

    def arm(self, kind: str) -> PairCosines | None:
        """The cosines after the treatment of that kind; None where they are undefined."""
        return next((each for each in self.arms if each.kind == kind), None)


@dataclass(frozen=True)
class FoldPairs:
    """Pairs of rows, which of them are related, and the fold of each, whose fit treats it."""

    left: np.ndarray
    right: np.ndarray
    is_related: np.ndarray
    fold: np.ndarray

    @property
    def counts(self) -> tuple[int, int]:
        n_related = int(self.is_related.sum())
        return n_related, len(self.left) - n_related


def find_thresholds(rows: TrialRows, *, cures: Sequence[Cure], seed: int) -> Thresholds | None:
    """The finding for rows of a trial, none zero; None where there are too few rows."""
    yardstick = rows.yardstick
    rng = np.random.default_rng((seed, 1))  # another seed than that of the folds
    units = units_of(rows.groups, len(rows.X))
    rule: dict[str, Any] = {}
    evidence: Evidence = "none"
    pairs: FoldPairs | None = None
    split = TrialSplit.of(rows, seed, is_apart=False)
    if split is not None:
        if isinstance(yardstick, LabelYardstick):
            at = yardstick.searched
            evidence, pairs = "labels", _within_folds(at, yardstick.labels[at], split, units, rng)
        elif isinstance(yardstick, PairYardstick):
            evidence, (pairs, rule) = "pairs", _of_scores(yardstick, split, rng)
        elif isinstance(yardstick, QueryYardstick):
            evidence, pairs = "queries", _of_queries(yardstick, split, units, rng)
    if split is None or pairs is None or min(pairs.counts) < LEAST:
        evidence, rule = "none", {}
        split = TrialSplit.of(rows, seed, is_apart=False, is_judged=False)
        if split is None:
            return None
        at = np.flatnonzero(rows.fittable)
        pairs = _within_folds(at, None, split, units, rng)
        if pairs.counts[1] < LEAST:
            return None
    arms = _arms(rows.X, pairs, split, units, [cure for cure in cures if cure.place is None])
    return Thresholds(evidence, arms, *pairs.counts, seed=seed, **rule)


# ---- pairs ----


def _within_folds(
    rows: np.ndarray,
    labels: np.ndarray | None,
    split: TrialSplit,
    units: np.ndarray,
    rng: np.random.Generator,
) -> FoldPairs:
    """As many related as unrelated pairs within each fold; without labels random ones."""
    kinds = (True,) if labels is None else (True, False)
    names = np.zeros(len(rows)) if labels is None else labels
    parts = []
    for fold in np.unique(split.fold[rows]):
        is_here = split.fold[rows] == fold
        at = rows[is_here]
        given = names[is_here], units[at], MOST // split.n_folds, rng
        drawn = [draw_pairs(*given, is_same=is_same) for is_same in kinds]
        m = min(len(left) for left, _ in drawn)
        for is_same, (left, right) in zip(kinds, drawn, strict=True):
            is_related = np.full(m, is_same and labels is not None)
            parts.append((at[left[:m]], at[right[:m]], is_related, np.full(m, fold)))
    return _joined(*parts)


def draw_pairs(
    labels: np.ndarray,
    units: np.ndarray,
    most: int,
    rng: np.random.Generator,
    *,
    is_same: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """(left, right): different pairs of rows of different units, all equally probable."""
    order = np.argsort(labels, kind="stable")
    _, start, place, size = np.unique(
        labels[order], return_index=True, return_inverse=True, return_counts=True
    )
    n = len(labels)
    first, count = start[place], size[place]  # (n,) of the label of each row in this order
    partners = count - 1 if is_same else n - count
    if not partners.sum():
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    one = rng.choice(n, 2 * most + SPARE, p=partners / partners.sum())
    step = rng.integers(partners[one])
    if is_same:
        other = first[one] + (one - first[one] + 1 + step) % count[one]
    else:
        other = step + np.where(step >= first[one], count[one], 0)
    ends = np.sort(np.stack([order[one], order[other]]), axis=0)
    ends = ends[:, units[ends[0]] != units[ends[1]]]
    _, kept = np.unique(ends[0] * n + ends[1], return_index=True)
    left, right = ends[:, np.sort(kept)[:most]]
    return left, right


def _of_scores(
    yardstick: PairYardstick, split: TrialSplit, rng: np.random.Generator
) -> tuple[FoldPairs, dict[str, float | bool]]:
    """The pairs of the upper and of the lower third, and the scores that separate them."""
    gold = yardstick.gold
    low, high = float(gold.min(initial=np.inf)), float(gold.max(initial=-np.inf))
    is_binary = len(np.unique(gold)) == 2
    third = 0.0 if is_binary else (high - low) / 3
    is_related, is_unrelated = gold >= high - third, gold <= low + third
    kinds = (is_related & ~is_unrelated, is_unrelated & ~is_related)
    drawn = [rng.permutation(np.flatnonzero(each))[:MOST] for each in kinds]
    kept = np.sort(np.concatenate(drawn))
    sides = yardstick.left[kept], yardstick.right[kept]
    rule = {"least_related": high - third, "most_unrelated": low + third, "is_binary": is_binary}
    return FoldPairs(*sides, is_related[kept], split.item_folds[kept]), rule


def _of_queries(
    yardstick: QueryYardstick, split: TrialSplit, units: np.ndarray, rng: np.random.Generator
) -> FoldPairs:
    queries = yardstick.queries
    n = yardstick.n_searched
    links = np.array([(query, row) for query, each in enumerate(queries.relevant) for row in each])
    links = rng.permutation(links.reshape(-1, 2))[:MOST].astype(np.int64)
    known = zip(queries.relevant, queries.left_out, strict=True)
    near = [
        {units[row] for row in (*relevant, *left_out)} | {units[n + query]}
        for query, (relevant, left_out) in enumerate(known)
    ]
    drawn = rng.integers(n, size=len(links))
    asked = links[:, 0]
    is_other = [units[row] not in near[q] for q, row in zip(asked, drawn, strict=True)]
    others = asked[is_other]
    related = n + asked, links[:, 1], np.ones(len(asked), dtype=bool), split.item_folds[asked]
    unrelated = n + others, drawn[is_other], np.zeros(len(others), bool), split.item_folds[others]
    return _joined(related, unrelated)


def _joined(*parts: tuple[np.ndarray, ...]) -> FoldPairs:
    return FoldPairs(*map(np.concatenate, zip(*parts, strict=True)))


# ---- cosines ----


def _arms(
    X: np.ndarray, pairs: FoldPairs, split: TrialSplit, units: np.ndarray, cures: Sequence[Cure]
) -> tuple[PairCosines, ...]:
    """The cosines after each cure; those with an undefined cosine are left out."""
    cosines = _cosines(X, pairs, split, [cure.treatment for cure in cures])
    ends = units[pairs.left], units[pairs.right]
    found: list[PairCosines] = []
    raw: Score | None = None
    is_counted = len(np.unique(ends)) >= MIN_ROWS  # units, behind an interval
    # pairs of one unit repeat each other: the effective number of Kish (1965), by each side
    repeats = [np.bincount(end[~pairs.is_related]) for end in ends]
    n_apart = min(int(each.sum() ** 2 // (each**2).sum()) for each in repeats)
    for cure, values in zip(cures, cosines, strict=True):
        if values is None:
            continue
        related, unrelated = values[pairs.is_related], values[~pairs.is_related]
        more: dict[str, Any] = {"unrelated_shares": _shares(unrelated)}
        if len(related):
            order = _auc(values, pairs.is_related, ends)
            auc = _interval(order, is_counted)
            change = None if raw is None else yardsticks.change(raw, order)
            if change is not None and not is_counted:
                change = Estimate(change.value, None, None)
            more |= {
                "related": _quantiles(related),
                "auc": auc,
                "change": change,
                "thresholds": find_cuts(values, pairs, n_apart),
                "related_shares": _shares(related),
            }
            raw = raw or order
        found.append(PairCosines(cure.kind, cure.treatment, _quantiles(unrelated), **more))
    return tuple(found)


def _cosines(
    X: np.ndarray, pairs: FoldPairs, split: TrialSplit, treatments: Sequence[str]
) -> list[np.ndarray | None]:
    """(p,) float64 by treatment; None where a treated row is zero."""
    found: list[np.ndarray | None] = [np.empty(len(pairs.left)) for _ in treatments]
    # the first fold that is fitted on the same rows: where no row judges, one fit is for all
    same = [[np.array_equal(each, fit) for each in split.fits].index(True) for fit in split.fits]
    fold_of_fit = np.array(same)[pairs.fold]
    for fold in np.unique(fold_of_fit):
        of_fold = np.flatnonzero(fold_of_fit == fold)
        rows, place = np.unique(
            np.stack([pairs.left[of_fold], pairs.right[of_fold]]), return_inverse=True
        )
        left, right = place.reshape(2, -1)
        fit_set = FitSet(X[split.fits[fold]])
        for number, text in enumerate(treatments):
            values = found[number]
            if values is None:
                continue
            Z = fit_set.fit(text).reduced(X[rows])
            try:
                U = directions(Z.astype(np.float64))
            except UndefinedMeasure:
                found[number] = None
                continue
            for start in range(0, len(of_fold), PAIRS_AT_ONCE):
                some = slice(start, start + PAIRS_AT_ONCE)
                values[of_fold[some]] = np.einsum("pd,pd->p", U[left[some]], U[right[some]])
    return found


def _quantiles(cosines: np.ndarray) -> tuple[float, ...]:
    return tuple(map(float, np.quantile(cosines, QUANTILES)))


def _shares(cosines: np.ndarray) -> tuple[float, ...]:
    return tuple(map(float, np.histogram(cosines, EDGES)[0] / len(cosines)))


def _auc(values: np.ndarray, is_related: np.ndarray, ends: tuple[np.ndarray, np.ndarray]) -> Score:
    """AUC, and what each pair adds to its error, at its two units."""
    below = placements(values[is_related], values[~is_related])
    above = 1 - placements(values[~is_related], values[is_related])
    value = float(below.mean())
    added = np.empty(len(values))
    added[is_related] = (below - value) / len(below)
    added[~is_related] = (above - value) / len(above)
    n_units = int(max(each.max() for each in ends)) + 1
    edges = coo_array((added, ends), shape=(n_units, n_units)).tocsr()
    return Score(np.array([value]), np.zeros((1, 1)), edges)


def _interval(auc: Score, is_counted: bool) -> Estimate:
    """AUC with its interval, which is symmetric in log odds."""
    value = float(auc.values[0])
    spread = value * (1 - value)
    assert auc.edges is not None
    deviation = float(np.sqrt(yardsticks.variance_of_dyads(auc.edges)))
    if not (is_counted and spread and deviation):
        return Estimate(value, None, None)
    ends = around(np.log(value / (1 - value)), NORMAL * deviation / spread)
    return Estimate(value, *(float(1 / (1 + np.exp(-end))) for end in ends))


def placements(values: np.ndarray, among: np.ndarray) -> np.ndarray:
    """(m,) the share of ``among`` below each value, ties for a half."""
    ordered = np.sort(among)
    places = [np.searchsorted(ordered, values, side=side) for side in ("left", "right")]
    return np.asarray((places[0] + places[1]) / (2 * len(among)))


def find_cuts(values: np.ndarray, pairs: FoldPairs, n_apart: int) -> tuple[Threshold, ...]:
    """The thresholds of cosines (p,): for precision if it is reached, F1, and recall.

    Each is the best for all pairs. Pairs flatter a threshold that they chose, so those of a fold
    are counted above the best for the others, if there is one. ``false_most`` is that of Clopper
    and Pearson (1934), for the counted share of ``n_apart`` independent unrelated pairs.
    """
    apart = [pairs.fold != each for each in range(pairs.fold.max() + 1)]
    if any(len(np.unique(pairs.is_related[rest])) < 2 for rest in apart):
        return ()
    others = [_best_cuts(values[rest], pairs.is_related[rest]) for rest in apart]
    found = []
    for code, cosine in _best_cuts(values, pairs.is_related).items():
        chosen = np.array([cuts.get(code, np.inf) for cuts in others])
        is_above, has = values >= chosen[pairs.fold], np.isfinite(chosen)[pairs.fold]
        hits, false = is_above[has & pairs.is_related], is_above[has & ~pairs.is_related]
        # half of the folds reach none
        if np.isinf(np.median(chosen)) or not (is_above.any() and len(hits) and len(false)):
            continue
        n_counted = max(n_apart * len(false) // pairs.counts[1], 1)
        n_false = -(-int(false.sum()) * n_counted // len(false))  # rounded up
        ends = binomtest(n_false, n_counted, alternative="less").proportion_ci()
        shares = hits.sum() / is_above.sum(), hits.mean(), false.mean(), ends.high
        found.append(Threshold(code, cosine, *map(float, shares)))
    return tuple(found)


def _best_cuts(cosines: np.ndarray, is_related: np.ndarray) -> dict[str, float]:
    """The best cosine for each code, on these pairs."""
    related, unrelated = np.sort(cosines[is_related]), np.sort(cosines[~is_related])
    values = np.unique(cosines)
    hits, false = (len(each) - np.searchsorted(each, values) for each in (related, unrelated))
    f1 = 2 * hits / (hits + false + len(related))
    is_precise = (hits / (hits + false) >= WANTED) & (hits + false >= LEAST_ABOVE)
    places = {"precision": np.argmax(np.where(is_precise, hits, -1))} if is_precise.any() else {}
    places |= {"f1": np.argmax(f1), "recall": np.sum(hits / len(related) >= WANTED) - 1}
    return {code: float(values[at]) for code, at in places.items()}
