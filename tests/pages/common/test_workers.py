"""Worker processes: results, errors, progress; effects of a kill, a cancel, the server's end."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from geometry import CorpusError
from geometry.encode.limited import NICENESS_VARIABLE
from pages.common import workers
from pages.common.workers import Panic, Worker, WorkerDied
from tests.pages.functions import (
    add_slowly,
    fail,
    fail_unpicklably,
    niceness,
    panic,
    process_id,
    work_until,
)
from tests.waiting import PATIENCE, until


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """A worker that reports often."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "POLL_SECONDS", 0.02)
        own = Worker(idle_seconds=60)
        yield own
        own.stop()


def quiet(done: int, total: int) -> None:
    """Report nothing."""


def runs(pid: int) -> bool:
    """Whether the process is running; a zombie is not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def test_the_answer_comes_back_and_progress_before_it(worker):
    reports = []
    found = worker.run(add_slowly, 2, 3, report=lambda *of: reports.append(of))
    assert found == 5
    counted = [done for done, total in reports if total == 4]
    assert counted
    assert counted == sorted(counted)
    assert worker.run(process_id, report=quiet) != os.getpid()


def test_work_of_low_priority_is_done_in_one_process_again_and_again(monkeypatch):
    monkeypatch.delenv(NICENESS_VARIABLE)
    own = Worker(idle_seconds=60)
    assert own.run(niceness, report=quiet) == min(19, os.nice(0) + 10)
    assert len({own.run(process_id, report=quiet) for _ in range(3)}) == 1
    own.stop()


def test_errors_of_the_work_come_back_and_the_worker_stays(worker):
    before = worker.run(process_id, report=quiet)
    with pytest.raises(CorpusError) as caught:
        worker.run(fail, CorpusError("too_few_texts", n=1), report=quiet)
    assert caught.value.code == "too_few_texts"
    with pytest.raises(RuntimeError, match="with a function"):
        worker.run(fail_unpicklably, report=quiet)
    with pytest.raises(TimeoutError, match="of the work itself"):
        worker.run(fail, TimeoutError("of the work itself"), report=quiet)
    with pytest.raises(Panic, match="BaseException: no Exception"):
        worker.run(panic, report=quiet)
    assert worker.run(process_id, report=quiet) == before


def test_a_kill_ends_one_work_and_no_other(worker, tmp_path):
    other = Worker(idle_seconds=60)
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    with ThreadPoolExecutor() as threads:
        lost = threads.submit(worker.run, work_until, str(tmp_path / "one" / "pid"), report=quiet)
        going = threads.submit(other.run, work_until, str(tmp_path / "other" / "pid"), report=quiet)
        until(lambda: all((tmp_path / name / "pid").exists() for name in ("one", "other")))
        os.kill(int((tmp_path / "one" / "pid").read_text()), signal.SIGKILL)
        with pytest.raises(WorkerDied):
            lost.result(PATIENCE)
        assert worker.run(add_slowly, 2, 3, report=quiet) == 5
        assert not going.done()
        (tmp_path / "other" / "end").touch()
        assert going.result(PATIENCE) == "done"
    other.stop()


def test_a_worker_killed_while_idle_is_replaced(worker):
    before = worker.run(process_id, report=quiet)
    os.kill(before, signal.SIGKILL)
    until(lambda: worker._executor._flags.broken is not None)
    assert worker.run(process_id, report=quiet) != before


def test_a_cancel_ends_the_process_though_its_work_goes_on(worker, tmp_path):
    class Cancelled(Exception):
        pass

    pid = tmp_path / "pid"

    def cancel(done: int, total: int) -> None:
        if total:
            raise Cancelled

    with pytest.raises(Cancelled):
        worker.run(work_until, str(pid), report=cancel)
    until(lambda: not runs(int(pid.read_text())))
    assert worker.run(add_slowly, 2, 3, report=quiet) == 5


@pytest.mark.filterwarnings("ignore:A worker stopped while some jobs")
def test_an_idle_worker_ends():
    own = Worker(idle_seconds=0.2)
    pid = own.run(process_id, report=quiet)
    until(lambda: not runs(pid))
    assert own.run(add_slowly, 2, 3, report=quiet) == 5
    own.stop()


def test_a_worker_does_not_outlive_a_killed_server(tmp_path):
    script = f"""
from pages.common.workers import Worker
from tests.pages.functions import work_until
Worker(60).run(work_until, {str(tmp_path / "pid")!r}, report=lambda *of: None)
"""
    server = subprocess.Popen([sys.executable, "-c", script])
    until((tmp_path / "pid").exists)
    pid = int((tmp_path / "pid").read_text())
    assert runs(pid)
    server.kill()
    server.wait()
    until(lambda: not runs(pid))


@pytest.mark.parametrize(
    ("note", "read"), [("12 200", (12, 200)), ("", (0, 0)), ("12", (0, 0)), (None, (0, 0))]
)
def test_a_half_written_note_counts_as_none(tmp_path, note, read):
    path = tmp_path / "progress"
    if note is not None:
        path.write_text(note, encoding="ascii")
    assert workers._read_note(path) == read


def test_a_note_is_written_only_when_it_changes(tmp_path, monkeypatch):
    written: list[str] = []
    monkeypatch.setattr(Path, "write_text", lambda _path, text, **_how: written.append(text))

    def work(progress: Callable[[int, int], None]) -> None:
        for done in (1, 1, 1, 2, 2):
            progress(done, 2)

    assert workers._call(work, (), {}, str(tmp_path / "note")) == (False, None)
    assert written == ["1 2", "2 2"]
