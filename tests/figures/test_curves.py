"""Curves: their values, a style for each place, and the requested scales."""

import numpy as np
import pytest

from geometry.figures.curves import DASHES, LEGEND_LINE, Axes, Curve, curves_figure, place_colour
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
        assert curve.x.dtype == curve.y.dtype == np.float32
        assert curve.mode == "lines"


def test_dots_mark_each_point_and_a_missing_one_is_a_gap():
    (curve,) = picture(curves=[Curve(X, np.array([1, np.nan, 2]), "a", 0, dots=True)]).data
    assert curve.mode == "lines+markers"
    assert np.isnan(curve.y).tolist() == [False, True, False]
    assert not curve.connectgaps


@themes
def test_four_clouds_and_a_reference_look_different(theme):
    lines = [trace.line for trace in picture(theme=theme).data]
    assert [line.color for line in lines[:2]] == [theme.raw, theme.white]
    assert [line.dash for line in lines[:4]] == list(DASHES)
    assert len({line.color for line in lines[:4]}) == 4
    assert theme.paper not in {line.color for line in lines}
    assert (lines[4].color, lines[4].dash, lines[4].width) == (theme.ink, "dot", 1)
    assert len({(line.color, line.dash) for line in lines}) == 5


@themes
def test_a_place_has_one_colour_in_every_figure(theme):
    assert [line.line.color for line in picture(theme=theme).data[:4]] == [
        place_colour(place, theme) for place in range(4)
    ]


def test_references_look_different_from_each_other():
    curves = [Curve(X, HEIGHTS, name) for name in ("rank floor", "n = d", "isotropic")]
    assert len({trace.line.dash for trace in picture(curves=curves).data}) == 3


def test_only_a_histogram_has_steps():
    curves = [Curve(X, HEIGHTS, "shares", 0, step=True), Curve(X, HEIGHTS, "reference")]
    assert [trace.line.shape for trace in picture(curves=curves).data] == ["hvh", "linear"]


@themes
def test_the_axes_are_labelled_and_the_paper_is_the_theme_s(theme):
    layout = picture(theme=theme).layout
    assert (layout.xaxis.title.text, layout.yaxis.title.text) == ("方向", "variance")
    assert layout.paper_bgcolor == layout.plot_bgcolor == theme.paper
    assert layout.font.color == theme.ink
    assert layout.height == 320 + LEGEND_LINE * len(picture(theme=theme).data)
    # above the plot, because a legend beside it narrows the plot on a phone
    assert layout.legend.yanchor == "bottom"


def test_plain_axes_show_everything():
    layout = picture().layout
    assert layout.xaxis.type is layout.yaxis.type is None
    assert layout.xaxis.range is layout.yaxis.range is None
    assert layout.yaxis.tickformat is None


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


def test_shares_are_percentages_from_zero():
    figure = picture(Axes("x", "share", percent=True))
    assert figure.layout.yaxis.tickformat == "~%"
    assert figure.layout.yaxis.rangemode == "tozero"
    assert all(trace.hovertemplate == "%{x:.4g}: %{y:.2%}" for trace in figure.data)
    assert picture().data[0].hovertemplate == "%{x:.4g}: %{y:.4g}"


def test_a_gap_stays_a_gap():
    curve = Curve(X, np.array([1.0, np.nan, 0.1]), "spectrum", 0)
    assert np.isnan(picture(curves=[curve]).data[0].y[1])


def test_no_curve_is_an_empty_pair_of_axes():
    figure = picture(curves=[])
    assert len(figure.data) == 0
    assert figure.layout.xaxis.title.text == "方向"
