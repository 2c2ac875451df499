"""The page Word frequency without a browser: a second route, opposite tables, uploads."""

import gzip
import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr
from sklearn.neighbors import NearestNeighbors
from streamlit.testing.v1 import AppTest

from geometry import Corpus, Encoder, UndefinedMeasure, frequency_direction, mean_cosine
from geometry.data.corpus import read_bundled
from geometry.data.limits import LIMITS
from geometry.measure import (
    FrequencyBin,
    FrequencyDirection,
    Measured,
    WithoutFrequent,
    frequency_bins,
    neighbour_means,
)
from geometry.measure.frequency import Estimate
from geometry.vectors import read_bundled_vectors, read_counts, words_of
from pages.common.draw.twin_cloud import NO_WEBGL2
from pages.word_frequency import apart, explore, scene
from pages.word_frequency.apart import matched
from pages.word_frequency.explore import LEFT_OUT, left_out_verdict
from pages.word_frequency.scene import (
    ORDERED,
    _by_vocabulary,
    _shuffled_words,
    direction_sentence,
    ordered_state,
    rare_cone_state,
    sparse_state,
)
from tests.for_each import for_each
from tests.pages.charts import array, charts, strings_in
from tests.pages.twins import twin_clouds
from tests.pages.visits import (
    big_numbers,
    brought,
    everything,
    give,
    healthy,
    new_visit,
    rows_of,
    spread_topics,
)

WIKIPEDIA = "frequency/enwiki_60k.txt"
PARTS = ("word-table", "words-left-out", "words-holes", "words-swap", "words-zipf")

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("one_memory")]


def visit(own: Corpus | None = None, opened: tuple[str, ...] = (), **query: str) -> AppTest:
    state = brought("uploads", "corpus", own or spread_topics(200)) | dict.fromkeys(opened, True)
    if query.pop("webgl2", "") == "no":
        state[NO_WEBGL2] = True
    return healthy(new_visit("word_frequency", state, **query).run())


@pytest.fixture(scope="module")
def types(encoder: Encoder) -> tuple[list[str], np.ndarray, np.ndarray]:
    """(pieces, counts, vectors) of the corpus by rank; this function counts them."""
    pieces = [piece for pieces in encoder.tokenize(spread_topics(200).texts) for piece in pieces]
    names, counts = np.unique(pieces, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    table = encoder.type_embeddings()
    rows = [table.words.index(name) for name in names[order]]
    return names[order].tolist(), counts[order], table.vectors[rows].astype(float)


def table_of(app: AppTest, beginning: str = r"[\d,]+–") -> list[list[str]]:
    lines = [line for line in everything(app).splitlines() if re.match(r"\| " + beginning, line)]
    return [[cell.strip() for cell in line.removesuffix("|")[1:].split("|")] for line in lines]


def first_number(cell: str) -> float:
    return float(re.match(r"−?[\d.]+", cell)[0].replace("−", "-"))


def test_the_table_and_the_numbers_are_those_of_the_types(types):
    _, counts, X = types
    app = visit(opened=PARTS[:1])
    norms = np.linalg.norm(X, axis=1)
    rho = spearmanr(norms, -counts)[0]
    shown = big_numbers(app)[0]
    assert float(shown[0].replace("−", "-")) == pytest.approx(rho, abs=6e-4)
    rows = table_of(app)
    assert [row[0] for row in rows] == ["1–100", "101–500", f"501–{len(X):,}"]
    bins = frequency_bins(X, counts, neighbour_means(X), edges=(100, 500))
    for row, of_bin in zip(rows, bins, strict=True):
        assert int(row[1].replace(",", "")) == of_bin.n
        expected = [of_bin.norm.value, *of_bin.distances, *of_bin.dots]
        np.testing.assert_allclose([first_number(c) for c in row[2:9]], expected, atol=0.0051)
        assert first_number(row[9]) == pytest.approx(of_bin.cosine.value, abs=6e-4)
    assert [row[2:] for row in table_of(app, "published: ")][::2] == [
        ["0.95", "0.77", "0.83", "0.87", "0.73", "0.73", "0.72", ""],
        ["1.22", "1.16", "1.22", "1.26", "1.20", "1.19", "1.17", ""],
    ]
    figure = charts(app)["word-lengths"]["figure"]
    np.testing.assert_allclose(array(figure["data"][0]["y"]), norms, rtol=1e-5)
    drawn = charts(app)["word-cosines"]["figure"]["data"]
    levels = [trace for trace in drawn if trace["line"]["width"] == 4]
    ends = [array(trace["x"]).tolist() for trace in levels]
    assert ends == [[1, 100], [101, 500], [501, len(X)]]
    for trace, row in zip(levels, rows, strict=True):
        assert array(trace["y"])[0] == pytest.approx(first_number(row[9]), abs=6e-4)
    assert [first_number(each) for each in shown[1:]] == pytest.approx(
        [norms[:100].mean(), mean_cosine(X[:100])], abs=0.0051
    )


@pytest.mark.slow
def test_what_follows_for_sentences_is_worked_out_by_a_second_route(encoder, types):
    names, _counts, X = types
    texts = spread_topics(200).texts
    app = visit(opened=PARTS[1:])
    said = everything(app)

    tokens = encoder.encode_tokens(texts, layer=4)
    for without in (0, *LEFT_OUT):
        rest = ~np.isin(tokens.tokens, names[:without])
        of_each = [tokens.vectors[rest & (tokens.sentence == i)] for i in range(len(texts))]
        means = np.array([vectors.mean(axis=0) for vectors in of_each if len(vectors)])
        (row,) = table_of(app, rf"{without} \|")
        assert first_number(row[1]) == pytest.approx(mean_cosine(means), abs=6e-4)
        assert row[4] == f"{len(means)}"
    assert "Without the 100 most frequent types" in said

    pieces = [each for each in encoder.tokenize(texts) if len(set(each)) > 1]
    means = np.array([X[[names.index(piece) for piece in each]].mean(axis=0) for each in pieces])
    nearest = NearestNeighbors(n_neighbors=1, algorithm="brute").fit(X)
    of_types, of_sentences = nearest.kneighbors()[0], nearest.kneighbors(means)[0]
    for beginning, rows, away in (("types", X, of_types), ("sentences", means, of_sentences)):
        (row,) = table_of(app, rf"{beginning}[ ,]")
        quartiles = [float(cell) for cell in row[1].split(" · ")]
        np.testing.assert_allclose(quartiles, np.quantile(away, [0.25, 0.5, 0.75]), atol=0.0051)
        assert float(row[2]) == pytest.approx(np.linalg.norm(rows, axis=1).mean(), abs=0.0051)
    has_holes = bool(np.median(of_sentences) > np.quantile(of_types, 0.75))
    assert ("Here most sentences are farther" in said) is has_holes
    assert ("Here sentences are no farther" in said) is not has_holes

    sentence = "Do you like to eat apples?"
    others = [sentence.replace("like", word) for word in ("love", "hate")]
    raw = encoder.encode([sentence, *others, *texts], layer=4)
    usual = np.median(pdist(raw[3:]))
    moved = r"{word}: cosine of both sentences ([\d.]+); moved by (\d+)%"
    for row, word in enumerate(("love", "hate"), 1):
        found = re.search(r"\*\*Raw\*\*[^*]*?like → " + moved.format(word=word), said)
        assert float(found[1]) == pytest.approx(1 - pdist(raw[[0, row]], "cosine")[0], abs=6e-4)
        gap = np.linalg.norm(raw[0] - raw[row])
        assert float(found[2]) == pytest.approx(100 * gap / usual, rel=0.1)
    assert {"swap-Raw", "swap-Whitened"} <= set(charts(app))


def test_the_example_of_a_swap_follows_the_language_until_it_is_changed():
    app = visit(opened=PARTS[3:4])
    healthy(app.text_input(key="swap-word").set_value("eat").run())
    healthy(app.selectbox(key="lang").set_value("zh-Hans").run())
    assert app.text_input(key="swap-sentence").value == "你喜欢吃苹果吗？"
    assert app.text_input(key="swap-word").value == "eat"


def texts_sent(app: AppTest) -> list[dict]:
    parts = (each.proto for each in app.get("bidi_component"))
    return [json.loads(p.bytes) for p in parts if p.component_name == "narrow_cone_texts"]


def table_text(lengths: np.ndarray) -> str:
    rng = np.random.default_rng(0)
    U = rng.standard_normal((len(lengths), 6))
    U *= (lengths / np.linalg.norm(U, axis=1))[:, None]
    return "".join(
        f"w{i} " + " ".join(f"{value:.6f}" for value in row) + "\n" for i, row in enumerate(U)
    )


def test_a_table_in_which_it_is_opposite():
    app = visit(words="upload")
    assert "Upload the file above" in everything(app)
    lines = table_text(np.linspace(2, 1, 600))
    app = give(app, "frequency_vectors_file", "glove.txt", lines)
    assert "frequent words lie farther from the origin" in everything(app)
    assert "1/rank by the table’s own order" in everything(app)


def test_the_bundled_glove_needs_no_upload(monkeypatch):
    monkeypatch.setattr(scene, "MEASURED_WORDS", 6000)  # all 40,000 take 10 s
    app = visit(words="glove")
    said = everything(app)
    assert "GloVe 6B, 40,000 words (bundled) · n = 40,000 words" in said
    glove = read_bundled_vectors("glove")
    norms = np.linalg.norm(glove.vectors.astype(float), axis=1)[:6000]
    bins = " → ".join(f"{part.mean():.2f}" for part in np.split(norms, [100, 500, 5000]))
    assert bins.startswith("6.14 → 5.92 → 5.58 → ")
    assert f"frequent words lie farther from the origin: **{bins}**" in said
    rho = spearmanr(norms, np.arange(6000))[0]
    assert big_numbers(app)[0][:2] == [f"{rho:.3f}".replace("-", "−"), "6.14"]
    assert not app.get("file_uploader")
    app = visit(words="glove", counts="corpus")
    said = everything(app)
    assert "frequencies: corpus mine" in said
    assert "a row is close to the frequency rank" not in said
    rows = [glove.row_of(word) for text in spread_topics(200).texts for word in words_of(text)]
    expected = np.unique([row for row in rows if row is not None])
    assert f"n = {len(expected):,} words" in said


def test_long_words_are_cut_and_wide_ones_are_measured_by_another_process(monkeypatch):
    called = []

    def noted(_, call, report):
        called.append(call.func.__name__)
        return call()

    monkeypatch.setattr("pages.common.reading.run", noted)
    monkeypatch.setattr("pages.word_frequency.scene.WIDE", 5)
    lines = table_text(np.linspace(1, 2, 50)).replace("w7 ", "w" * 50_000 + " ")
    app = visit(opened=("words-zipf",), words="upload", counts="order", webgl2="no")
    app = give(app, "frequency_vectors_file", "long.txt", lines)
    assert called == ["pictures", "symmetry"]
    sent = [*charts(app).values(), *texts_sent(app)]
    assert max(len(text) for message in sent for text in strings_in(message)) < 1_000
    app = give(app, "frequency_vectors_file", "large.gz", gzip.compress(lines.encode()))
    assert called[2:] == ["words_of_file", "pictures", "symmetry"]


def test_words_of_texts_are_counted_in_any_language():
    """As a table of cased words, or of pieces with a mark, has them."""
    texts = ("Der Bär mag Öl.", "die Bären, der Bär", "Ein Weg führt weg", "weg!")
    for mark in ("", "▁", "Ġ"):
        words = [mark + word for word in ("der", "Der", "Bär", "Öl", "Weg", "weg", "nie")]
        lines = "".join(f"{word} {i} 1 2\n" for i, word in enumerate(words)).encode()
        found = apart.words_of_file(lines, name="de.vec", limits=LIMITS, texts=texts)
        counts = dict(zip(found[1], found[2], strict=True))
        assert {word.removeprefix(mark): n for word, n in counts.items()} == {
            "der": 1,
            "Der": 1,
            "Bär": 2,
            "Öl": 1,
            "Weg": 1,
            "weg": 2,
        }


@pytest.mark.parametrize(
    ("d", "size", "said"),
    [
        (2, 1, "This needs vectors of 3 dimensions or more"),
        (3, 1e38, "frequent words lie"),
        (3, 0, str(UndefinedMeasure("no_spread"))),
    ],
)
def test_odd_tables_have_a_message_and_are_not_refused(d, size, said):
    X = size * np.random.default_rng(0).standard_normal((50, d))
    lines = "".join(f"w{i} {' '.join(map(str, row))}\n" for i, row in enumerate(X))
    app = visit(words="upload", counts="order")
    app = give(app, "frequency_vectors_file", "odd.txt", lines)
    assert said in everything(app)


def test_all_words_are_drawn_and_the_most_frequent_are_measured(monkeypatch):
    for name, value in (("MANY_POINTS", 10), ("MEASURED_WORDS", 550), ("PLOTLY_POINTS", 300)):
        monkeypatch.setattr(scene, name, value)
    app = visit(words="upload")
    lengths = np.linspace(1, 2, 600)
    app = give(app, "frequency_vectors_file", "six hundred.txt", table_text(lengths))
    twin = twin_clouds(app)["words"]
    frames = twin.frames[twin.message["views"][0]["points"]]
    assert [len(frame) for frame in frames] == [600, 600]
    assert list(twin.message["legend"]["names"])[2:] == ["ranks 501–550", "ranks 551–600"]
    said = everything(app)
    assert "n = 600 words · measured: the 550 most frequent" in said
    np.testing.assert_allclose(
        array(charts(app)["word-lengths"]["figure"]["data"][0]["y"]), lengths, rtol=1e-5
    )
    assert big_numbers(app)[0][0] == f"{spearmanr(lengths[:550], range(550))[0]:.3f}"


def test_a_sample_of_tokens_is_stated(monkeypatch):
    monkeypatch.setattr(scene, "MOST_DRAWN", 200)
    said = everything(visit(spread_topics(40), words="tokens"))
    assert re.search(r"averaged from a sample of 1\d\d of the [3-9]\d\d tokens, seed 0", said)


def test_the_most_frequent_words_fit_into_memory(monkeypatch):
    monkeypatch.setattr(apart, "MAX_NUMBERS", 35)
    vectors, words, counts, n = apart.ranked(np.ones((9, 10)), list("abcdefghi"), np.arange(9))
    assert (len(vectors), words, counts.tolist(), n) == (3, ("i", "h", "g"), [8, 7, 6], 9)


def test_a_list_ranks_the_model_s_types_and_needs_enough_words(encoder):
    app = visit(counts="list")
    app = give(app, "frequency_counts_file", "few.txt", "the 10\nof 5\n")
    assert "This needs 9 words or more" in everything(app)
    words = ["of", "the", "house", "river", "music", "king", "water", "stone", "law", "win"]
    lines = "".join(f"{word} {1000 - i}\n" for i, word in enumerate([*words, "zzzunknown"]))
    app = give(app, "frequency_counts_file", "many.txt", lines)
    assert "n = 10 words" in everything(app)
    table = encoder.type_embeddings()
    norms = [np.linalg.norm(table.vectors[table.words.index(word)]) for word in words]
    figure = charts(app)["word-lengths"]["figure"]
    np.testing.assert_allclose(array(figure["data"][0]["y"]), norms, rtol=1e-5)


def test_the_vocabulary_s_order_ranks_where_it_is_one_of_frequency(encoder, types):
    names, counts, _ = types
    table = encoder.type_embeddings()
    rows = np.array([table.words.index(name) for name in names])
    rho = spearmanr(rows, -counts)[0]
    assert rho > ORDERED
    app = visit(counts="order")
    assert f"their counts there: {rho:.2f})" in everything(app)
    norms = np.linalg.norm(table.vectors[np.sort(rows)], axis=1)
    figure = charts(app)["word-lengths"]["figure"]
    np.testing.assert_allclose(array(figure["data"][0]["y"]), norms, rtol=1e-5)
    app = visit(read_bundled("topics-zh"), counts="order")
    assert "not offered as a frequency" in everything(app)
    assert f"and {ORDERED} is needed" in everything(app)
    assert "word-lengths" not in charts(app)


def test_tokens_are_averaged_by_type_at_the_layer(encoder):
    own = spread_topics(30)
    app = visit(own, words="tokens", layer="2")
    tokens = encoder.encode_tokens(own.texts, layer=2)
    names, place = np.unique(tokens.tokens, return_inverse=True)
    means = np.stack([tokens.vectors[place == i].mean(axis=0) for i in range(len(names))])
    order = np.argsort(-np.bincount(place), kind="stable")
    figure = charts(app)["word-lengths"]["figure"]
    expected = np.linalg.norm(means[order], axis=1)
    np.testing.assert_allclose(array(figure["data"][0]["y"]), expected, rtol=1e-4)
    assert "layer 2 of 6" in everything(app)


def test_the_cloud_is_drawn_twice(types):
    twin = twin_clouds(visit())["words"]
    assert [view["names"] for view in twin.message["views"]] == [
        ["SVD (uncentred)"],
        ["PCA (centred)"],
    ]
    svd, pca = twin.frames[twin.message["views"][0]["points"]]
    assert len(svd) == len(types[0])
    groups = list(twin.message["legend"]["names"])
    assert groups == ["ranks 1–100", "ranks 101–500", f"ranks 501–{len(svd):,}"]
    assert np.abs(pca.mean(axis=0)).max() < 1e-3 < np.abs(svd.mean(axis=0)).max()
    assert [view["origin"] for view in twin.message["views"]] == ["origin", "mean vector"]


def test_the_files_have_every_word_and_every_bin(types, monkeypatch):
    made: dict[str, list[dict[str, str]]] = {}
    monkeypatch.setattr(
        explore, "offer_csv", lambda _label, name, table: made.update({name: rows_of(table())})
    )
    visit()
    words, bins = made["word-frequency"], made["word-frequency-bins"]
    assert len(words) == len(types[0])
    assert int(words[0]["frequency"]) == types[1][0]
    assert {row["measure"] for row in bins} >= {"norm", "distance_7", "dot_3", "mean_cosine"}


def estimate(value: float, low: float | None = None, high: float | None = None) -> Estimate:
    return Estimate(value, low, high)


def test_the_verdicts_follow_the_intervals():
    low, high = estimate(1, 0.9, 1.1), estimate(2, 1.9, 2.1)
    assert ordered_state(low, high, True) == "holds"
    assert ordered_state(low, high, False) == "partly"
    assert ordered_state(high, low, False) == "fails"
    assert ordered_state(low, estimate(1.1, 1.0, 1.2), True) == "unknown"  # they overlap
    assert ordered_state(estimate(1), high, True) == "unknown"

    assert sparse_state([1, 1.2, 1.5], (-0.1, 0.1)) == "holds"
    assert sparse_state([1, 0.9, 1.5], (-0.1, 0.1)) == "partly"  # not from bin to bin
    assert sparse_state([1, 1.2, 1.1], (-0.2, 0.2)) == "unknown"
    assert sparse_state([1, 0.8], (-0.1, 0.1)) == "fails"

    def bins(*cosines: Estimate | None) -> list[FrequencyBin]:
        return [FrequencyBin(0, 1, low, cosine, (), ()) for cosine in cosines]

    assert rare_cone_state(bins(low, high)) == "holds"
    assert rare_cone_state(bins(high, low)) == "fails"
    wide, wider = estimate(0.05, 0.04, 0.06), estimate(0.01, 0.0, 0.02)
    assert rare_cone_state(bins(wider, wide)) == "partly"  # a larger cosine, no narrow cone
    assert rare_cone_state(bins(wider, estimate(0.27, 0.22, 0.32))) == "unknown"
    assert rare_cone_state(bins(low)) == "unknown"
    assert rare_cone_state(bins(None, low)) == "unknown"
    direction = FrequencyDirection(estimate(0.1), 9, (low, high), (0, 5), "rising")
    assert "**1.00 → 2.00**" in direction_sentence(direction)
    torn = FrequencyDirection(estimate(-0.7, -0.7, -0.6), 9, (low, high), (0, 5), "rising")
    assert "neither up nor down" in direction_sentence(torn)
    unsure = FrequencyDirection(estimate(0.1, -0.1, 0.3), 9, (low, high), (0, 5), "rising")
    assert "hardly goes with frequency" in direction_sentence(unsure)


@for_each(
    ("ends", "state"),
    [
        ((-0.2, -0.1), "partly"),
        ((-0.1, 0.1), "unknown"),
        ((0.1, 0.2), "fails"),
        ((None, None), "unknown"),
    ],
)
def test_frequent_words_are_judged_by_the_difference_from_random_tokens(ends, state):
    whole = Measured("mean_cosine", 0.5, 0.4, 0.6, 0.0, 50, 8)
    scene = SimpleNamespace(choice=SimpleNamespace(layer=4), encoder=SimpleNamespace(n_layers=6))
    last = WithoutFrequent(50, 0.3, 0.35, Estimate(-0.05, *ends))
    card = left_out_verdict(scene, whole, last)
    assert card.state == state
    assert "0.500 to **0.300**" in card.measured
    assert "it goes to **0.350**" in card.control


def test_a_control_says_that_a_single_word_has_no_cosine():
    word = SimpleNamespace(norm=SimpleNamespace(value=1.5), cosine=None)
    control = _shuffled_words(SimpleNamespace(shuffled=(word, word), farther=(-0.1, 0.1)))
    assert "**1.50 → 1.50**" in control
    assert "**no value → no value**" in control


def test_the_bundled_model_by_wikipedia_s_frequencies(encoder, shared_data):
    """The bins that the page's answer quotes; they neither rise nor fall."""
    table, counts = encoder.type_embeddings(), read_counts(shared_data(WIKIPEDIA))
    vectors, words, found = matched(table.vectors, table.words, counts)
    direction = frequency_direction(vectors, found)
    assert len(words) == 21_343
    assert [round(each.value, 2) for each in direction.norms] == [1.08, 1.26, 1.28, 1.10]
    assert direction.order == "neither"
    assert _by_vocabulary(words, found, table.words)[1] == pytest.approx(0.87, abs=0.005)
    pieces = [piece for text in encoder.tokenize(read_bundled("topics").texts) for piece in text]
    topics = np.unique(pieces, return_counts=True)
    assert _by_vocabulary(*topics, table.words)[1] == pytest.approx(0.49, abs=0.005)
    assert "**1.08 → 1.26 → 1.28 → 1.10**" in direction_sentence(direction)
