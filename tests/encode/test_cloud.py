"""Sentences, tokens and types of a small corpus: numbers by hand, samples, and the cache."""

import json
import shutil

import numpy as np
import pytest

from geometry import Cloud, Corpus, load_encoder, read_cloud
from geometry.encode import ArrayStore, disk_cache
from geometry.encode import cloud as cloud_module
from geometry.encode.cloud import is_stored, word_count
from geometry.encode.disk_cache import recalled_vectors
from geometry.encode.encoder import Encoder
from geometry.encode.pool import POOLINGS
from tests.encode.tiny_encoder import DIMENSION, N_LAYERS, save_tiny_bert
from tests.for_each import for_each

CORPUS = Corpus(
    "three",
    ("the cat sat on the mat .", "dogs ran", "the old  dog sat"),
    labels=("home", "outside", "home"),
)
PIECES = [
    ["the", "cat", "sat", "on", "the", "mat", "."],
    ["dog", "##s", "ran"],
    ["the", "old", "dog", "sat"],
]
TIMES = {"the": 3, "cat": 1, "sat": 2, "on": 1, "mat": 1, ".": 1, "dog": 2, "##s": 1, "ran": 1}
TIMES["old"] = 1
UNITS = ("sentences", "tokens", "types")
MANY = Corpus("many", tuple(f"{a} {b} ran" for a in ("the", "a", "old") for b in ("cat", "dog")))


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return load_encoder(str(save_tiny_bert(tmp_path_factory.mktemp("tiny"))))


@pytest.fixture
def store(tmp_path):
    return ArrayStore(tmp_path)


class Unable(Encoder):
    """An encoder without weights: it tokenizes but can't encode."""

    @property
    def _model(self):
        raise AssertionError("the model ran")


@pytest.fixture
def unable(encoder):
    return Unable(encoder.folder, name="unable")


def test_sentences_by_hand(encoder):
    cloud = read_cloud(encoder, CORPUS, layer=1, pooling="max")
    assert cloud.unit == "sentences"
    assert len(cloud) == 3
    assert cloud.texts == CORPUS.texts
    assert cloud.labels == CORPUS.labels
    assert cloud.sources.tolist() == [0, 1, 2]
    assert cloud.lengths.tolist() == [6, 2, 4]  # a full stop is not a word
    log = np.log10
    expected = [(2 * log(3) + log(2)) / 7, log(2) / 3, (log(3) + 2 * log(2)) / 4]
    np.testing.assert_allclose(cloud.counts, expected)
    assert cloud.n_available == 3
    np.testing.assert_array_equal(
        cloud.vectors, encoder.encode(CORPUS.texts, layer=1, pooling="max")
    )


def test_tokens_by_hand(encoder):
    cloud = read_cloud(encoder, CORPUS, unit="tokens", layer=2)
    flat = [piece for pieces in PIECES for piece in pieces]
    assert cloud.texts == tuple(flat)
    assert cloud.sources.tolist() == [0] * 7 + [1] * 3 + [2] * 4
    assert cloud.labels == ("home",) * 7 + ("outside",) * 3 + ("home",) * 4
    # the piece "##s" is one character long
    assert cloud.lengths.tolist() == [3, 3, 3, 2, 3, 3, 1, 3, 1, 3, 3, 3, 3, 3]
    assert cloud.counts.tolist() == [TIMES[piece] for piece in flat]
    assert cloud.n_available == 14
    np.testing.assert_array_equal(
        cloud.vectors, encoder.encode_tokens(CORPUS.texts, layer=2).vectors
    )


def test_types_by_hand(encoder):
    cloud = read_cloud(encoder, CORPUS, unit="types", layer=2)
    assert cloud.texts == tuple(sorted(TIMES))  # each piece that occurs, once
    assert cloud.sources.tolist() == [-1] * len(TIMES)
    assert cloud.labels is None
    assert cloud.lengths.tolist() == [len(piece.removeprefix("##")) for piece in sorted(TIMES)]
    assert cloud.counts.tolist() == [TIMES[piece] for piece in sorted(TIMES)]
    assert cloud.n_available == len(TIMES)
    table = encoder.type_embeddings()
    rows = [table.words.index(piece) for piece in sorted(TIMES)]
    np.testing.assert_array_equal(cloud.vectors, table.vectors[rows])


@for_each("unit", UNITS)
def test_a_sample_is_drawn_without_replacement(encoder, unit):
    whole = read_cloud(encoder, CORPUS, unit=unit)
    n, m = len(whole), len(whole) - 1
    clouds = [read_cloud(encoder, CORPUS, unit=unit, max_points=m, seed=s) for s in range(12)]
    drawn = [[find(whole, vector) for vector in cloud.vectors] for cloud in clouds]
    for cloud, rows in zip(clouds, drawn, strict=True):
        assert len(cloud) == len(set(rows)) == m
        assert cloud.n_available == n
        assert rows == sorted(rows)
        # All columns have the same rows.
        assert cloud.texts == tuple(whole.texts[i] for i in rows)
        assert cloud.labels == (whole.labels and tuple(whole.labels[i] for i in rows))
        np.testing.assert_array_equal(cloud.sources, whole.sources[rows])
        np.testing.assert_array_equal(cloud.lengths, whole.lengths[rows])
        np.testing.assert_array_equal(cloud.counts, whole.counts[rows])
    assert len(set(map(tuple, drawn))) > 1
    again = read_cloud(encoder, CORPUS, unit=unit, max_points=m, seed=3)
    np.testing.assert_array_equal(again.vectors, clouds[3].vectors)


def find(cloud, vector):
    (row,) = np.flatnonzero((cloud.vectors == vector).all(axis=1))
    return int(row)


@pytest.mark.parametrize("unit", UNITS)
def test_the_second_reading_runs_no_model(encoder, unable, store, unit):
    options = {"unit": unit, "layer": 1, "pooling": "mean", "max_points": 2, "seed": 4}
    assert not is_stored(encoder, CORPUS, **options, store=store)
    first = read_cloud(encoder, CORPUS, **options, store=store)
    assert is_stored(unable, CORPUS, **options, store=store)
    second = read_cloud(unable, CORPUS, **options, store=store)
    np.testing.assert_array_equal(second.vectors, first.vectors)
    assert second.texts == first.texts
    np.testing.assert_array_equal(second.counts, first.counts)


def test_the_words_of_a_large_corpus_are_counted_once(encoder, unable, store, monkeypatch):
    """A cloud counts as stored only if its word counts are: pages read stored clouds at once."""
    monkeypatch.setattr(cloud_module, "LARGE_CHARACTERS", 1)
    options = {"unit": "sentences", "layer": 1, "pooling": "mean", "max_points": 2, "seed": 4}
    first = read_cloud(encoder, CORPUS, **options, store=store)
    assert is_stored(unable, CORPUS, **options, store=store)
    monkeypatch.setattr(cloud_module, "word_count", None)
    second = read_cloud(unable, CORPUS, **options, store=store)
    np.testing.assert_array_equal(second.lengths, first.lengths)
    for key in (cloud_module.word_counts_key(CORPUS), cloud_module.counts_key(encoder, CORPUS)):
        path = store._path(key)
        content = path.read_bytes()
        path.unlink()
        assert not is_stored(unable, CORPUS, **options, store=store)
        path.write_bytes(content)


def test_one_pass_stores_every_layer_and_pooling(encoder, unable, store):
    read_cloud(encoder, CORPUS, layer=-1, pooling="mean", store=store)
    for layer in range(-N_LAYERS - 1, N_LAYERS + 1):
        for pooling in POOLINGS:
            cloud = read_cloud(unable, CORPUS, layer=layer, pooling=pooling, store=store)
            expected = encoder.encode(CORPUS.texts, layer=layer, pooling=pooling)
            np.testing.assert_array_equal(cloud.vectors, expected)


def test_of_a_large_corpus_only_one_pooling_is_stored(encoder, unable, store, monkeypatch):
    size = len(CORPUS) * DIMENSION * 4 * (N_LAYERS + 1) * len(POOLINGS)
    monkeypatch.setattr(disk_cache, "BYTES_AT_ONCE", size - 1)
    first = read_cloud(encoder, CORPUS, layer=1, pooling="cls", store=store)
    np.testing.assert_array_equal(
        first.vectors, encoder.encode(CORPUS.texts, layer=1, pooling="cls")
    )
    assert [path.suffix for path in store.folder.iterdir()] == [".array"] * (N_LAYERS + 2)
    read_cloud(unable, CORPUS, layer=0, pooling="cls", store=store)  # stores all layers
    with pytest.raises(AssertionError, match="the model ran"):
        read_cloud(unable, CORPUS, layer=1, pooling="mean", store=store)
    monkeypatch.setattr(disk_cache, "BYTES_AT_ONCE", size)
    read_cloud(encoder, CORPUS, layer=1, pooling="mean", store=store)
    read_cloud(unable, CORPUS, layer=1, pooling="max", store=store)


@pytest.fixture
def by_blocks(monkeypatch):
    """Every corpus here counts as large."""
    monkeypatch.setattr(disk_cache, "BYTES_AT_ONCE", 1)


def test_blocks_and_arrays_are_for_their_owner_only(encoder, store, by_blocks):
    modes = set()

    def note(done, total):
        modes.update(path.stat().st_mode & 0o777 for path in store.folder.rglob("*.*"))

    read_cloud(encoder, CORPUS, store=store, progress=note)
    note(0, 0)
    assert modes == {0o600}


def test_no_blocks_are_left_and_none_begun_beyond_the_limit(encoder, store, by_blocks):
    def cancel(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_cloud(encoder, CORPUS, store=store, progress=cancel)
    assert list(store.folder.iterdir()) == []
    small = ArrayStore(store.folder / "small", max_bytes=100)
    read_cloud(encoder, CORPUS, store=small)
    assert disk_cache.SIZE_VARIABLE in str(small.failure)


OF_POOLING = len(CORPUS) * DIMENSION * 4 * (N_LAYERS + 1)


@pytest.mark.parametrize("at_once", [OF_POOLING, OF_POOLING - 1])
def test_a_folder_that_cannot_be_written_is_no_obstacle_to_a_large_corpus(
    encoder, unable, tmp_path, monkeypatch, at_once
):
    monkeypatch.setattr(disk_cache, "BYTES_AT_ONCE", at_once)
    (tmp_path / "taken").touch()
    store = ArrayStore(tmp_path / "taken")
    choice = {"layer": 1, "pooling": "max", "store": store}
    expected = encoder.encode(CORPUS.texts, layer=1, pooling="max")
    np.testing.assert_array_equal(recalled_vectors(encoder, CORPUS, **choice), expected)
    assert isinstance(store.failure, OSError)
    if at_once == OF_POOLING:  # all layers are in memory
        np.testing.assert_array_equal(recalled_vectors(unable, CORPUS, **choice), expected)
        recalled_vectors(unable, CORPUS, layer=0, pooling="max", store=store)


@for_each(
    ("text", "words"),
    [
        ("", 0),
        (" \t… — ?", 0),
        ("The cat, at last, sat.", 5),
        ("It's a well-known fact; don’t ask.", 6),
        ("In 2019 3 of them", 5),
        ("各向異性", 4),
        ("詞向量 is 1 word", 6),
    ],
)
def test_words_are_counted(text, words):
    assert word_count(text) == words


def test_another_sample_of_sentences_is_a_hit(encoder, unable, store):
    read_cloud(encoder, MANY, max_points=2, seed=0, store=store)
    assert len(read_cloud(unable, MANY, max_points=3, seed=9, store=store)) == 3


def test_other_tokens_are_no_hit(encoder, store):
    arguments = {"corpus": CORPUS, "unit": "tokens", "layer": 1, "max_points": 2, "seed": 4}
    read_cloud(encoder, **arguments, store=store)
    assert is_stored(encoder, **arguments, pooling="cls", store=store)  # tokens have no pooling
    changes = {"max_points": 3, "seed": 5, "corpus": MANY, "unit": "types", "whole_sentences": True}
    for name, value in changes.items():
        other = arguments | {name: value}
        assert not is_stored(encoder, **other, pooling="mean", store=store), name


def test_tokens_of_every_layer_come_from_one_pass(encoder, unable, store, monkeypatch):
    arguments = {"unit": "tokens", "max_points": 8}
    read_cloud(encoder, CORPUS, layer=0, store=store, **arguments)
    for layer in range(N_LAYERS + 1):
        stored = read_cloud(unable, CORPUS, layer=layer, store=store, **arguments)
        expected = read_cloud(encoder, CORPUS, layer=layer, **arguments)
        np.testing.assert_array_equal(stored.vectors, expected.vectors)
    monkeypatch.setattr("geometry.encode.cloud.BYTES_AT_ONCE", 3 * 8 * DIMENSION * 4 - 1)
    other = ArrayStore(store.folder / "other")
    read_cloud(encoder, CORPUS, layer=0, store=other, **arguments)
    with pytest.raises(AssertionError, match="the model ran"):
        read_cloud(unable, CORPUS, layer=1, store=other, **arguments)


def test_another_layer_of_the_same_tokens_splits_no_text_again(encoder, store, monkeypatch):
    arguments = {"unit": "tokens", "max_points": 8}
    like = read_cloud(encoder, CORPUS, layer=0, store=store, **arguments)
    expected = read_cloud(encoder, CORPUS, layer=1, store=store, **arguments)
    found = read_cloud(encoder, CORPUS, layer=2, like=like, **arguments)  # not stored
    assert np.abs(found.vectors - expected.vectors).max() > 0.01
    monkeypatch.setattr(Encoder, "tokenize", lambda *_, **__: pytest.fail("split again"))
    found = read_cloud(encoder, CORPUS, layer=1, like=like, store=store, **arguments)
    np.testing.assert_array_equal(found.vectors, expected.vectors)
    assert (found.texts, found.labels) == (expected.texts, expected.labels)


def test_a_sample_of_whole_sentences_has_all_their_tokens(encoder):
    lengths = [len(pieces) for pieces in PIECES]
    drawn = set()
    for seed in range(20):
        cloud = read_cloud(
            encoder, CORPUS, unit="tokens", max_points=8, seed=seed, whole_sentences=True
        )
        sentences = sorted(set(cloud.sources.tolist()))
        assert cloud.texts == tuple(piece for i in sentences for piece in PIECES[i])
        assert len(cloud) == sum(lengths[i] for i in sentences) <= 8
        assert cloud.n_available == sum(lengths)
        drawn.add(tuple(sentences))
    assert drawn >= {(0,), (1, 2)}
    for most, expected in ((14, 14), (100, 14), (1, min(lengths))):
        found = read_cloud(
            encoder, CORPUS, unit="tokens", max_points=most, seed=1, whole_sentences=True
        )
        assert len(found) >= expected  # at least one sentence is drawn


def test_bad_choices(encoder, unable):
    with pytest.raises(ValueError, match="sentences, tokens, types; got 'words'"):
        read_cloud(encoder, CORPUS, unit="words")
    with pytest.raises(ValueError, match="hidden states 0"):
        read_cloud(unable, CORPUS, unit="types", layer=3)
    with pytest.raises(ValueError, match="got 'median'"):
        read_cloud(unable, CORPUS, pooling="median")


@pytest.mark.parametrize("layer", ["first-last", "last-2", (0, 1, 2)])
def test_a_set_of_layers_is_averaged_and_stored(encoder, unable, store, layer):
    expected = encoder.encode(CORPUS.texts, layer=layer, pooling="max")
    options = {"layer": layer, "pooling": "max", "store": store}
    np.testing.assert_array_equal(read_cloud(encoder, CORPUS, **options).vectors, expected)
    np.testing.assert_array_equal(read_cloud(unable, CORPUS, **options).vectors, expected)
    # each single layer was stored too
    read_cloud(unable, CORPUS, layer=1, pooling="mean", store=store)
    with pytest.raises(ValueError, match="one layer for tokens"):
        read_cloud(encoder, CORPUS, unit="tokens", layer=layer)


def test_special_tokens_are_part_of_the_key(encoder, unable, store):
    read_cloud(encoder, CORPUS, store=store)
    with pytest.raises(AssertionError, match="the model ran"):
        read_cloud(unable, CORPUS, store=store, special_tokens=False)
    read_cloud(encoder, CORPUS, store=store, special_tokens=False)
    again = read_cloud(unable, CORPUS, store=store, special_tokens=False)
    expected = encoder.encode(CORPUS.texts, special_tokens=False)
    np.testing.assert_array_equal(again.vectors, expected)


def test_the_models_own_output_is_stored(encoder, store, tmp_path):
    shutil.copytree(encoder.folder, tmp_path, dirs_exist_ok=True)
    steps = {"Transformer": "", "Pooling": "1_Pooling", "Normalize": "2_Normalize"}
    modules = [
        {"type": f"sentence_transformers.models.{step}", "path": path}
        for step, path in steps.items()
    ]
    (tmp_path / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    own = load_encoder(str(tmp_path))
    cloud = read_cloud(own, CORPUS, pooling="own", store=store)
    np.testing.assert_allclose(np.linalg.norm(cloud.vectors, axis=1), 1, rtol=1e-5)
    found = read_cloud(Unable(tmp_path, name="unable"), CORPUS, pooling="own", store=store)
    np.testing.assert_array_equal(found.vectors, cloud.vectors)
    with pytest.raises(ValueError, match=r"no `modules\.json`"):
        read_cloud(encoder, CORPUS, pooling="own", store=store)


def test_tokens_are_encoded_some_texts_at_a_time(encoder, monkeypatch):
    whole = read_cloud(encoder, MANY, unit="tokens", layer=1, max_points=7)
    lengths_read = []
    encode_tokens = Encoder.encode_token_layers

    def noted(self, texts, **settings):
        lengths_read.append(len(texts))
        return encode_tokens(self, texts, **settings)

    monkeypatch.setattr(Encoder, "encode_token_layers", noted)
    two_texts = 2 * 3 * DIMENSION * 4  # bytes
    monkeypatch.setattr("geometry.encode.cloud.VECTOR_BYTES", two_texts)
    reports = []
    settings = {"unit": "tokens", "layer": 1, "max_points": 7}
    parts = read_cloud(encoder, MANY, **settings, progress=lambda *of: reports.append(of))
    assert max(lengths_read) == 2
    assert len(lengths_read) > 1
    assert parts.texts == whole.texts
    np.testing.assert_allclose(parts.vectors, whole.vectors, atol=1e-5)
    assert reports == sorted(reports)
    assert {total for _, total in reports} == {len(MANY)}


HAND = Cloud(
    unit="sentences",
    vectors=np.arange(8, dtype=np.float32).reshape(4, 2),
    texts=("a", "b", "c", "d"),
    sources=np.array([3, 5, 8, 9]),
    labels=("one", "two", "one", "three"),
    lengths=np.array([1, 2, 3, 4]),
    counts=np.array([0.5, 1.5, 2.5, 3.5]),
    n_available=100,
)


@for_each(
    ("rows", "taken"),
    [
        (np.array([2, 0]), [2, 0]),
        ([-2, -4], [2, 0]),
        (np.uint8([2, 0]), [2, 0]),
        ([True, False, True, False], [0, 2]),  # a mask read as indices would take 0 and 1
    ],
)
def test_rows_are_taken_from_every_column(rows, taken):
    found = HAND.take(rows)
    assert (found.unit, found.n_available, len(found)) == ("sentences", 100, 2)
    for name in ("vectors", "texts", "sources", "labels", "lengths", "counts"):
        whole = np.asarray(getattr(HAND, name))
        np.testing.assert_array_equal(np.asarray(getattr(found, name)), whole[taken])
