"""Recorded steps: the values of a training, a file of them, and the shipped file."""

from dataclasses import replace

import numpy as np
import pytest

from geometry.measure.cosines import mean_cosine
from geometry.training import training_text
from geometry.training.hull import separating_direction
from geometry.training.runs import (
    GROUPS,
    History,
    Run,
    drawn_words,
    read_history,
    train_runs,
    write_history,
)
from geometry.training.shipped_training import FILE, RUNS, recorded_run, write_recorded
from geometry.training.softmax import SoftmaxToy, token_gradient

TEXTS = ["the cat sat on the mat and the dog ran to the door . " * 40, "a b c d e f g h i j " * 200]
SHORT = Run(width=8, steps=4, record_every=2, seed=1)


@pytest.fixture(scope="module")
def short() -> tuple[tuple[Run, ...], list]:
    runs = (SHORT, replace(SHORT, model="classifier"), replace(SHORT, model="word2vec"))
    return runs, list(train_runs(runs, TEXTS))


def test_models_are_recorded_side_by_side_on_the_same_words(short):
    runs, records = short
    facts = records[0][0].text
    for step, record in zip((0, 2, 4), records, strict=True):
        assert [shot.step for shot in record] == [step] * len(runs)
        assert all(shot.text.words == facts.words for shot in record)
    shot = records[-1][0]
    for place in range(len(GROUPS)):
        rows = shot.rows[facts.groups == place].astype(np.float64)
        assert mean_cosine(rows) == pytest.approx(shot.cosine[place], abs=1e-3)
    assert (facts.counts[facts.groups == 0] == 0).all()
    rare, frequent = (facts.counts[facts.groups == place] for place in (1, 2))
    assert frequent.min() >= rare.max()


def test_the_theory_is_that_of_the_gradients(short):
    text = training_text(TEXTS)
    step = list(SHORT.train(text))[-1]
    theory = short[1][-1][0].theory
    assert theory.n == len(step.hidden)
    token = int(text.unseen()[0])
    hidden, targets = step.hidden.astype(np.float64), step.targets

    E = step.embeddings.astype(np.float64)
    push = token_gradient(hidden, targets, E, token).push
    never = theory.forces[-1]
    assert (never.word, never.count, never.n_pull, never.pull) == ("[unseen 1]", 0, 0, 0.0)
    assert never.push == pytest.approx(np.linalg.norm(push), rel=1e-4)
    away = -hidden.mean(axis=0)
    cosine = push @ away / np.linalg.norm(push) / np.linalg.norm(away)
    assert never.degrees == pytest.approx(np.degrees(np.arccos(cosine)), abs=0.1)
    first = theory.forces[0]
    row = text.words.index(first.word)
    pull = token_gradient(hidden, targets, E, row).pull / (targets == row).mean()
    share_of_text = (text.tokens == row).mean()
    assert first.pull == pytest.approx(np.linalg.norm(share_of_text * pull), rel=1e-6)
    assert theory.push_degrees[0] <= never.degrees <= theory.push_degrees[2]
    hull = separating_direction(hidden)
    assert theory.is_outside
    cosine = -hull.direction @ away / np.linalg.norm(away)
    assert theory.direction_degrees == pytest.approx(np.degrees(np.arccos(cosine)), abs=0.1)


def test_the_picture_of_a_training_that_goes_on_does_not_turn(short):
    runs, records = short
    films = [History.of(runs, records[:n], is_live=True).places for n in (2, 3)]
    assert films[0] == pytest.approx(films[1][:, :2])
    turned = [History.of(runs, records[:n]).places for n in (2, 3)]
    assert not np.allclose(turned[0], turned[1][:, :2])


def test_a_history_is_read_as_it_was_written(short, tmp_path):
    runs, records = short
    history = History.of(runs, records)
    write_history(history, tmp_path / "run.npz", {"python": "3"})
    found, about = read_history(tmp_path / "run.npz")
    assert about == {"python": "3"}
    assert (found.runs, found.theory) == (history.runs, history.theory)
    assert found.text.words == history.text.words
    for name in ("steps", "loss", "cosine", "norm"):
        assert getattr(found, name) == pytest.approx(getattr(history, name))
    assert found.places == pytest.approx(history.places, abs=1e-3)


def test_the_shipped_run_is_that_of_its_settings_and_small():
    history, about = recorded_run()
    assert history.runs == RUNS
    assert history.steps.tolist() == list(range(0, 401, 10))
    assert set(about) == {"python", "torch"}
    assert FILE.stat().st_size < 2 * 10**6


@pytest.mark.slow
def test_the_script_makes_the_shipped_numbers(tmp_path):
    """Its short form. With another Python version, whose manual differs, only the settings."""
    shipped, _about = recorded_run()
    text = training_text()
    if drawn_words(text)[1].name != shipped.text.name:
        pytest.skip("another version of Python has another manual")
    short_runs = tuple(replace(run, steps=10) for run in RUNS)
    write_recorded(tmp_path / "short.npz", short_runs)
    found, _about = read_history(tmp_path / "short.npz")
    assert found.text.words == shipped.text.words
    # Other processors round differently.
    assert found.loss == pytest.approx(shipped.loss[:2], rel=0.01)
    assert found.cosine == pytest.approx(shipped.cosine[:2], abs=0.02)


def test_the_toy_runs_away_only_from_hidden_states_on_one_side():
    lengths = {
        side: [np.linalg.norm(SoftmaxToy.after(n, side).tokens[3]) for n in (50, 100)]
        for side in ("one-sided", "around")
    }
    assert lengths["one-sided"][1] > lengths["one-sided"][0] > 1.5
    assert max(lengths["around"]) < 0.5
    toy = SoftmaxToy.after(7)
    assert not toy.pull[3].any()
    assert toy.path[-1] == pytest.approx(toy.tokens)
    assert toy.path[-1] == pytest.approx(
        SoftmaxToy.after(6).tokens + SoftmaxToy.after(6).pull + SoftmaxToy.after(6).push
    )
