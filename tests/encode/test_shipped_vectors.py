"""The shipped vectors equal a new encoding; other models, texts or files have none."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from geometry import Corpus, Encoder, load_encoder, read_bundled, read_cloud
from geometry.encode import ArrayStore
from geometry.encode.cloud import (
    counts_key,
    is_stored,
    piece_frequencies,
    type_averages,
    type_averages_key,
)
from geometry.encode.disk_cache import key_of
from geometry.encode.shipped_vectors import FOLDER, INDEX, read_shipped, shipped_index
from geometry.encode.write_shipped import CLOUDS
from pages.narrow_cone.choices import PRESETS

PLACES = [(name, *place) for name, places in CLOUDS.items() for place in places]
MOST_BYTES = 48 * 10**6
NEW_EVERY = 6  # one text in this many is encoded again


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> Encoder:
    """The bundled encoder, which fails if it reads weights or tokenizer."""
    encoder = load_encoder()

    def fail(*_: object) -> None:
        raise AssertionError("the model's files were read")

    monkeypatch.setattr(encoder, "_verify", fail)
    return encoder


def test_the_presets_of_narrow_cone_and_the_pictures_of_layers_are_shipped():
    """tests/pages/sentence_similarity tests the first ladder of that page."""
    shown = {(int(layer), pooling) for layer, pooling in PRESETS.values()}
    assert set(CLOUDS["topics"]) == set(CLOUDS["topics-zh"])
    assert set(CLOUDS["topics"]) - shown == {(layer, "mean") for layer in (0, 1, 2, 3, 5)}


@pytest.mark.parametrize(("name", "layer", "pooling"), PLACES)
def test_each_cloud_comes_from_an_empty_cache_without_the_model(
    encoder, name, layer, pooling, tmp_path
):
    place = {"unit": "sentences", "layer": layer, "pooling": pooling, "store": ArrayStore(tmp_path)}
    corpus = read_bundled(name)
    assert is_stored(encoder, corpus, **place, max_points=3000, seed=0)
    cloud = read_cloud(encoder, corpus, **place)
    assert cloud.vectors.dtype == np.float32
    assert not cloud.vectors.flags.writeable
    assert not list(tmp_path.iterdir())


@pytest.mark.model
@pytest.mark.parametrize("name", CLOUDS)
def test_they_are_those_of_a_new_encoding(name):
    encoder, corpus = load_encoder(device="cpu"), read_bundled(name)
    poolings = tuple({pooling for _, pooling in CLOUDS[name]})
    new = encoder.encode_layers(corpus.texts[::NEW_EVERY], poolings=poolings)
    for layer, pooling in CLOUDS[name]:
        X = read_shipped(key_of(encoder, corpus, "sentences", layer, pooling))
        assert len(X) == len(corpus)
        np.testing.assert_allclose(X[::NEW_EVERY], new[pooling][layer], rtol=0, atol=1e-5)
    counts = read_shipped(counts_key(encoder, corpus))
    np.testing.assert_allclose(counts, piece_frequencies(encoder, corpus.texts), rtol=1e-12)
    if name == "pairs":
        averages = read_shipped(type_averages_key(encoder, corpus))
        expected = type_averages(encoder, corpus.texts)
        np.testing.assert_allclose(averages, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("change", ["text", "order", "dtype", "layer"])
def test_other_texts_and_settings_have_none(encoder, change, tmp_path):
    texts, layer, pooling = list(read_bundled("topics").texts), 4, "mean"
    if change == "text":
        texts[700] += "!"
    elif change == "order":
        texts[:2] = texts[1::-1]
    elif change == "dtype":
        encoder.dtype = "bfloat16"
    else:
        layer, pooling = 3, "max"
    place = {"unit": "sentences", "layer": layer, "pooling": pooling, "store": ArrayStore(tmp_path)}
    assert not is_stored(encoder, Corpus("topics", tuple(texts)), **place, max_points=3000, seed=0)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of one file and the index."""
    shutil.copy(FOLDER / INDEX, tmp_path)
    shutil.copy(FOLDER / "topics-zh-counts.npy", tmp_path)
    return tmp_path


def test_a_changed_or_missing_file_is_not_used(copy):
    (key,) = (
        key for key, each in shipped_index().items() if each["file"] == "topics-zh-counts.npy"
    )
    assert len(read_shipped(key, copy)) == 240
    content = bytearray((copy / "topics-zh-counts.npy").read_bytes())
    content[-1] ^= 1
    (copy / "topics-zh-counts.npy").write_bytes(content)
    assert read_shipped(key, copy) is None
    (copy / "topics-zh-counts.npy").unlink()
    assert read_shipped(key, copy) is None


def test_without_the_folder_there_are_none(tmp_path):
    assert shipped_index(tmp_path / "absent") == {}
    assert read_shipped(next(iter(shipped_index())), tmp_path / "absent") is None


def test_the_index_lists_the_files_and_they_are_small():
    files = {path.name for path in FOLDER.glob("*.npy")}
    assert {each["file"] for each in shipped_index().values()} == files
    # One file for each cloud, one of counts for each corpus, one of averaged input vectors.
    assert len(files) == len(PLACES) + len(CLOUDS) + 1
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < MOST_BYTES
