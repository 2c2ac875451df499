"""Curves and bars: their values, a style for each place, and the requested scales."""

import numpy as np
import pytest

from geometry.figures.curves import (
    DASHES,
    Axes,
    Curve,
    curves_figure,
)
from geometry.palette import DARK, LIGHT
from tests.for_each import for_each

X = np.array([1.0, 10, 100])
HEIGHTS = np.array([0.5, 0.25, 0.125])
PLAIN = Axes("方向", "variance")
themes = for_each("theme", [LIGHT, DARK])


def picture(axes=PLAIN, theme=LIGHT, curves=None):
    if curves is None:
        curves = [Curve(X, HEIGHTS * (i + 1), f"cloud {i}", i) for i in range(4)]
        curves.append(Curve(X, HEIGHTS, "isotrop"))
    return curves_figure(curves, axes, theme)


def test_every_curve_is_there_as_it_was_given():
    figure = picture()
    assert [trace.name for trace in figure.data] == [*(f"cloud {i}" for i in range(4)), "isotrop"]
    for place, curve in enumerate(figure.data[:4]):
        assert np.array(curve.x) == pytest.approx(X)
        assert np.array(curve.y) == pytest.approx(HEIGHTS * (place + 1))
        assert curve.mode == "lines"
    layout = figure.layout
    assert (layout.xaxis.title.text, layout.yaxis.title.text) == ("方向", "variance")
    assert layout.xaxis.type is layout.yaxis.type is layout.xaxis.range is None
    # above the plot, because a legend beside it narrows the plot on a phone
    assert layout.legend.yanchor == "bottom"


@themes
def test_four_clouds_and_a_reference_look_different(theme):
    figure = picture(theme=theme)
    lines = [trace.line for trace in figure.data]
    assert [line.color for line in lines[:2]] == [theme.raw, theme.white]
    assert [line.dash for line in lines[:4]] == list(DASHES)
    assert len({line.color for line in lines[:4]} | {theme.paper}) == 5
    assert (lines[4].color, lines[4].dash, lines[4].width) == (theme.ink, "dot", 1)
    assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == theme.paper
    assert figure.layout.font.color == theme.ink


def test_ranges_are_in_data_units_on_either_scale():
    axes = Axes("n", "y", log_x=True, x_range=(10.0, 1000.0), y_range=(-1.0, 0.5))
    layout = picture(axes).layout
    assert layout.xaxis.type == "log"
    assert layout.xaxis.range == pytest.approx((1, 3))  # Plotly's ends of a log axis are exponents
    assert (layout.xaxis.exponentformat, layout.xaxis.dtick) == ("power", 1)
    assert layout.yaxis.type is None
    assert layout.yaxis.range == (-1, 0.5)
    layout = picture(Axes("n", "y", log_y=True)).layout
    assert (layout.xaxis.type, layout.yaxis.type) == (None, "log")


@pytest.mark.filterwarnings("error")
@for_each("limits", [(0.0, 1.0), (-1.0, 1.0), (1.0, 0.0)])
def test_a_log_axis_has_no_zero(limits):
    with pytest.raises(ValueError, match="a log axis needs a range above 0; got"):
        picture(Axes("n", "y", log_y=True, y_range=limits))
