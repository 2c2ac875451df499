"""UMAP in a process of its own: the library's coordinates, its progress, and its end."""

import os
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from geometry import project
from pages.common.jobs import Cancelled
from pages.narrow_cone import umap as umap_worker
from pages.narrow_cone.umap import fit_elsewhere

PATIENCE = 60.0  # s; how long a test waits for another process before it gives up

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def _no_worker_left() -> Iterator[None]:
    yield
    umap_worker._executor().shutdown(wait=True, kill_workers=True)


@pytest.fixture(scope="module")
def cloud() -> np.ndarray:
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((4, 24))
    rows = centres[rng.integers(4, size=300)] + rng.standard_normal((300, 24)) * 0.3
    return rows.astype(np.float32)


def quiet(done: int, total: int) -> None:
    return None


def until(condition: Callable[[], bool]) -> None:
    """Return as soon as the condition holds; fail where it never does."""
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
    """The worker's process id."""
    return umap_worker._executor().submit(os.getpid).result(PATIENCE)


@pytest.mark.parametrize("n_components", [2, 3])
def test_the_worker_finds_what_the_library_finds(cloud, n_components):
    found = fit_elsewhere(cloud, n_components, 0, quiet)
    # asked there too: the number of BLAS threads changes last bits, and from those UMAP's picture
    picture = umap_worker._executor().submit(project, cloud, "umap", n_components, random_state=0)
    assert found.shape == (300, n_components)
    assert found == pytest.approx(picture.result(PATIENCE).coordinates, abs=1e-6)


def test_another_seed_is_another_picture(cloud):
    assert not np.allclose(fit_elsewhere(cloud, 2, 1, quiet), fit_elsewhere(cloud, 2, 0, quiet))


def test_the_work_is_done_outside_this_process():
    assert worker() != os.getpid()


def test_it_reports_its_epochs(monkeypatch, cloud):
    monkeypatch.setattr(umap_worker, "POLL_SECONDS", 0.01)
    many = np.tile(cloud, (8, 1)) + np.random.default_rng(1).standard_normal((2400, 24)) * 0.01
    reports = []
    fit_elsewhere(many, 2, 0, lambda done, total: reports.append((done, total)))
    counted = [(done, total) for done, total in reports if total]
    assert counted
    assert counted == sorted(counted)
    assert {total for _, total in counted} == {counted[-1][1]}
    assert 0 < counted[-1][0] <= counted[-1][1]


def test_a_cancelled_fit_ends_the_worker_and_the_next_one_works(cloud):
    before = worker()

    def cancel(done: int, total: int) -> None:
        raise Cancelled

    many = np.tile(cloud, (30, 1))
    with pytest.raises(Cancelled):
        fit_elsewhere(many, 2, 0, cancel)
    until(lambda: not runs(before))
    assert fit_elsewhere(cloud, 2, 0, quiet).shape == (300, 2)
    assert worker() != before


def test_warming_up_twice_submits_once(monkeypatch):
    submitted = []

    class Executor:
        def submit(self, *work: object) -> None:
            submitted.append(work)

    monkeypatch.setattr(umap_worker, "_warmed", threading.Event())
    monkeypatch.setattr(umap_worker, "_executor", Executor)
    monkeypatch.setattr(umap_worker, "WARM_UP_AFTER", 0.0)
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
