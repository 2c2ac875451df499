"""A corpus encoded by the worker: the same vectors with or without a disk or a kill."""

import json
import os
import random
import resource
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from geometry import Corpus, load_encoder, read_cloud
from geometry.encode import ArrayStore, blocks, disk_cache
from geometry.process import ProcessEnded, Progress, Worker, send_progress
from pages.common.encoding_worker import ENCODING, _read_cloud, read_cloud_apart
from tests.encode.tiny_encoder import WORDS, save_tiny_bert
from tests.waiting import until

CORPUS = Corpus("pairs", tuple(f"the {a} {b}" for a in WORDS for b in WORDS))  # 400
SPEC = {"unit": "sentences", "layer": 1, "pooling": "mean"}
ROWS = 40  # texts in a block
KILLS = 6


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return load_encoder(str(save_tiny_bert(tmp_path_factory.mktemp("tiny"))), trial=False)


@pytest.fixture(scope="module", autouse=True)
def _own_worker() -> Iterator[None]:
    """End the worker of these tests."""
    yield
    ENCODING.stop()


def quiet(done: int, total: int) -> None:
    """Report nothing."""


def by_blocks(
    encoder, folder: Path, pause: float = 0.0, *, progress: Callable[..., None] = send_progress
):
    """Encode by blocks, as for a corpus larger than memory, with a pause after each batch."""

    def slow(*of: int) -> None:
        progress(*of)
        time.sleep(pause)

    disk_cache.BYTES_AT_ONCE = 1
    settings = dict(blocks.encode_to_files.__kwdefaults__)
    blocks.encode_to_files.__kwdefaults__["block_rows"] = ROWS
    try:
        return _read_cloud(encoder, CORPUS, SPEC, folder, 10**9, progress=slow)
    finally:
        blocks.encode_to_files.__kwdefaults__.update(settings)
        disk_cache.BYTES_AT_ONCE = 300 * 10**6


def encoded(encoder, folder: Path) -> np.ndarray:
    """The vectors that the worker finds by blocks."""
    return ENCODING.run(partial(by_blocks, encoder, folder))[0].vectors


def on_a_full_disk(encoder, folder: Path, *, progress: Progress = send_progress):
    """Limit files to 1 kB."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
    try:
        return by_blocks(encoder, folder, progress=progress)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)


def losing_the_folder(encoder, folder: Path, *, progress: Progress = send_progress):
    """Somebody deletes the cache's folder while the corpus is half encoded."""
    deleted_at = []

    def delete(done: int, total: int) -> None:
        if 2 * done > total and not deleted_at:
            deleted_at.append(done)
            shutil.rmtree(folder)
        progress(done, total)

    found = by_blocks(encoder, folder, progress=delete)
    assert deleted_at
    return found


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
    """The encoder, unable to encode."""

    class Unable(type(encoder)):
        def encode_layers(self, *_: object, **__: object) -> None:
            raise AssertionError("the model ran")

    return Unable(encoder.folder, name="unable", trial=False)


@pytest.mark.long
@pytest.mark.parametrize("fault", [on_a_full_disk, losing_the_folder])
def test_a_disk_that_fails_under_a_running_encoding_changes_no_vector(encoder, tmp_path, fault):
    folder = tmp_path / "cache"
    cloud, unwritten, failure = ENCODING.run(partial(fault, encoder, folder))
    here = read_cloud(encoder, CORPUS, **SPEC)
    np.testing.assert_allclose(cloud.vectors, here.vectors, atol=1e-5)
    is_full = fault is on_a_full_disk
    assert isinstance(failure, OSError) is is_full
    assert bool(unwritten) is is_full


@pytest.mark.slow
def test_what_the_worker_could_not_write_stays_in_memory_with_the_reason(encoder, tmp_path):
    (tmp_path / "taken").touch()
    store = ArrayStore(tmp_path / "taken")
    cloud = read_cloud_apart(encoder, CORPUS, **SPEC, store=store, progress=quiet)
    assert isinstance(store.failure, FileExistsError)
    again = read_cloud(unable(encoder), CORPUS, **SPEC | {"layer": 2}, store=store)
    assert again.vectors.shape == cloud.vectors.shape


@pytest.mark.parametrize(
    ("end", "stays"), [(ProcessEnded("killed"), True), (KeyError("cancelled"), False)]
)
def test_blocks_remain_after_a_lost_worker_and_not_after_a_cancel(
    encoder, tmp_path, monkeypatch, end, stays
):
    name = disk_cache.blocks_name(encoder, CORPUS, "mean", special_tokens=True)
    folder = tmp_path / f"blocks-{name}"

    def run(*_: object, **__: object) -> None:
        folder.mkdir()
        (folder / "journal.json").touch()
        raise end

    monkeypatch.setattr(ENCODING, "run", run)
    with pytest.raises(type(end)):
        read_cloud_apart(encoder, CORPUS, **SPEC, store=ArrayStore(tmp_path), progress=quiet)
    assert [path.name for path in tmp_path.iterdir()] == [folder.name] * stays


@pytest.mark.long  # each new worker imports torch
def test_a_worker_killed_at_any_moment_loses_no_finished_block(encoder, tmp_path):
    undisturbed = encoded(encoder, tmp_path / "calm")
    draw, pause = random.Random(0), threading.Event()
    folder, finished_before, killed = tmp_path / "cache", {}, 0
    for _ in range(KILLS):
        begun = threading.Event()

        def report(done: int, total: int, begun: threading.Event = begun) -> None:
            if total:
                begun.set()

        pid = ENCODING.run(os.getpid)
        with ThreadPoolExecutor() as threads:
            work = threads.submit(ENCODING.run, partial(by_blocks, encoder, folder, 0.02), report)
            while not (begun.wait(0.05) or work.done()):
                pass
            pause.wait(draw.uniform(0, 0.15))
            os.kill(pid, signal.SIGKILL)
            until(lambda pid=pid: not Path(f"/proc/{pid}").exists())
            try:
                work.result(60)
            except ProcessEnded:
                killed += 1
        journals = [*folder.glob("blocks-*/journal.json")]
        finished = json.loads(journals[0].read_text())["finished"] if journals else {}
        if journals:
            assert finished.items() >= finished_before.items()
            finished_before = finished
    assert killed >= 2
    found = encoded(encoder, folder)
    np.testing.assert_array_equal(found, undisturbed)


@pytest.mark.long
def test_of_two_processes_with_one_cache_one_encodes_and_the_other_waits(encoder, tmp_path):
    other = Worker(idle_seconds=60)
    both = [ENCODING, other]
    for worker in both:
        worker.run(os.getpid)
    reports: list[list[int]] = [[], []]
    with ThreadPoolExecutor() as threads:
        work = [
            threads.submit(
                worker.run,
                partial(by_blocks, encoder, tmp_path / "cache", 0.02),
                lambda done, total, n=n: reports[n].append(done),
            )
            for n, worker in enumerate(both)
        ]
        clouds = [each.result(120)[0] for each in work]
    other.stop()
    np.testing.assert_array_equal(clouds[0].vectors, clouds[1].vectors)
    undisturbed = encoded(encoder, tmp_path / "calm")
    np.testing.assert_array_equal(clouds[0].vectors, undisturbed)
    while_encoding = [{*done} - {0, len(CORPUS)} for done in reports]
    assert sorted(map(bool, while_encoding)) == [False, True]
