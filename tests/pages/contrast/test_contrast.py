"""The contrast page: the recorded run, a short training, the verdict."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from geometry import Whitening, alignment, mean_cosine, uniformity
from geometry.data import read_bundled_pairs
from geometry.evaluate.fit_size import halves
from geometry.training import ScoredVectors, train_contrastive
from pages.common.live_training import STATE
from pages.contrast import recorded
from pages.contrast.explore import NUMBERS, ContrastScene, contrast_state, contrast_verdict
from pages.contrast.recorded import DEFAULTS, recorded_run
from pages.contrast.run import (
    COMPARED,
    ContrastRun,
    Ending,
    Gain,
    Header,
    PairVectors,
    contrast_run,
)
from tests.for_each import for_each
from tests.pages.charts import array, charts
from tests.pages.visits import everything, healthy, new_visit

pytestmark = pytest.mark.usefixtures("one_memory")
SHORT = replace(DEFAULTS, steps=4, batch_size=16, learning_rate=0.01)
LONGEST_END = 10.0  # seconds


@pytest.fixture(scope="module")
def material():
    """Small vectors for the project's pairs: close where the scores are high, inside a cone."""
    gold = read_bundled_pairs().gold_scores
    rng = np.random.default_rng(5)
    left, other = rng.standard_normal((2, len(gold), 8))
    share = (gold / 5)[:, None]
    pairs = np.concatenate([left, share * left + (1 - share) * other])
    return PairVectors(pairs + 4 * np.eye(8)[0], pairs, gold)


@pytest.fixture(scope="module")
def records(material):
    return list(contrast_run(material, SHORT))


def test_a_run_is_measured_on_test_pairs_alone(material, records):
    header, places, *moments, (_flow, trained), ending = records
    assert isinstance(header, Header)
    assert isinstance(ending, Ending)
    dev, test = halves(material.gold_scores)
    assert (header.n_trained, header.n_dev, header.n_test) == (2 * len(dev), len(dev), len(test))
    n = len(material.gold_scores)
    left, right = material.pairs[:n][test], material.pairs[n:][test]
    positive = material.gold_scores[test] > 4
    raw = places[0]
    assert header.n_positive == positive.sum()
    assert raw.alignment == pytest.approx(alignment(left[positive], right[positive]))
    sentences = ScoredVectors(left, right, material.gold_scores[test]).sentences
    assert raw.uniformity == pytest.approx(uniformity(sentences))
    # centred and whitened with a fit on the training sentences
    trained_on = np.concatenate([material.pairs[:n][dev], material.pairs[n:][dev]])
    mean = trained_on.mean(axis=0)
    assert places[1].mean_cosine == pytest.approx(mean_cosine(sentences - mean))
    # the strength of the whitening is the best of five on dev
    of_dev = {}
    for t in (0.0, 0.25, 0.5, 0.75, 1.0):
        whitening = Whitening(shrinkage="ledoit-wolf", strength=t).fit(trained_on)
        one, other = np.split(whitening.transform(trained_on), 2)
        cosines = (one * other).sum(axis=1)
        cosines /= np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
        of_dev[t] = spearmanr(cosines, material.gold_scores[dev])[0]
    best = max(of_dev, key=of_dev.get)
    assert places[2].strength == best
    assert places[2].spearman_dev == pytest.approx(of_dev[best], abs=5e-4)  # float32: near ties
    whitening = Whitening(shrinkage="ledoit-wolf", strength=best).fit(trained_on)
    assert places[2].uniformity == pytest.approx(uniformity(whitening.transform(sentences)))
    assert places[3].spearman_test > places[0].spearman_test  # the last layer has no narrow cone
    assert [moment.step for moment in moments] == [0, 1, 2, 3, 4]
    start = moments[0]
    assert (start.uniformity, start.spearman_test) == pytest.approx(
        (raw.uniformity, raw.spearman_test), abs=1e-4
    )
    best = max(moments, key=lambda moment: moment.spearman_dev)
    assert (ending.step, trained.uniformity) == (best.step, pytest.approx(best.uniformity))
    assert [gain.over for gain in ending.gains] == list(COMPARED)
    assert ending.gains[0].value == pytest.approx(
        trained.spearman_test - raw.spearman_test, abs=1e-6
    )


def test_the_sentences_of_a_corpus_can_be_trained_on(material):
    corpus = np.random.default_rng(0).standard_normal((40, 8))
    header = next(contrast_run(replace(material, corpus=corpus), replace(SHORT, text="Topics")))
    assert header.n_trained == 40


def test_a_run_without_steps_is_no_run(records):
    assert ContrastRun.of([]) is None
    assert ContrastRun.of(records[:2]) is None
    begun = ContrastRun.of(records[:3])
    assert len(begun.places) == 4
    scene = ContrastScene(begun, begun.moments[-1], SHORT)
    assert contrast_verdict(scene).state == "unknown"
    assert len(ContrastRun.of(records).places) == 6


def test_the_file_is_written_and_read_alike(material, monkeypatch, tmp_path):
    monkeypatch.setattr(recorded, "FILE", tmp_path / "run.json")
    monkeypatch.setattr(recorded, "DEFAULTS", SHORT)
    monkeypatch.setattr(recorded, "SPLITS", 2)
    monkeypatch.setattr(recorded, "bundled_vectors", lambda: material)
    recorded.write_recorded()
    read = recorded_run.__wrapped__()
    made = ContrastRun.of(list(contrast_run(material, SHORT)))
    assert read.header == made.header
    assert read.is_recorded
    first, other = read.splits
    assert first != other
    assert first[0].value == pytest.approx(made.ending.gains[0].value, abs=1e-4)
    assert other[0].over == "raw"
    for name in ("spearman_test", "alignment", "low"):
        values = [[getattr(place, name) for place in run.places] for run in (read, made)]
        np.testing.assert_allclose(*values, atol=1e-4)
    np.testing.assert_allclose(read.moments[-1].cloud, made.moments[-1].cloud, atol=1e-4)


def test_the_recorded_run_has_the_defaults_of_the_page():
    run = recorded_run()
    assert run.header.settings == DEFAULTS
    assert run.moments[-1].step == DEFAULTS.steps
    for name, options in NUMBERS.values():
        assert f"{getattr(DEFAULTS, name):g}" in options.split()


@for_each(
    ("raw", "whitened", "centred", "state"),
    [
        (0.1, 0.1, 0.1, "holds"),
        (0.1, 0.1, -0.1, "partly"),  # no more than subtracting the mean, the control
        (0.1, -0.1, 0.1, "partly"),
        (-0.1, 0.1, 0.1, "partly"),
        (-0.1, -0.3, -0.1, "fails"),
        (-0.1, -0.1, -0.1, "unknown"),
    ],
)
def test_the_verdict_follows_the_intervals(raw, whitened, centred, state):
    lows = {"raw": raw, "whitened": whitened, "centred": centred}
    gains = {name: Gain(name, low + 0.1, low, low + 0.2) for name, low in lows.items()}
    assert contrast_state(gains) == state
    assert contrast_state({}) == "unknown"


@pytest.mark.model
def test_a_first_visit_shows_the_recorded_run():
    app = healthy(new_visit("contrast", {"part-small": True, "all-measures": True}).run())
    said = everything(app)
    assert "**Train**" not in said
    for text in ("Recorded run", "86.3 [83.6", "+2.2 [+0.7", "+0.4 [−0.5", "934", "468", " 8 "):
        assert text in said
    found = charts(app)
    assert set(found) == {
        *("contrast-plane", "contrast-cloud", "contrast-loss"),
        *("contrast-cosine", "contrast-spearman", "contrast-spectrum"),
    }
    path, points = found["contrast-plane"]["figure"]["data"][:2]
    assert len(array(path["x"])) == len(recorded_run().moments)
    assert len(array(points["x"])) == 6
    assert "76.85" in str([table.value.to_numpy().tolist() for table in app.dataframe])
    assert "147,840 parameters" in said


@pytest.mark.model
def test_a_training_replaces_the_recorded_run_until_reset(records):
    app = healthy(new_visit("contrast", **{"contrast-steps": "50"}).run())
    assert "Press **Train** to use them" in everything(app)
    healthy(app.button(key="contrast-train").click().run())
    training = app.session_state[STATE]["contrast"]
    training.stop()  # the browser test uses a real process
    assert training.wait(LONGEST_END)
    assert (training.records, training.error) == ([], None)
    training.records += records
    healthy(app.run())
    said = everything(app)
    assert "Your training" in said
    assert "4 steps" in said
    assert "best on 467 dev pairs" in said
    healthy(app.button(key="training-contrast-reset").click().run())
    assert "Recorded run" in everything(app)


@pytest.mark.model
def test_the_test_sentences_as_a_corpus_are_warned_of():
    query = {"corpus": "pairs", "contrast-text": "corpus"}
    app = healthy(new_visit("contrast", **query).run())
    assert "This corpus has the test sentences" in app.warning[0].value


@pytest.mark.long
@pytest.mark.model
@pytest.mark.parametrize(
    ("dropout", "score", "aligned"),
    [(0.0, 86.6, 0.46), (0.1, 86.1, 0.36), (0.3, 84.0, None)],
)
def test_the_claim_of_the_page_on_dropout(dropout, score, aligned):
    """The best recorded step on dev, with seeds 0 to 2."""
    pairs = recorded.bundled_vectors()
    dev, test = (
        ScoredVectors(*(side[rows] for side in np.split(pairs.pairs, 2)), pairs.gold_scores[rows])
        for rows in halves(pairs.gold_scores)
    )
    best = []
    for seed in range(3):
        steps = train_contrastive(
            dev.sentences, dev=dev, test=test, dropout=dropout, record_every=50, seed=seed
        )
        best.append(max(steps, key=lambda step: step.spearman_dev))
    assert 100 * np.mean([step.spearman_test for step in best]) == pytest.approx(score, abs=0.3)
    if aligned is not None:
        assert np.mean([step.alignment for step in best]) == pytest.approx(aligned, abs=0.03)
