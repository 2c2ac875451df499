"""The sentence-similarity page without a browser: its numbers are scipy's, its words are there."""

import re

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from streamlit.testing.v1 import AppTest

from geometry import ArrayStore, Pairs, read_cloud
from geometry.corpus import read_bundled, read_bundled_pairs
from geometry.evaluate.from_encoder import POOLINGS_SHOWN
from geometry.load import load_encoder
from geometry.model_errors import DataSetError
from geometry.rank_lesson import Bend, made_up_scores
from pages.common import words
from tests.pages.charts import array, charts
from tests.pages.visits import everything, healthy, new_visit

PAGE = "sentence_similarity"
LESSON = {f"sts-{kind}-{name}" for kind in ("values", "ranks") for name in ("unrelated", "related")}
MEASURED = {
    "sts-claim",
    *(f"sts-grid-{kind}" for kind in ("before", "after", "difference")),
    "sts-cone",
    "sts-sizes",
    "sts-pairs-before",
    "sts-pairs-after",
}

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("one_memory")]


def visit(uploads: dict[str, Pairs] | None = None, **query: str) -> AppTest:
    state = {"pair-uploads": uploads, "pairs": next(iter(uploads))} if uploads else {}
    return healthy(new_visit(PAGE, state, **query).run())


def cosines(layer: int, pooling: str) -> np.ndarray:
    """Of the bundled pairs, by numpy alone, in float64."""
    cloud = read_cloud(
        load_encoder(), read_bundled("pairs"), layer=layer, pooling=pooling, store=ArrayStore()
    )
    X = cloud.vectors.astype(np.float64)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    n = len(unit) // 2
    return np.sum(unit[:n] * unit[n:], axis=1)


def heat(app: AppTest, kind: str) -> np.ndarray:
    """(layers, poolings) of one of the three heatmaps."""
    z = charts(app)[f"sts-grid-{kind}"]["figure"]["data"][0]["z"]
    return array(z).reshape([int(side) for side in z["shape"].split(",")])


def said(value: float) -> str:
    return f"{100 * value:.1f}".replace("-", "−")


# What Spearman is


def test_the_lesson_s_numbers_are_scipy_s_and_follow_the_controls():
    app = visit(curve="6", outlier="agrees")
    assert set(charts(app)) == LESSON | MEASURED
    for name, noise in (("unrelated", 1.0), ("related", 0.25)):
        made = made_up_scores(Bend(noise, 6.0, 0, "agrees"))
        rho, r = spearmanr(made.gold, made.scores)[0], pearsonr(made.gold, made.scores)[0]
        line = f"Spearman ρ = **{rho:.2f}** · Pearson r = **{r:.2f}** · n = 40"
        assert any(line in one.value for one in app.markdown), (name, line)
    assert "One pair far out" in everything(app)


# The measured panels


def test_the_grid_is_scipy_s_on_every_layer_and_pooling():
    app = visit()
    gold = read_bundled_pairs().gold_scores
    before = heat(app, "before")
    assert before.shape == (7, len(POOLINGS_SHOWN))
    for layer, pooling in ((0, "mean"), (5, "mean"), (6, "mean"), (3, "max"), (5, "cls")):
        wanted = 100 * spearmanr(gold, cosines(layer, pooling))[0]
        assert before[layer, POOLINGS_SHOWN.index(pooling)] == pytest.approx(wanted, abs=1e-3)
    assert np.isnan(before[0, POOLINGS_SHOWN.index("cls")])  # one vector for every sentence
    figure = charts(app)["sts-grid-before"]["figure"]["data"][0]
    assert figure["text"][0][0] == "undefined"
    assert re.fullmatch(r"−?\d+\.\d<br>\[−?\d+\.\d,−?\d+\.\d\]", figure["text"][5][1])
    assert heat(app, "after") - before == pytest.approx(
        heat(app, "difference"), nan_ok=True, abs=1e-3
    )
    scale = charts(app)["sts-grid-difference"]["figure"]["data"][0]
    assert scale["zmin"] == -scale["zmax"]
    assert said(spearmanr(gold, cosines(6, "mean"))[0]) in charts(app)["sts-claim"]["alt"]


def test_every_number_says_what_it_was_measured_on():
    app = visit(**{"sts-fit": "topics", "after": "pca"})
    told = [one.value for one in app.caption if "n = 325 pairs" in one.value]
    assert len(told) == 5  # of the five measured panels
    for line in told:
        for part in ("all-MiniLM-L6-v2", "Spearman × 100 on cosine", "1,000 resamples", "seed 0"):
            assert part in line
    fitted = "whitened in full, fitted on topics (1,224 sentences, n/d = 3.19)"
    assert sum(fitted in line for line in told) == 3
    verdict = next(one.value for one in app.markdown if one.value.startswith("**What it does.**"))
    assert "fitted on topics (1,224 sentences)" in verdict
    difference = heat(app, "difference")
    helped, hurt = map(int, re.findall(r"(\d+) clearly", verdict))
    assert helped <= np.nansum(difference > 0)
    assert 0 < hurt <= np.nansum(difference < 0)
    assert any("*fitted on topics*" in one.value for one in app.markdown)  # where it hurts


def test_the_default_treatment_is_the_recommended_one_and_another_is_in_the_address():
    assert "whitened, Ledoit-Wolf, fitted on the evaluation sentences (650" in everything(visit())
    app = visit(after="abtt:3", **{"sts-layer": "2", "sts-pooling": "max"})
    assert "top 3 directions removed, fitted on" in everything(app)
    assert app.selectbox(key="sts-layer").value == "2"
    assert any("layer 2, max" in one.value for one in app.caption)


def test_published_rows_are_marked_and_carry_their_source():
    app = visit()
    measured, published = charts(app)["sts-claim"]["figure"]["data"]
    assert published["marker"]["pattern"]["shape"] == "/"
    assert "published" in published["name"]
    assert "<b>58.02</b>  avg GloVe (Reimers, Gurevych 2019, Table 1)" in published["text"]
    assert not any("GloVe" in text for text in measured["text"])
    assert "**72% of “BERT ≪ GloVe” is pooling**" in everything(app)  # 29.85 of 41.52


def test_a_pair_is_chosen_by_its_number_and_its_rank_is_told():
    app = visit(pair="3")
    pairs = read_bundled_pairs()
    assert any(pairs.left[2] in one.value and pairs.right[2] in one.value for one in app.text)
    line = next(one.value for one in app.markdown if one.value.startswith("Gold "))
    ranks = np.argsort(np.argsort(cosines(5, "mean"))) + 1
    assert f"; rank {ranks[2]} →" in line
    healthy(app.number_input(key="pair").set_value(7).run())
    assert any(pairs.left[6] in one.value for one in app.text)
    gained, lost = (one.value["nearer by"] for one in app.dataframe if "nearer by" in one.value)
    assert len(gained) == len(lost) == 20
    assert gained.min() > 0 > lost.max()
    assert (np.diff(gained) <= 0).all()
    assert (np.diff(lost) >= 0).all()


def test_the_curve_by_fit_size_ends_where_the_grid_stands():
    app = visit(**{"sts-layer": "6", "after": "pca"})
    curves = {one["name"]: array(one["y"]) for one in charts(app)["sts-sizes"]["figure"]["data"]}
    last = heat(app, "after")[6, POOLINGS_SHOWN.index("mean")]
    assert curves["whitened in full"][-1] == pytest.approx(last, abs=1e-3)
    assert np.ptp(curves["Raw"]) == 0
    assert {"whitened, k = 128", "whitened, Ledoit-Wolf", "n = d = 384"} <= curves.keys()


def test_the_share_of_pooling_is_told_where_there_is_a_gap():
    app = visit(**{"sts-layer": "1"})
    gold = read_bundled_pairs().gold_scores
    cls, mean = (spearmanr(gold, cosines(1, pooling))[0] for pooling in ("cls", "mean"))
    line = next(one.value for one in app.markdown if "**Here, at layer 1" in one.value)
    assert f"[CLS] {said(cls)}, mean {said(mean)}" in line
    static = float(re.search(r"\) (\d+\.\d),", line)[1])
    share = int(re.search(r"\*\*(\d+)% of the gap", line)[1])
    assert share == pytest.approx(100 * (100 * mean - 100 * cls) / (static - 100 * cls), abs=1.5)
    none = visit(**{"sts-layer": "5"})  # there [CLS] is above: the widest gap is told beside it
    assert "there is no such gap" in everything(none)
    assert "% of the gap**" in everything(none)


# Other pairs


def test_pairs_of_one_s_own_are_scored_and_stay_out_of_the_address():
    own = read_bundled_pairs()
    some = Pairs("mine", own.left[:60], own.right[:60], own.gold_scores[:60])
    app = visit({"upload-mine": some})
    assert "n = 60 pairs, mine" in everything(app)
    gold = some.gold_scores
    wanted = 100 * spearmanr(gold, cosines(6, "mean")[:60])[0]
    assert heat(app, "before")[6, 1] == pytest.approx(wanted, abs=1e-3)
    assert "pairs" not in app.query_params


def test_a_set_of_the_hub_that_can_t_be_had_says_so(monkeypatch: pytest.MonkeyPatch):
    def refuse(name: str, split: str, **_more: object) -> Pairs:
        raise DataSetError(f"{name} {split} is out of reach", code="no_network")

    monkeypatch.setattr("pages.common.sts_pairs.fetch_pairs", refuse)
    app = visit(pairs="hub-stsb-test")
    told = (
        "These pairs could not be fetched. stsb test is out of reach. Choose others, or upload a "
    )
    assert f"{told}file." in [one.value for one in app.error]
    assert set(charts(app)) == LESSON  # what needs no pairs stays


def test_a_set_of_the_hub_is_fetched_and_scored(monkeypatch: pytest.MonkeyPatch):
    own = read_bundled_pairs()
    some = Pairs("STS-B dev", own.left[:50], own.right[:50], own.gold_scores[:50])
    monkeypatch.setattr("pages.common.sts_pairs.fetch_pairs", lambda *_a, **_k: some)
    app = visit(pairs="hub-stsb-dev")
    assert "n = 50 pairs, STS-B dev" in everything(app)
    assert app.query_params["pairs"] in ("hub-stsb-dev", ["hub-stsb-dev"])


# Words


@pytest.mark.parametrize("lang", ["en", "zh-Hant"])
def test_the_page_keeps_the_contract_s_order(lang):
    app = visit(lang=lang)
    translate = words._catalogue(lang).gettext
    headings = ["Look", "Measure", "Try", "What this does not show", "Sources"]
    assert [one.value for one in app.subheader] == [translate(heading) for heading in headings]
    panels = re.findall(r"^#### (\d)", everything(app), re.MULTILINE)
    assert sorted(panels) == list("123456")


def test_no_word_of_the_chinese_page_is_left_in_english():
    app = visit(lang="zh-Hant")
    labels = [one.label for part in (app.selectbox, app.slider, app.expander) for one in part]
    for label in labels:
        assert re.search(r"[\u4e00-\u9fff]", label), label
    for chart in charts(app).values():
        for axis in ("xaxis", "yaxis"):
            title = chart["figure"]["layout"][axis].get("title", {}).get("text", "")
            assert not title or title == "Spearman × 100" or re.search(r"[\u4e00-\u9fff]", title)
