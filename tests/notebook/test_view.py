"""A view of vectors: its pictures, colours, texts and words; what is refused."""

import json

import numpy as np
import pytest

import geometry
from geometry.notebook import CloudView, make_view
from geometry.projection.packing import pack_cloud
from geometry.projection.point_colours import MOST_LABELS
from geometry.projection.twin_message import LONGEST_SHOWN, MOST_TEXTS
from geometry.transform import fit_treatment
from tests.for_each import for_each

N, D = 60, 5


def cloud(n: int = N, d: int = D, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d)) * np.arange(1, d + 1) + 2


def titles(view: CloudView) -> list[str]:
    return [picture.names[-1] for picture in view.cloud.pictures]


def test_vectors_alone_are_one_picture():
    X = cloud()
    view = make_view(X)
    assert titles(view) == ["Raw"]
    at = geometry.project(X, "mean").around_origin
    np.testing.assert_allclose(view.places[0], at)
    assert view.cloud.points.body == pack_cloud([at], view.cloud.reach)
    assert "60 points; mean pairwise cosine" in view.cloud.alt
    assert view.cloud.provenance == "60 vectors of 5 numbers · projection=mean · seed 0"


def test_the_treated_cloud_is_on_the_axes_and_at_the_radius_of_the_raw_one():
    X = cloud()
    view = make_view(X, treatment="zca:lw", n_components=3)
    raw, white = view.places
    fitted = fit_treatment("zca", X).turn(geometry.transform.Knobs(shrinkage="ledoit-wolf"))
    at = geometry.project(X, "mean", 3).apply(fitted.apply(X).vectors).around_origin
    rms = [np.sqrt((P**2).sum(axis=1).mean()) for P in (raw, at)]
    np.testing.assert_allclose(white, at * rms[0] / rms[1])
    assert titles(view) == ["Raw", "ZCA whitening (zca:lw)"]
    assert [list(picture.path) for picture in view.cloud.pictures] == [[0], [0, 1]]
    assert "zca:lw fitted on 60 of these points" in view.cloud.provenance


def test_two_sets_are_side_by_side_and_turned_alike():
    X = cloud()
    view = make_view(X, -X[:, ::-1], names=("one", "two"), projection="pca")
    assert titles(view) == ["one", "two"]
    np.testing.assert_allclose(*view.places, atol=1e-9)
    both = make_view(X, cloud(d=7, seed=1), treatment="centred")
    assert titles(both) == ["X", "X · Centred (centred)", "Y", "Y · Centred (centred)"]
    assert [list(picture.path) for picture in both.cloud.pictures] == [[0], [0, 1], [2], [2, 3]]
    assert both.cloud.landmarks == [(0, "Raw"), (1, "Centred (centred)")]


@pytest.mark.slow
def test_a_map_is_fitted_on_each_and_has_no_film():
    view = make_view(cloud(), treatment="zca", projection="tsne", most_fitted=40)
    assert [len(picture.path) for picture in view.cloud.pictures] == [1, 1]
    assert view.cloud.origin_label is None
    assert np.isfinite(view.places).all()
    assert all("no cone, no angles" in line for line in view.cloud.below)


def test_what_holds_vectors_may_be_a_column():
    pandas = pytest.importorskip("pandas")
    X = cloud()
    table = pandas.DataFrame({"v": list(X), "t": [f"t{i}" for i in range(N)]}, index=range(9, 69))
    view = make_view(table["v"], texts=table["t"], labels=table["t"].str.len())
    np.testing.assert_array_equal(view.places[0], make_view(X).places[0])
    assert view.text_of(0) == "t0"
    assert view.cloud.colours.names == ("3", "2")


def test_colours_are_those_of_labels_of_numbers_or_of_lengths():
    X = cloud()
    np.testing.assert_allclose(make_view(X).cloud.colours.codes, np.linalg.norm(X, axis=1))
    many = make_view(X, labels=[*range(40), *[0] * 20]).cloud.colours
    assert len(many.names) == MOST_LABELS
    assert sum(many.codes == many.names.index("other")) == 40 - (MOST_LABELS - 1)
    prices = np.linspace(1, 9, N)
    colours = make_view(X, labels=prices).cloud.colours
    assert colours.names is None
    np.testing.assert_array_equal(colours.codes, prices)


def test_texts_are_sent_at_once_up_to_a_number():
    few = make_view(cloud(), texts=["x" * 3000] * N).description()
    assert few["texts"] == [f"{'x' * LONGEST_SHOWN}…"] * N
    view = make_view(cloud(MOST_TEXTS + 1), texts=[f"t{i}" for i in range(MOST_TEXTS + 1)])
    assert view.description()["texts"] == {}
    assert view.description(None)["texts"][-1] == f"t{MOST_TEXTS}"
    assert make_view(cloud()).text_of(7) == "7"
    json.dumps(view.description())  # all of it can be sent


def test_words_are_in_the_language():
    view = make_view(cloud(), treatment="zca", language="zh-Hant")
    assert titles(view) == ["原始", "ZCA 白化（zca）"]
    assert view.description()["message"]["words"]["lasso"] != "Lasso"
    assert "points" not in view.cloud.alt


@for_each(
    ("options", "message"),
    [
        ({"labels": ["a"]}, "labels: 1 for 60 rows of X"),
        ({"texts": ["a"] * 61}, "texts: 61 for 60 rows of X"),
        ({"Y": np.ones((3, 2))}, "Y: 3 for 60 rows of X"),
        ({"treatment": "sharpen"}, "treatment 'sharpen' is not known"),
        ({"projection": "mds"}, "method must be one of"),
        ({"n_components": 4}, "n_components must be 2 or 3"),
        ({"language": "xx"}, "language must be one of en"),
        ({"labels": [*np.linspace(1, 9, N - 1), np.nan]}, "must be finite"),
        ({"Y": cloud(), "names": ("a",)}, "two texts"),
        ({"X": None}, "got None"),
        ({"X": np.ones(7)}, "expected vectors as rows"),
        ({"X": np.where(np.arange(N)[:, None] == 3, np.nan, cloud())}, "row 4 has NaN"),
        ({"X": cloud(2)}, "at least 3 rows"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        make_view(**{"X": cloud(), **options})


def test_a_row_of_zeros_has_a_place_and_no_cosine():
    X = cloud()
    X[0] = 0
    view = make_view(X, projection="svd")
    assert "some at zero and without a direction" in view.cloud.alt
    assert view.places[0][0] == pytest.approx([0, 0])
