"""The slope chart of two ranked lists."""

import pytest

from geometry.figures.slopes import LEFT, RIGHT, Item, slopes_figure
from geometry.palette import LIGHT


def test_lines_join_the_places_of_what_is_in_both_lists():
    before = [Item(key, f"text {key}", "0.9") for key in "abc"]
    after = [Item(key, f"text {key}", "0.4") for key in "cad"]
    titles, moves = ("raw", "treated"), ("stays", "leaves", "enters")
    figure = slopes_figure(before, after, LIGHT, titles=titles, moves=moves, beyond="farther")
    dots, *lines = figure.data
    assert dots.x == pytest.approx([LEFT] * 3 + [RIGHT] * 3)
    assert list(dots.y) == [1, 2, 3, 1, 2, 3]
    ends = {
        line.name: [(line.y[start], line.y[start + 16]) for start in range(0, len(line.y), 18)]
        for line in lines
    }
    # a falls from the first place to the second, and c rises. b leaves the list; d enters it.
    assert ends == {"stays": [(1, 2), (3, 1)], "leaves": [(2, 4)], "enters": [(4, 3)]}
    texts = {each.text: each for each in figure.layout.annotations}
    assert texts["− text b"].font.color == LIGHT.raw
    assert texts["+ text d"].font.color == LIGHT.white
    assert texts["text a"].name == "cut"
    assert "farther" in texts
