"""How often each kind of 95% interval covers: the table of docs/library.md.

The truth is the mean over all draws: an interval is for clouds of this size from the same source.
Where a fit is a part of the draw, it is the mean over fresh rows with that fit, which is not
repeated.
Each test gives its figures as the property "rates" of the report (``--junitxml``).
"""

from collections.abc import Callable, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from geometry import (
    frequency_direction,
    label_agreement,
    mean_norm_share,
    measure_table,
)
from geometry.claims.cone import _centred_gain
from geometry.claims.scores import PoolingInterval, PoolingShare
from geometry.diagnosis import diagnose, storage_table
from geometry.diagnosis.evidence import CURES, RAW, ROTATED, _control_of, _treated, evidence
from geometry.diagnosis.thresholds import find_thresholds
from geometry.diagnosis.trial import FOLDS, Cure, folds, run_trial
from geometry.diagnosis.yardsticks import LabelYardstick, PairYardstick, ProbeYardstick, TrialRows
from geometry.evaluate import aggregate
from geometry.evaluate.bootstrap import PairBootstrap
from geometry.evaluate.fitting import FitSet
from geometry.measure import (
    Annotations,
    Search,
    annotated_table,
    frequency_bins,
    jaccard_overlap,
    jackknife_interval,
    label_agreement_interval,
    measure_names,
    neighbour_changes,
    neighbour_means,
    retrieval_score,
    without_frequent,
)
from geometry.measure.context import Contextual, Tokens
from geometry.measure.correlation import spearman
from geometry.scale.neighbours import _recall
from tests.diagnosis.test_evidence import MEAN, scored_pairs
from tests.measure.test_context import text

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]

Draw = Callable[[int, int], dict[str, Any]]  # (n, seed) -> value, low, high by name


FRESH = 20  # clouds whose mean is the truth of a fit


def ends(value: float, low: float | None, high: float | None) -> SimpleNamespace:
    return SimpleNamespace(value=value, low=low, high=high)


def with_truth(found: Any, truth: float) -> SimpleNamespace:
    return SimpleNamespace(value=found.value, low=found.low, high=found.high, truth=truth)


def coverage(of: Draw, n: int, draws: int, *, at_once: bool = False) -> dict[str, float]:
    """The share of draws whose interval has the truth; ``at_once`` that all intervals have it."""
    found = [of(n, 10_000 + seed) for seed in range(draws)]  # not the seeds of the intervals
    covered = {}
    for name in found[0]:
        each = [one[name] for one in found]
        has_ends = np.array([one.low is not None for one in each])
        if not has_ends.any():
            continue
        assert has_ends.mean() > 0.95, name
        mean = np.mean([one.value for one in each])
        covered[name] = np.array(
            [
                one.low is None or one.low - 1e-9 <= getattr(one, "truth", mean) <= one.high + 1e-9
                for one in each
            ]
        )
        if not at_once:
            covered[name] = covered[name][has_ends]
    if at_once:
        return {"all at once": float(np.mean(np.all(list(covered.values()), axis=0)))}
    return {name: float(each.mean()) for name, each in covered.items()}


# ---- clouds ----


def cone(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.standard_normal((n, 8)) * np.geomspace(2, 0.3, 8) + 1


def heavy_tails(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.standard_t(6, (n, 10)) * np.geomspace(1, 0.5, 10) + 0.5


def clusters(rng: np.random.Generator, n: int) -> np.ndarray:
    centres = np.random.default_rng(5).standard_normal((6, 12)) * 1.5 + 0.5
    return centres[rng.integers(6, size=n)] + rng.standard_normal((n, 12)) * 0.6


def table_of(cloud: Callable[..., np.ndarray]) -> Draw:
    def of(n: int, seed: int) -> dict[str, Any]:
        X = cloud(np.random.default_rng((n, seed)), n)
        return {row.name: row for row in measure_table(X, simulate=False)}

    of.__name__ = cloud.__name__
    return of


def by_sentence(n: int, seed: int, *, smallest: float = 0.4) -> dict[str, Any]:
    """Ten tokens of each sentence, which share a part of their vector; axes of unequal length."""
    rng = np.random.default_rng((n, seed))
    sentences = np.repeat(np.arange(n), 10)
    X = rng.standard_normal((n, 8))[sentences] + 0.7 * rng.standard_normal((10 * n, 8))
    X = X * np.geomspace(1, smallest, 8) + 0.5
    rows = measure_table(X, names=measure_names()[:-2], units=sentences, simulate=False)
    return {row.name: row for row in rows}


def by_sentence_in_a_round_cloud(n: int, seed: int) -> dict[str, Any]:
    return by_sentence(n, seed, smallest=1.0)


def annotated(n: int, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng((n, seed))
    left = rng.standard_normal((n, 8)) + 0.5
    X = np.vstack([left, left + 0.7 * rng.standard_normal((n, 8))])
    pairs = annotated_table(X, Annotations(pairs=np.arange(2 * n).reshape(2, n).T))
    counts = np.ceil(np.exp(rng.standard_normal(n)))
    W = rng.standard_normal((n, 8)) * np.geomspace(2, 0.5, 8) / np.sqrt(counts)[:, None] + 0.3
    words = annotated_table(W, Annotations(frequencies=counts))
    return {row.name: row for row in (*pairs, *words)}


def labels(n: int, seed: int) -> dict[str, Any]:
    rng, centres = (
        np.random.default_rng((n, seed)),
        np.random.default_rng(5).standard_normal((6, 10)),
    )
    given = rng.integers(6, size=n)
    X = centres[given] + 1.2 * rng.standard_normal((n, 10))
    found = ends(label_agreement(X, given), *label_agreement_interval(X, given))
    return {"label agreement": found}


def tokens(n: int, seed: int, *, is_one_language: bool = False) -> dict[str, Any]:
    """Of one language, the types have the same vectors in every text; else other types are drawn.

    The last value is how far self-similarity falls from a layer to a later one.
    """
    X, types, sentences = text(n, seed, fixed_types=is_one_language)
    rows = annotated_table(X, Annotations(types=types, sentences=sentences))
    rng = np.random.default_rng((seed, 1))
    last = X + 0.7 * rng.standard_normal((n, 10))[sentences] + 0.5 * rng.standard_normal(X.shape)
    first, other = (Tokens(each).self_similarity(types) for each in (X, last))
    fall = Contextual(
        first.difference, other.difference, first.n_terms, first.influence - other.influence
    )
    interval = ends(fall.difference, *fall.interval(sentences, types))
    found = {row.name: row for row in rows} | {"fall of self-similarity": interval}
    of_sentences = "intra_sentence_similarity"  # an interval for other sentences alone
    if is_one_language:
        return {of_sentences: found[of_sentences]}
    del found[of_sentences]
    return found


def tokens_of_one_language(n: int, seed: int) -> dict[str, Any]:
    return tokens(n, seed, is_one_language=True)


def words(n: int, seed: int) -> dict[str, Any]:
    """A word of each rank: the rarer, the longer."""
    rng, ranks = np.random.default_rng((n, seed)), np.arange(1, n + 1)
    length = 1 + 0.5 * np.log(ranks) / np.log(n)
    X, counts = length[:, None] * (rng.standard_normal((n, 8)) + 0.4), 1e5 / ranks
    direction = frequency_direction(X, counts, edges=(100,))
    near = neighbour_means(X)
    [first, rest] = frequency_bins(X, counts, near, edges=(100,))
    apart = near[0][:, 0]
    sparse = ends(spearman(apart, -counts), *jackknife_interval(spearman, apart, -counts))
    return {
        "length and rank": direction.spearman,
        "distance and rank": sparse,
        "length, first 100": first.norm,
        "length, others": rest.norm,
        "cosine, first 100": first.cosine,
        "cosine, others": rest.cosine,
    }


def frequent_types(n: int, seed: int) -> dict[str, Any]:
    X, types, sentences = text(n, seed, fixed_types=True)
    found = without_frequent(X, sentences, types, without=20, seed=seed)
    return {"without frequent types": found.difference}


def six_groups(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    centres = np.random.default_rng(5).standard_normal((6, 12))
    given = rng.integers(6, size=n)
    X = (centres[given] + rng.standard_normal((n, 12))) * np.geomspace(2, 0.5, 12) + 0.7
    return X, given


def of_shift(X: np.ndarray, given: np.ndarray, shift: np.ndarray | float) -> dict[str, Any]:
    found = neighbour_changes(X, X - shift, labels=list(given))
    return {
        "overlap": found.jaccard,
        "agreement before": found.before.agreement,
        "agreement after": found.after.agreement,
        "agreement, change": found.agreement,
    }


def neighbours(n: int, seed: int) -> dict[str, Any]:
    """A shift that is known."""
    return of_shift(*six_groups(np.random.default_rng((n, seed)), n), 0.7)


def neighbours_of_centred_rows(n: int, seed: int) -> dict[str, Any]:
    """The mean of these rows is subtracted, from fresh ones too."""
    X, given = six_groups(np.random.default_rng((n, seed)), n)
    mean, rng = X.mean(axis=0), np.random.default_rng((n, seed, 1))
    values = []
    for _cloud in range(FRESH):
        Y, labels = six_groups(rng, n)
        lists = [Search(each).nearest_of_all(10).rows for each in (Y, Y - mean)]
        before, after = (float((labels[near] == labels[:, None]).mean()) for near in lists)
        values.append((float(jaccard_overlap(*lists).mean()), before, after, after - before))
    truths = np.mean(values, axis=0)
    found = of_shift(X, given, mean)
    return {
        name: with_truth(each, truth)
        for (name, each), truth in zip(found.items(), truths, strict=True)
    }


# ---- scores ----


def queries(n: int, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng((n, seed))
    before = rng.choice([0, 0.2, 0.5, 1], p=(0.3, 0.1, 0.2, 0.4), size=n)
    is_moved = rng.random(n) < 0.3
    after = np.where(is_moved, rng.choice([0, 0.2, 0.5, 1], p=(0.2, 0.1, 0.2, 0.5), size=n), before)
    found = retrieval_score(before, after, seed=seed)
    return {"before": found.before, "after": found.after, "change": found.change}


def pairs(n: int, seed: int) -> dict[str, Any]:
    """Gold scores in steps, as people give them."""
    rng = np.random.default_rng((n, seed))
    hidden = rng.standard_normal(n)
    gold = np.clip(np.round(2.5 + 1.2 * hidden, 1), 0, 5)
    common = hidden + 0.5 * rng.standard_normal(n)
    cls, mean, static = (common + s * rng.standard_normal(n) for s in (1.5, 0.8, 0.5))
    bootstrap = PairBootstrap(gold, 1000, 0)
    _cls, second, third = scores = [bootstrap.score(each) for each in (cls, mean, static)]
    interval, share = PoolingInterval.of(*scores), PoolingShare(*(s.spearman for s in scores))
    return {
        "Spearman": ends(second.spearman, second.low, second.high),
        "Pearson": ends(second.pearson, second.pearson_low, second.pearson_high),
        "Spearman, difference": bootstrap.difference(second, third),
        "pooling: gap": ends(share.gap, *interval.gap),
        "pooling: share": ends(share.share, *(interval.share or (None, None))),
    }


def subsets(n: int, seed: int) -> dict[str, Any]:
    """Five subsets, of which one scores better than the next."""
    rng = np.random.default_rng((n, seed))
    gold = np.clip(np.round(2.5 + 1.2 * rng.standard_normal(n), 1), 0, 5)
    given = {}
    for k in range(5):
        part = gold[k::5]
        given[str(k)] = part + (0.5 + 0.5 * k) * rng.standard_normal(len(part)), part
    found = {how: aggregate(given, how) for how in ("all", "mean")}
    return {how: ends(each.spearman, each.low, each.high) for how, each in found.items()}


def found_neighbours(n: int, seed: int) -> dict[str, Any]:
    """Recall of an approximate search that misses three neighbours in a hundred."""
    exact = np.arange(10 * n).reshape(n, 10)
    is_missed = np.random.default_rng((n, seed)).random(exact.shape) < 0.03
    found = _recall(np.where(is_missed, -1, exact), exact)
    return {"recall": ends(found["recall"], found["recall_low"], found["recall_high"])}


# ---- diagnosis and evidence ----

ARMS = [Cure("leave", "none"), Cure("centre", "centred"), Cure("remove", "abtt:1")]


EVEN = np.geomspace(2, 0.5, 24)  # the fit finds other leading directions in each draw
CLEAR = np.append([6.0, 4.0, 2.6], np.ones(21))  # three clear ones


def six_classes(n: int, seed: int, scales: np.ndarray = EVEN) -> tuple[np.ndarray, np.ndarray]:
    means = np.random.default_rng(99).standard_normal((6, 24))
    rng = np.random.default_rng((n, seed))
    label = rng.integers(6, size=n)
    X = (0.45 * means[label] + rng.standard_normal((n, 24))) * scales
    X[:, 0] += 4
    return X, label.astype(str)


def thresholds(n: int, seed: int, scales: np.ndarray = CLEAR) -> dict[str, Any]:
    X, label = six_classes(n, seed, scales)
    rows = np.arange(n)
    yardstick = LabelYardstick(label, rows, rows, 0)
    given = TrialRows(X, rows, rows, yardstick, np.ones(n, dtype=bool))
    arms = find_thresholds(given, cures=ARMS, seed=0).arms
    return {
        "AUC, raw": arms[0].auc,
        "AUC, centred": arms[1].auc,
        "AUC, change by centring": arms[1].change,
        "AUC, change by a removal": arms[2].change,
    }


def thresholds_of_unclear_directions(n: int, seed: int) -> dict[str, Any]:
    """With the truth of these fits, which are those of fresh clouds too."""
    fits: list[FitSet] = []

    def kept(rows: np.ndarray) -> FitSet:
        fits.append(FitSet(rows))
        return fits[-1]

    def again(rows: np.ndarray) -> FitSet:
        return next(left)

    with patch("geometry.diagnosis.thresholds.FitSet", kept):
        found = thresholds(n, seed, EVEN)
    fresh = []
    for cloud in range(FRESH):
        left = iter(fits)
        with patch("geometry.diagnosis.thresholds.FitSet", again):
            fresh.append(thresholds(n, 10**6 + FRESH * seed + cloud, EVEN))
    return {
        name: with_truth(each, np.mean([one[name].value for one in fresh]))
        for name, each in found.items()
    }


def trial(X: np.ndarray, yardstick: Any, groups: np.ndarray) -> dict[str, Any]:
    rows = TrialRows(X, np.arange(len(X)), groups, yardstick, np.ones(len(X), dtype=bool))
    found = run_trial(rows, seed=0, step=lambda: None)
    return {cure.kind: cure.against["leave"] for cure in found.cures[1:]}


def trial_of_labels(n: int, seed: int) -> dict[str, Any]:
    X, label = six_classes(n, seed, CLEAR)
    rows = np.arange(n)
    return trial(X, LabelYardstick(label, rows, rows, 0), rows)


def trial_of_pairs(n: int, seed: int) -> dict[str, Any]:
    X, (left, right, gold) = scored_pairs(n, seed)
    groups = np.append(left, left)
    return trial(X, PairYardstick(left, right, gold, groups, 0), groups)


def gains(n: int, seed: int, task: str, scales: np.ndarray, cures: Sequence[str]) -> dict[str, Any]:
    if task == "pairs":
        X, given = scored_pairs(n, seed)
        found = evidence({MEAN: X}, task="pairs", pairs=given, cures=cures)
    else:
        X, label = six_classes(n, seed, scales)
        found = evidence({MEAN: X}, task=task, labels=list(label), cures=cures)
    each = {gain.cure: gain.gain for gain in found.gains}
    return each | {f"{gain.cure}, over": gain.over_control for gain in found.gains if gain.control}


def gains_of_these_fits(
    n: int, seed: int, task: str, scales: np.ndarray, cures: Sequence[str]
) -> dict[str, Any]:
    """With the truth of these fits: fresh rows are judged in place of those of each fold."""
    X, label = six_classes(n, seed, scales)
    yardstick = {"labels": LabelYardstick, "probe": ProbeYardstick}[task]
    rows = np.arange(n)
    fold = folds(rows, FOLDS, 0, judges=np.ones(n, dtype=bool))
    kinds = dict.fromkeys([RAW, *cures, ROTATED, *map(_control_of, cures)])
    scores: dict[str, list[float]] = {kind: [] for kind in kinds}
    for number in range(FOLDS):
        is_fit = fold != number
        m = n - int(is_fit.sum())
        Y, of_fresh = six_classes(m * FRESH, 10**6 + FOLDS * seed + number, scales)
        rng, fit_set = np.random.default_rng((0, number)), FitSet(X[is_fit])
        for kind in kinds:
            Z = _treated(kind, fit_set, np.vstack([X[is_fit], Y]), rng)
            fitted, fresh = np.split(Z, [n - m])
            for part, given in zip(np.split(fresh, FRESH), np.split(of_fresh, FRESH), strict=True):
                judge = yardstick(np.append(label[is_fit], given), rows, rows, 0)
                with patch("geometry.diagnosis.yardsticks.DRAWS", 1):  # the value alone
                    found = judge.score(np.vstack([fitted, part]), rows[n - m :])
                scores[kind].append(found.values[0])
    mean = {kind: np.mean(each) for kind, each in scores.items()}
    given = {}
    for name, each in gains(n, seed, task, scales, cures).items():
        cure = name.removesuffix(", over")
        given[name] = with_truth(
            each, mean[cure] - mean[RAW if cure == name else _control_of(cure)]
        )
    return given


def gains_of_pairs(n: int, seed: int) -> dict[str, Any]:
    return gains(n, seed, "pairs", EVEN, CURES)


def gains_of_labels(n: int, seed: int) -> dict[str, Any]:
    return gains(n, seed, "labels", CLEAR, ("centred", "standardised", "abtt:3", "pca:lw"))


def gains_of_labels_of_unclear_directions(n: int, seed: int) -> dict[str, Any]:
    return gains_of_these_fits(n, seed, "labels", EVEN, CURES)


def gains_of_a_probe(n: int, seed: int) -> dict[str, Any]:
    """Of cures that change many rows' answers: a cure that changes none has a point."""
    return gains_of_these_fits(n, seed, "probe", CLEAR, ("abtt:3", "abtt:10"))


@cache
def diagnosed() -> Any:
    X, label = six_classes(300, 0)
    return diagnose(X, labels=list(label))


def storage(n: int, seed: int) -> dict[str, Any]:
    X, label = six_classes(n, seed)
    found = storage_table(diagnosed(), X, cures=ARMS[:2], labels=list(label))
    rows = found.rows[1:]
    return {f"{row.kind} {row.form}": row.change for row in rows if row.form != "float16"}


# ---- claims ----


def claims(n: int, seed: int) -> dict[str, Any]:
    """Jackknives by groups of rows."""
    X = cone(np.random.default_rng((n, seed)), n)
    return {
        "mean-norm share": ends(mean_norm_share(X), *jackknife_interval(mean_norm_share, X)),
        "partition isotropy, gain": ends(_centred_gain(X), *jackknife_interval(_centred_gain, X)),
    }


# ---- the table ----

# (kind, n, draws): a coverage of 0.95 has a standard error of 0.007 at 1,000 draws, 0.011 at 400
KINDS = [
    (table_of(cone), 300, 1000),
    (table_of(cone), 1000, 400),
    (table_of(clusters), 300, 1000),
    (table_of(heavy_tails), 300, 500),
    (by_sentence, 100, 600),
    (by_sentence_in_a_round_cloud, 300, 600),
    (annotated, 300, 1000),
    (labels, 300, 500),
    (tokens, 100, 1000),
    (tokens, 300, 1000),
    (tokens_of_one_language, 100, 1000),
    (tokens_of_one_language, 300, 1000),
    (words, 300, 1000),
    (frequent_types, 100, 400),
    (neighbours, 300, 300),
    (neighbours_of_centred_rows, 300, 300),
    (queries, 60, 1000),
    (queries, 200, 1000),
    (queries, 900, 400),
    (pairs, 200, 500),
    (pairs, 900, 400),
    (subsets, 200, 400),
    (found_neighbours, 200, 500),
    (thresholds, 300, 500),
    (thresholds_of_unclear_directions, 300, 200),
    (storage, 300, 400),
    (claims, 300, 500),
]
# what does not lie within 0.02 of 0.95, as docs/library.md says: few queries
OUTSIDE: dict[tuple[str, int], dict[str, float]] = {
    ("queries", 60): {"change": 0.93},
}
AT_ONCE = [
    (trial_of_labels, 300, 200, 0.92),
    (trial_of_pairs, 300, 200, 0.92),
    (gains_of_pairs, 300, 200, 0.92),
    (gains_of_labels, 300, 300, 0.92),
    (gains_of_labels_of_unclear_directions, 300, 200, 0.92),
    (gains_of_a_probe, 300, 600, 0.92),
]


@pytest.mark.parametrize(("of", "n", "draws"), KINDS)
def test_an_interval_covers_95_in_100(of, n, draws, record_property):
    """Within 0.02, and 0.01 for the error of the simulation."""
    found = coverage(of, n, draws)
    record_property("rates", f"{of.__name__} {n}: {found}")
    expected = {name: OUTSIDE.get((of.__name__, n), {}).get(name, 0.95) for name in found}
    assert {name: c for name, c in found.items() if abs(c - expected[name]) > 0.03} == {}


@pytest.mark.parametrize(("of", "n", "draws", "least"), AT_ONCE)
def test_all_intervals_cover_at_once(of, n, draws, least, record_property):
    found = coverage(of, n, draws, at_once=True)
    record_property("rates", f"{of.__name__} {n}: {found}")
    assert found["all at once"] >= least
