"""Bars with intervals: values and ends as given, published ones hatched and never filled."""

import numpy as np
import pytest

from geometry.figures.export import figure_rows
from geometry.figures.palette import DARK, LIGHT
from geometry.figures.scored import Scored, scored_figure

ROWS = (
    Scored("mean, layer 5", 66.5, 62.0, 70.0, place=2),
    Scored("[CLS], layer 0: undefined", None),
    Scored("avg GloVe", 58.02, is_published=True),
)


def picture(theme=LIGHT, rows=ROWS):
    return scored_figure(rows, "Spearman × 100", theme, names=("measured", "published"))


def test_values_and_intervals_by_hand():
    measured, published = picture().data
    assert (measured.name, published.name) == ("measured", "published")
    assert np.array(measured.x) == pytest.approx([66.5, 0])
    assert np.array(measured.error_x.array) == pytest.approx([3.5, 0])
    assert np.array(measured.error_x.arrayminus) == pytest.approx([4.5, 0])
    assert np.array(published.x) == pytest.approx([58.02])
    assert not published.error_x.visible


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_published_rows_are_hatched_on_the_paper(theme):
    measured, published = picture(theme).data
    assert published.marker.pattern.shape == "/"
    assert published.marker.color == theme.paper
    assert measured.marker.pattern.shape is None
    assert measured.marker.color[0] == theme.categories[2]


def test_the_words_stand_above_their_bars_and_the_first_row_on_top():
    figure = picture()
    assert [annotation.text for annotation in figure.layout.annotations] == [
        row.label for row in ROWS
    ]
    assert [annotation.y for annotation in figure.layout.annotations] == [0, 1, 2]
    low, high = figure.layout.yaxis.range
    assert low > high  # downwards
    assert figure.layout.xaxis.range[1] > 70  # the interval is inside
    assert picture(rows=ROWS[:1]).layout.height < figure.layout.height


def test_sideways_bars_are_taken_away_by_their_value():
    _head, rows = figure_rows({"claim": picture()})
    assert rows[0][0] == "measured"
    assert rows[0][3] == pytest.approx(66.5)
    assert rows[2] == ["published", 2.0, "avg GloVe", pytest.approx(58.02)]
