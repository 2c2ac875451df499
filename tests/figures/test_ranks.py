"""Lengths against ranks: points or a density, and levels of the measured bins."""

import numpy as np

from geometry.figures.ranks import MANY, POINTS, Level, ranks_figure
from geometry.palette import LIGHT

LEVELS = [Level(1, 2, 1.0, 0.9, 1.1), Level(3, 4, 2.0)]
TITLES = ("rank", "length", "share")


def drawn(n: int):
    norms = np.linspace(1, 2, n)
    return ranks_figure(
        norms, ["w"] * n, ("mean", LEVELS), [("BERT", LEVELS[:1])], LIGHT, titles=TITLES
    )


def test_few_words_are_points_with_the_levels_of_their_bins():
    figure = drawn(10)
    points, band, first, second, published = figure.data
    np.testing.assert_allclose(points.x, np.arange(1, 11))
    np.testing.assert_allclose(points.y, np.linspace(1, 2, 10), rtol=1e-6)
    assert band.y == (0.9, 0.9, 1.1, 1.1)
    assert [each.y for each in (first, second, published)] == [(1, 1), (2, 2), (1, 1)]
    assert [each.showlegend for each in (first, second, published)] == [True, False, True]
    assert published.line.dash == "dot"
    assert figure.layout.xaxis.type == "log"


def test_many_words_are_a_density_behind_the_most_frequent():
    points, density, *_ = drawn(MANY + 1).data
    assert len(points.x) == POINTS
    shares = np.nan_to_num(np.asarray(density.z))
    np.testing.assert_allclose(shares.sum(axis=0), 1, atol=0.1)  # of each column of ranks
    assert min(density.x) > POINTS
