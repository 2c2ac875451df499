"""A corpus as a cloud: one encoding for all layers, a cache that can't be written."""

import gc
import threading
import weakref
from dataclasses import asdict, replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from threadpoolctl import OpenBLASController

from geometry import Corpus, Encoder, ModelFilesError, load_encoder, read_cloud
from geometry.encode import ArrayStore
from pages.common import corpus_cloud
from pages.common.corpus_cloud import CloudSpec, CorpusCloud
from tests.encode.tiny_encoder import save_tiny_bert
from tests.pages.visits import clear_memory, everything, healthy, new_visit

CORPUS = Corpus("three", ("the cat sat on the mat.", "dogs ran", "the old dog sat"))


def page_of_one_cloud() -> None:
    import streamlit as st

    from pages.common.corpus_cloud import encode_corpus

    points = encode_corpus(st.session_state["corpus"], st.session_state["spec"])
    st.text(f"{points.vectors.sum():.6f}")


def show(spec: CloudSpec) -> str:
    at = AppTest.from_function(page_of_one_cloud, default_timeout=60)
    at.session_state["corpus"], at.session_state["spec"] = CORPUS, spec
    return healthy(at.run()).text[0].value


def test_a_thread_that_sets_a_limit_is_freed():
    """Otherwise threadpoolctl would reference the first visit's thread and its session."""
    OpenBLASController.clear_controlling_thread(force=True)
    thread = threading.Thread(target=corpus_cloud._limit_blas)
    thread.start()
    thread.join()
    held = weakref.ref(thread)
    del thread
    gc.collect()
    assert held() is None


def test_a_cloud_whose_labels_are_translated_has_the_same_shared_key(tmp_path):
    encoder = load_encoder(save_tiny_bert(tmp_path))
    spec = CloudSpec("sentences", 1, "mean")
    clouds = []
    for labels in (("cat", "dog", "dog"), ("貓", "狗", "狗")):
        corpus = replace(CORPUS, labels=labels)
        cloud = read_cloud(encoder, corpus, **asdict(spec))
        key = ArrayStore.key(encoder.content_key, corpus.content_key, spec)
        clouds.append(CorpusCloud(corpus, spec, encoder, cloud, key, False))
    [english, chinese] = clouds
    assert english.key != chinese.key
    assert english.shared_key == chinese.shared_key
    half = english.take(np.array([0, 2]), "half")
    assert half.shared_key != english.shared_key
    assert half.shared_key == chinese.take(np.array([0, 2]), "half").shared_key


@pytest.mark.model
def test_a_failure_to_count_tokens_is_reported_beside_the_picture(monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise ModelFilesError("broken", name="mine", said="Panic: index")

    monkeypatch.setattr(Encoder, "coverage", fail)
    clear_memory()
    app = healthy(new_visit("narrow_cone", {"all-measures": True}, corpus="topics-zh").run())
    said = [box.value for box in app.error]
    # above the picture, and below the table of measures
    assert said == 2 * [str(ModelFilesError("broken", name="mine", said="Panic: index"))]
    assert app.get("bidi_component")


@pytest.mark.model
def test_a_long_corpus_is_encoded_by_the_worker_and_a_short_one_is_not(tmp_path, monkeypatch):
    calls = []

    def apart(*texts, **settings):
        calls.append(settings["layer"])
        return read_cloud(*texts, **settings)

    monkeypatch.setattr(corpus_cloud, "read_cloud_apart", apart)
    monkeypatch.setattr(corpus_cloud, "store", lambda: ArrayStore(tmp_path / str(limit)))
    for limit, by_worker in ((10**6, []), (1, [2])):
        clear_memory()
        monkeypatch.setattr(corpus_cloud, "SHORT_CHARACTERS", limit)
        show(CloudSpec("sentences", 2, "mean"))
        assert calls == by_worker


@pytest.mark.model
def test_two_layers_wait_for_one_encoding(tmp_path, monkeypatch):
    """A reader goes to another page, which shows another layer of the same corpus."""
    monkeypatch.setattr(corpus_cloud, "store", lambda: ArrayStore(tmp_path))
    clear_memory()
    begun, passed, runs = threading.Event(), threading.Event(), []
    encode_layers = Encoder.encode_layers

    def slow(encoder, texts, **settings):
        runs.append(len(texts))
        begun.set()
        assert passed.wait(60)
        return encode_layers(encoder, texts, **settings)

    monkeypatch.setattr(Encoder, "encode_layers", slow)
    shown: dict[int, str] = {}

    def visit(layer: int) -> None:
        shown[layer] = show(CloudSpec("sentences", layer, "mean"))

    threads = [threading.Thread(target=visit, args=(layer,)) for layer in (1, 2)]
    threads[0].start()
    assert begun.wait(60)
    threads[1].start()
    while sum(sum(job.waiting.values()) for job in corpus_cloud.jobs._jobs.values()) < 2:
        assert threads[1].is_alive()
    assert len(corpus_cloud.jobs._jobs) == 1
    passed.set()
    for thread in threads:
        thread.join()
    assert runs == [len(CORPUS)]
    assert shown[1] != shown[2]
    clear_memory()
    assert shown == {layer: show(CloudSpec("sentences", layer, "mean")) for layer in (1, 2)}


@pytest.mark.model
def test_a_cache_that_cannot_be_written_is_reported_beside_the_picture(tmp_path, monkeypatch):
    (tmp_path / "taken").touch()
    store = ArrayStore(tmp_path / "taken")
    monkeypatch.setattr(corpus_cloud, "store", lambda: store)
    clear_memory()
    app = healthy(new_visit("narrow_cone", corpus="topics-zh", layer="3", pooling="max").run())
    assert "can't write its cache folder (File exists)" in everything(app)
    assert not app.error
    clear_memory()
