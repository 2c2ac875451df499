"""Recommendations on data where one is right by construction, or where data are too few."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t
from sklearn.decomposition import PCA

from geometry import load_encoder, read_bundled, read_cloud
from geometry.data.relevance import JudgedQueries
from geometry.diagnosis import Cure, diagnose, recommended_treatment
from geometry.diagnosis.diagnosis import _with_effect
from geometry.diagnosis.findings import Finding, _hubs, find_all
from geometry.diagnosis.sentences import (
    basis,
    certainty,
    evidence,
    finding_sentence,
    measured,
    recommendation,
    title,
)
from geometry.diagnosis.trial import FOLDS, SPLITS, chosen_by_fold, folds, recommended, together
from geometry.diagnosis.yardsticks import PairedDifference, Score, TrialRows
from geometry.encode import ArrayStore
from geometry.evaluate.fitting import FitSet
from geometry.measure import Measured, Search, label_agreement
from geometry.measure.intervals import Estimate
from tests.diagnosis.made_up import labelled, ten_centres
from tests.for_each import for_each


def unit(X: np.ndarray) -> np.ndarray:
    return X / np.linalg.norm(X, axis=-1, keepdims=True)


def by_code(found) -> dict:
    return {each.code: each for each in found.findings}


# ---- the recommendation ----


@for_each("case", ["leave", "centre", "remove", "level"])
def test_the_treatment_that_is_right_by_construction_is_recommended(case):
    X, labels = labelled(case)
    found = diagnose(X, labels=labels)
    trial = found.trial
    assert found.chosen.kind == case
    assert (trial.n_fit, trial.n_held_out, trial.amount, trial.n_items) == (480, 120, 600, 600)
    assert trial.because == ("nothing_helps" if case == "leave" else "helps")
    assert (case == "remove") == (found.chosen.treatment == "abtt:1")
    assert recommended_treatment(found, X).n_rows == len(X)
    assert trial.n_agree == trial.n_splits == SPLITS


@pytest.mark.slow
def test_a_cut_that_helps_is_not_credited_to_whitening():
    """Ten centres in isotropic noise: whitening to 16 directions gains, and the cut alone more."""
    X, labels = ten_centres()
    found = diagnose(X, labels=labels)
    cures = {cure.kind: cure for cure in found.trial.cures}
    assert cures["whiten"].beats("leave")
    assert found.chosen.treatment == "projected:16"
    assert cures["whiten"].against["project"].high < 0
    # a second route to the gain: scikit-learn's PCA of all rows
    Z = PCA(16).fit_transform(X)
    gain = label_agreement(Z, labels) - label_agreement(X, labels)
    assert cures["project"].against["leave"].value == pytest.approx(gain, abs=0.01)


def test_the_score_is_of_held_out_rows_by_another_route():
    X, labels = labelled("remove", n=200)
    found = diagnose(X, labels=labels, seed=3)
    names, shares = np.array(labels), []
    for split in range(SPLITS):
        fold = folds(np.arange(200), FOLDS, (3, split))
        assert np.bincount(fold).tolist() == [40] * FOLDS
        for each in range(FOLDS):
            fit = X[fold != each]
            mean = fit.mean(axis=0)
            top = np.linalg.svd(fit - mean)[2][0]
            Z = X - mean
            Z = Z - np.outer(Z @ top, top)
            U = Z / np.linalg.norm(Z, axis=1, keepdims=True)
            near = np.argsort(-(U @ U.T) + 9 * np.eye(200), axis=1)[fold == each, :5]
            shares.append((names[near] == names[fold == each, None]).mean())
    [cure] = [each for each in found.trial.cures if each.kind == "remove"]
    assert cure.treatment == "abtt:1"
    assert cure.score == pytest.approx(np.mean(shares), abs=0.004)


def test_a_sample_of_items_has_some_of_every_fold_and_is_counted(monkeypatch):
    """Seed 0 of the sample is not that of the folds, which would leave folds without a row."""
    monkeypatch.setattr("geometry.diagnosis.trial.COMPARED", 0)
    monkeypatch.setattr("geometry.diagnosis.trial.LEAST_ITEMS", 300)
    X, labels = labelled("centre")
    found = diagnose(X, labels=labels)
    assert (found.trial.n_items, found.chosen.kind) == (300, "centre")
    assert evidence(found, str).startswith("On 300 held-out rows")


def queries_of(X: np.ndarray, rows: np.ndarray, **more: tuple) -> JudgedQueries:
    """Queries beside rows (q,), which alone answer them."""
    near = X[rows] + 0.01 * np.random.default_rng(1).standard_normal((len(rows), X.shape[1]))
    given = {"relevant": tuple({int(row): 1.0} for row in rows)} | more
    return JudgedQueries(
        near, **given, left_out=(frozenset(),) * len(rows), n_queries=len(rows), n_missing=0
    )


def test_a_dozen_queries_are_judged_in_every_split_by_a_test_of_signs():
    """Few queries among many rows: every fold has some, and the interval is ``paired_change``'s."""
    X, _ = labelled("remove", n=400)
    for seed in range(2):
        trial = diagnose(X, queries=queries_of(X, np.arange(12)), seed=seed).trial
        assert (trial.amount, trial.n_items, trial.n_searched) == (12, 12, 400)
        assert all(cure.score is not None for cure in trial.cures)
        assert set(trial.cures[1].more) == {"recall", "mrr"}
    few = diagnose(X, queries=queries_of(X, np.arange(9)))
    assert few.trial.because == "too_few"
    assert "10 queries that share no answer; here there are 9 such groups" in recommendation(
        few, str
    )
    assert few.trial.n_fit + few.trial.n_held_out == 400
    # one row answers all: each query is then a unit
    shared = queries_of(X, np.arange(30), relevant=({0: 1.0},) * 30)
    assert diagnose(X, queries=shared).trial.amount == 30


def test_queries_that_a_direction_hides_recommend_its_removal():
    """Noise along one direction moves queries away from the rows that answer them."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 16))
    asked = queries_of(X, np.arange(100))
    noise = np.zeros(16)
    noise[3] = 1.0
    rows = (X + 5 * rng.standard_normal((300, 1)) * noise).astype(np.float32)
    vectors = asked.vectors + 5 * rng.standard_normal((100, 1)) * noise
    found = diagnose(rows, queries=replace(asked, vectors=vectors))
    assert found.chosen.kind == "remove"
    assert found.chosen.score > 0.9
    said = evidence(found, str)
    assert "On 100 queries, the nDCG of the 10 nearest is 0." in said
    assert "Recall among the 10 nearest: +0." in said


def test_the_setting_of_a_fold_is_chosen_on_the_other_folds():
    """Setting 0 is best on fold 0 alone, so fold 0 takes the setting that wins elsewhere."""

    def made(*values: float) -> list[Score]:
        return [Score(np.array([value]), np.full((1, 3), value)) for value in values]

    settings = [made(0.9, 0.1, 0.1), made(0.2, 0.5, 0.6)]
    found = chosen_by_fold(settings)
    # folds 1 and 2 see .9 + .1 of setting 0 against .2 + .6 and .2 + .5 of setting 1
    assert found.values[0] == pytest.approx((0.2 + 0.1 + 0.1) / 3)
    assert found.replicates[0] == pytest.approx([0.4 / 3] * 3)


def test_few_units_and_few_splits_widen_an_interval():
    moved = PairedDifference(0.0, np.random.default_rng(0).standard_normal(500), 1.0)
    ratio = t.ppf(0.975, 4) / t.ppf(0.975, 999)
    assert together([moved], 5) / together([moved], 1000) == pytest.approx(ratio)
    none, some = (
        Score(np.zeros(1), np.zeros((1, 3)), by_split=each) for each in ([0] * 3, [0.1, 0.2, 0.3])
    )
    assert PairedDifference.of(none, some, None).deviation == pytest.approx(0.1 / np.sqrt(3))


@pytest.mark.slow
def test_pairs_decide_by_row_numbers_and_as_vectors():
    rng = np.random.default_rng(0)
    left, other = rng.standard_normal((2, 300, 16))
    share = rng.random((300, 1))
    clean = np.vstack([left, share * left + (1 - share) * other])
    gold = share.ravel()
    X = clean + 9 * rng.standard_normal((600, 1)) * np.eye(16)[0]
    numbers = np.arange(600).reshape(2, -1)
    found = diagnose(X, labels=["one"] * 600, pairs=(*numbers, gold))
    assert (found.yardstick, found.trial.amount, found.trial.n_fit) == ("pairs", 300, 480)
    assert found.chosen.kind == "remove"
    assert "Spearman" in evidence(found, str)
    # The pairs' vectors judge a fit on the corpus alone. That fit is exported.
    sides = (X[:300], X[300:], gold)
    apart = diagnose(X[:50] + 1e-3, pairs=sides)
    assert (apart.chosen.kind, apart.trial.n_fit) == ("remove", 50)
    # findings describe the vectors without the pairs
    assert by_code(apart)["rank"].numbers["n"] == 50
    # copies of held-out sentences are left out of the fit
    assert diagnose(X, pairs=sides).trial.n_fit == 480
    # the pairs' vectors from another layer without this noise
    elsewhere = diagnose(np.roll(X, 3, axis=1)[:200], pairs=sides, others={(2, "cls"): clean})
    assert elsewhere.chosen.place == (2, "cls")
    few = diagnose(X[:30] + 1e-3, pairs=sides)
    assert "40 vectors to fit on; here there are 30" in recommendation(few, str)
    with pytest.raises(ValueError, match="rows outside of 0 to 599"):
        diagnose(X, pairs=(numbers[0], numbers[1] + 1, gold))


@pytest.mark.slow
def test_of_many_pairs_a_sample_judges(monkeypatch):
    monkeypatch.setattr("geometry.diagnosis.yardsticks.MOST_PAIRS", 100)
    left, right, other = np.random.default_rng(0).standard_normal((3, 300, 8))
    turn = np.linalg.qr(left[:8])[0]  # the other layers are rotated, so no cosine changes
    there = {(1, "mean"): np.vstack([left @ turn, right @ turn])}
    found = diagnose(other[:60], pairs=(left, right, np.arange(300.0)), others=there, seed=1)
    assert (found.trial.amount, found.trial.n_items) == (100, 100)
    assert "The pairs are a random sample of 100 of 300." in basis(found, str)
    raw, *_, layer = found.trial.cures
    assert (layer.place, layer.score) == ((1, "mean"), pytest.approx(raw.score))


def recorded_fits(monkeypatch: pytest.MonkeyPatch) -> list[np.ndarray]:
    """The rows of every fit of a trial, as they come."""
    fitted = []

    def recorded(rows: np.ndarray, **how: float) -> FitSet:
        fitted.append(rows)
        return FitSet(rows, **how)

    monkeypatch.setattr("geometry.diagnosis.trial.FitSet", recorded)
    return fitted


def test_pairs_that_share_a_sentence_are_in_one_fold_and_one_unit(monkeypatch):
    """Pairs alone: 100 groups of four sentences, each of which is in two pairs of its group."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 8)) + 1
    left = np.arange(400)
    right = left // 4 * 4 + (left + 1) % 4
    fitted = recorded_fits(monkeypatch)
    found = diagnose(X, pairs=(left, right, rng.random(400)))
    for fit in fitted:
        is_fitted = np.isin(X[:, 0], fit[:, 0])
        assert set(is_fitted.reshape(100, 4).sum(axis=1)) == {0, 4}
    assert (found.trial.n_fit, found.trial.amount, found.trial.n_items) == (320, 100, 400)
    assert "400 held-out pairs in 100 groups" in evidence(
        replace(found, trial=replace(found.trial, chosen=found.trial.cures[1])), str
    )


@pytest.mark.slow
def test_another_layer_is_recommended_where_it_is_better_than_every_cure():
    noise, labels = labelled("level")
    clean, _ = labelled("leave")
    others = {(1, "last"): noise[::-1].copy(), (2, "mean"): lambda: clean}
    found = diagnose(noise, labels=labels, others=others)
    assert found.chosen.place == (2, "mean")
    assert "layer 2 with mean pooling" in recommendation(found, str)
    assert basis(found, str).endswith("compared: 1 (last token); 2 (mean).")
    alone = diagnose(noise, labels=labels, about={"layer": "3"})
    assert basis(alone, str).endswith("No other layer was compared.")
    assert recommended_treatment(found, noise).name == "pca"  # the treatment of this layer
    assert found.trial.here == alone.chosen  # other layers do not widen its interval
    same = diagnose(noise, labels=labels, others={(1, "mean"): noise})
    assert same.chosen.kind == "level"


def test_a_more_complex_cure_must_beat_the_simpler_one_and_raw_vectors():
    better, unclear = Estimate(0.1, 0.05, 0.15), Estimate(0.1, -0.05, 0.25)

    def choice(*cures: Cure) -> str:
        return recommended((Cure("leave", "none"), *cures)).kind

    centre = Cure("centre", "centred", against={"leave": better})
    assert choice(centre, Cure("remove", "abtt:1", against={"leave": better})) == "centre"
    both = Cure("remove", "abtt:1", against={"leave": better, "centre": better})
    assert choice(centre, both) == "remove"
    not_raw = Cure("whiten", "pca", against={"leave": unclear, "centre": better})
    assert choice(centre, not_raw) == "centre"
    assert choice(Cure("centre", "centred", against={"leave": unclear}), both) == "remove"


# ---- not enough data ----


@for_each(
    ("n", "labels", "because"),
    [
        (600, None, "no_yardstick"),
        (39, "classes", "too_few"),
        (600, "one", "too_few"),
        (600, "all different", "too_few"),
    ],
)
def test_without_enough_data_nothing_is_recommended(n, labels, because):
    X, classes = labelled("remove", n=n)
    given = {
        "classes": classes,
        "one": ["a"] * n,
        "all different": [str(row) for row in range(n)],
    }.get(labels)
    found = diagnose(X, labels=given)
    assert (found.chosen.kind, found.trial.because) == ("leave", because)
    assert all(cure.score is None for cure in found.trial.cures)
    # measures are computed without a recommendation
    assert found.trial.cures[-1].measures["isoscore"] > 0
    said = recommendation(found, str)
    assert ("Nothing here can judge a cure" if labels is None else "not enough data") in said
    assert evidence(found, str) == ""


def test_a_text_that_the_model_does_not_know_is_not_judged():
    """Labels that a cure would help with: nothing is scored, and the sentence says why."""
    X, labels = labelled("remove")
    known = diagnose(X, labels=labels, unknown_share=0.2)
    assert known.trial.cures[0].score is not None
    found = diagnose(X, labels=labels, unknown_share=0.66)
    assert found.chosen.kind == "leave"
    assert all(cure.score is None for cure in found.trial.cures)
    said = recommendation(found, str)
    assert said.startswith("Not enough data: the model does not know this text. 66% of its tokens")
    assert evidence(found, str) == ""


# ---- findings ----


def test_hidden_rows_judge_nothing_and_a_small_effect_makes_no_finding_large(monkeypatch):
    X, labels = labelled("leave", n=150)
    X[:20] = X[1:21]  # beside rows of another class
    rows, names = TrialRows.given(X + 1e-3 * X[::-1], labels=labels), np.array(labels)
    near = Search(rows.X).nearest_of_all(5).rows[20:]
    before = (names[near] == names[20:, None]).mean()
    effect = label_agreement(rows.X[20:], labels[20:]) - before
    for least, state in ((0.0, "found"), (1.0, "slight")):
        monkeypatch.setattr("geometry.diagnosis.diagnosis.LARGE_EFFECT", least)
        given = Finding("outliers", "slight", {})
        found = _with_effect(given, np.arange(20), rows, np.arange(150), 0)
        assert (found.effect.value, found.state) == (pytest.approx(effect), state)


def test_findings_of_few_rows_and_of_hubs():
    few = by_code(diagnose(np.random.default_rng(0).standard_normal((39, 8)) + 3))
    unknown = {code for code, each in few.items() if each.state == "unknown"}
    assert unknown == {"cone", "rogue", "hubs", "outliers"}
    X = np.random.default_rng(0).standard_normal((300, 60)) + 0.5  # the last row is a hub
    X = np.vstack([X / np.linalg.norm(X, axis=1, keepdims=True), 1e-3 + np.zeros((1, 60))])
    times = np.bincount(Search(X).nearest_of_all(10).rows.ravel(), minlength=301)
    found = by_code(diagnose(X))["hubs"]
    assert found.numbers["most"] == times.max() > 100
    assert found.share == pytest.approx(times[times >= 100].sum() / times.sum())
    below_chance = Measured("hubness", 1.5, None, None, 2.0, 301, 60)  # of as many random rows
    assert _hubs(X, below_chance)[0].state == "none"


def test_findings_by_hand():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 40))
    round_cloud = by_code(diagnose(X))
    assert {code: each.state for code, each in round_cloud.items()} == {
        **dict.fromkeys(("cone", "rogue", "hubs", "duplicates", "outliers"), "none"),
        "rank": "none",
    }
    unclear = by_code(diagnose(X[:60] + 0.57))["cone"]  # a true mean cosine of 0.25
    assert "not clear whether these vectors form a narrow cone" in finding_sentence(unclear, str)
    assert by_code(diagnose(X + 0.3))["cone"].state == "slight"
    X[:, 7] += 9
    X[3] = X[1]
    X[100] *= 8
    texts = [f"text {row % 398}" for row in range(400)]
    found = by_code(diagnose(X, texts=texts))
    assert found["cone"].state == found["rogue"].state == "found"
    assert found["rogue"].numbers["dimensions"][0] == 7
    assert found["rogue"].numbers["value"] > 0.95
    assert found["duplicates"].numbers == {"vectors": 1, "texts": 2, "n": 400}
    # rows 398 and 399 repeat texts, and row 3 a vector
    assert (found["duplicates"].state, found["duplicates"].share) == ("slight", 3 / 400)
    assert found["outliers"].numbers["rows"] == (100,)
    assert (found["outliers"].state, found["outliers"].share) == ("slight", 1 / 400)
    states = {n: by_code(diagnose(X[:n]))["rank"].state for n in (30, 45, 60, 61, 120, 121)}
    assert "".join(each[0] for each in states.values()) == "sffssn"  # one row of each is a copy
    equal = diagnose(np.ones((50, 16)))
    assert "raw vectors alone" in basis(equal, str)
    assert all(by_code(equal)[code].state == "unknown" for code in ("cone", "rogue", "rank"))


def test_a_symmetric_cloud_of_few_dimensions_has_no_rogue_ones():
    rng, rows = np.random.default_rng(0), np.arange(200)
    clouds = rng.standard_normal((20, 200, 8)) + 0.7 * rng.standard_normal((20, 1, 8))
    found = [find_all(X, rows, rows, texts=None, seed=0)[0][1] for X in clouds]
    assert sum(each.state == "found" for each in found) <= 2


@pytest.mark.slow
def test_a_finding_has_a_size_a_share_and_an_effect_on_the_score():
    """One dimension of noise around 0: no cone shows it, and it costs a fifth of the score."""
    X, labels = labelled("leave")
    X = X.copy()
    X[:, 5] = 3 * np.random.default_rng(0).standard_normal(len(X))
    found = by_code(diagnose(X, labels=labels))["rogue"]
    assert (found.state, found.numbers["dimensions"]) == ("found", (5,))
    assert found.share == pytest.approx(9 / X.var(axis=0).sum(), abs=0.05)
    without = label_agreement(np.delete(X, 5, axis=1), labels) - label_agreement(X, labels)
    assert found.effect.value == pytest.approx(without, abs=1e-6)
    assert "dimensions, the score of raw vectors changes by +" in finding_sentence(found, str)
    # a cone has most of the squared length, and hides the noise there; the variance shows it
    Y = X + 4
    hidden = by_code(diagnose(Y, labels=labels))["rogue"]
    assert (hidden.state, hidden.numbers["dimensions"]) == ("found", (5,))
    # forty rows of one class lie far away, in the direction of another: neighbours of few
    Y, labels = labelled("leave")
    Y = Y.copy()
    Y[:40] = 9 * Y[40:80]
    outliers = by_code(diagnose(Y, labels=labels))["outliers"]
    assert (outliers.state, outliers.share) == ("found", pytest.approx(40 / 600, abs=0.01))
    assert outliers.effect.value > 0
    assert "Outliers: large." in title(outliers, str)


@pytest.mark.parametrize("most", [5000, 300])
def test_rows_that_crowd_out_answers_have_an_effect_on_queries(monkeypatch, most):
    """Forty long rows beside the queries, and none of them an answer; above ``most``, a sample."""
    monkeypatch.setattr("geometry.diagnosis.diagnosis.MOST_ROWS", most)
    X = labelled("leave")[0].copy()
    answers = np.arange(100, 160)
    queries = queries_of(X, answers)
    X[:40] = 9 * queries.vectors[:40]
    outliers = by_code(diagnose(X, queries=queries))["outliers"]

    def ndcg(rows: np.ndarray) -> float:
        near = rows[Search(X[rows]).nearest(queries.vectors, 10).rows]
        return float(((near == answers[:, None]) / np.log2(np.arange(10) + 2)).sum(axis=1).mean())

    rows = np.arange(600)
    if most < 600:
        sample = np.random.default_rng(0).choice(600, most, replace=False)
        rows = np.union1d(sample, answers)
    without = ndcg(rows[rows >= 40]) - ndcg(rows)
    assert without > 0.05
    assert outliers.effect.value == pytest.approx(without, abs=1e-6)


def test_isotropic_vectors_with_labels_at_random_are_left_as_they_are():
    """Each of sixty rows has a copy, which would look fitted in another fold."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 24))
    X = np.vstack([X, X[:60]])
    found = diagnose(X, labels=list(rng.integers(6, size=360).astype(str)))
    assert (found.chosen.kind, found.trial.because) == ("leave", "nothing_helps")
    assert found.trial.amount == found.trial.n_items == 300
    findings = by_code(found)
    assert (findings["cone"].state, findings["duplicates"].state) == ("none", "found")
    # the effect of the cone is that of centring
    [centre] = [cure for cure in found.trial.cures if cure.kind == "centre"]
    assert findings["cone"].effect == centre.against["leave"]
    assert "Centring changes the score by" in finding_sentence(findings["cone"], str)


def test_fewer_rows_than_dimensions_are_judged_without_full_whitening():
    rng = np.random.default_rng(0)
    kind = np.arange(120) % 4
    X = 2 * np.eye(160)[kind] + 0.3 * rng.standard_normal((120, 160)) + 0.5
    found = diagnose(X, labels=[str(each) for each in kind])
    assert by_code(found)["rank"].state == "found"  # n/d = .75
    assert found.trial.n_fit == 96
    treatments = {cure.treatment for cure in found.trial.cures}
    assert "pca" not in treatments  # n <= d rows would become the corners of a simplex
    assert all(cure.score is not None for cure in found.trial.cures)
    assert found.chosen.kind != "level"
    assert found.chosen.score > 0.9


@pytest.mark.slow
def test_sentences_of_one_text_are_one_unit(monkeypatch):
    """100 texts of four nearly equal sentences; one phrase is in thirty of them."""
    X, labels = labelled("leave", n=100)
    rng = np.random.default_rng(0)
    X = (X + 2)[np.arange(400) // 4] + 1e-3 * rng.standard_normal((400, X.shape[1]))
    X[:120:4] = X[0]
    X, text_of = X.astype(np.float32), np.arange(400) // 4
    given = {"labels": [labels[text] for text in text_of], "seed": 1}
    fitted = recorded_fits(monkeypatch)

    def n_fitted() -> list[np.ndarray]:
        """Of each fit, how many of a text's sentences are in it, but its first: the phrase."""
        is_fitted = ((X[:, None] == fit).all(axis=2).any(axis=1) for fit in fitted)
        return [each.reshape(100, 4)[:, 1:].sum(axis=1) for each in is_fitted]

    alone = diagnose(X, **given)
    assert any(set(each) > {0, 3} for each in n_fitted())
    fitted.clear()
    found = diagnose(X, units=text_of, **given)
    assert all(set(each) == {0, 3} for each in n_fitted())
    assert (found.n_units, found.trial.amount) == (100, 100)
    by_text, by_row = (by_code(each)["cone"].numbers for each in (found, alone))
    assert by_text["high"] - by_text["low"] > 1.5 * (by_row["high"] - by_row["low"])
    by_text, by_row = (each.trial.cures[1].against["leave"] for each in (found, alone))
    assert by_text.high - by_text.low > 1.5 * (by_row.high - by_row.low)
    # Labels of texts are random, so only sentences of one text share a label.
    shuffled = np.random.default_rng(1).permutation(labels)[text_of]
    at_random = diagnose(X, labels=shuffled, units=text_of).trial
    assert at_random.cures[0].score == pytest.approx(at_random.chance, abs=0.1)
    assert "sentences of 100 texts. Sentences of one text are one unit" in measured(found, str)
    assert "Sentences" not in measured(alone, str)
    few = diagnose(X[:120], units=text_of[:120], labels=given["labels"][:120])
    assert "count once here; there are 30 texts" in finding_sentence(by_code(few)["cone"], str)
    assert "40 texts with labels" in recommendation(few, str)
    # A fit leaves out whole texts that share a sentence with a pair of the fold.
    fitted.clear()
    sides = np.arange(0, 240, 4)
    diagnose(X, units=text_of, pairs=(X[sides + 1], X[sides + 2], np.arange(60.0)))
    assert len(fitted) > FOLDS
    assert all(set(each) <= {0, 3} for each in n_fitted())


def test_rows_of_zeros_are_left_out_and_a_cloud_of_them_is_refused():
    X, labels = labelled("remove")
    X[[0, 1]] = 0
    found = diagnose(X, labels=labels, units=np.arange(600) // 2)
    assert (found.n, found.n_measured, found.n_zero, found.n_units) == (600, 598, 2, 299)
    cure = recommended_treatment(found, X)
    assert (cure.n_rows, len(cure.apply(X).retained)) == (598, 600)
    with pytest.raises(ValueError, match="at least 4 vectors that are not zero; there are 2"):
        diagnose(np.where(np.arange(600)[:, None] < 598, 0, X))
    with pytest.raises(ValueError, match="1 labels for 8 vectors"):
        diagnose(np.eye(8) + 1, labels=["a"])
    assert "of the raw vectors alone" in basis(diagnose(np.eye(5) + 1), str)


def test_a_large_cloud_is_sampled_and_names_its_own_rows(monkeypatch):
    monkeypatch.setattr("geometry.diagnosis.diagnosis.MOST_ROWS", 300)
    X, labels = labelled("remove")
    X[:400] = X[400:500].repeat(4, axis=0)
    X[599] *= 50
    found = diagnose(X, labels=labels, seed=1)
    assert (found.n_measured, found.n) == (300, 600)
    findings = by_code(found)
    assert set(findings["outliers"].numbers["rows"]) <= {599}
    assert "a random sample of 300 vectors" in finding_sentence(findings["outliers"], str)
    # of all rows: X[400:500] four times more
    assert findings["duplicates"].numbers == {"vectors": 400, "texts": None, "n": 600}
    assert "sample" not in finding_sentence(findings["duplicates"], str)
    assert findings["rank"].numbers["n"] == 200
    assert found.vectors_sha256 == hashlib.sha256(X.tobytes()).hexdigest()


def test_progress_is_counted_after_the_findings_and_a_cancel_ends_the_work():
    X, labels = labelled("remove")
    steps, first = [], []
    whole = diagnose(
        X,
        labels=labels,
        progress=lambda *step: steps.append(step),
        first=lambda findings: first.append((len(steps), findings)),
    )
    [(n_steps, findings)] = first
    assert n_steps == 1  # the empty bar
    assert [each.code for each in findings] == [each.code for each in whole.findings]
    assert all(each.effect is None for each in findings)
    assert steps[0][0] == 0
    assert steps[-1][0] == steps[-1][1]

    def cancel(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        diagnose(X, progress=cancel)


# ---- the shipped topics ----


@pytest.mark.slow
@pytest.mark.model
def test_a_removal_wins_on_the_shipped_topics_and_full_whitening_hurts(tmp_path):
    """Layers 4 and 6, mean pooling; agreement of 5 neighbours, first on all rows."""
    topics = read_bundled("topics")
    figures = {4: ("remove", 0.553, 0.566, 0.337), 6: ("centre", 0.669, 0.678, 0.440)}
    for layer, (kind, *agreement) in figures.items():
        shipped = read_cloud(
            load_encoder(), topics, layer=layer, store=ArrayStore(tmp_path)
        ).vectors
        X = shipped.astype(np.float64)
        values, V = np.linalg.eigh(np.cov(X.T, bias=True))
        V, values = V[:, values > 1e-9], values[values > 1e-9]
        whitened = (X - X.mean(axis=0)) @ V / np.sqrt(values)
        found = [label_agreement(Z, topics.labels) for Z in (X, X - X.mean(axis=0), whitened)]
        assert np.round(found, 3) == pytest.approx(agreement)
        diagnosed = diagnose(shipped, texts=topics.texts, labels=topics.labels)
        assert diagnosed.chosen.kind == kind
        if layer == 4:
            said = certainty(diagnosed, str)
            assert "Perhaps better is projected on 32 directions, not whitened: +0.0" in said
