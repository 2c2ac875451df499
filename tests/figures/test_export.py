"""A figure's data as rows: every point, bar and entry once, with the figure's numbers."""

import numpy as np
import pytest

from geometry.figures.curves import Axes, Curve, bars_figure, curves_figure
from geometry.figures.heatmap import matrix_figure
from geometry.figures.layout import figure_rows
from geometry.palette import LIGHT


def test_curves_are_a_row_a_point():
    curves = [
        Curve(np.array([1, 2]), np.array([0.5, np.nan]), "raw", 0),
        Curve(np.array([3]), np.array([0.25]), "reference"),
    ]
    head, rows = figure_rows({"spectrum": curves_figure(curves, Axes("x", "y"), LIGHT)})
    assert head == ["name", "x", "about", "value"]
    assert [row[:3] for row in rows] == [
        ["raw", 1.0, ""],
        ["raw", 2.0, ""],
        ["reference", 3.0, ""],
    ]
    assert [row[3] for row in rows] == pytest.approx([0.5, np.nan, 0.25], nan_ok=True)


def test_bars_have_a_description_each():
    about = ["dimension 7", "dimension 3"]
    bars = [Curve(np.array([1, 2]), np.array([0.5, 0.25]), "raw", 0, about=about)]
    head, rows = figure_rows({"rogue": bars_figure(bars, "x", "y", LIGHT)})
    assert head == ["name", "x", "about", "value"]
    assert rows == [["raw", 1.0, "dimension 7", 0.5], ["raw", 2.0, "dimension 3", 0.25]]
    assert figure_rows({"rogue": bars_figure([], "x", "y", LIGHT)})[1] == []


def test_matrices_are_a_row_an_entry_under_their_figure_s_name():
    matrix = np.array([[1.0, 0.5], [0.25, 2.0]])
    figures = {
        name: matrix_figure(matrix * k, ["a", "b"], LIGHT) for k, name in ((1, "p"), (2, "q"))
    }
    head, rows = figure_rows(figures)
    assert head == ["name", "row", "column", "value"]
    assert rows[:4] == [
        ["p", "a", "a", 1.0],
        ["p", "a", "b", 0.5],
        ["p", "b", "a", 0.25],
        ["p", "b", "b", 2.0],
    ]
    assert [row[3] for row in rows[4:]] == [2.0, 1.0, 0.5, 4.0]
