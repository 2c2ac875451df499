"""Paired gains of every cure at every place, beside two controls."""

import json
from collections.abc import Callable
from dataclasses import asdict

import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr
from sklearn.linear_model import RidgeClassifier

from geometry.data.relevance import JudgedQueries
from geometry.diagnosis.evidence import (
    CURES,
    FLOW,
    RANDOM,
    RANDOM_KEPT,
    ROTATED,
    GainGrid,
    evidence,
)
from geometry.diagnosis.trial import FOLDS, folds
from geometry.diagnosis.yardsticks import PENALTY, LabelYardstick, ProbeYardstick
from geometry.linalg.rows import UndefinedMeasure
from geometry.transform import NormalizingFlow
from tests.diagnosis.made_up import labelled
from tests.for_each import for_each

MEAN = (4, "mean")


def cosines(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    return np.einsum("nd,nd->n", left, right) / lengths


def scored_pairs(n: int = 300, seed: int = 0) -> tuple[np.ndarray, tuple]:
    """Pairs of directions in a cone, scored by the cosine outside of it."""
    rng = np.random.default_rng(seed)
    left = rng.standard_normal((n, 12))
    right = left + rng.standard_normal((n, 12)) * rng.uniform(0, 2, (n, 1))
    gold = cosines(left, right) + 0.1 * rng.standard_normal(n)
    X = np.vstack([left, right]) * rng.uniform(0.5, 2, (2 * n, 1))
    X[:, 0] += 5
    return X, (np.arange(n), n + np.arange(n), gold)


def held_out_change(X: np.ndarray, pairs: tuple, treat: Callable) -> float:
    """The mean over folds of the change of Spearman; ``treat`` gets the other folds' rows."""
    left, right, gold = pairs
    fold, changes = folds(np.append(left, left), FOLDS, 0), []
    for each in range(FOLDS):
        judged = np.flatnonzero(fold[: len(gold)] == each)
        before, after = (
            spearmanr(cosines(rows[left[judged]], rows[right[judged]]), gold[judged])[0]
            for rows in (X, treat(X[fold != each]))
        )
        changes.append(after - before)
    return float(np.mean(changes))


def test_a_gain_is_the_mean_change_of_spearman_over_folds():
    """By hand: the mean is that of the rows of the other folds."""
    X, pairs = scored_pairs()
    found = evidence({MEAN: X}, task="pairs", pairs=pairs)
    gain = found.of(*MEAN, "centred", "cosine")
    expected = held_out_change(X, pairs, lambda fit: X - fit.mean(axis=0))
    assert gain.gain.value == pytest.approx(expected, abs=1e-9)
    assert gain.gain.rises
    assert (found.n_items, found.n_units, found.n_fit, found.n_folds) == (300, 300, 480, FOLDS)
    assert [each.cure for each in found.gains[: len(CURES)]] == list(CURES)
    assert GainGrid.of_json(json.loads(json.dumps(asdict(found)))) == found
    with pytest.raises(KeyError):
        found.of(9, "mean", "centred", "cosine")


@pytest.mark.slow
def test_a_flow_is_a_cure_where_it_is_named():
    X, pairs = scored_pairs(n=60)
    X = X[:, :3]
    found = evidence({MEAN: X}, task="pairs", pairs=pairs, cures=(FLOW,)).of(*MEAN, FLOW, "cosine")
    flow = NormalizingFlow(random_state=0)
    expected = held_out_change(X, pairs, lambda fit: flow.fit(fit).transform(X))
    assert found.gain.value == pytest.approx(expected, abs=1e-6)
    assert found.control == ROTATED


def test_a_fit_on_other_rows_is_that_of_these_rows_alone():
    X, pairs = scored_pairs()
    more = np.vstack([X, X[:50] + 3])
    is_other = np.arange(len(more)) >= len(X)
    found = evidence({MEAN: more}, task="pairs", pairs=pairs, fittable=is_other)
    assert found.n_fit == 50
    Z = X - more[is_other].mean(axis=0)
    fold = folds(np.append(pairs[0], pairs[0]), FOLDS, 0)
    left, right, gold = pairs
    scores = [
        spearmanr(cosines(Z[left[part]], Z[right[part]]), gold[part])[0]
        for part in (np.flatnonzero(fold[:300] == each) for each in range(FOLDS))
    ]
    # the folds of judged rows are drawn apart from those of the others
    assert found.of(*MEAN, "centred", "cosine").score == pytest.approx(np.mean(scores), abs=0.02)


def test_the_controls_change_nothing_or_what_random_directions_change():
    X, pairs = scored_pairs()
    similarities = ("cosine", "dot", "euclidean", "rank")
    found = evidence({MEAN: X}, task="pairs", pairs=pairs, similarities=similarities)
    for similarity in similarities[:3]:
        rotated = found.of(*MEAN, ROTATED, similarity)
        assert rotated.is_control
        ends = (rotated.gain.value, rotated.gain.low, rotated.gain.high)
        assert ends == pytest.approx((0, 0, 0), abs=1e-9)
    # one random direction of twelve is nearly the mean alone, and the dominant one is not
    removed = found.of(*MEAN, "abtt:1", "cosine")
    assert removed.control == f"{RANDOM}:1"
    one = found.of(*MEAN, f"{RANDOM}:1", "cosine")
    assert removed.over_control.value == pytest.approx(removed.score - one.score)
    centred = found.of(*MEAN, "centred", "cosine")
    assert one.score == pytest.approx(centred.score, abs=0.03)
    projected = found.of(*MEAN, "projected:64", "cosine")
    assert projected.control == f"{RANDOM_KEPT}:64"
    assert found.of(*MEAN, "pca:lw", "cosine").control == ROTATED
    few = evidence({MEAN: X}, task="pairs", pairs=pairs, cures=["abtt:5", "pca:4"])
    controls = [each.cure for each in few.gains if each.is_control]
    assert controls == [ROTATED, f"{RANDOM}:5", f"{RANDOM_KEPT}:4"]


def test_intervals_hold_together():
    """A difference that is compared with more others has a wider interval."""
    X, pairs = scored_pairs()
    alone = evidence({MEAN: X}, task="pairs", pairs=pairs, cures=["centred"])
    rng = np.random.default_rng(1)
    places = {(layer, "mean"): X + rng.standard_normal(X.shape) for layer in range(5, 9)}
    many = evidence({MEAN: X} | places, task="pairs", pairs=pairs)
    few, lots = (each.of(*MEAN, "centred", "cosine").gain for each in (alone, many))
    assert few.value == pytest.approx(lots.value)
    assert lots.high - lots.low > few.high - few.low
    assert (alone.n_together, len(many.places)) == (3, 5)


def nearest_by(X: np.ndarray, similarity: str) -> np.ndarray:
    """(n, 5) rows of the largest similarity, by brute force."""
    if similarity == "dot":
        S = X @ X.T
    elif similarity == "euclidean":
        S = -np.linalg.norm(X[:, None] - X, axis=2)
    else:
        R = np.array([rankdata(row) for row in X])
        R -= R.mean(axis=1, keepdims=True)
        U = R / np.linalg.norm(R, axis=1, keepdims=True)
        S = U @ U.T
    np.fill_diagonal(S, -np.inf)
    return np.argsort(-S, axis=1)[:, :5]


@for_each("similarity", ["dot", "euclidean", "rank"])
def test_neighbours_by_another_similarity_are_those_of_brute_force(similarity):
    X, labels = labelled("centre", n=200)
    rows, names = np.arange(200), np.array(labels)
    yardstick = LabelYardstick(names, rows, rows, 0, similarity)
    near = nearest_by(X.astype(np.float64), similarity)
    expected = (names[near] == names[:, None]).mean()
    assert yardstick.score(X, rows).values[0] == pytest.approx(expected, abs=0.003)


def test_the_probe_is_ridge_regression_on_the_rows_of_other_folds():
    X, labels = labelled("leave", n=400)
    rows, items = np.arange(400), np.arange(80)
    names = np.array(labels)
    found = ProbeYardstick(names, rows, rows, 0).score(7 * X + 3, items)
    fitted = X[80:] - X[80:].mean(axis=0)
    scale = np.sqrt(X.shape[1] / (fitted**2).sum(axis=1).mean())
    ridge = RidgeClassifier(alpha=PENALTY * 320).fit(scale * fitted, names[80:])
    given = ridge.predict(scale * (X[:80] - X[80:].mean(axis=0)))
    assert found.values[0] == pytest.approx((given == names[:80]).mean(), abs=1e-9)
    assert 0 < found.replicates.std() < 0.1


def test_labels_and_a_probe_judge_and_a_zero_row_is_left_out():
    X, labels = labelled("remove", n=300)
    places = {(0, "mean"): X.copy(), (1, "mean"): X.copy()}
    places[1, "mean"][3] = 0
    for task, similarity in (("labels", "cosine"), ("probe", "")):
        found = evidence(places, task=task, labels=labels)
        assert found.n_items == 299
        removed = found.of(0, "mean", "abtt:1", similarity)
        assert removed.score is not None
        assert removed.gain.rises == (task == "labels")


def test_queries_judge_one_place_and_what_is_refused():
    X, _ = labelled("remove", n=300)
    relevant = tuple({row: 1.0} for row in range(60))
    none = (frozenset(),) * 60
    queries = JudgedQueries(X[:60] + 0.01, relevant, none, n_queries=60, n_missing=0)
    found = evidence({MEAN: X}, task="queries", queries=queries)
    assert (found.n_items, len(found.gains)) == (60, len(CURES) + 5)
    with pytest.raises(ValueError, match="give one place"):
        evidence({MEAN: X, (5, "mean"): X}, task="queries", queries=queries)
    X, pairs = scored_pairs(60)
    with pytest.raises(ValueError, match="needs other evidence"):
        evidence({MEAN: X}, task="labels", pairs=pairs)
    with pytest.raises(UndefinedMeasure):
        evidence({MEAN: X}, task="pairs", pairs=tuple(side[:8] for side in pairs))
