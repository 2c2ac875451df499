"""Dots on axes: clickable dots first, rings above them, a legend of named traces."""

import numpy as np
import pytest

from geometry.figures.curves import Axes
from geometry.figures.scatter import MANY, Dots, Ring, Segment, scatter_figure
from geometry.palette import LIGHT

XY = np.array([0.0, 1.0, 2.0])
AXES = Axes("gold", "cosine", y_range=(-1.0, 1.0))


def test_the_first_trace_is_the_first_group():
    figure = scatter_figure(
        [Dots(XY, XY / 2, ["a", "b", "c"]), Dots(XY, XY, ["", "", ""], "other", 1)],
        AXES,
        LIGHT,
        segments=[Segment((0, 0), (2, 1), "")],
        rings=[Ring([(1.0, 0.5)], "chosen"), Ring([], "nothing")],
    )
    first, other, line, ring = figure.data
    assert np.array(first.y) == pytest.approx([0, 0.5, 1])
    assert list(first.text) == ["a", "b", "c"]
    assert first.marker.symbol != other.marker.symbol
    assert [trace.showlegend for trace in figure.data] == [False, True, False, True]
    assert (list(line.x), list(line.y)) == ([0, 2], [0, 1])
    assert (list(ring.x), list(ring.y)) == ([1.0], [0.5])
    assert list(figure.layout.yaxis.range) == [-1, 1]


def test_many_dots_are_drawn_by_webgl():
    few, many = (Dots(np.zeros(n), np.zeros(n), [""] * n) for n in (3, MANY))
    assert scatter_figure([few], AXES, LIGHT).data[0].type == "scatter"
    assert scatter_figure([many], AXES, LIGHT).data[0].type == "scattergl"
