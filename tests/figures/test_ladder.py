"""The ladder: dots, intervals, published scores as ticks on their rungs, and the band."""

import pytest

from geometry.figures.ladder import Rung, Tick, ladder_figure
from geometry.palette import LIGHT

RUNGS = (
    Rung("[CLS], layer 0", "undefined", None, ticks=(Tick(16.5, "BERT CLS"),)),
    Rung(
        "66.5 mean, layer 5",
        "66.5 [62.0, 70.0]",
        66.5,
        62.0,
        70.0,
        place=2,
        ticks=(Tick(46.35, "avg BERT"),),
    ),
)

GLOVE = ("GloVe", 46.0, 58.02)


def picture(theme=LIGHT, rungs=RUNGS, band=GLOVE):
    names = ("measured", "published")
    return ladder_figure(rungs, "Spearman × 100", theme, names=names, band=band)


def test_named_ticks_have_one_line_on_the_side_with_more_room():
    ticks = (Tick(71.34, "", "whitening"), Tick(70.72, "", "flow"))
    rungs = [Rung("a", "", 84.0, 82.0, 86.0, ticks=ticks), Rung("b", "", 71.0, ticks=ticks[:0])]
    *labels, names = picture(rungs=rungs, band=None).layout.annotations
    assert len(labels) == 2
    assert (names.name, names.text) == ("wide", "flow 70.72 · whitening 71.34")
    assert (names.x, names.xanchor) == (71.34, "left")  # the range begins at 70.3
    far = Rung("c", "", 40.0)
    *_labels, names = picture(rungs=[rungs[0], far], band=None).layout.annotations
    assert (names.x, names.xanchor) == (70.72, "right")
    alone = [Rung("a", "", 84.0, ticks=(Tick(46.0, "", "GloVe"),)), Rung("b", "", 71.0)]
    figure = picture(rungs=alone, band=None)
    *_labels, name = figure.layout.annotations
    assert name.name is None  # chart.js leaves out "wide" on a narrow chart
    assert name.y == pytest.approx(figure.data[1].y[0])
