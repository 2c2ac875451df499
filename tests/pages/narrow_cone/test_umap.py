"""UMAP in a worker process: the coordinates of the library, progress, warming up."""

import os
import random
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from geometry import project
from geometry.encode import ArrayStore
from geometry.process import ProcessEnded
from pages.narrow_cone import scene as umap_worker
from pages.narrow_cone.scene import UMAP, fit_elsewhere
from tests.waiting import PATIENCE, until

# KILLS is a number of fits; LONGEST in seconds until a kill is about the time of a first fit
KILLS, LONGEST = 6, 6.0


@pytest.fixture(scope="module", autouse=True)
def _own_worker() -> Iterator[None]:
    """End the worker of these tests."""
    yield
    UMAP.stop()


@pytest.fixture(scope="module")
def cloud() -> np.ndarray:
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((4, 24))
    rows = centres[rng.integers(4, size=300)] + rng.standard_normal((300, 24)) * 0.3
    return rows.astype(np.float32)


def quiet(done: int, total: int) -> None:
    """Report nothing."""


def timers() -> list[threading.Timer]:
    """Timers of the warming up; an idle worker has one too."""
    timers = (each for each in threading.enumerate() if isinstance(each, threading.Timer))
    return [each for each in timers if each.function is umap_worker._fit_something_small]


def library_s(X: np.ndarray, n_components: int) -> np.ndarray:
    """The library's coordinates, computed in the worker too.

    With another number of BLAS threads the last bits differ, which changes UMAP's picture.
    """
    return UMAP.run(partial(project, X, "umap", n_components, random_state=0)).coordinates


@pytest.mark.slow  # imports and compilation take a minute
def test_a_fit_is_the_library_s_is_made_in_the_worker_and_reports_its_epochs(monkeypatch, cloud):
    reports = []
    with monkeypatch.context() as patch:
        # The worker has its own imports, so only a fit in this process would fail.
        patch.setitem(sys.modules, "umap", None)
        found = fit_elsewhere(cloud, 2, 0, lambda done, total: reports.append((done, total)))
    assert found.shape == (len(cloud), 2)
    assert found == pytest.approx(library_s(cloud, 2), abs=1e-6)
    counted = [(done, total) for done, total in reports if total]
    assert counted
    assert counted == sorted(counted)
    assert {total for _, total in counted} == {counted[-1][1]}
    assert 0 < counted[-1][0] <= counted[-1][1]
    assert not np.allclose(fit_elsewhere(cloud, 2, 1, quiet), found)  # another seed


@pytest.mark.long
def test_in_three_dimensions_a_fit_is_the_library_s(cloud):
    found = fit_elsewhere(cloud, 3, 0, quiet)
    assert found == pytest.approx(library_s(cloud, 3), abs=1e-6)


@pytest.mark.long  # ten workers import and compile
def test_a_fit_killed_at_any_moment_stores_nothing_and_starts_again(monkeypatch, cloud, tmp_path):
    stored, draw, pause, killed = ArrayStore(tmp_path), random.Random(0), threading.Event(), 0
    monkeypatch.setattr(umap_worker, "store", lambda: stored)
    for _ in range(KILLS):
        pid = UMAP.run(os.getpid)
        with ThreadPoolExecutor() as threads:
            fit = threads.submit(umap_worker._fit_and_store, "umap", cloud, 2, quiet)
            pause.wait(draw.uniform(0, LONGEST))
            os.kill(pid, signal.SIGKILL)
            until(lambda pid=pid: not Path(f"/proc/{pid}").exists())
            try:
                fit.result(PATIENCE)
            except ProcessEnded:
                killed += 1
                assert not [*tmp_path.iterdir()]
            else:
                [path] = tmp_path.iterdir()
                path.unlink()
    assert killed > KILLS / 3
    UMAP.run(os.getpid)
    umap_worker._fit_and_store("umap", cloud, 2, quiet)
    assert stored.read("umap") == pytest.approx(library_s(cloud, 2), abs=1e-6)


def test_warming_up_twice_submits_once_and_an_operator_can_turn_it_off(monkeypatch):
    submitted = []

    monkeypatch.setattr(umap_worker, "_warmed", threading.Event())
    monkeypatch.setattr(UMAP, "run", lambda *work: submitted.append(work))
    monkeypatch.setattr(umap_worker, "WARM_UP_AFTER", 0.0)
    monkeypatch.setenv(umap_worker.WARM_UP_VARIABLE, "0")
    umap_worker.warm_up()
    assert not timers()
    monkeypatch.delenv(umap_worker.WARM_UP_VARIABLE)
    umap_worker.warm_up()
    umap_worker.warm_up()
    until(lambda: submitted and not timers())
    assert len(submitted) == 1


def test_a_large_cloud_is_fitted_to_a_sample_and_the_rest_is_placed(monkeypatch, cloud):
    fitted = []

    def fit(X, n_components, seed, report):
        fitted.append(X)
        return X[:, :n_components].astype(float)

    monkeypatch.setattr(umap_worker, "MOST_FITTED", 100)
    monkeypatch.setattr(umap_worker, "fit_elsewhere", fit)
    monkeypatch.setattr(umap_worker.UMAP, "run", lambda call, report: call())
    places = umap_worker._picture_of(cloud, 2, quiet)
    assert [len(X) for X in fitted] == [100]
    rows = [np.flatnonzero((cloud == row).all(axis=1))[0] for row in fitted[0]]
    np.testing.assert_allclose(places[rows], cloud[rows, :2], atol=1e-6)
    assert places.shape == (300, 2)
    others = np.setdiff1d(np.arange(300), rows)
    # Two of the numbers span the picture, so a placed row is near its own coordinates.
    assert np.corrcoef(places[others, 0], cloud[others, 0])[0, 1] > 0.8
