"""The histogram of cosines: the given shares, the reference, the whole range."""

import numpy as np
import pytest

from geometry.figures.histogram import (
    HistogramWords,
    cosine_histogram_figure,
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


def test_the_three_curves_are_the_shares_at_the_middle_of_each_bin(shares):
    figure = cosine_histogram_figure(*shares, EDGES, WORDS, LIGHT)
    middle = (EDGES[1:] + EDGES[:-1]) / 2
    assert [trace.name for trace in figure.data] == [WORDS.raw, WORDS.white, WORDS.reference]
    for curve, expected in zip(figure.data, shares, strict=True):
        assert np.array(curve.x) == pytest.approx(middle)
        assert np.array(curve.y) == pytest.approx(expected)
        assert np.sum(curve.y) == pytest.approx(1)
    assert [trace.line.color for trace in figure.data] == [LIGHT.raw, LIGHT.white, LIGHT.ink]
    assert [trace.fill for trace in figure.data] == ["tozeroy", "tozeroy", None]
    assert figure.layout.xaxis.range == (-1, 1)  # every possible cosine


def test_two_kinds_of_pairs_have_their_curves_and_an_upright_threshold(shares):
    figure = pairs_histogram_figure(*shares[:2], EDGES, 0.4, WORDS, LIGHT)
    unrelated, related, line = figure.data
    assert (unrelated.name, related.name, line.name) == (WORDS.raw, WORDS.white, WORDS.reference)
    assert np.array(related.y) == pytest.approx(shares[1])
    assert tuple(line.x) == (0.4, 0.4)
    assert tuple(line.y) == (0, max(shares[0].max(), shares[1].max()))
