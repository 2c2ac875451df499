"""Neighbours after whitening on the shipped topics: which claims of the page hold."""

import numpy as np
import pytest

from geometry import label_agreement, load_encoder, read_bundled
from geometry.projection import whiten_beside
from geometry.projection.twin import fit_whitening

pytestmark = [pytest.mark.model, pytest.mark.slow]

CONE_LAYERS = (1, 4, 5)  # the last layer is no cone: its training spread the directions
SEEDS = range(10)
CHANCE = 1 / 12


@pytest.fixture(scope="module")
def topics():
    return read_bundled("topics")


@pytest.fixture(scope="module")
def layers(topics):
    return load_encoder().encode_layers(topics.texts, poolings=("mean",))["mean"]


def agreement(X: np.ndarray, labels: np.ndarray, fit: str | None) -> float:
    Z = X if fit is None else whiten_beside(X, fit_whitening(X, fit)).vectors
    return label_agreement(Z, labels, k=5)


def on_200(X: np.ndarray, labels: tuple[str, ...], fit: str | None) -> float:
    """Mean over ten draws of 200 sentences, whitened on themselves."""
    draws = [np.random.default_rng(s).choice(len(X), 200, replace=False) for s in SEEDS]
    return float(np.mean([agreement(X[rows], np.array(labels)[rows], fit) for rows in draws]))


@pytest.mark.long
@pytest.mark.parametrize("layer", CONE_LAYERS)
def test_on_200_sentences_whitened_neighbours_agree_as_often_as_raw_ones(layers, topics, layer):
    raw = on_200(layers[layer], topics.labels, None)
    white = on_200(layers[layer], topics.labels, "recommended")
    assert raw > 3 * CHANCE
    assert white >= raw


@pytest.mark.long
@pytest.mark.parametrize("layer", [*CONE_LAYERS, 6])
def test_in_full_200_sentences_are_a_simplex_and_neighbours_are_chance(layers, topics, layer):
    assert fit_whitening(layers[layer][:200], "full").is_simplex
    assert on_200(layers[layer], topics.labels, "full") == pytest.approx(CHANCE, abs=0.02)


@pytest.mark.long
def test_shrinkage_alone_is_not_enough(layers, topics):
    """This is the reason for keeping only the n / 10 leading directions where n <= d."""
    raw = on_200(layers[4], topics.labels, None)
    assert on_200(layers[4], topics.labels, "ledoit-wolf") < raw - 0.05


@pytest.mark.long
def test_on_all_of_them_whitening_is_a_clear_loss(layers, topics):
    """README and the page quote 55% and 40%."""
    labels = np.array(topics.labels)
    assert len(labels) == 1224
    assert agreement(layers[4], labels, None) == pytest.approx(0.55, abs=0.01)
    assert agreement(layers[4], labels, "recommended") == pytest.approx(0.40, abs=0.01)


@pytest.mark.long
def test_at_every_layer_centring_helps_and_whitening_in_full_hurts(layers, topics):
    labels = np.array(topics.labels)
    for X in layers:
        centred = agreement(X - X.mean(axis=0), labels, None)
        assert centred > agreement(X, labels, None) > agreement(X, labels, "full")
