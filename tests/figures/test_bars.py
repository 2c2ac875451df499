"""Groups of bars: heights, one colour for each cloud, and hover texts."""

import numpy as np
import pytest

from geometry.figures.bars import Bars, bars_figure
from geometry.figures.curves import place_colour
from geometry.palette import DARK, LIGHT
from tests.for_each import for_each

RAW = Bars(np.array([0.5, 0.2, -0.1]), ["維度 7", "維度 2", "維度 0"], "Raw", 0)
WHITE = Bars(np.array([0.1, 0.05]), ["dimension 3", "dimension 1"], "ZCA", 2)


def picture(groups=(RAW, WHITE), theme=LIGHT):
    return bars_figure(groups, "dimensions, largest share first", "share", theme)


def test_heights_and_names_by_hand():
    raw, white = picture().data
    assert (raw.name, white.name) == ("Raw", "ZCA")
    assert np.array(raw.x).tolist() == [1, 2, 3]
    assert np.array(white.x).tolist() == [1, 2]
    assert np.array(raw.y) == pytest.approx([0.5, 0.2, -0.1])
    assert np.array(white.y) == pytest.approx([0.1, 0.05])


def test_the_hover_text_describes_its_bar():
    for drawn, given in zip(picture().data, (RAW, WHITE), strict=True):
        assert list(drawn.text) == given.about
        assert drawn.hovertemplate == "%{text}: %{y:.2%}"
        assert drawn.textposition == "none"  # on the bars it would overlap


@for_each("theme", [LIGHT, DARK])
def test_a_cloud_has_the_colour_of_its_curve(theme):
    # The colour depends on the place. A cloud without bars leaves its place empty.
    colours = [trace.marker.color for trace in picture(theme=theme).data]
    assert colours == [place_colour(0, theme), place_colour(2, theme)]
    assert picture(theme=theme).layout.paper_bgcolor == theme.paper


def test_the_axes():
    layout = picture().layout
    assert layout.barmode == "group"
    assert picture((RAW,)).layout.showlegend  # Plotly hides the name of a single group by default
    assert layout.xaxis.title.text == "dimensions, largest share first"
    assert layout.xaxis.dtick == 1
    assert layout.yaxis.title.text == "share"
    # in whole percents, ticks every 0.5% would read 0, 1, 1, 2
    assert layout.yaxis.tickformat == "~%"
    assert layout.yaxis.zeroline  # shares may be negative


def test_no_group_is_an_empty_pair_of_axes():
    assert len(picture(()).data) == 0
