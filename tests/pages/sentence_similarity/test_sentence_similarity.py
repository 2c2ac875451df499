"""The sentence-similarity page without a browser: scipy's numbers, and complete texts."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from streamlit.testing.v1 import AppTest

from geometry import Corpus, Pairs, read_cloud, read_pairs
from geometry.claims.scores import PoolingInterval, PoolingShare
from geometry.data.corpus import read_bundled
from geometry.data.number_text import signed
from geometry.data.pairs import read_bundled_pairs
from geometry.encode import ArrayStore
from geometry.encode.disk_cache import FOLDER_VARIABLE
from geometry.encode.load import load_encoder
from geometry.evaluate.from_encoder import POOLINGS_SHOWN
from geometry.evaluate.grid import Cell, evaluate_grid
from geometry.evaluate.ranks import Bend, made_up_scores
from geometry.evaluate.similarities import SIMILARITIES, pair_similarities
from geometry.hub.errors import DataSetError
from geometry.hub.pair_sets import PAIR_SETS
from pages.common.cache import _shared
from pages.sentence_similarity.ladder import _state, gap_section
from tests.encode.tiny_encoder import save_tiny_bert
from tests.for_each import for_each
from tests.hub.conftest import server  # noqa: F401 (a fixture)
from tests.hub.hub_server import HubServer
from tests.pages.charts import array, charts
from tests.pages.visits import clear_memory, everything, healthy, new_visit
from tests.sentences import sentence

PAGE = "sentence_similarity"
LESSON = {f"sts-{kind}-{name}" for kind in ("values", "ranks") for name in ("unrelated", "related")}
PARTS = ("grid", "pairs")
MEASURED = {"sts-claim", "sts-grid-chart", "sts-pairs-before", "sts-pairs-after"}
SMALL = 60

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("one_memory")]


def own_pairs() -> Pairs:
    """The smaller English set."""
    return read_bundled_pairs("hard-pairs")


def first_pairs(n: int = SMALL, name: str = "mine") -> dict[str, Pairs]:
    """The first n of ``own_pairs`` as an upload, which takes a tenth of the time."""
    own = own_pairs()
    return {f"upload-{name}": Pairs(name, own.left[:n], own.right[:n], own.gold_scores[:n])}


def visit(
    uploads: dict[str, Pairs] | None = None,
    parts: Sequence[str] = (),
    **query: str,
) -> AppTest:
    """A visit with uploads, or with the pairs in the address, and these parts open.

    By default it uses ``first_pairs``.
    """
    if uploads is None and "pairs" not in query:
        uploads = first_pairs()
    state = {"pair-uploads": uploads, "pairs": next(iter(uploads))} if uploads else {}
    state |= {part if part == "rho" else f"part-{part}": True for part in parts}
    return healthy(new_visit(PAGE, state, **query).run())


def pair_vectors(layer: int, pooling: str, rows: Sequence[int]) -> np.ndarray:
    """(2 m, d) float64 vectors of these rows of ``own_pairs``: left sentences, then right ones."""
    own = own_pairs()
    corpus = Corpus(own.name, own.left + own.right)
    cloud = read_cloud(load_encoder(), corpus, layer=layer, pooling=pooling, store=ArrayStore())
    X, some = cloud.vectors.astype(np.float64), np.array(rows)
    return X[np.concatenate([some, some + len(X) // 2])]


def cosines_of(X: np.ndarray) -> np.ndarray:
    """Cosines of pairs, whose vectors are (2n, d), by numpy alone."""
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    n = len(unit) // 2
    return np.sum(unit[:n] * unit[n:], axis=1)


def cosines(layer: int, pooling: str) -> np.ndarray:
    """Cosines of ``own_pairs``."""
    return cosines_of(pair_vectors(layer, pooling, range(len(own_pairs()))))


def grid_chart(app: AppTest, kind: str) -> dict:
    """The heatmap's only trace, after choosing this kind of scores."""
    control = app.segmented_control(key="sts-grid")
    if control.value != kind:
        healthy(control.set_value(kind).run())
    return charts(app)["sts-grid-chart"]["figure"]["data"][0]


def heat(app: AppTest, kind: str) -> np.ndarray:
    """(layers, poolings) of one kind of scores."""
    z = grid_chart(app, kind)["z"]
    return array(z).reshape([int(side) for side in z["shape"].split(",")])


def line_of(app: AppTest, start: str) -> str:
    """The paragraph that begins so."""
    return next(each.value for each in app.markdown if each.value.startswith(start))


def measured_on(app: AppTest) -> list[str]:
    """The lines on what scores were measured on."""
    return [each.value for each in app.caption if "Spearman × 100 on cosine" in each.value]


def verdict_of(app: AppTest, claim: str) -> str:
    """The measured verdict on the claim that begins with this text."""
    lines = [element.value for element in app.markdown]
    place = next(i for i, line in enumerate(lines) if line.startswith(f"Claim: {claim}"))
    return lines[place + 1]


def parted(score: str) -> tuple[float, ...]:
    """The numbers in "−0.4 [−1.7, 0.8]"."""
    return tuple(float(part) for part in re.findall(r"-?\d+\.\d", score.replace("−", "-")))


def said(value: float) -> str:
    return f"{100 * value:.1f}".replace("-", "−")


def test_the_lesson_s_numbers_are_scipy_s_and_follow_the_controls():
    app = visit(curve="6", outlier="agrees")  # these parameters open the lesson
    assert set(charts(app)) == LESSON | {"sts-claim"}
    for name, noise in (("unrelated", 1.0), ("related", 0.0)):
        made = made_up_scores(Bend(noise, 6.0, 0, "agrees"))
        rho, r = spearmanr(made.gold, made.scores)[0], pearsonr(made.gold, made.scores)[0]
        line = f"Spearman ρ = **{rho:.2f}** · Pearson r = **{r:.2f}** · n = 40"
        assert any(line in element.value for element in app.markdown), (name, line)
    assert "One outlier moves r" in everything(app)
    app = visit(reversed="true")
    assert re.findall(r"ρ = \*\*(.+?)\*\*", everything(app)) == ["0.01", "−1.00"]


def rungs(app: AppTest) -> list[str]:
    """The hover text of each measured dot."""
    return charts(app)["sts-claim"]["figure"]["data"][0]["text"]


def names(app: AppTest) -> list[str]:
    """Of the rungs, without the share of known words."""
    texts = [text.split("</b>  ")[1] for text in rungs(app)]
    return [re.sub(r" \(\d+\.\d% of the words, n = [\d,]+\)$", "", text) for text in texts]


def test_the_ladder_is_first_with_every_rung_and_the_published_ticks_on_them():
    equal = visit(pairs="bundled", **{"sts-layer": "0", "sts-pooling": "cls"})
    words = verdict_of(equal, "Whitening")  # the last layer decides
    assert re.search(r"Does not hold here.*At layer 0, \[CLS\] there is no score", words)
    app = visit()
    assert set(charts(app)) == {"sts-claim"}  # folded parts are not computed
    assert len(names(app)) == 12
    removed = "top directions removed: 3"
    other = visit(after="abtt:3", **{"sts-layer": "last-3", "sts-pooling": "min"})
    of_three = "mean of the last 3 layers"
    assert {f"min, {of_three}", f"min, {of_three}, {removed}"} <= set(names(other))
    assert f"At {of_three}, min " in everything(other)  # in the verdict
    assert len(names(other)) == len(names(app)) + 1
    assert f"{removed}, fitted on the evaluation sentences ({2 * SMALL}" in everything(other)
    gold = own_pairs().gold_scores[:SMALL]
    scores = {name: parted(text)[0] for name, text in zip(names(other), rungs(other), strict=True)}
    for name, layers, pooling in (
        (f"[CLS], {of_three}", (4, 5, 6), "cls"),
        (f"min, {of_three}", (4, 5, 6), "min"),
        ("mean of the first and the last layer", (1, 6), "mean"),
        ("mean, last layer: trained contrastively", (6,), "mean"),
    ):
        X = [pair_vectors(layer, pooling, range(SMALL)) for layer in layers]
        rho = 100 * spearmanr(gold, cosines_of(np.mean(X, axis=0)))[0]
        assert scores[name] == pytest.approx(rho, abs=0.06)

    measured, published, glove = charts(app)["sts-claim"]["figure"]["data"]
    assert published["name"] == "published, on STS-B test"
    on_rung = dict(zip(published["text"], np.floor(array(published["y"])), strict=True))
    first_last = "BERT-base, mean of the first and the last layer"
    assert on_rung["<b>58.02</b>  average of GloVe: Reimers & Gurevych (2019), Table 1"] == 4
    assert on_rung["<b>16.5</b>  BERT, [CLS]: Reimers & Gurevych (2019), Table 1"] == 5
    assert on_rung[f"<b>59.04</b>  {first_last}: Li et al. (2020), Table 2"] == 7
    [plain] = [text for text, rung in on_rung.items() if rung == 1]
    assert plain.startswith("<b>46.17</b>")
    ends = array(glove["x"])
    assert (ends.min(), ends.max()) == pytest.approx((46.17, 58.02))
    assert len(measured["text"]) == len(names(app))


GLOVE_ON_STS_B = {  # rung: Spearman x 100 on STS-B test, pairs
    "average of GloVe 6B": (44.0, "1,379"),
    "average of GloVe 6B, top directions removed: 1": (59.2, "1,379"),
    "average of GloVe 6B, top directions removed: 3": (60.8, "1,379"),
    # of 17 pairs a sentence has only such words
    "average of GloVe 6B without scikit-learn’s 318 English stop words": (59.5, "1,362"),
}


def test_glove_s_rungs_on_sts_b_and_the_card_layer_by_layer(shared_data, tmp_path: Path):
    pairs = read_pairs(shared_data("stsb/sts-test.csv"))
    app = visit({"upload-stsb": pairs}, model=str(save_tiny_bert(tmp_path / "tiny")))
    found = dict(zip(names(app), rungs(app), strict=True))
    for name, (score, n) in GLOVE_ON_STS_B.items():
        assert parted(found[name])[0] == pytest.approx(score, abs=0.3)
        assert f"n = {n})" in found[name]
    # the card has the scores on the pairs of the last rung; this model is not trained
    card = verdict_of(app, "BERT")
    assert re.search(r"English stop words\) 59\.5, .+ \(n = 1,362 pairs\)", card)
    assert "means: clearly below at layers 0, 1, 2" in card
    assert "Of 1,379 pairs 1,362 are scored: 17 have a sentence of stop words alone" in card
    assert "trained contrastively" not in card


@pytest.mark.slow
def test_texts_that_glove_has_no_words_of_have_no_rung_of_it():
    app, unknown = visit(pairs="pairs-zh"), sentence("corpus", "too_few_known_pairs")
    assert names(app)[:2] == ["average of the model’s input vectors", "[CLS], layer 5"]
    assert not [each.value for each in app.error if unknown.search(each.value)]
    fitted = visit(after="pca", **{"sts-fit": "topics-zh"})
    assert not any("GloVe" in name for name in names(fitted))
    assert len(names(fitted)) == 8


def test_the_sources_table_is_whole():
    tables = [each.value for each in visit(parts=["sbert"]).dataframe]
    [shown] = [table for table in tables if "mean of the sets" in table]
    sets = ["STS12", "STS13", "STS14", "STS15", "STS16", "STS-B", "SICK-R"]
    assert [name for name in shown.columns if name in sets] == sets
    rows = shown.set_index("method")
    assert rows.loc["average of GloVe", "STS-B"] == 58.02
    assert rows.loc["average of GloVe", "mean of the sets"] == 61.32  # as printed
    assert not shown.isna().any(axis=None)


@pytest.mark.slow
def test_the_first_ladder_comes_from_an_empty_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    clear_memory()
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    first = visit(pairs="bundled")
    assert len(rungs(first)) == 12
    assert not list(tmp_path.iterdir())  # an encoding would be stored: the vectors are shipped
    clear_memory()


@pytest.mark.slow
def test_nothing_about_a_reader_s_own_pairs_is_kept_for_other_readers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    clear_memory()
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))  # so that they are encoded
    own = own_pairs()
    some = Pairs("mine", own.left[:25], own.right[:25], own.gold_scores[:25])
    visit({"upload-mine": some}, PARTS)
    assert {name for name, _key in _shared().entries} <= {"pages.common.models.glove_table"}
    clear_memory()


@for_each(
    ("output", "cell", "over", "state"),
    [
        (1, 0, 1, "holds"),
        (1, 0, 0, "partly"),  # no more than subtracting the mean alone
        (1, -1, 1, "partly"),
        (-1, 1, -1, "partly"),
        (-1, 0, 0, "fails"),
        (0, 0, 1, "unknown"),
        (None, 1, None, "unknown"),
    ],
)
def test_the_verdict_on_whitening_follows_its_signs(output, cell, over, state):
    assert _state(output, cell, over) == state


@pytest.mark.slow
def test_the_verdict_states_the_last_layer_first_and_then_the_share_of_pooling():
    app = visit(
        pairs="hard-pairs", parts=["published"], **{"sts-layer": "1", "sts-pooling": "mean"}
    )
    own = own_pairs()
    gold = own.gold_scores
    raw = 100 * spearmanr(gold, cosines(6, "mean"))[0]
    words = verdict_of(app, "Whitening")
    found = re.search(
        r"Last layer, mean: raw \*\*(\S+)\*\* → whitened, Ledoit-Wolf \*\*(\S+)\*\* \((.+?)\): "
        r"\*\*(.+?)\*\*\. At layer 1, mean",
        words,
    )
    assert found, words
    assert float(found[1]) == pytest.approx(raw, abs=0.06)
    moved, low, high = parted(found[3])
    assert moved == pytest.approx(float(found[2]) - float(found[1]), abs=0.11)
    assert low < moved < high
    wanted = "use it" if low > 0 else "leave the vectors raw" if high < 0 else "no clear difference"
    assert found[4] == wanted

    line = verdict_of(app, "BERT")
    cls, mean = (spearmanr(gold, cosines(1, pooling))[0] for pooling in ("cls", "mean"))
    assert f"[CLS] {said(cls)}, mean {said(mean)}" in line
    assert re.search(r"\*\*\d+% \[\d+%,\s\d+%\] of the gap", line)
    rest, low, high = parted(re.search(r"static average: (.+?)\.$", line, re.MULTILINE)[1])
    assert low < rest < high
    shown = everything(app)
    assert "**72% of the gap of [CLS] on STS-B**" in shown  # 29.85 of 41.52
    assert f"Mean minus GloVe is {signed(-11.67, 1)} points." in shown  # 46.35 - 58.02
    assert "the share runs from 53% to 142%." in shown  # STS12 and SICK-R, as worked out in claims


@for_each(
    ("static", "interval", "section"),
    [
        (60.0, PoolingInterval((4.0, 16.0), (0.2, 0.8)), "claim-here"),
        (37.7, PoolingInterval((-23.4, -1.1), None), "claim-above"),
        (37.7, PoolingInterval((-23.4, 1.1), None), "claim-no-gap"),
        (60.0, PoolingInterval((-4.0, 24.0), None), "claim-no-gap"),
        (37.7, None, "claim-no-gap"),
    ],
)
def test_a_gap_whose_interval_excludes_zero_is_clear(static, interval, section):
    assert gap_section(PoolingShare(50.0, 55.0, static), interval) == section


@pytest.mark.slow
def test_the_grid_is_scipy_s_on_every_layer_and_pooling():
    app = visit(parts=["grid"])
    gold = own_pairs().gold_scores[:SMALL]
    before = heat(app, "before")
    assert before.shape == (7 + 4, len(POOLINGS_SHOWN))  # and four means of layers
    for layer, pooling in ((0, "mean"), (5, "mean"), (6, "mean"), (3, "max"), (5, "cls")):
        wanted = 100 * spearmanr(gold, cosines(layer, pooling)[:SMALL])[0]
        assert before[layer, POOLINGS_SHOWN.index(pooling)] == pytest.approx(wanted, abs=1e-3)
    assert np.isnan(before[0, POOLINGS_SHOWN.index("cls")])  # one vector for every sentence
    cells = grid_chart(app, "before")
    assert cells["y"] == ["0", "1", "2", "3", "4", "5", "6", "1+6", "5+6", "4–6", "3–6"]
    assert cells["customdata"][8][1].startswith("mean of the last 2 layers, mean: ")
    assert cells["text"][0][0] == "—"
    assert "undefined" in cells["customdata"][0][0]
    assert heat(app, "after") - before == pytest.approx(
        heat(app, "difference"), nan_ok=True, abs=1e-3
    )
    scale = grid_chart(app, "difference")
    assert scale["zmin"] == -scale["zmax"]
    assert app.query_params["sts-grid"] in ("difference", ["difference"])


@pytest.mark.slow
def test_every_number_has_a_line_on_what_it_is_measured_on():
    cell = {"sts-layer": "6", "sts-pooling": "mean"}
    app = visit(parts=PARTS, after="pca", **{"sts-fit": "topics"}, **cell)
    assert set(charts(app)) == MEASURED
    captions = measured_on(app)
    assert len(captions) == 3  # of the ladder and both parts
    for line in captions:
        for part in (f"n = {SMALL} pairs, mine", "all-MiniLM-L6-v2", "1,000 resamples", "seed 0"):
            assert part in line
    fitted = "whitened in full, fitted on Topics, English (1,224 sentences, n/d = 3.19)"
    assert all(fitted in line for line in captions)
    verdict = next(element.value for element in app.markdown if " cells, " in element.value)
    assert "fitted on Topics, English (1,224 sentences)" in verdict
    difference = heat(app, "difference")
    helped, hurt = map(int, re.findall(r"(\d+) clearly", verdict))
    assert helped <= np.nansum(difference > 0)
    assert hurt <= np.nansum(difference < 0)
    labels = [button.label for button in app.get("download_button")]
    parts = ("ladder", "grid", "pairs")
    assert sorted(labels) == sorted(f"Download {part} (CSV)" for part in parts)


@pytest.mark.slow
def test_every_similarity_is_beside_cosine_with_the_interval_of_its_change():
    query = {"sts-pooling": "mean", "sts-fit": "topics"}
    app = visit(parts=["similarity"], after="centred", **query)
    assert "Mahalanobis distance is noise here" not in everything(app)
    raw, centred = (
        [[cell.strip(" *") for cell in row.split("|")[1:-1]] for row in each.value.splitlines()[4:]]
        for each in app.markdown
        if "\n| similarity |" in each.value
    )
    assert [row[0] for row in raw] == [row[0] for row in centred]
    gold, X = own_pairs().gold_scores[:SMALL], pair_vectors(5, "mean", range(SMALL))
    rho = {}
    for similarity, (_name, score, change) in zip(SIMILARITIES, raw, strict=True):
        if similarity == "mahalanobis":  # it needs the covariance of the fit set
            continue
        alike = pair_similarities(*np.split(X, 2), similarity)
        rho[similarity] = 100 * spearmanr(gold, alike).statistic
        assert parted(score)[0] == pytest.approx(rho[similarity], abs=0.06)
        if similarity == "cosine":
            assert change == "—"
        else:
            moved, low, high = parted(change)
            assert moved == pytest.approx(rho[similarity] - rho["cosine"], abs=0.06)
            assert low <= moved <= high


def test_mahalanobis_distances_of_a_small_fit_are_called_noise():
    app = visit(parts=["similarity"])  # 60 pairs in 384 dimensions, fitted on themselves
    assert "Mahalanobis distance is noise here" in everything(app)


def test_a_pair_is_chosen_by_its_number_and_its_rank_is_shown():
    app = visit(pair="3", **{"sts-pooling": "mean"})  # this parameter opens the part on pairs
    pairs = own_pairs()
    assert any(pairs.left[2] in each.value and pairs.right[2] in each.value for each in app.text)
    line = line_of(app, "Human score ")
    ranks = np.argsort(np.argsort(cosines(5, "mean")[:SMALL])) + 1
    assert f"; rank {ranks[2]} →" in line
    tied = (pairs.gold_scores[:SMALL] == pairs.gold_scores[2]).sum()
    assert tied > 1
    assert f"shared by {tied} pairs with this score); " in line
    healthy(app.number_input(key="pair").set_value(7).run())
    assert any(pairs.left[6] in element.value for element in app.text)
    gained, lost = (
        element.value["nearer by"] for element in app.dataframe if "nearer by" in element.value
    )
    assert len(gained) == len(lost) == 20
    assert gained.min() > 0 > lost.max()
    assert (np.diff(gained) <= 0).all()
    assert (np.diff(lost) >= 0).all()


def test_sentences_that_repeat_in_many_pairs_are_reported():
    pairs = own_pairs()
    left = tuple(text for text in pairs.left[:5] for _ in range(8))
    own = Pairs("mine", left, pairs.right[:40], pairs.gold_scores[:40])
    [text] = [element.value for element in visit({"upload-mine": own}).warning]
    assert text.startswith("**Sentences repeat.** These 40 pairs have only 45 different sentences.")
    assert not visit().warning


@pytest.mark.slow
def test_a_simplex_is_reported_where_the_fit_is_on_the_scored_sentences():
    app = visit(parts=["grid"], after="pca")
    assert "**Some cells are simplexes.**" in everything(app)
    healthy(app.selectbox(key="sts-fit").set_value("topics-zh").run())
    assert "**Some cells are simplexes.**" not in everything(app)


@pytest.mark.slow
def test_pairs_of_one_s_own_are_scored_and_stay_out_of_the_address():
    app = visit()
    assert "n = 60 pairs, mine" in everything(app)
    assert "pairs" not in app.query_params
    healthy(app.selectbox(key="pairs").set_value("bundled").run())
    assert "n = 935 pairs, the project’s pairs" in everything(app)
    fit = app.selectbox(key="sts-fit").proto  # the browser shows the label from the message
    assert (fit.set_value, fit.raw_value) == (True, "the evaluation sentences (1,870)")
    assert "Yours: mine (60 pairs)" in everything(app)
    healthy(app.selectbox(key="pairs").set_value("upload-mine").run())
    [delete] = [button for button in app.button if button.label == "Delete"]
    healthy(delete.click().run())
    assert "n = 935 pairs, the project’s pairs" in everything(app)
    assert app.session_state["pair-uploads"] == {}
    assert "Yours: mine" not in everything(app)


def test_a_set_of_the_hub_that_cannot_be_downloaded_is_reported(monkeypatch: pytest.MonkeyPatch):
    def refuse(name: str, split: str, **_more: object) -> Pairs:
        details = {"name": name, "endpoint": "https://hub", "reason": "no route"}
        raise DataSetError("no_network", **details)

    monkeypatch.setattr("pages.sentence_similarity.choices.fetch_pairs", refuse)
    app = visit(pairs="hub-sts13-test")
    assert any("`sts13`" in each.value and "`https://hub`" in each.value for each in app.error)
    # the page is as it was: the set that was shown before is scored
    assert "Until then the page shows the project’s pairs." in everything(app)
    assert "n = 935 pairs, the project’s pairs" in everything(app)
    assert charts(app)
    assert any(box.label == "Upload pairs" for box in app.expander)  # others are welcome


def own_form(app: AppTest) -> AppTest:
    """The app with the form for uploads open."""
    app.session_state["own-pairs-form"] = True
    return healthy(app.run())


GENRES = ("main-news", "main-captions", "main-news", "main-forums")


def as_json_lines(rows: range) -> bytes:
    own = own_pairs()
    names = ("sentence1", "sentence2", "score", "genre")
    lines = [
        dict(zip(names, (*of_row, GENRES[i % len(GENRES)]), strict=True))
        for i, of_row in enumerate(zip(own.left, own.right, own.gold_scores, strict=True))
    ]
    return "".join(json.dumps(lines[i]) + "\n" for i in rows).encode()


@pytest.fixture
def stsb(server: HubServer) -> HubServer:  # noqa: F811 (the fixture)
    """A hub that has STS-B at the pinned commit: 40 of the project's pairs."""
    pair_set = PAIR_SETS["stsb"]
    files = {"test.jsonl": as_json_lines(range(40))}
    server.publish(f"datasets/{pair_set.repository}", files, revision=pair_set.revision)
    return server


@pytest.mark.slow
def test_a_set_of_the_hub_is_fetched_and_described(stsb: HubServer):
    app = visit(pairs="hub-stsb-test", parts=["grid"], after="centred")
    assert stsb.fetched() == {"test.jsonl"}
    assert app.query_params["pairs"] in ("hub-stsb-test", ["hub-stsb-test"])
    said_of_it = next(each.value for each in app.caption if "mteb/stsbenchmark" in each.value)
    for part in ("`b0fddb56ed78`", "CC-BY-SA-4.0", "from 0 to 5", "without a network", "genres"):
        assert part in said_of_it
    assert [("all subsets as one set (all)" in line) for line in measured_on(app)] == [True] * 2


def test_sts_b_s_own_form_with_more_columns_is_uploaded_and_used():
    own = own_pairs()
    source = ["main-news", "f", "2017"]
    rows = [
        [*source, f"{i:04}", f"{own.gold_scores[i]:.3f}", own.left[i], own.right[i]]
        for i in range(30)
    ]
    rows[4] += ["from here", "and there"]  # some rows of STS-B have further columns on their source
    app = own_form(visit())
    assert "n = 60 pairs, mine" in everything(app)  # the upload is not used yet
    content = "\n".join("\t".join(row) for row in rows).encode()
    healthy(app.get("file_uploader")[0].upload("sts-mine.csv", content).run())
    assert "30 pairs ready; scores from 0 to 5." in everything(app)
    healthy(app.button(key="use_pairs").click().run())
    assert "n = 30 pairs, sts-mine" in everything(app)
    [used] = [element.value for element in app.success]
    assert used == "Your 30 pairs “sts-mine” are scored below."
    assert not [box for box in app.button if box.key == "use_pairs"]  # the form is folded
    wanted = spearmanr(own.gold_scores[:30], cosines(6, "mean")[:30])[0]
    assert rungs(app)[-2].startswith(f"<b>{said(wanted)} [")


def test_lines_of_json_with_other_names_are_read_by_the_columns_chosen():
    own = own_pairs()
    lines = [
        json.dumps({"one": left, "two": right, "note": "?!" * i, "people": i % 6})
        for i, (left, right) in enumerate(zip(own.left[:12], own.right[:12], strict=True))
    ]
    app = own_form(visit())
    upload = app.get("file_uploader")[0].upload("mine.jsonl", "\n".join(lines).encode())
    healthy(upload.run())
    assert "are not two sentences and a score" in everything(app)
    for label, column in (("First sentence", "one"), ("Second sentence", "two")):
        [box] = [element for element in app.selectbox if element.label == label]
        healthy(box.select(column).run())
    assert not [
        element for element in app.button if element.key == "use_pairs"
    ]  # no column for the score is chosen yet
    [box] = [element for element in app.selectbox if element.label == "Score"]
    healthy(box.select("people").run())
    assert "12 pairs ready" in everything(app)


def fitted_elsewhere(X: np.ndarray, fit: np.ndarray, treatment: str, gold: np.ndarray) -> Cell:
    """The library's own cell of X (2n, d) treated by a fit on other rows."""
    more = {"fit_vectors": {"one": fit[np.newaxis]}, "fit_on": "others"}
    vectors = {"one": X[np.newaxis]}
    return evaluate_grid(vectors, gold, treatments=("none", treatment), **more).cells[1]


def hovered(app: AppTest, kind: str, layer: int, pooling: str) -> str:
    """The hover text of a cell of the grid."""
    rows = grid_chart(app, kind)["customdata"]
    return rows[layer][POOLINGS_SHOWN.index(pooling)].replace("−", "-").replace("\u00a0", " ")


def test_a_large_fit_set_is_fitted_from_sums_alone(monkeypatch: pytest.MonkeyPatch):
    chinese = read_bundled("topics-zh")
    monkeypatch.setattr(
        "pages.sentence_similarity.scene.is_large", lambda _e, corpus: corpus == chinese
    )
    app = visit(parts=["grid"], after="pca:lw", **{"sts-fit": "topics-zh"})
    fit = read_cloud(load_encoder(), chinese, layer=5, pooling="mean", store=ArrayStore()).vectors
    cell = fitted_elsewhere(
        pair_vectors(5, "mean", range(60)), fit, "pca:lw", own_pairs().gold_scores[:60]
    )
    value = heat(app, "after")[5, POOLINGS_SHOWN.index("mean")]
    assert value == pytest.approx(100 * cell.score.spearman, abs=0.1)
    assert "(240 sentences, n/d = 0.62)" in everything(app)


@pytest.mark.slow
def test_a_k_beyond_the_rank_is_cut_and_its_cells_say_so():
    own = own_pairs()
    some = Pairs("mine", own.left[:25], own.right[:25], own.gold_scores[:25])
    app = visit({"upload-mine": some}, PARTS, after="pca:128")
    n = len({*some.left, *some.right})
    assert hovered(app, "after", 5, "mean").endswith(f"k = {n - 1}, the most possible")
    text = everything(app)
    assert re.search(rf"rank of the fit (\d+–)?{n - 1} of 384", text)
    assert any(f"(k = {n - 1}, the most possible)" in bar for bar in rungs(app))


def test_any_treatment_of_the_library_can_be_typed_and_a_wrong_one_is_refused():
    app = visit(after="ZCA:64:lw", **{"sts-pooling": "mean"})
    assert "whitened, 64 directions, Ledoit-Wolf, zca, fitted on" in everything(app)
    assert app.query_params["after"] in ("ZCA:64:lw", ["ZCA:64:lw"])
    X = pair_vectors(5, "mean", range(SMALL))
    cell = evaluate_grid(
        {"one": X[np.newaxis]}, own_pairs().gold_scores[:SMALL], treatments=["zca:64:lw"], draws=2
    ).cells[0]
    [treated] = [bar for bar in rungs(app) if "mean, layer 5, whitened" in bar]
    assert parted(treated)[0] == pytest.approx(100 * cell.score.spearman, abs=0.1)
    wrong = visit(after="flow")
    [warning] = [element.value for element in wrong.warning]
    assert warning.startswith("`flow` is no treatment")
    assert "whitened, 12 directions, Ledoit-Wolf, fitted on" in everything(wrong)
