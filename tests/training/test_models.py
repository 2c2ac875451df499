"""Short trainings: tokens that never occur, seeds, settings, divergence."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from geometry.training import (
    TrainingError,
    separating_direction,
    train_classifier,
    train_language_model,
    train_word2vec,
    training_text,
)
from geometry.training.models import TrainingStep
from tests.for_each import for_each

SHORT = {"width": 16, "context": 16, "batch_size": 16}
TRAINERS = (train_language_model, train_word2vec, train_classifier)


@pytest.fixture(scope="module")
def text():
    return training_text(vocabulary=600, n_unseen=50)


def last(steps: Iterator[TrainingStep]) -> TrainingStep:
    *_, end = steps
    return end


@pytest.fixture(scope="module")
def plain(text):
    return list(train_language_model(text, steps=120, record_every=40, **SHORT))


def test_every_recorded_step_comes(plain, text):
    assert [step.step for step in plain] == [0, 40, 80, 120]
    assert {step.n_steps for step in plain} == {120}
    assert all(later.loss < step.loss for step, later in pairwise(plain))
    assert plain[0].loss == pytest.approx(np.log(len(text.words)), rel=0.1)
    for step in plain:
        assert step.embeddings.shape == (651, 16)
        assert (step.singular_values**2).sum() == pytest.approx((step.embeddings**2).sum(), 1e-4)
        assert step.norm_unseen == pytest.approx(
            np.linalg.norm(step.embeddings[-50:], axis=1).mean()
        )
        assert step.hidden.shape == (32 * 16, 16)
        assert len(step.targets) == 32 * 16
    assert not np.shares_memory(plain[0].embeddings, plain[1].embeddings)


def test_layer_norm_puts_hidden_states_into_one_hyperplane_without_the_origin(plain):
    hidden = plain[-1].hidden.astype(np.float64)
    mean = hidden.mean(axis=0)
    _u, spread, axes = np.linalg.svd(hidden - mean, full_matrices=False)
    assert spread[-1] < 1e-4 * spread[-2]
    assert abs(mean @ axes[-1]) > 1e-3
    assert separating_direction(hidden).is_outside


def test_tokens_that_never_occur_move_one_way_and_the_penalty_prevents_it(plain, text):
    start, end = plain[0], plain[-1]
    assert abs(start.mean_cosine_unseen) < 0.05
    assert end.mean_cosine_unseen > 0.3 > 0.1 > abs(end.mean_cosine_frequent)
    assert end.norm_unseen > start.norm_unseen
    cured = last(train_language_model(text, gamma=1, steps=120, record_every=120, **SHORT))
    assert cured.mean_cosine_unseen < 0.6 * end.mean_cosine_unseen
    assert cured.loss < 1.03 * np.mean([step.loss for step in plain[1:]])


@for_each("train", [train_word2vec, train_classifier])
def test_vectors_that_never_occur_stay_where_they_began(train, text):
    start, end = train(text, width=16, steps=80, record_every=80)
    unseen = text.unseen()
    np.testing.assert_array_equal(end.embeddings[unseen], start.embeddings[unseen])
    assert end.loss < 0.95 * start.loss
    assert (end.embeddings[:100] != start.embeddings[:100]).any()
    assert end.hidden.size == 0


@for_each("train", TRAINERS)
def test_one_seed_gives_one_training(train, text):
    def ended(seed: int) -> TrainingStep:
        return last(train(text, width=16, steps=4, record_every=2, seed=seed))

    first, again, other = ended(0), ended(0), ended(1)
    np.testing.assert_array_equal(first.embeddings, again.embeddings)
    assert first.loss == again.loss
    assert (first.embeddings != other.embeddings).any()


def test_a_loss_that_grows_is_an_error(text):
    with pytest.raises(TrainingError, check=lambda error: error.code == "diverged"):
        list(train_language_model(text, learning_rate=30.0, steps=60, **SHORT))


@for_each("train", TRAINERS)
@for_each(
    ("setting", "code"),
    [
        ({"steps": 0}, "not_positive"),
        ({"record_every": 0}, "not_positive"),
        ({"learning_rate": 0.0}, "not_positive"),
        ({"learning_rate": float("nan")}, "not_positive"),
        ({"batch_size": 0}, "not_positive"),
    ],
)
def test_settings_out_of_range_are_refused(train, setting, code, text):
    with pytest.raises(TrainingError, check=lambda error: error.code == code):
        next(train(text, **{"width": 16} | setting))


def test_what_one_model_alone_refuses(text):
    for setting, code in (
        ({"width": 6}, "width"),
        ({"gamma": -1.0}, "negative"),
        ({"context": 10**6}, "short_for_context"),
    ):
        with pytest.raises(TrainingError) as caught:
            next(train_language_model(text, **setting))
        assert caught.value.code == code
    alone = training_text(["one two three four " * 2000 + " ".join(map(str, range(40)))])
    with pytest.raises(TrainingError, check=lambda error: error.code == "one_section"):
        next(train_classifier(alone))


@pytest.mark.long  # trains two models for minutes
def test_the_defaults_show_the_cone_and_its_cure():
    """The page's 400 steps; on the author's machine 0.59 and 0.07, losses 3.43 and 3.47."""
    plain, cured = (
        last(train_language_model(gamma=gamma, record_every=20)) for gamma in (0.0, 1.0)
    )
    assert plain.mean_cosine_unseen > 0.5
    assert abs(plain.mean_cosine_frequent) < 0.1
    assert cured.mean_cosine_unseen < 0.15
    assert abs(cured.loss / plain.loss - 1) < 0.03
