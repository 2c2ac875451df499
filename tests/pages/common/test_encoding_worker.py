"""A corpus encoded by the worker: the same vectors with or without a disk."""

from collections.abc import Iterator

import numpy as np
import pytest

from geometry import Corpus, load_encoder, read_cloud
from geometry.encode import ArrayStore
from geometry.process import ProcessEnded
from pages.common.encoding_worker import ENCODING, read_cloud_apart
from tests.encode.tiny_encoder import WORDS, save_tiny_bert

CORPUS = Corpus("pairs", tuple(f"the {a} {b}" for a in WORDS for b in WORDS))  # 400
SPEC = {"unit": "sentences", "layer": 1, "pooling": "mean"}


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return load_encoder(str(save_tiny_bert(tmp_path_factory.mktemp("tiny"))), trial=False)


@pytest.fixture(scope="module", autouse=True)
def _own_worker() -> Iterator[None]:
    yield
    ENCODING.stop()


def quiet(done: int, total: int) -> None:
    """Report nothing."""


@pytest.mark.long
def test_the_worker_s_vectors_are_on_disk_and_those_of_this_process(encoder, tmp_path):
    store, reports = ArrayStore(tmp_path), []

    def report(*of: int) -> None:
        reports.append(of)

    cloud = read_cloud_apart(encoder, CORPUS, **SPEC, store=store, progress=report)
    here = read_cloud(encoder, CORPUS, **SPEC)
    np.testing.assert_allclose(cloud.vectors, here.vectors, atol=1e-5)
    assert (cloud.texts, cloud.lengths.tolist()) == (here.texts, here.lengths.tolist())
    assert (len(CORPUS), len(CORPUS)) in reports
    stored = read_cloud(unable(encoder), CORPUS, **SPEC, store=store)
    np.testing.assert_array_equal(stored.vectors, cloud.vectors)
    assert store.failure is None
    with pytest.raises(ValueError, match="layer 9 does not exist"):
        read_cloud_apart(encoder, CORPUS, layer=9, store=store, progress=report)


def unable(encoder):
    class Unable(type(encoder)):
        def encode_layers(self, *_: object, **__: object) -> None:
            raise AssertionError("the model ran")

    return Unable(encoder.folder, name="unable", trial=False)


@pytest.mark.slow
def test_what_the_worker_could_not_write_stays_in_memory_with_the_reason(encoder, tmp_path):
    (tmp_path / "taken").touch()
    store = ArrayStore(tmp_path / "taken")
    cloud = read_cloud_apart(encoder, CORPUS, **SPEC, store=store, progress=quiet)
    assert isinstance(store.failure, FileExistsError)
    again = read_cloud(unable(encoder), CORPUS, **SPEC | {"layer": 2}, store=store)
    assert again.vectors.shape == cloud.vectors.shape


def test_no_blocks_remain_of_a_worker_that_was_ended(encoder, tmp_path, monkeypatch):
    def run(call, _: object) -> None:
        *_others, folder = call.args
        assert folder.parent == tmp_path
        folder.mkdir()
        (folder / "journal.json").touch()
        raise ProcessEnded("killed")

    monkeypatch.setattr(ENCODING, "run", run)
    with pytest.raises(ProcessEnded):
        read_cloud_apart(encoder, CORPUS, **SPEC, store=ArrayStore(tmp_path), progress=quiet)
    assert list(tmp_path.iterdir()) == []
