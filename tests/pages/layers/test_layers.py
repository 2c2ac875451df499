"""The layers page without a browser: every number is the library's, by a second route."""

import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler
from streamlit.testing.v1 import AppTest

from geometry import (
    Corpus,
    Encoder,
    isoscore,
    mean_cosine,
    opening_angle,
)
from geometry.data.number_text import signed
from geometry.measure import (
    Measured,
    self_similarity,
)
from pages.common.draw.twin_cloud import NO_WEBGL2
from pages.layers import scene as layers_scene
from pages.layers.explore import dimensions_csv, published_curves, table_csv
from pages.layers.scene import layers_state, rogue_state
from tests.encode.tiny_encoder import DIMENSION, N_LAYERS, save_tiny_bert
from tests.for_each import for_each
from tests.pages.charts import array, charts
from tests.pages.twins import twin_clouds
from tests.pages.visits import (
    big_numbers,
    brought,
    everything,
    healthy,
    new_visit,
    rows_of,
    spread_topics,
)

N = 42
LAST = 6  # of the bundled model
SERIES = {"sentences, [CLS]": "cls", "sentences, mean": "mean", "sentences, max": "max"}
pytestmark = [pytest.mark.model, pytest.mark.usefixtures("one_memory")]


def visit(own: Corpus | None = None, **query: str) -> AppTest:
    state = brought("uploads", "corpus", own or spread_topics(N))
    if query.pop("webgl2", "") == "no":
        state[NO_WEBGL2] = True
    if query.pop("table", ""):
        state["all-measures"] = True
    return healthy(new_visit("layers", state, **query).run())


@pytest.fixture(scope="module")
def sentences(encoder: Encoder) -> dict[str, np.ndarray]:
    """Every layer of each pooling, (layers, n, d)."""
    return encoder.encode_layers(spread_topics(N).texts, poolings=("cls", "mean", "max"))


@pytest.fixture(scope="module")
def tokens(encoder: Encoder):
    """TokenEmbeddings of each layer, from one call for each layer, without special tokens."""
    return [encoder.encode_tokens(spread_topics(N).texts, layer=layer) for layer in range(LAST + 1)]


def curves(app: AppTest) -> dict[str, np.ndarray]:
    figure = charts(app)["layer-curves"]["figure"]
    return {
        trace["name"]: array(trace["y"])
        for trace in figure["data"]
        if trace.get("name") is not None
    }


@pytest.mark.slow
def test_the_numbers_are_those_of_the_layer_and_of_the_change_to_it(sentences):
    app = visit(layer="5", pooling="cls")
    below, X = sentences["cls"][4:6]
    shown, rogue = big_numbers(app)
    angle = f"{opening_angle(X):.1f}°"
    assert shown == [signed(mean_cosine(X), 3), angle, f"{isoscore(X):.3f}"]
    body = next(e.proto.body for e in app.get("html") if "<dl" in e.proto.body)
    change = re.findall(r"since the layer below: ([^<]*)<", body)
    difference = mean_cosine(X) - mean_cosine(below)
    assert float(change[0].replace("−", "-")) == pytest.approx(difference, abs=5e-4)
    assert len(rogue) == 3


def test_each_curve_is_the_library_s_at_every_layer(sentences, tokens):
    drawn = curves(visit())
    for name, pooling in SERIES.items():
        expected = [mean_cosine(X) for X in sentences[pooling]]
        np.testing.assert_allclose(drawn[name], expected, atol=1e-6)
    np.testing.assert_allclose(
        drawn["contextual tokens"], [mean_cosine(each.vectors) for each in tokens], atol=1e-6
    )
    low, high = drawn["contextual tokens 2.5%"], drawn["contextual tokens 97.5%"]
    assert (low < drawn["contextual tokens"]).all()
    assert (drawn["contextual tokens"] < high).all()
    np.testing.assert_array_equal(drawn["isotropic, as many as sentences, mean"], 0)


def test_a_measure_of_context_is_of_tokens_alone():
    drawn = curves(visit(measure="self_similarity"))
    name, reference = "contextual tokens", "isotropic, as many as contextual tokens"
    assert set(drawn) == {name, f"{name} 2.5%", f"{name} 97.5%", reference}


def test_published_curves_are_marked_and_stretched():
    bert, gpt2, elmo = published_curves(6)
    assert bert.name == "bert-base-cased, published"
    np.testing.assert_allclose(bert.x[[0, 6, 12]], [0, 3, 6])
    assert bert.y[[0, 11, 12]].tolist() == [0.105, 0.675, 0.477]
    np.testing.assert_allclose(gpt2.x[[0, 2, 3]], [0, 5.5, 6])
    assert np.isnan(gpt2.y[1])  # a gap for the unpublished layers between
    assert elmo.y.tolist() == [0.008, 0.157, 0.136]
    names = set(curves(visit(measure="isoscore")))
    assert not [name for name in names if "published" in name]


def test_the_animation_has_a_stop_at_each_layer_and_the_same_points(sentences):
    app = visit(layer="3", pooling="max")
    (twin,) = twin_clouds(app).values()
    message = twin.message
    film, *stills = message["views"]
    assert message["hasLead"]
    assert film["path"] == list(range(LAST + 1))
    assert [still["path"] for still in stills] == [[layer] for layer in range(LAST + 1)]
    assert (message["at"], message["values"], message["steps"]) == (3, [3], 1)
    assert message["knobs"] == [[layer] for layer in range(LAST + 1)]
    assert message["words"]["film"] == "From the first layer to the last"
    for frame, X in zip(twin.frames[film["points"]], sentences["max"], strict=True):
        U = X / np.linalg.norm(X, axis=1, keepdims=True)
        mean = U.mean(axis=0) / np.linalg.norm(U.mean(axis=0))
        np.testing.assert_allclose(frame[:, 0], U @ mean, atol=1e-4)
        assert np.linalg.norm(frame, axis=1).max() <= 1 + 1e-4


def test_the_parts_of_the_dimensions_sum_to_the_mean_cosine(sentences, scenes):
    app = visit(layer="5")
    figure = charts(app)["layer-rogues"]["figure"]
    raw, standardised = (array(t["z"]).reshape(LAST + 1, -1) for t in figure["data"])
    for layer, X in enumerate(sentences["mean"]):
        assert raw[layer].sum() == pytest.approx(mean_cosine(X), abs=1e-5)
        Z = StandardScaler().fit_transform(X.astype(float))
        assert standardised[layer].sum() == pytest.approx(mean_cosine(Z), abs=1e-4)
    top = int(np.argmax(raw[5]))
    share = raw[5, top] / raw[5].sum()
    assert f"{top} ({share:.1%})" in everything(app)
    five = np.sort(raw[5])[-5:].sum() / raw[5].sum()
    assert big_numbers(app)[1] == [f"{share:.1%}", f"{five:.1%}", signed(standardised[5].sum(), 3)]
    rows = rows_of(dimensions_csv(scenes[0].parts, "x"))
    assert len(rows) == raw.size
    assert float(rows[5 * raw.shape[1] + top]["raw"]) == pytest.approx(raw[5, top], rel=1e-4)


def test_cls_at_the_input_is_one_vector():
    """All vectors are equal, so there is no spread: cells give the reason, nothing fails."""
    app = visit(layer="0", pooling="cls", table="open")
    assert big_numbers(app)[0][0] == "1.000"
    assert "1.0000, 1.0000" in everything(app)
    assert "| 0 | 1.000" in everything(app)


def test_the_table_has_every_layer_and_the_file_every_series(tokens, monkeypatch):
    made: list[bytes] = []
    monkeypatch.setattr(
        "pages.layers.explore.offer_csv", lambda _label, _name, table: made.append(table())
    )
    app = visit(unit="tokens", table="open")
    lines = [line for line in everything(app).splitlines() if line.startswith("| ")]
    assert len(lines) == 2 + LAST + 1 + 1
    value = mean_cosine(tokens[2].vectors)
    assert any(line.startswith(f"| 2 | {value:.3f} [") for line in lines)
    rows = rows_of(made[-4])
    assert {row["series"] for row in rows} == {"cls", "mean", "max", "tokens"}
    assert {row["layer"] for row in rows} == set(map(str, range(LAST + 1)))
    of_tokens = {row["measure"] for row in rows if row["series"] == "tokens"}
    assert {"isoscore", "top_contribution", "max_explainable_variance"} <= of_tokens
    found = next(
        float(row["value"])
        for row in rows
        if (row["series"], row["layer"], row["measure"]) == ("tokens", "2", "mean_cosine")
    )
    assert found == pytest.approx(value, rel=1e-5)
    expected = [self_similarity(each.vectors, np.array(each.tokens)) for each in tokens]
    layers = [
        float(row["value"])
        for row in rows
        if (row["series"], row["measure"]) == ("tokens", "self_similarity")
    ]
    np.testing.assert_allclose(layers, expected, rtol=1e-5)


def test_a_model_of_another_size_and_too_few_texts(tmp_path_factory, monkeypatch):
    model = str(save_tiny_bert(tmp_path_factory.mktemp("tiny")))
    texts = tuple(f"the {a} {b}" for a in ("cat", "dog") for b in ("sat", "ran", "sang"))
    app = visit(Corpus("six", texts), model=model)
    assert len(curves(app)["contextual tokens"]) == N_LAYERS + 1
    assert "This needs two layers, and 40 sentences or more." in everything(app)
    app = visit(Corpus("three", texts[:3]), model=model)
    assert "A picture needs at least 4 points." in everything(app)
    # The tokens of all layers are in memory together, which may take 10 GB for 200 layers.
    monkeypatch.setattr(layers_scene, "BYTES_AT_ONCE", 5 * (N_LAYERS + 1) * DIMENSION * 4)
    app = visit(Corpus("six", texts), model=model)
    said = everything(app)
    assert "n = 6 sentences ·" in said
    assert "Texts of the curves: a sample of 5 of the 6 texts, seed 0." in said
    monkeypatch.setattr(layers_scene, "BYTES_AT_ONCE", 14 * (N_LAYERS + 1) * DIMENSION * 4)
    app = visit(Corpus("six", texts), model=model, unit="tokens")
    assert "n = 12 tokens (a sample of 18)" in everything(app)


def test_all_points_are_drawn_and_curves_take_a_sample(monkeypatch, sentences):
    """A corpus above the limits: the pictures and the numbers below them use every row."""
    monkeypatch.setattr(layers_scene, "MANY_POINTS", 10)
    monkeypatch.setattr(layers_scene, "SAMPLE_ROWS", 20)
    own = spread_topics(N)
    app = visit(layer="2", table="open", view="svd", dims="3D")
    (twin,) = twin_clouds(app).values()
    frames = twin.frames[twin.message["views"][0]["points"]]
    assert [len(frame) for frame in frames] == [N] * (LAST + 1)
    X = sentences["mean"]
    assert big_numbers(app)[0][0] == signed(mean_cosine(X[2]), 3)
    drawn = np.sort(np.random.default_rng(0).choice(N, 20, replace=False))
    expected = [mean_cosine(each[drawn]) for each in X]
    np.testing.assert_allclose(curves(app)["sentences, mean"], expected, atol=1e-5)
    said = everything(app)
    assert f"n = {N} sentences ·" in said
    assert f"n = 20 sentences · a sample of 20 of the {N} texts" in said
    # Plotly draws only a sample
    assert f"n = 20 sentences (a sample of {N})" in everything(visit(own, webgl2="no"))


def row(value: float | None, low: float | None = None, high: float | None = None) -> Measured:
    return Measured("x", value, low, high, 0.1, 50, 8)


@for_each(
    ("rows", "state"),
    [
        ([row(0.1, 0.05, 0.15), row(0.3, 0.2, 0.4)], "holds"),
        ([row(0.1, 0.05, 0.15), row(0.9, 0.8, 1.0), row(0.12, 0.1, 0.2)], "partly"),
        ([row(0.1, 0.05, 0.15), row(0.0, -0.1, 0.1), row(0.9, 0.8, 1.0)], "fails"),
        ([row(0.1, 0.05, 0.15)], "unknown"),
        ([row(0.1), row(0.2)], "unknown"),
    ],
)
def test_the_verdict_on_layers_follows_the_intervals(rows, state):
    assert layers_state(rows) == state


@for_each(
    ("share", "rotated", "state"),
    [
        (0.6, 0.1, "holds"),
        (0.5, 0.1, "partly"),
        (0.1, 0.1, "fails"),
        (0.9, 0.95, "fails"),  # of few dimensions five carry most of it after any rotation
        (None, 0.1, "unknown"),
    ],
)
def test_the_verdict_on_rogue_dimensions_has_random_rotations_as_control(share, rotated, state):
    assert rogue_state(share, rotated) == state


def test_the_file_of_measures_leaves_missing_values_empty():
    table = {"mean_cosine": replace(row(None), name="mean_cosine", undefined="zero_row")}
    [found] = rows_of(table_csv({"cls": [table]}, {"cls": "here"}))
    assert [*found.values()] == [*("cls", "0", "mean_cosine", "", "", "", "0.1", "50", "8", "here")]
