"""Weights of a reader's own texts: fits use them, measures do not; a control turns them off."""

from pathlib import Path

import numpy as np
import pytest

from geometry import Corpus, Whitening, load_encoder, mean_cosine
from pages.narrow_cone.scene import full_whitening
from pages.whitening.explore import exported_map
from tests.encode.tiny_encoder import save_tiny_bert
from tests.pages.visits import brought, everything, healthy, new_visit

TEXTS = tuple(
    f"{a} {b} {c}"
    for a in ("the", "a")
    for b in ("cat", "dog", "bird", "tree")
    for c in ("sat", "ran", "sang", "on the mat", "under rain", "?")
)
TIMES = np.arange(len(TEXTS)) % 4  # a quarter of the texts has weight 0

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("one_memory")]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_bert(tmp_path_factory.mktemp("tiny"))


@pytest.mark.parametrize("page", ["narrow_cone", "whitening"])
def test_a_weighted_fit_is_that_of_rows_repeated_as_often_as_they_weigh(page, model, monkeypatch):
    scenes: list = []
    monkeypatch.setattr(f"pages.{page}.explore.offer_downloads", lambda scene: scenes.append(scene))
    own = Corpus("mine", TEXTS, weights=tuple(map(float, TIMES)), weight_column="seen *often*")
    query = {"model": str(model), "layer": "1", "fit-on": "same", "fit": "full", "shrink": "none"}
    app = new_visit(page, brought("uploads", "corpus", own), **query)
    healthy(app.run())
    X = load_encoder(str(model)).encode(TEXTS, layer=1)
    repeated = np.repeat(X, TIMES, axis=0)
    unweighted, weighted = (Whitening(method="zca").fit(rows) for rows in (X, repeated))

    def fitted():
        scene = scenes[-1]
        if page == "narrow_cone":
            return full_whitening(scene.points, scene.white.fit)
        return scene.pictures[1].treatment.fitted

    np.testing.assert_allclose(fitted().mean, repeated.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(fitted().apply(X), weighted.transform(X), atol=1e-3)
    effective = TIMES.sum() ** 2 / np.square(TIMES).sum()
    said = everything(app)
    assert f"fit weighted by seen \\*often\\* (effective n = {effective:.0f})" in said
    assert f"n/d = {effective / X.shape[1]:.2f}" in said
    raw = scenes[-1].points if page == "narrow_cone" else scenes[-1].sets.points
    assert mean_cosine(raw.vectors) == pytest.approx(mean_cosine(X), abs=1e-6)
    if page == "whitening":
        assert exported_map(scenes[-1].pictures[1], scenes[-1]).about["weights"] == "seen *often*"

    healthy(app.toggle(key="weights").set_value(False).run())
    np.testing.assert_allclose(fitted().apply(X), unweighted.transform(X), atol=1e-3)
    assert "fit weighted by" not in everything(app)


def test_a_half_and_an_unweighted_corpus(model, monkeypatch):
    """Each half and each part has the weights of its rows. Without weights there is no control."""
    scenes: list = []
    monkeypatch.setattr(
        "pages.whitening.explore.offer_downloads", lambda scene: scenes.append(scene)
    )
    own = Corpus("mine", TEXTS, weights=tuple(map(float, TIMES)), weight_column="seen")
    query = {"model": str(model), "layer": "1", "second": "clusterwise"}
    app = healthy(new_visit("whitening", brought("uploads", "corpus", own), **query).run())
    fit = scenes[-1].sets.fit_points
    assert fit.weights.tolist() == [TIMES[TEXTS.index(text)] for text in fit.cloud.texts]
    assert "Removed in clusters: fit unweighted" in everything(app)
    some = query | {"fit-on": "same", "fit-rows": "30"}
    healthy(new_visit("whitening", brought("uploads", "corpus", own), **some).run())
    fit = scenes[-1].sets.fit_points
    assert len(fit.cloud) == 30
    assert fit.weights.tolist() == [TIMES[TEXTS.index(text)] for text in fit.cloud.texts]
    own = Corpus("mine", TEXTS)
    app = healthy(new_visit("whitening", brought("uploads", "corpus", own), **query).run())
    assert not [toggle for toggle in app.toggle if toggle.key == "weights"]
