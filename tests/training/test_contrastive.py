"""The contrastive loss by hand and by brute force; short trainings of a head on a small cone."""

import numpy as np
import pytest
import torch

from geometry import alignment, evaluate_pairs, mean_cosine, uniformity
from geometry.training import ScoredVectors, TrainingError, contrastive_loss, train_contrastive
from tests.for_each import for_each

SHORT = {"steps": 60, "record_every": 30, "batch_size": 32, "learning_rate": 1e-2}


def pairs(rng, n, d=12):
    """Pairs whose cosines fall with their scores, inside a cone about the first axis."""
    gold = np.linspace(0, 5, n)
    left, other = rng.standard_normal((2, n, d))
    share = (gold / 5)[:, None]
    cone = 3 * np.eye(d)[0]
    return ScoredVectors(left + cone, share * left + (1 - share) * other + cone, gold)


@pytest.fixture(scope="module")
def sets():
    rng = np.random.default_rng(3)
    return pairs(rng, 60), pairs(rng, 70)


@pytest.fixture(scope="module")
def trained(sets):
    dev, test = sets
    return list(train_contrastive(dev.sentences, dev=dev, test=test, **SHORT))


def test_the_loss_by_brute_force():
    rng = np.random.default_rng(0)
    u, v = rng.standard_normal((2, 7, 4))
    total = 0.0
    for i in range(7):
        cosines = [u[i] @ v[j] / np.linalg.norm(u[i]) / np.linalg.norm(v[j]) for j in range(7)]
        powers = np.exp(np.array(cosines) / 0.2)
        total -= np.log(powers[i] / powers.sum())
    found = contrastive_loss(torch.from_numpy(u), torch.from_numpy(v), 0.2)
    assert float(found) == pytest.approx(total / 7)


def test_a_record_agrees_with_the_measures(trained, sets):
    dev, test = sets
    assert [step.step for step in trained] == [0, 30, 60]
    end = trained[-1]
    left, right = np.split(end.embeddings, 2)
    assert end.spearman_test == pytest.approx(
        evaluate_pairs(left, right, test.gold_scores, draws=1).spearman
    )
    assert end.mean_cosine == pytest.approx(mean_cosine(end.embeddings))
    assert end.uniformity == pytest.approx(uniformity(end.embeddings))
    high = test.gold_scores > 4
    assert 0 < high.sum() < len(high)
    assert end.alignment == pytest.approx(alignment(left[high], right[high]))
    assert (end.singular_values**2).sum() == pytest.approx(len(end.embeddings))
    # The recorded head gives these embeddings, up to a common scale.
    again = (test.sentences / np.sqrt((dev.sentences**2).mean())) @ end.weight.T + end.bias
    np.testing.assert_allclose(again, end.embeddings, rtol=1e-3, atol=1e-3)


def test_the_start_is_the_vectors_themselves_and_training_opens_the_cone(trained, sets):
    test = sets[1]
    start, end = trained[0], trained[-1]
    untrained = evaluate_pairs(test.left, test.right, test.gold_scores, draws=1).spearman
    assert start.spearman_test == pytest.approx(untrained)
    assert start.mean_cosine == pytest.approx(mean_cosine(test.sentences))
    assert end.loss < 0.9 * start.loss
    assert end.mean_cosine < 0.5 * start.mean_cosine
    assert end.uniformity < start.uniformity
    assert not np.shares_memory(start.weight, end.weight)


def test_a_centred_head_starts_at_the_centred_vectors(sets):
    dev, test = sets
    first = next(train_contrastive(dev.sentences, dev=dev, test=test, centred=True, **SHORT))
    centred = test.sentences - dev.sentences.mean(axis=0)
    assert first.mean_cosine == pytest.approx(mean_cosine(centred), abs=1e-6)


@for_each(
    ("setting", "code"),
    [
        ({"steps": 0}, "not_positive"),
        ({"temperature": 0.0}, "not_positive"),
        ({"learning_rate": float("nan")}, "not_positive"),
        ({"dropout": 1.0}, "dropout"),
        ({"batch_size": 1}, "batch"),
        ({"batch_size": 121}, "batch"),
        ({"learning_rate": 1000.0}, "diverged"),
    ],
)
def test_settings_that_cannot_train_are_errors(setting, code, sets):
    dev, test = sets
    with pytest.raises(TrainingError, check=lambda error: error.code == code):
        list(train_contrastive(dev.sentences, dev=dev, test=test, **SHORT | setting))


def test_what_the_data_may_lack(sets):
    dev, test = sets
    few, low = dev.sentences[:31], ScoredVectors(test.left, test.right, test.gold_scores / 2)
    same = np.ones_like(dev.sentences)
    for X, tested, code in (
        (few, test, "few_sentences"),
        (same, test, "equal_vectors"),
        (test.sentences, low, "no_positive"),
    ):
        with pytest.raises(TrainingError) as caught:
            next(train_contrastive(X, dev=dev, test=tested, batch_size=16))
        assert caught.value.code == code
    with pytest.raises(ValueError, match="head"):
        next(train_contrastive(dev.sentences, dev=dev, test=test, head="deep"))
