"""The histogram of cosines: the given shares, the reference, the whole range."""

import numpy as np
import pytest

from geometry.figures.histogram import (
    HistogramWords,
    pairs_histogram_figure,
)
from geometry.measure.cosines import cosine_shares, isotropic_cosine_shares
from geometry.palette import LIGHT

EDGES = np.linspace(-1, 1, 41)
WORDS = HistogramWords(
    raw="roh", white="白化", reference="各向同性，d = 12", x="餘弦", y="part des paires"
)


@pytest.fixture
def shares() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    raw = cosine_shares(rng.uniform(0.4, 0.9, 500), EDGES)
    white = cosine_shares(rng.normal(0, 0.2, 500).clip(-1, 1), EDGES)
    return raw, white, isotropic_cosine_shares(EDGES, 12)


def test_two_kinds_of_pairs_have_their_curves_and_an_upright_threshold(shares):
    figure = pairs_histogram_figure(*shares[:2], EDGES, 0.4, WORDS, LIGHT)
    unrelated, related, line = figure.data
    assert (unrelated.name, related.name, line.name) == (WORDS.raw, WORDS.white, WORDS.reference)
    assert np.array(related.y) == pytest.approx(shares[1])
    assert tuple(line.x) == (0.4, 0.4)
    assert tuple(line.y) == (0, max(shares[0].max(), shares[1].max()))
