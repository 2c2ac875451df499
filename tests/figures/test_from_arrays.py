"""The public figures: arrays in, English labels by default, the numbers of the measures inside."""

import numpy as np
import pytest

import geometry
from geometry import figures
from geometry.errors import MissingExtraError
from geometry.measure import pairwise_cosines
from geometry.palette import DARK
from tests.for_each import for_each

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 8)) * np.geomspace(3, 0.3, 8) + 2
Z = geometry.Whitening("zca").fit_transform(X)


def test_without_plotly_the_extra_is_named(monkeypatch):
    monkeypatch.delitem(vars(figures), "spectrum", raising=False)  # it may have been loaded
    monkeypatch.setattr("geometry.errors.find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError, match="extra `notebook`"):
        _ = geometry.figures.spectrum
    assert not hasattr(figures, "no_such_name")


def test_a_histogram_has_the_mean_cosine_of_the_rows():
    one, reference = figures.cosine_histogram(X, bins=400).data
    assert float(np.dot(one.x, one.y)) == pytest.approx(geometry.mean_cosine(X), abs=0.005)
    assert float(np.dot(reference.x, reference.y)) == pytest.approx(0, abs=1e-9)
    assert reference.name == "isotropic directions, d = 8"
    both = figures.cosine_histogram(X, Z, names=("a", "b"), theme=DARK)
    assert [trace.name for trace in both.data[:2]] == ["a", "b"]
    assert both.data[1].line.color == DARK.white
    assert np.sum(both.data[1].y) == pytest.approx(1)


def test_a_histogram_of_many_rows_is_of_a_seeded_sample():
    edges = np.linspace(-1, 1, 11)
    (drawn, _) = figures.cosine_histogram(X, bins=10, max_rows=9, seed=3).data
    counts, _ = np.histogram(pairwise_cosines(X, max_rows=9, seed=3), edges)
    assert list(drawn.y) == pytest.approx(counts / 36)


def test_a_spectrum_is_1_for_a_whitened_cloud():
    raw, white = figures.spectrum(X, Z).data
    values = np.linalg.eigvalsh(np.cov(X.T))[::-1]
    assert np.array(raw.y) == pytest.approx(values / values.mean(), rel=1e-4)
    assert np.array(white.y) == pytest.approx(np.ones(8), rel=1e-4)
    (flat,) = figures.spectrum(np.c_[X, np.zeros(60)]).data
    assert np.isnan(flat.y).tolist() == [False] * 8 + [True]  # no variance is a gap


def test_curves_start_at_layer_0_and_have_their_intervals():
    figure = figures.layer_curves(
        {"mean": [0.1, 0.2], "cls": [0.3, np.nan]}, intervals={"cls": [[0.2, 0.4], [0, 1]]}, y="cos"
    )
    low, high, mean, cls = figure.data
    assert list(mean.x) == [0, 1]
    assert cls.y[0] == pytest.approx(0.3)
    assert (list(low.y), list(high.y)) == (
        pytest.approx([0.2, 0.0]),
        pytest.approx([0.4, 1.0]),
    )
    assert figure.layout.yaxis.title.text == "cos"


@for_each(
    ("draw", "values", "settings", "message"),
    [
        (figures.layer_curves, {"a": [[1.0]]}, {}, "'a': expected"),
        (figures.layer_curves, [1.0, 2.0], {"intervals": [[0.0, 1.0]]}, r"shape \(2, 2\)"),
        (figures.layer_curves, {"a": [1.0]}, {"intervals": {"b": [[0, 1]]}}, "no curve for 'b'"),
        (figures.score_ladder, {"raw": 1.0}, {"intervals": {"w": (0, 1)}}, "no score for 'w'"),
        (figures.score_ladder, [0.1, 0.2], {}, "mapping"),
        (figures.table_heatmap, [1.0, 2.0], {}, "table of numbers"),
        (figures.table_heatmap, [[np.nan]], {}, "table of numbers"),
        (figures.table_heatmap, np.empty((0, 3)), {}, "table of numbers"),
        (figures.table_heatmap, [[1.0], [2.0]], {"rows": ["a"]}, "1 names for 2 rows"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, values, settings, message):
    with pytest.raises(ValueError, match=message):
        draw(values, **settings)


def test_a_ladder_has_scores_intervals_and_published_scores():
    figure = figures.score_ladder(
        {"raw": 59.6, "CLS": None},
        intervals={"raw": (55.0, 64.0)},
        published={"raw": {"BERT": 46.35}},
        band=("ceiling", 80.0, 84.0),
        decimals=1,
    )
    dots, ticks, band = figure.data
    assert dots.x[0] == pytest.approx(59.6)
    assert np.isnan(dots.x[1])
    assert dots.error_x.array[0] == pytest.approx(4.4)
    assert dots.text == ("raw: 59.6 [55.0, 64.0]", "CLS: undefined")
    assert ticks.x[0] == pytest.approx(46.35)
    assert band.name == "ceiling"


def test_a_heatmap_writes_its_numbers_and_leaves_gaps_empty():
    (cells,) = figures.table_heatmap(
        [[0.5, -0.25], [np.nan, 1.0]], rows=["a", "b"], columns=[4, 5], titles=("layer", "pooling")
    ).data
    assert [list(row) for row in cells.text] == [["0.50", "-0.25"], ["", "1.00"]]
    assert cells.customdata[0][1] == "pooling a, layer 5: -0.25"
    assert (cells.zmin, cells.zmax) == (-1.0, 1.0)  # 0 is the background
    (upwards,) = figures.table_heatmap([[2.0, 3.0]]).data
    assert (upwards.zmin, upwards.zmax) == (2.0, 3.0)
    (large,) = figures.table_heatmap(np.ones((30, 30))).data
    assert not any(any(row) for row in large.text)
