"""Scores of treated rows: by labels of nearest neighbours, by scored pairs, or by queries.

A yardstick judges *items* (rows as queries, pairs, queries with known answers). Items of one *unit*
depend on each other: copies, sentences of one text, pairs that share a sentence. Every score comes
with replicates of a bootstrap that draws whole units. Where rows are each other's neighbours, the
variance is that of dyads: the sum over all pairs of (query, neighbour) that share a member
(Fafchamps, Gubert 2007; Aronow, Samii, Assenova 2015).

``names`` are its scores, the deciding one first; ``groups`` (i,) are those of its items, by which
rows are split; ``cost`` is how many rows an item is compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

import numpy as np
from scipy.sparse import coo_array, csr_array

from ..data.relevance import JudgedQueries
from ..evaluate.bootstrap import PairBootstrap, checked_gold, drawn_counts
from ..evaluate.similarities import pair_similarities
from ..linalg.rows import UndefinedMeasure, float_rows, need_width
from ..measure import retrieval
from ..measure.correlation import ranks_in_rows
from ..measure.intervals import MIN_ROWS, NORMAL, Estimate, around, units_of
from ..measure.neighbours import chance_agreement, label_codes, largest
from ..measure.search import Search
from .findings import connected, copies

Place = tuple[int, str]  # layer and pooling
Vectors = np.ndarray | Callable[[], np.ndarray]
ScoredRows = tuple[np.ndarray, np.ndarray, np.ndarray]  # left, right, scores
NEIGHBOURS = 5  # of each row, whose labels are compared
FOUND = 10  # rows that a query finds
QUERIES_AT_ONCE = 512
LEAST_ROWS = 4
MOST_PAIRS = 20_000  # that judge
PENALTY = 0.01  # of the linear probe, of the mean variance of a dimension
ERROR = 0.05  # probability that any of the intervals that hold together misses its value
DRAWS = 500  # resamples behind a standard error, which they give to 3%


@dataclass(frozen=True)
class Score:
    """Scores of the same items, the deciding one first."""

    values: np.ndarray  # (m,), the higher the better
    replicates: np.ndarray  # (m, DRAWS), the same in each resample of units
    # (u, u) what each unit as a query and each as its neighbour add to the deciding score, less its
    # mean; None where units are independent
    edges: csr_array | None = None
    by_item: Mapping[int, float] = field(default_factory=dict)  # deciding score of single queries
    # of an arm over splits: replicates (DRAWS,) that choose no setting anew, and each split's score
    fixed: np.ndarray = field(default_factory=lambda: np.empty(0))
    by_split: tuple[float, ...] = ()

    def further(self, number: int) -> Score:
        """Another one of these scores in place of the deciding one."""
        return Score(self.values[[number]], self.replicates[[number]])


def variance_of_dyads(edges: csr_array) -> float:
    """The variance of the sum of edges (u, u), where edges with a common unit are dependent."""
    both = edges + edges.T
    of_units = both.sum(axis=1)
    once = float(both.multiply(both).sum() / 2 + (edges.diagonal() ** 2).sum())
    found = float(of_units @ of_units) - once
    return found if found > 0 else once  # that of independent edges: no estimate is certain


def mean_score(parts: Sequence[Score | None]) -> Score | None:
    known = [each for each in parts if each is not None]
    if len(known) < len(parts):
        return None
    edges = [each.edges for each in known if each.edges is not None]
    by_item = {
        item: float(np.mean([each.by_item[item] for each in known if item in each.by_item]))
        for item in sorted({item for each in known for item in each.by_item})
    }
    return Score(
        np.mean([each.values for each in known], axis=0),
        np.mean([each.replicates for each in known], axis=0),
        sum(edges[1:], edges[0]) / len(known) if edges else None,
        by_item,
        np.mean([each.fixed for each in known], axis=0),
        tuple(chain.from_iterable(each.by_split for each in known)),
    )


@dataclass(frozen=True)
class PairedDifference:
    """The difference of two scores of the same items: value, replicates, and standard error."""

    value: float
    replicates: np.ndarray
    deviation: float
    few: tuple[np.ndarray, np.ndarray] | None = None  # changes and units of few queries

    @classmethod
    def of(
        cls, before: Score, after: Score, units: np.ndarray | None, *, same_items: bool = True
    ) -> PairedDifference:
        """units (i,) : of all items; same_items : every split judges the same ones."""
        value = float(after.values[0] - before.values[0])
        replicates = (after.replicates[0] - before.replicates[0]).astype(np.float64)
        variance = float(np.nanvar(replicates))
        if before.edges is not None and after.edges is not None:
            # what the choice of settings adds, and the dyads in place of single units
            fixed = after.fixed - before.fixed
            of_choice = variance - float(np.nanvar(fixed)) if len(fixed) else 0.0
            variance = max(0.0, of_choice) + variance_of_dyads(after.edges - before.edges)
        by_split = np.subtract(after.by_split, before.by_split)
        if len(by_split) > 1 and same_items:
            variance += float(np.var(by_split, ddof=1)) / len(by_split)
        items, few = list(before.by_item), None
        if units is not None and items and len(np.unique(units)) < retrieval.BOOTSTRAPPED:
            changes = [after.by_item[item] - before.by_item[item] for item in items]
            few = np.array(changes), units[items]
        return cls(value, replicates, float(np.sqrt(variance)), few)

    def estimate(self, quantile: float = NORMAL, n_together: int = 1) -> Estimate:
        """The difference, at 95% together with others: max-T, or Bonferroni for few queries.

        Few queries are compared by a test of signs; the interval is the point if none changes.
        """
        if self.few is None:
            return Estimate(self.value, *around(self.value, quantile * self.deviation))
        changes, units = self.few
        found = retrieval.paired_change(changes, units=units, error=ERROR / max(1, n_together))
        low, high = (found.value if end is None else end for end in (found.low, found.high))
        return Estimate(self.value, low, high)


def change(before: Score, after: Score, units: np.ndarray | None = None) -> Estimate:
    """The difference of a score of the same items at 95%; with units, few queries by signs."""
    return PairedDifference.of(before, after, units).estimate()


def score_of(yardstick: Yardstick, Z: np.ndarray, items: np.ndarray) -> Score | None:
    """None where the treated rows have no such score, such as a zero row, and for no item."""
    if not len(items):
        return None
    try:
        return yardstick.score(Z, items)
    except UndefinedMeasure:
        return None


@dataclass(frozen=True)
class _Labelled:
    labels: np.ndarray  # (n,); "" is no label
    row_groups: np.ndarray  # (n,); copies and rows of one text, which do not judge each other
    searched: np.ndarray  # (s,), the items: one of each copy, with a label
    seed: int

    least = MIN_ROWS

    @property
    def groups(self) -> np.ndarray:
        return self.row_groups[self.searched]

    @cached_property
    def units(self) -> np.ndarray:
        return units_of(self.groups, len(self.searched))

    @cached_property
    def _codes(self) -> np.ndarray:
        return label_codes(list(self.labels[self.searched]))

    @cached_property
    def _n_units(self) -> int:
        return int(self.units.max(initial=-1)) + 1

    @cached_property
    def _drawn(self) -> np.ndarray:
        """(u, DRAWS) how often a resample has a unit, as float32."""
        return drawn_counts(self._n_units, DRAWS, self.seed).astype(np.float32)

    def amount(self) -> int:
        """How many units are judged; 0 where all items would have the same score."""
        n_units = len(np.unique(self.units))
        return n_units if 1 < len(np.unique(self._codes)) < n_units else 0


@dataclass(frozen=True)
class LabelYardstick(_Labelled):
    """Share of a row's nearest neighbours, among other units, that have its label.

    A resample weights a unit by how often it is drawn, as a query and as a neighbour. It does not
    search anew, because a copy would be its own nearest neighbour.
    """

    similarity: str = "cosine"

    names = ("agreement",)

    @property
    def cost(self) -> float:
        return len(self.searched)

    @property
    def chance(self) -> float | None:
        """The score of neighbours drawn at random among other units."""
        if len(np.unique(self.units)) < 2:
            return None
        return chance_agreement(list(self._codes), units=self.units)

    def among(
        self, rows: np.ndarray, X: np.ndarray
    ) -> tuple[LabelYardstick, np.ndarray, np.ndarray]:
        """(the same among some rows, True in (n,), and what judges; its X; searched rows of all)"""
        searched = self.searched[rows[self.searched]]
        return replace(self, searched=searched), X, searched

    def score(self, Z: np.ndarray, items: np.ndarray, *, hidden: np.ndarray | None = None) -> Score:
        """Of treated rows Z (n, k). A ``hidden`` row (s,), of the searched ones, is not found."""
        rows = Z if len(self.searched) == len(Z) else Z[self.searched]
        units = self.units
        k = min(NEIGHBOURS, len(rows) - int(np.bincount(units).max()))
        near = self._nearest_of_others(rows, items, k, hidden)  # (q, k)
        same = self._codes[near] == self._codes[items, None]
        value = float(same.mean())
        added = ((same - value) / same.size).ravel()
        ends = np.repeat(units[items], k), units[near].ravel()
        edges = coo_array((added, ends), shape=(self._n_units,) * 2).tocsr()
        of_units = (edges.sum(axis=1) + edges.sum(axis=0)).astype(np.float32)
        replicates = value + (of_units @ self._drawn - of_units.sum())
        return Score(np.array([value]), replicates[None], edges)

    def _nearest_of_others(
        self, rows: np.ndarray, items: np.ndarray, k: int, hidden: np.ndarray | None
    ) -> np.ndarray:
        """The k rows (q, k) of other units that are most similar to each item, in float32.

        ``Search`` finds near ties again in float64, in four times the time.
        """
        if self.similarity == "rank":
            rows = ranks_in_rows(rows) - (rows.shape[1] + 1) / 2
        if self.similarity in ("cosine", "rank"):
            lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows))
            if not lengths.all():
                row = int(np.argmin(lengths)) + 1
                raise UndefinedMeasure("zero_row", row=row, n_zero=1, n=len(rows))
            rows = rows / lengths[:, None]
        U = rows.astype(np.float32)
        half = 0.0
        if self.similarity != "dot":
            U = U - U.mean(axis=0)  # distances stay, and rows in a needle have more digits
            half = np.einsum("nd,nd->n", U, U) / 2
        units = self.units
        most = int(np.bincount(units).max())
        found = np.empty((len(items), k), dtype=np.int64)
        for start in range(0, len(items), QUERIES_AT_ONCE):
            part = items[start : start + QUERIES_AT_ONCE]
            scores = U[part] @ U.T
            scores -= half
            if hidden is not None:
                scores[:, hidden] = -np.inf
            near = largest(scores, min(k + most, len(rows)))[0]
            is_other = units[near] != units[part, None]
            first = np.argsort(~is_other, axis=1, kind="stable")[:, :k]
            found[start : start + len(part)] = np.take_along_axis(near, first, axis=1)
        return found


class ProbeYardstick(_Labelled):
    """Share of rows whose label a linear probe gives: ridge regression on the other folds' rows.

    Rows are scaled by one number, so that the penalty means the same for every treatment.
    """

    names = ("accuracy",)
    cost = 1.0

    def score(self, Z: np.ndarray, items: np.ndarray) -> Score:
        rows = Z[self.searched].astype(np.float64)
        fitted = np.flatnonzero(~np.isin(self.units, self.units[items]))
        X = rows - rows[fitted].mean(axis=0)
        X *= np.sqrt(X.shape[1] / np.mean(np.einsum("nd,nd->n", X[fitted], X[fitted])))
        names, codes = np.unique(self.labels[self.searched], return_inverse=True)
        is_of = np.eye(len(names))[codes[fitted]]
        scatter = X[fitted].T @ X[fitted] + PENALTY * len(fitted) * np.eye(X.shape[1])
        weights = np.linalg.solve(scatter, X[fitted].T @ (is_of - is_of.mean(axis=0)))
        given = (X[items] @ weights + is_of.mean(axis=0)).argmax(axis=1)
        is_right = (given == codes[items])[None].astype(np.float64)
        return _means(is_right, self._drawn[self.units[items]])


def _means(values: np.ndarray, drawn: np.ndarray) -> Score:
    """The means of values (m, i), and in resamples that draw item i ``drawn[i]`` (i, B) times."""
    total = drawn.sum(axis=0)
    weights = drawn.astype(np.float64)
    replicates = np.where(total > 0, values @ weights / np.maximum(total, 1), np.nan)
    return Score(values.mean(axis=1), replicates)


@dataclass(frozen=True, eq=False)
class PairYardstick:
    """Spearman's correlation of similarities, such as cosines, with the scores of pairs of rows."""

    left: np.ndarray
    right: np.ndarray
    gold: np.ndarray
    row_groups: np.ndarray  # (n,); pairs that share a sentence are of one group
    seed: int
    similarity: str = "cosine"

    names = ("spearman",)
    least = MIN_ROWS
    cost = 1.0

    @cached_property
    def groups(self) -> np.ndarray:
        return self.row_groups[self.left]

    @cached_property
    def units(self) -> np.ndarray:
        return units_of(self.groups, len(self.gold))

    @cached_property
    def _kept(self) -> dict[bytes, PairBootstrap]:
        return {}  # of the items of the last call

    def amount(self) -> int:
        return len(np.unique(self.units)) if len(np.unique(self.gold)) > 1 else 0

    def score(self, Z: np.ndarray, items: np.ndarray) -> Score:
        if len(np.unique(self.gold[items])) < 2:
            raise UndefinedMeasure("no_spread")
        key = items.tobytes()
        if key not in self._kept:
            units = self.units
            self._kept.clear()
            self._kept[key] = PairBootstrap(
                self.gold[items], DRAWS, self.seed, units=units[items], n_units=int(units.max()) + 1
            )
        left, right = Z[self.left[items]], Z[self.right[items]]
        found = self._kept[key].score(pair_similarities(left, right, self.similarity))
        if found.spearman is None or found.replicates is None:
            raise UndefinedMeasure("no_spread")
        return Score(np.array([found.spearman]), found.replicates[None])


class QueryYardstick:
    """nDCG, recall and reciprocal rank of queries with known answers, among FOUND rows.

    The queries' vectors are the last rows of Z; the others are searched.
    """

    names = ("ndcg", "recall", "mrr")
    least = retrieval.MIN_QUERIES

    def __init__(
        self, queries: JudgedQueries, n_searched: int, groups: np.ndarray, seed: int
    ) -> None:
        self.queries, self.n_searched, self.seed = queries, n_searched, seed
        self.groups = groups[n_searched:]
        units = _connected_queries(queries.relevant)
        # answers that most queries share would leave one unit; each query is then one
        self.units = units if np.bincount(units).max() <= len(units) / 2 else np.arange(len(units))
        self.cost = float(n_searched)
        self._weights = drawn_counts(int(self.units.max(initial=-1)) + 1, DRAWS, seed)

    def amount(self) -> int:
        return len(np.unique(self.units))

    def among(
        self, rows: np.ndarray, X: np.ndarray
    ) -> tuple[QueryYardstick, np.ndarray, np.ndarray]:
        relevant = [row for each in self.queries.relevant for row in each]
        searched = np.union1d(np.flatnonzero(rows[: self.n_searched]), relevant).astype(np.int64)
        place = np.full(self.n_searched, -1, dtype=np.int64)
        place[searched] = np.arange(len(searched))
        groups = np.concatenate([searched, self.groups])
        within = QueryYardstick(self.queries.renumbered(place), len(searched), groups, self.seed)
        return within, np.vstack([X[searched], X[self.n_searched :]]), searched

    def score(self, Z: np.ndarray, items: np.ndarray, *, hidden: np.ndarray | None = None) -> Score:
        relevant = [self.queries.relevant[item] for item in items]
        own = [self.queries.left_out[item] for item in items]
        if hidden is not None:
            away = frozenset(np.flatnonzero(hidden).tolist())
            own = [each | away - rows.keys() for each, rows in zip(own, relevant, strict=True)]
        search = Search(Z[: self.n_searched])
        near = search.nearest_except(Z[self.n_searched + items], FOUND, own).rows
        measures = retrieval.ndcg_at_k, retrieval.recall_at_k, retrieval.mrr_at_k
        values = np.stack([measure(near, relevant) for measure in measures])
        by_item = dict(zip(items.tolist(), values[0].tolist(), strict=True))
        return replace(_means(values, self._weights[self.units[items]]), by_item=by_item)


Yardstick = LabelYardstick | ProbeYardstick | PairYardstick | QueryYardstick


def _connected_queries(relevant: Sequence[Iterable[int]]) -> np.ndarray:
    """(q,) the first query that shared relevant rows connect with each."""
    first: dict[int, int] = {}
    links = []
    for query, rows in enumerate(relevant):
        links += [(query, first.setdefault(row, query)) for row in rows]
    left, right = np.array(links, dtype=np.int64).reshape(-1, 2).T
    return units_of(connected(np.arange(len(relevant)), left, right), len(relevant))


@dataclass(frozen=True)
class TrialRows:
    """The rows of the trial, with what judges them."""

    X: np.ndarray  # (m, d)
    # (m,) among all vectors. Where pairs are vectors of other rows: among all sides, and 0 for the
    # rows of the cloud, which are not scored
    numbers: np.ndarray
    groups: np.ndarray  # (m,) copies, rows of one unit, and rows that pairs connect
    yardstick: Yardstick | None
    fittable: np.ndarray  # (m,) False for pairs or queries that are vectors of other rows
    n_pairs: int | None = None  # that were drawn
    others: Mapping[Place, Vectors] = field(default_factory=dict)  # all vectors, at other places

    def at(self, place: Place) -> np.ndarray:
        vectors = self.others[place]
        return np.asarray(vectors() if callable(vectors) else vectors)[self.numbers]

    @classmethod
    def given(
        cls,
        vectors: np.ndarray,
        *,
        texts: Sequence[str] | None = None,
        labels: Sequence[str] | None = None,
        pairs: ScoredRows | None = None,
        queries: JudgedQueries | None = None,
        units: Sequence[int] | np.ndarray | None = None,
        seed: int = 0,
    ) -> TrialRows:
        X = float_rows(vectors, at_least=LEAST_ROWS)
        unit = units_of(None if units is None else np.asarray(units), len(X))
        text = None if texts is None else np.array(texts, dtype=object)
        rows = np.flatnonzero(X.any(axis=1))
        if units is not None:  # only the first of equal rows: the others would join their units
            rows = rows[np.unique(copies(X[rows], _at(text, rows)))]
        if pairs is not None:
            return cls._of_pairs(X, rows, text, unit, pairs, seed)
        if queries is not None:
            return cls._of_queries(X, rows, unit, queries, seed)
        cloud = X if len(rows) == len(X) else X[rows]
        groups = _groups(cloud, _at(text, rows), unit[rows])
        yardstick = None
        if labels is not None:
            names = np.asarray(labels, dtype=str)[rows]
            labelled = np.flatnonzero(names != "")
            same = copies(cloud, _at(text, rows))
            searched = labelled[np.unique(same[labelled], return_index=True)[1]]
            yardstick = LabelYardstick(names, groups, np.sort(searched), seed)
        return cls(cloud, rows, groups, yardstick, np.ones(len(rows), dtype=bool))

    @classmethod
    def _of_pairs(
        cls,
        X: np.ndarray,
        cloud: np.ndarray,
        text: np.ndarray | None,
        unit: np.ndarray,
        pairs: ScoredRows,
        seed: int,
    ) -> TrialRows:
        left, right = (np.asarray(side) for side in pairs[:2])
        gold = checked_gold(pairs[2])
        if not len(left) == len(right) == len(gold):
            raise ValueError(
                f"{len(left)} left sides, {len(right)} right ones and {len(gold)} scores of pairs"
            )
        n_pairs = len(gold)
        drawn = np.arange(n_pairs)
        if n_pairs > MOST_PAIRS:
            drawn = np.random.default_rng(seed).choice(n_pairs, MOST_PAIRS, replace=False)
            left, right, gold = left[drawn], right[drawn], gold[drawn]
        if left.ndim == 2:
            X, groups, fittable = _stacked(X[cloud], np.vstack([left, right]), unit[cloud])
            numbers = np.concatenate([np.zeros_like(cloud), drawn, n_pairs + drawn])
            left, right = (len(cloud) + side for side in np.arange(2 * len(gold)).reshape(2, -1))
        else:
            if min(left.min(), right.min()) < 0 or max(left.max(), right.max()) >= len(X):
                raise ValueError(f"pairs name rows outside of 0 to {len(X) - 1}")
            numbers = np.union1d(cloud, np.union1d(left, right))
            X = X[numbers]
            left, right = (np.searchsorted(numbers, side) for side in (left, right))
            fittable = np.ones(len(X), dtype=bool)
            groups = _groups(X, _at(text, numbers), unit[numbers])
        is_zero = np.linalg.norm(X, axis=1) == 0
        sound = ~(is_zero[left] | is_zero[right])
        left, right, gold = left[sound], right[sound], gold[sound]
        groups = connected(groups, left, right)
        yardstick = PairYardstick(left, right, gold, groups, seed)
        return cls(X, numbers, groups, yardstick, fittable, len(drawn))

    @classmethod
    def _of_queries(
        cls, X: np.ndarray, rows: np.ndarray, unit: np.ndarray, queries: JudgedQueries, seed: int
    ) -> TrialRows:
        queries = replace(queries, vectors=float_rows(queries.vectors, at_least=1))
        need_width(queries.vectors, X.shape[1])
        place = np.full(len(X), -1, dtype=np.int64)  # of each row among those of the cloud
        place[rows] = np.arange(len(rows))
        kept = queries.renumbered(place)
        X, groups, fittable = _stacked(X[rows], kept.vectors, unit[rows])
        numbers = np.concatenate([rows, np.zeros(len(kept), dtype=rows.dtype)])
        return cls(X, numbers, groups, QueryYardstick(kept, len(rows), groups, seed), fittable)


def _at(values: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
    return None if values is None else values[rows]


def _stacked(
    cloud: np.ndarray, more: np.ndarray, units: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(rows, groups, which are fitted on): the cloud, then more rows, each a unit of its own."""
    X = np.vstack([cloud, more.astype(cloud.dtype)])
    units = np.append(units, int(units.max(initial=-1)) + 1 + np.arange(len(more)))
    return X, _groups(X, None, units), np.arange(len(X)) < len(cloud)


def _groups(X: np.ndarray, texts: np.ndarray | None, units: np.ndarray) -> np.ndarray:
    """(n,) the first row that copies and units connect with each row."""
    _, first, place = np.unique(units, return_index=True, return_inverse=True)
    return connected(copies(X, texts), first[place], np.arange(len(X)))
