"""The page Neighbours without a browser: its lists and numbers by a second route, and searches."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import skew
from sklearn.neighbors import NearestNeighbors
from streamlit.testing.v1 import AppTest

from geometry import Corpus, Whitening, load_encoder
from geometry.data import VectorSet
from geometry.measure.frequency import Estimate
from geometry.measure.neighbour_changes import NeighbourChanges, NeighbourSide
from pages.neighbours import explore as verdicts
from tests.for_each import for_each
from tests.pages.charts import charts
from tests.pages.visits import (
    big_numbers,
    brought,
    everything,
    give,
    healthy,
    new_visit,
    spread_topics,
)

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("one_memory")]
OPEN = ("hubs", "relevance")
N, K = 120, 7


def corpus() -> Corpus:
    own = spread_topics(N)
    return replace(own, texts=(*own.texts[:3], "=1+1 <b>& a rainy day</b>", *own.texts[4:]))


def visit(opened: tuple[str, ...] = (), **query: str) -> AppTest:
    state = brought("uploads", "corpus", corpus()) | dict.fromkeys(opened, True)
    return healthy(new_visit("neighbours", state, nearest=str(K), **query).run())


@pytest.fixture(scope="module")
def clouds() -> tuple[np.ndarray, np.ndarray]:
    """Raw and whitened as recommended for so few texts: 12 directions, Ledoit-Wolf."""
    X = load_encoder().encode(corpus().texts, layer=4).astype(np.float64)
    return X, Whitening("pca", n_components=12, shrinkage="ledoit-wolf").fit_transform(X)


def nearest(X: np.ndarray, k: int = K) -> np.ndarray:
    index = NearestNeighbors(n_neighbors=k, metric="cosine", algorithm="brute").fit(X)
    return index.kneighbors()[1]


def listed(app: AppTest) -> tuple[list[str], list[str]]:
    """The texts of both lists, as shown in the picture."""
    dots = charts(app)["neighbour-lists"]["figure"]["data"][0]
    texts = [text.split("<br>")[0] for text in dots["text"]]
    return texts[: len(texts) // 2], texts[len(texts) // 2 :]


def test_lists_and_numbers_by_a_second_route(clouds):
    app = visit(opened=OPEN[:1], **{"fit-on": "same", "point": "5"})
    lists = [nearest(X) for X in clouds]
    texts = corpus().texts
    for shown, near in zip(listed(app), lists, strict=True):
        assert [text.replace("&lt;", "<") for text in shown] == [texts[row] for row in near[5]]
    overlap = np.mean([len({*a} & {*b}) / len({*a} | {*b}) for a, b in zip(*lists, strict=True)])
    counts = [np.bincount(near.ravel(), minlength=N) for near in lists]
    shown = big_numbers(app)[0]
    assert shown[0] == f"{overlap:.0%}"
    assert float(shown[1].replace("−", "-")) == pytest.approx(skew(counts[1]), abs=0.006)
    assert shown[2] == f"{counts[1].max()}"
    said = everything(app)
    assert f"{len({*lists[0][5]} & {*lists[1][5]})} of the {K} are the same after" in said
    labels = np.asarray(corpus().labels)
    before, after = (int((labels[near[5]] == labels[5]).sum()) for near in lists)
    words = [
        each["text"] for each in charts(app)["neighbour-lists"]["figure"]["layout"]["annotations"]
    ]
    for n in (before, after):
        assert f"same label {n}/{K}" in words
    assert f"Its label is “{labels[5]}”." in said
    first = np.argsort(-counts[0], kind="stable")[0]
    assert f"| {counts[0][first]} | {counts[1][first]} |" in said
    labels = np.array(corpus().labels)
    shares = [np.mean(labels[near] == labels[:, None]) for near in lists]
    assert f"{shares[0]:.3f} [" in said
    assert f"**{skew(counts[1]):.2f}**.".replace("-", "−") in said
    assert "fitted on 120 of these points · the numbers are set by the fit" in said


def test_a_text_is_found_by_word_by_row_number_and_by_its_own_vector(clouds):
    app = visit(find="rainy day", **{"fit-on": "same"})
    assert "Nearest to **=1+1" in everything(app).replace("\\", "")
    app = visit(find="zzz unheard of", **{"fit-on": "same"})
    query = load_encoder().encode(["zzz unheard of"], layer=4).astype(np.float64)
    U = clouds[0] / np.linalg.norm(clouds[0], axis=1, keepdims=True)
    order = np.argsort(-(U @ (query / np.linalg.norm(query)).T)[:, 0])[:K]
    assert listed(app)[0] == [corpus().texts[row] for row in order]
    app = visit(find="8", **{"fit-on": "same"})
    assert corpus().texts[7] in everything(app)


def test_a_row_that_is_not_searched_is_reported_with_a_remedy(clouds):
    n = len(corpus())
    halves = [visit(find=str(row)) for row in (1, 2, 3, 4)]
    absent = [
        row for row, app in enumerate(halves, 1) if f"Row {row} is not among the" in everything(app)
    ]
    assert 0 < len(absent) < 4
    app = halves[absent[0] - 1]
    assert "choose “these points” or another corpus" in everything(app)
    assert f"Nearest to **{absent[0]}" not in everything(app)  # not encoded as a text
    app = visit(find=str(n + 1), **{"fit-on": "same"})
    assert f"Rows go from 1 to {n}." in everything(app)
    assert "choose “these points”" not in everything(app)


ANSWERS = (
    "query,relevant,grade\n{a},2;3,2\n{a},9,1\n8,7,1\n8,99999,1\nnothing known,4,1\nlost,zzz,1\n"
)


def test_queries_with_known_answers(clouds):
    texts = corpus().texts
    app = visit(opened=OPEN[1:], **{"fit-on": "same"})
    app = give(app, "relevance-file", "answers.csv", ANSWERS.format(a=f'"{texts[0]}"'))
    said = everything(app)
    assert "3 of 4 queries are used" in said
    assert "points searched: 2" in said
    lists = [nearest(X) for X in clouds]
    other = load_encoder().encode(["nothing known"], layer=4).astype(np.float64)
    U = clouds[0] / np.linalg.norm(clouds[0], axis=1, keepdims=True)
    found = np.argsort(-(U @ other[0]))[:K]
    recall = [len({1, 2, 8} & {*lists[0][0]}) / 3, len({6} & {*lists[0][7]}), len({3} & {*found})]
    assert re.search(rf"recall@{K} \| {np.mean(recall):.3f} \|", said)
    assert "An interval needs 10 or more" in said
    assert f"nDCG@{K}" in said


def test_a_reader_s_own_vectors_and_many_points_by_the_worker(monkeypatch):
    called = []

    def noted(call, report):
        called.append(call.func.__name__)
        return call()

    monkeypatch.setattr(verdicts.SEARCH, "run", noted)
    monkeypatch.setattr(verdicts, "AT_ONCE", 50)
    monkeypatch.setattr(verdicts, "MOST_MEASURED", 80)
    X = np.random.default_rng(0).standard_normal((100, 8)).astype(np.float32) + 1
    own = VectorSet("numbers", X)
    state = {"vector-uploads": {"upload-v": own}, "corpus": "upload-v"} | dict.fromkeys(OPEN, True)
    app = healthy(new_visit("neighbours", state, **{"fit-on": "same", "after": "centred"}).run())
    assert called == ["neighbour_changes"]
    assert "a random sample of 80" in everything(app)
    near = nearest(X.astype(np.float64), 10)
    assert listed(app)[0] == [f"#{row + 1}" for row in near[0]]
    app.text_input(key="find").set_value("31").run()
    assert listed(healthy(app))[0] == [f"#{row + 1}" for row in near[30]]


@for_each(
    ("before", "after", "controls", "state"),
    [
        (2.0, 1.0, (1.5, 2.5), "holds"),
        (2.0, 1.6, (1.5, 2.5), "partly"),  # fewer, but not fewer than every random direction
        (2.0, 1.71, (2.0, 2.1), "unknown"),  # as much as between random halves
        (2.0, 2.29, (2.0, 2.1), "unknown"),
        (2.0, 2.4, (1.5, 2.5), "fails"),
    ],
)
def test_hubs_are_judged_by_random_directions(before, after, controls, state):
    sides = (NeighbourSide(None, np.zeros(1), each, None) for each in (before, after))
    found = NeighbourChanges(10, *sides, np.zeros(99), None, None, 0.3, controls)
    assert verdicts.hub_state(found) == state
    assert verdicts.hub_state(replace(found, hubness_reach=None)) == "unknown"


@for_each(
    ("low", "high", "labels"),
    [
        (-2.0, -1.0, "become worse"),
        (-2.0, 1.0, "no clear difference in labels"),
        (1.0, 2.0, "become better"),
    ],
)
def test_an_interval_that_includes_0_is_no_result(low, high, labels):
    change = Estimate((low + high) / 2, low, high)
    side = NeighbourSide(None, np.zeros(1), 0.0, change)
    found = NeighbourChanges(10, side, side, np.zeros(1), change, change)
    points = SimpleNamespace(corpus=corpus())
    scene = SimpleNamespace(after="centred", points=points, changes=found)
    assert labels in verdicts._label_words(scene)


def test_what_can_not_be_compared_is_reported():
    own = VectorSet("equal", np.ones((60, 8), dtype=np.float32))
    state = {"vector-uploads": {"upload-v": own}, "corpus": "upload-v"}
    app = healthy(new_visit("neighbours", state).run())
    assert "Every point is the same vector" in everything(app)
    app = visit(after="nonsense:9")
    assert "is not a treatment for this page" in everything(app)
