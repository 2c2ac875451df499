"""UMAP in a worker process: the coordinates of the library, progress, cancelling."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from geometry import project
from pages.common.jobs import Cancelled
from pages.narrow_cone import umap as umap_worker
from pages.narrow_cone.umap import fit_elsewhere

PATIENCE = 60.0  # seconds to wait for another process


@pytest.fixture(scope="module", autouse=True)
def _own_worker() -> Iterator[None]:
    """A worker of normal priority: a niced one would starve beside the other tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(umap_worker, "_be_nice", None)
        yield
        umap_worker._executor().shutdown(wait=True, kill_workers=True)


@pytest.fixture(scope="module")
def cloud() -> np.ndarray:
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((4, 24))
    rows = centres[rng.integers(4, size=300)] + rng.standard_normal((300, 24)) * 0.3
    return rows.astype(np.float32)


def quiet(done: int, total: int) -> None:
    """Report nothing."""


def until(condition: Callable[[], bool]) -> None:
    """Return as soon as the condition holds; fail after PATIENCE."""
    deadline = time.monotonic() + PATIENCE
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, "what the test waits for never came"
        pause.wait(0.01)


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def timers() -> list[threading.Timer]:
    return [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]


def worker() -> int:
    """The process id of the worker."""
    return umap_worker._executor().submit(os.getpid).result(PATIENCE)


def test_a_fit_is_the_library_s_is_made_in_the_worker_and_reports_its_epochs(monkeypatch, cloud):
    reports = []
    with monkeypatch.context() as patch:
        patch.setattr(umap_worker, "POLL_SECONDS", 0.01)
        # The worker has imports of its own: only a fit in this process would fail.
        patch.setitem(sys.modules, "umap", None)
        found = fit_elsewhere(cloud, 2, 0, lambda done, total: reports.append((done, total)))
    assert found.shape == (len(cloud), 2)
    # The oracle runs in the worker too: with other BLAS threads the last bits differ, and with
    # them UMAP's picture.
    picture = umap_worker._executor().submit(project, cloud, "umap", 2, random_state=0)
    assert found == pytest.approx(picture.result(PATIENCE).coordinates, abs=1e-6)
    counted = [(done, total) for done, total in reports if total]
    assert counted
    assert counted == sorted(counted)
    assert {total for _, total in counted} == {counted[-1][1]}
    assert 0 < counted[-1][0] <= counted[-1][1]
    assert not np.allclose(fit_elsewhere(cloud, 2, 1, quiet), found)  # another seed


@pytest.mark.slow
def test_in_three_dimensions_a_fit_is_the_library_s(cloud):
    found = fit_elsewhere(cloud, 3, 0, quiet)
    picture = umap_worker._executor().submit(project, cloud, "umap", 3, random_state=0)
    assert found == pytest.approx(picture.result(PATIENCE).coordinates, abs=1e-6)


@pytest.mark.slow  # the next worker imports and compiles again
def test_a_cancelled_fit_ends_the_worker_and_the_next_one_works(cloud):
    before = worker()

    def cancel(done: int, total: int) -> None:
        raise Cancelled

    many = np.tile(cloud, (8, 1))
    with pytest.raises(Cancelled):
        fit_elsewhere(many, 2, 0, cancel)
    until(lambda: not runs(before))
    assert fit_elsewhere(cloud, 2, 0, quiet).shape == (len(cloud), 2)
    assert worker() != before


def test_warming_up_twice_submits_once_and_an_operator_can_turn_it_off(monkeypatch):
    submitted = []

    class Executor:
        def submit(self, *work: object) -> None:
            submitted.append(work)

    monkeypatch.setattr(umap_worker, "_warmed", threading.Event())
    monkeypatch.setattr(umap_worker, "_executor", Executor)
    monkeypatch.setattr(umap_worker, "WARM_UP_AFTER", 0.0)
    monkeypatch.setenv(umap_worker.WARM_UP_VARIABLE, "0")
    umap_worker.warm_up()
    assert not timers()
    monkeypatch.delenv(umap_worker.WARM_UP_VARIABLE)
    umap_worker.warm_up()
    umap_worker.warm_up()
    until(lambda: submitted and not timers())
    assert len(submitted) == 1


@pytest.mark.parametrize(
    ("note", "read"), [("12 200", (12, 200)), ("", (0, 0)), ("12", (0, 0)), (None, (0, 0))]
)
def test_a_half_written_note_counts_as_none(tmp_path, note, read):
    path = tmp_path / "epochs"
    if note is not None:
        path.write_text(note, encoding="ascii")
    assert umap_worker._read_note(path) == read
