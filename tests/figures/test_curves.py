"""Curves and bars: their values, a style for each place, and the requested scales."""

import numpy as np
import pytest

from geometry.figures.curves import (
    DASHES,
    Axes,
    Bars,
    Curve,
    bars_figure,
    curves_figure,
    place_colour,
)
from geometry.palette import DARK, LIGHT
from tests.for_each import for_each

X = np.array([1.0, 10, 100])
HEIGHTS = np.array([0.5, 0.25, 0.125])
PLAIN = Axes("方向", "variance")
RAW = Bars(np.array([0.5, 0.2, -0.1]), ["維度 7", "維度 2", "維度 0"], "Raw", 0)
WHITE = Bars(np.array([0.1, 0.05]), ["dimension 3", "dimension 1"], "ZCA", 2)
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


def test_dots_mark_each_point_and_a_missing_one_is_a_gap():
    (curve,) = picture(curves=[Curve(X, np.array([1, np.nan, 2]), "a", 0, dots=True)]).data
    assert curve.mode == "lines+markers"
    assert np.isnan(curve.y).tolist() == [False, True, False]
    assert not curve.connectgaps


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


def test_references_look_different_from_each_other_and_a_histogram_has_steps():
    curves = [Curve(X, HEIGHTS, name) for name in ("rank floor", "n = d", "isotropic")]
    assert len({trace.line.dash for trace in picture(curves=curves).data}) == 3
    curves = [Curve(X, HEIGHTS, "shares", 0, step=True), Curve(X, HEIGHTS, "reference")]
    assert [trace.line.shape for trace in picture(curves=curves).data] == ["hvh", "linear"]


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


def test_a_curve_s_interval_is_shaded_between_its_edges():
    curve = Curve(X, HEIGHTS, "raw", 0, low=HEIGHTS - 1, high=HEIGHTS + 1)
    low, high, line = picture(curves=[curve]).data
    assert np.array(low.y) == pytest.approx(HEIGHTS - 1)
    assert np.array(high.y) == pytest.approx(HEIGHTS + 1)
    assert high.fill == "tonexty"
    assert (low.showlegend, high.showlegend, line.name) == (False, False, "raw")


def test_named_ticks_are_numbers_as_they_are_written():
    layout = picture(Axes("n", "score", log_x=True, x_ticks=(10.0, 1224.0))).layout
    assert list(layout.xaxis.tickvals) == [10, 1224]
    assert list(layout.xaxis.ticktext) == ["10", "1,224"]


@themes
def test_bars_have_their_heights_descriptions_and_the_colour_of_their_curve(theme):
    figure = bars_figure((RAW, WHITE), "dimensions", "share", theme)
    for drawn, given in zip(figure.data, (RAW, WHITE), strict=True):
        assert drawn.name == given.name
        assert np.array(drawn.x).tolist() == list(range(1, len(given.about) + 1))
        assert np.array(drawn.y) == pytest.approx(given.heights)
        assert list(drawn.text) == given.about
        assert drawn.hovertemplate == "%{text}: %{y:.2%}"
        assert drawn.textposition == "none"  # on the bars it would overlap
        # The colour depends on the place. A cloud without bars leaves its place empty.
        assert drawn.marker.color == place_colour(given.place, theme)
    layout = figure.layout
    assert (layout.barmode, layout.xaxis.dtick, layout.yaxis.zeroline) == ("group", 1, True)
    assert bars_figure((RAW,), "x", "y", theme).layout.showlegend  # Plotly hides a single name
    # in whole percents, ticks every 0.5% would read 0, 1, 1, 2
    assert layout.yaxis.tickformat == "~%"


def test_nothing_to_draw_is_an_empty_pair_of_axes():
    assert len(picture(curves=[]).data) == len(bars_figure((), "x", "y", LIGHT).data) == 0
