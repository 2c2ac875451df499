"""Thresholds: AUC and cuts by hand and by scikit-learn, the drawn pairs, what centring does."""

import numpy as np
import pytest
from scipy.stats import binom, norm
from sklearn.metrics import precision_recall_curve, roc_auc_score

from geometry.data.relevance import JudgedQueries
from geometry.diagnosis import diagnose, threshold_sentences
from geometry.diagnosis.threshold_sentences import SENTENCES, cut_table, summary
from geometry.diagnosis.thresholds import FoldPairs, find_cuts, find_thresholds, placements
from geometry.diagnosis.trial import FOLDS, Cure, folds
from geometry.diagnosis.yardsticks import LabelYardstick, TrialRows
from tests.for_each import for_each

CURES = [Cure("leave", "none"), Cure("centre", "centred"), Cure("remove", "abtt:1")]


def cone(n: int = 400, d: int = 16, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """(vectors far from the origin, labels): eight centres around the mean, of equal number."""
    rng = np.random.default_rng(seed)
    label = np.arange(n) % 8
    centres = np.linalg.qr(rng.standard_normal((d, d)))[0][:8]
    X = 2 * centres[label] + 0.4 * rng.standard_normal((n, d))
    X[:, 0] += 6
    return X.astype(np.float32), label.astype(str)


@for_each("rounded", [2, 9])
def test_auc_and_cuts_are_those_of_scikit_learn(rounded):
    rng = np.random.default_rng(rounded)
    values = np.append(rng.normal(0.6, 0.2, 300), rng.normal(0.3, 0.2, 500)).round(rounded)
    truth = np.arange(800) < 300
    auc = pytest.approx(roc_auc_score(truth, values))
    assert placements(values[:300], values[300:]).mean() == auc
    fold = rng.integers(5, size=800)

    def best(some: np.ndarray) -> dict[str, float]:
        *curve, at = precision_recall_curve(truth[some], values[some])
        precision, recall = (each[:-1] for each in curve)
        f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
        is_precise = (precision >= 0.9) & ((values[some][:, None] >= at).sum(0) >= 10)
        found = {"precision": at[np.argmax(np.where(is_precise, recall, -1))]}
        return found | {"f1": at[np.argmax(f1)], "recall": at[recall >= 0.9].max()}

    cuts = find_cuts(values, FoldPairs(fold, fold, truth, fold), 500)
    assert {cut.code: cut.cosine for cut in cuts} == best(fold >= 0)
    for cut in cuts:
        is_above = values >= np.array([best(fold != each)[cut.code] for each in range(5)])[fold]
        shares = truth[is_above].mean(), is_above[:300].mean(), is_above[300:].mean()
        assert (cut.precision, cut.recall, cut.false_share) == pytest.approx(shares)
        assert binom.cdf(is_above[300:].sum(), 500, cut.false_most) == pytest.approx(0.05)
    assert find_cuts(values, FoldPairs(fold, fold, truth, 1 - truth), 500) == ()  # none to choose
    # without the first fold, which has 4 of the 12 pairs above, too few are: it has no threshold
    fold, truth = np.arange(100) % 5, np.arange(100) < 50
    values = (np.arange(100) < np.array([20, 10, 10, 10, 10])[fold]).astype(float)
    cut = find_cuts(values, FoldPairs(fold, fold, truth, fold), 50)[0]
    assert (cut.code, cut.recall) == ("precision", 8 / 40)
    assert cut.false_most == pytest.approx(1 - 0.05 ** (1 / 40))


@for_each(("m", "distance", "code"), [(50, 1, "precision"), (20, 1, "f1"), (20, 3, "f1")])
def test_shares_of_a_threshold_are_those_of_new_pairs(m, distance, code):
    """Counted on the pairs that chose it, precision or recall is 0.05 to 0.09 too high."""
    rng = np.random.default_rng(0)
    fold, truth, rows = np.arange(2 * m) % 5, np.arange(2 * m) < m, []
    for _ in range(200):
        values = rng.normal(size=2 * m) + distance * truth
        for cut in find_cuts(values, FoldPairs(fold, fold, truth, fold), m):
            recall, false = norm.sf([cut.cosine - distance, cut.cosine])
            bias = cut.precision - recall / (recall + false), cut.recall - recall
            is_high = cut.recall / cut.false_most > recall / false  # odds if few are related
            rows += [(*bias, is_high)] if cut.code == code else []
    assert np.all(np.abs(np.mean(rows, axis=0)) < [0.03, 0.04, 0.1])


def test_centring_is_the_cure_for_a_threshold():
    X, labels = cone()
    found = diagnose(X, labels=labels)
    assert found.thresholds.evidence == "labels"
    raw, centred = found.thresholds.arm("leave"), found.thresholds.arm("centre")
    assert raw.unrelated[0] > 0.7
    assert centred.middle < 0.1
    assert not centred.change.falls
    said = summary(found, str)
    assert SENTENCES["cure"].partition(":")[0] in said
    best = centred.threshold("f1")
    assert (best.precision, best.recall) == pytest.approx((1, 1), abs=0.05)
    # rows count, and not the pairs, of which there are more
    assert binom.cdf(400 * best.false_share, 400, best.false_most) < 0.06
    assert (found.thresholds.share, sum(centred.related_shares)) == pytest.approx((0.5, 1.0))


def test_the_cosines_are_of_held_out_pairs_by_another_route():
    """Each pair is within a fold and has the mean of the other folds subtracted."""
    X, labels = cone(n=200)
    groups = np.arange(200)
    yardstick = LabelYardstick(labels, groups, groups, 0)
    given = TrialRows(X, groups, groups, yardstick, np.ones(200, dtype=bool))
    found = find_thresholds(given, cures=CURES, seed=5)
    fold, related, unrelated = folds(groups, FOLDS, 5), [], []
    for each in range(FOLDS):
        Z = X[fold == each] - X[fold != each].mean(axis=0)
        U = Z / np.linalg.norm(Z, axis=1, keepdims=True)
        a, b = np.triu_indices(len(U), 1)
        cosines, names = (U @ U.T)[a, b], labels[fold == each]
        related.append(cosines[names[a] == names[b]])
        unrelated.append(cosines[names[a] != names[b]])
    related, unrelated = map(np.concatenate, (related, unrelated))
    arm = found.arm("centre")
    assert found.n_related == found.n_unrelated == len(related)  # all, and as many others
    truth = np.append(np.ones(len(related)), np.zeros(len(unrelated)))
    auc = roc_auc_score(truth, np.append(related, unrelated))
    assert arm.auc.value == pytest.approx(auc, abs=0.02)
    quantiles = np.quantile(related, [0.025, 0.25, 0.5, 0.75, 0.975])
    assert arm.related == pytest.approx(quantiles, abs=1e-5)


def test_scored_pairs_are_related_from_the_upper_third_of_the_range():
    rng = np.random.default_rng(0)
    left, right = rng.standard_normal((2, 300, 16))
    gold = np.linspace(0, 3, 300)
    X = np.vstack([left, gold[:, None] * left + right]) + 3
    numbers = np.arange(600).reshape(2, -1)
    found = diagnose(X, pairs=(*numbers, gold)).thresholds
    assert (found.evidence, found.least_related, found.most_unrelated) == ("pairs", 2.0, 1.0)
    assert (found.n_related, found.n_unrelated) == ((gold >= 2).sum(), (gold <= 1).sum())
    # intervals of pairs that share no sentence are those of independent pairs
    arm = found.arms[0]
    assert arm.auc.low < arm.auc.value < arm.auc.high < 1
    binary = diagnose(X, pairs=(*numbers, (gold > 1).astype(float)))
    assert binary.thresholds.is_binary
    assert binary.thresholds.n_related == (gold > 1).sum()
    assert "have the score 1, and unrelated pairs have 0" in threshold_sentences.basis(binary, str)


def test_queries_are_compared_with_their_rows_and_with_other_rows():
    X, labels = cone()
    near = [np.flatnonzero(labels == label)[:3] for label in labels[:80]]
    queries = JudgedQueries(
        X[:80] + 0.01,
        tuple({int(row): 1.0 for row in rows} for rows in near),
        tuple(frozenset({row}) for row in range(80)),
        80,
        0,
    )
    found = diagnose(X, queries=queries)
    thresholds = found.thresholds
    assert (thresholds.evidence, thresholds.n_related) == ("queries", 240)
    assert 200 < thresholds.n_unrelated <= 240
    assert thresholds.arms[0].auc.value > 0.8
    assert "A related pair is a query" in threshold_sentences.basis(found, str)


def test_without_evidence_there_are_random_pairs_only():
    X, _ = cone()
    found = diagnose(X)
    raw = found.thresholds.arm("leave")
    assert (found.thresholds.n_related, raw.auc, raw.related) == (0, None, None)
    assert found.thresholds.n_unrelated <= 10_000
    said = summary(found, str)
    assert f"between {raw.unrelated[0]:.3f} and {raw.unrelated[-1]:.3f}" in said
    assert "Nothing here can judge whether it keeps the order" in said
    assert cut_table(found, str) == ([], [])
    assert diagnose(X, labels=["one"] * 400).thresholds.evidence == "none"
    assert diagnose(X[:5]).thresholds is None  # too few pairs
    assert diagnose(X, unknown_share=0.5).thresholds is None


def test_copies_and_rows_of_one_text_are_no_pair():
    X, labels = cone(n=80)
    twice = np.vstack([X, X])
    found = diagnose(twice, labels=[*labels, *labels]).thresholds
    assert max(found.arms[0].related) < 1 - 1e-6
    units = np.repeat(np.arange(40), 2)  # rows of one text have different labels
    assert diagnose(X, labels=labels, units=units).thresholds.n_unrelated > 0


def test_little_evidence_is_no_proof_that_the_order_stays():
    """Sixty rows with labels at random: centring moves the cosines, and nothing more is known."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 16)) + 2
    found = diagnose(X, labels=[str(each) for each in rng.integers(3, size=60)])
    said = summary(found, str)
    assert "not enough data to say that it keeps the order" in said
    assert "The change of the score by which cures are compared is" in said  # this decides
    assert "Centring is the cure" not in said
    assert "No threshold separates these pairs well" in said
    assert found.thresholds.arms[0].auc.value == pytest.approx(0.5, abs=0.1)
