"""Killed processes or a failing store: the data set equals that of a normal run."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.request import Request, urlopen

import pytest

from geometry.export.affine import AffineMap, affine_map, save_transform
from geometry.scale import (
    Engine,
    ScaleError,
    VectorData,
    fit_data,
    open_engine,
    transform_data,
)
from tests.scale.shards import SHARDS, VERBS, cloud, content, run_verb, split, write_files
from tests.scale.test_walk import shell

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
X = cloud(2000, 64)


def pids(engine: Any) -> list[int]:
    """Process ids of both workers, after the nannies have replaced killed ones."""
    scheduler = engine.client.cluster.scheduler
    while any(worker.status.name != "running" for worker in scheduler.workers.values()):
        time.sleep(0.1)
    engine.client.wait_for_workers(2)
    time.sleep(1)  # the scheduler finds a killed worker only after a moment
    return list(engine.client.run(os.getpid).values())


def kill_when_half_done(engine: Any, victims: list[int]) -> list[int]:
    killed: list[int] = []

    def watch(report: Any) -> None:
        if report.done >= 2 and report.done < report.shards and not killed:
            killed.extend(victims)
            for pid in victims:
                os.kill(pid, signal.SIGKILL)

    engine.watch = watch
    return killed


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two workers whose nannies replace killed ones."""
    with open_engine(workers=2) as engine:
        yield engine


@pytest.mark.long
@pytest.mark.parametrize("verb", VERBS)
def test_a_worker_killed_in_the_middle_changes_nothing(verb, cluster, sources, quiet, tmp_path):
    killed = kill_when_half_done(cluster, pids(cluster)[:1])
    found = run_verb(verb, cluster, tmp_path, sources)
    assert len(killed) == 1
    assert found == quiet(verb)


def begin(*command: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, *command], cwd=ROOT, stderr=subprocess.PIPE, text=True)


def separate_cluster() -> tuple[str, list[subprocess.Popen[str]]]:
    """The address of a scheduler in a separate process, that process, and its worker's."""
    scheduler = begin("-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard")
    assert scheduler.stderr is not None
    for line in scheduler.stderr:
        if "Scheduler at:" in line:
            address = line.split()[-1]
            break
    worker = begin("-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny")
    for process in (scheduler, worker):  # a full pipe would block them
        Thread(target=process.stderr.read, daemon=True).start()
    return address, [scheduler, worker]


def test_a_scheduler_killed_in_the_middle_is_reported_and_the_run_resumes(
    sources, quiet, tmp_path, capsys
):
    from geometry.scale import engine as engines

    address, processes = separate_cluster()
    out, fitted = tmp_path / "run", tmp_path / "fitted.safetensors"
    save_transform(fitted, fit_data(Engine(), VectorData(sources["run"])))
    args = ("transform", sources["files"], fitted, "--out", out)
    real = engines.Report.__setattr__

    def watch(report: Any, name: str, value: Any) -> None:
        real(report, name, value)
        if name == "done" and value == 3:
            processes[0].kill()

    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(engines.Report, "__setattr__", watch)
            code, _, err = shell(capsys, *args, "--scheduler", address)
        assert (code, str(ScaleError("lost_scheduler", address=address)) in err) == (5, True), err
        for process in processes:
            process.kill()
            process.wait()
        done = list((out / "shards").glob("part*"))
        assert 3 <= len(done) < SHARDS
        times = {path: path.stat().st_mtime_ns for path in done}
        code, said, _ = shell(capsys, "status", out)
        assert f"{len(done)} of {SHARDS} shards done" in said
        address, processes = separate_cluster()
        code, _, err = shell(capsys, *args, "--scheduler", address)
        assert code == 0, err
        assert {path: path.stat().st_mtime_ns for path in done} == times
        assert content(out) == quiet("transform")
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.mark.long
def test_the_whole_run_killed_resumes_where_it_was(sources, quiet, tmp_path, capsys):
    """The process of the command is killed, and its scheduler and workers with it."""
    out, fitted = tmp_path / "run", tmp_path / "fitted.safetensors"
    save_transform(fitted, fit_data(Engine(), VectorData(sources["run"])))
    args = ("scale", "transform", sources["files"], str(fitted), "--out", str(out))
    process = begin("-m", "geometry", *args, "--workers", "2", "--quiet")
    logs = out / "log"
    while process.poll() is None and len(list(logs.glob("*.json"))) < 2:
        time.sleep(0.001)
    process.kill()
    process.wait()
    time.sleep(1)  # workers end after their nanny has ended
    before = {path: path.stat().st_mtime_ns for path in logs.glob("*.json")}
    assert 2 <= len(before) < SHARDS
    code, _, err = shell(capsys, *args[1:], "--workers", "0")
    assert code == 0, err
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert content(out) == quiet("transform")  # and no partial file remains


# ---- a store with the S3 interface ----


class Store:
    """moto behind a server that answers 500 on demand."""

    def __init__(self) -> None:
        from moto.server import DomainDispatcherApplication, create_backend_app
        from werkzeug.serving import make_server

        self.fails = False
        store = DomainDispatcherApplication(create_backend_app)

        def application(environ: Any, start: Any) -> Any:
            if self.fails and environ["REQUEST_METHOD"] in ("GET", "PUT"):
                start("500 Internal Server Error", [("Content-Length", "0")])
                return [b""]
            return store(environ, start)

        self.server = make_server("127.0.0.1", 0, application, threaded=True)
        self.address = f"http://127.0.0.1:{self.server.port}"
        Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def store(monkeypatch) -> Iterator[Store]:
    pytest.importorskip("moto")
    import fsspec

    found = Store()
    # resets the data of the last test
    request = Request(f"{found.address}/moto-api/reset", method="POST")
    urlopen(request).close()
    for name, value in {
        "AWS_ENDPOINT_URL": found.address,
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    fsspec.filesystem("s3").mkdir("bucket")
    yield found
    found.fails = False
    found.server.shutdown()
    fsspec.filesystem("s3").clear_instance_cache()


@pytest.fixture
def in_store(store, tmp_path) -> tuple[VectorData, AffineMap, dict[str, bytes]]:
    import fsspec

    files = write_files(tmp_path / "files", split(X, *[250] * 7))
    fsspec.filesystem("s3").put(str(files), "bucket/files", recursive=True)
    fitted = affine_map(fit_data(Engine(), VectorData(str(files))))
    transform_data(Engine(), VectorData(str(files)), fitted, str(tmp_path / "quiet"))
    return VectorData("s3://bucket/files"), fitted, content(tmp_path / "quiet")


@pytest.mark.long
def test_an_unavailable_store_is_reported_and_the_run_resumes(store, in_store, monkeypatch):
    import fsspec

    monkeypatch.setattr("s3fs.core.S3FileSystem.retries", 1)
    s3 = fsspec.filesystem("s3")
    data, fitted, expected = in_store

    def watch(report: Any) -> None:
        if report.done == 5:
            store.fails = True

    engine = Engine(watch=watch)
    with pytest.raises(ScaleError, match=r"part-00005.parquet` failed 1 times"):
        transform_data(engine, data, fitted, "s3://bucket/out")
    store.fails = False
    s3.invalidate_cache()
    # the store was unavailable when the lock should have been deleted
    if s3.exists("bucket/out/.lock"):
        with pytest.raises(ScaleError, match=r"delete `s3://bucket/out/.lock`"):
            transform_data(Engine(), data, fitted, "s3://bucket/out")
        s3.rm_file("bucket/out/.lock")
    begun = len(s3.ls("bucket/out/shards"))
    assert begun == 5
    rows: list[int] = []
    transform_data(
        Engine(watch=lambda report: rows.append(report.rows)), data, fitted, "s3://bucket/out"
    )
    assert len(rows) == 8 - 5
    s3.invalidate_cache()
    found = {Path(name).name: s3.cat_file(name) for name in s3.ls("bucket/out/shards")}
    assert found == expected


@pytest.mark.long
def test_two_runs_in_a_store_exclude_each_other(store):
    from geometry.scale.manifest import RunFolder

    first, two = (RunFolder("s3://bucket/run", "encode", {}, [], ["a"]) for _ in range(2))
    with first.held(), pytest.raises(ScaleError, check=lambda e: e.code == "in_use"), two.held():
        pass
    with two.held():
        pass
