"""A function in another process: answers, errors, limits, progress; kills, cancels, the end."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from geometry import CorpusError, process
from geometry.data.corpus import read_corpus
from geometry.process import (
    NICENESS_VARIABLE,
    Process,
    ProcessEnded,
    ProcessLimits,
    Worker,
    is_limited,
    run,
    send_progress,
)
from tests.functions import (
    add_slowly,
    count_fast,
    crash,
    fail,
    fill,
    loaded,
    niceness,
    panic,
    raise_picky,
    raise_unpicklable,
    return_unpicklable,
    spin,
    spin_for_two_seconds,
    use_memory_first,
    used_bytes,
    work_until,
)
from tests.waiting import PATIENCE, until

FREE = ProcessLimits()
ADD = partial(add_slowly, 2, 3, progress=send_progress)


def until_end(path: Path) -> Callable[[], str]:
    return partial(work_until, str(path), progress=send_progress)


@pytest.fixture(params=["once", "worker"])
def compute(request, worker) -> Callable:
    return partial(run, FREE) if request.param == "once" else worker.run


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    own = Worker(idle_seconds=60)
    yield own
    own.stop()


def runs(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize(
    ("limits", "expected"),
    [(FREE, False), (ProcessLimits(10**9), False), (ProcessLimits(10**9, 100), True)],
)
def test_a_process_knows_whether_it_has_limits(limits, expected):
    assert run(limits, is_limited) == expected
    assert not is_limited()


def test_the_answer_comes_back_from_another_process(compute):
    assert compute(partial(read_corpus, b"the cat sat\ndogs ran\n")).texts == (
        "the cat sat",
        "dogs ran",
    )
    content = bytes(range(256)) * 80_000  # larger than the pipe's buffer
    assert compute(partial(bytes.upper, content)) == content.upper()
    assert compute(os.getpid) != os.getpid()


def test_progress_comes_before_the_answer_and_its_last_numbers_too(compute):
    reports: list[tuple[int, int]] = []

    def report(*of: int) -> None:
        reports.append(of)

    assert compute(ADD, report) == 5
    counted = [done for done, total in reports if total == 4]
    assert counted == sorted(counted)
    assert counted[-1] == 3
    reports.clear()
    compute(partial(count_fast, progress=send_progress), report)
    assert reports[-1] == (100_000, 100_000)
    assert len(reports) < 1_000  # the other numbers are not sent


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (raise_unpicklable, RuntimeError, "with a function"),
        (raise_picky, RuntimeError, "too picky"),
        (panic, RuntimeError, "BaseException: no Exception"),
        (return_unpicklable, Exception, "pickle"),
    ],
)
def test_the_message_of_what_cannot_be_sent_is_sent(compute, function, error, message):
    with pytest.raises(error, match=message):
        compute(function)


def test_errors_come_back_whole_and_a_worker_stays(worker):
    before = worker.run(os.getpid)
    for compute in (partial(run, FREE), worker.run):
        with pytest.raises(CorpusError) as caught:
            compute(partial(read_corpus, b"one line"))
        assert (caught.value.code, caught.value.details) == ("too_few_texts", {"n": 1, "limit": 2})
        with pytest.raises(TimeoutError, match="of the work itself"):
            compute(partial(fail, TimeoutError("of the work itself")))
        with pytest.raises(Exception, match="pickle"):  # and nothing was sent
            compute(lambda: None)
    assert worker.run(os.getpid) == before


def test_a_crash_is_an_error_and_the_next_call_has_another_process(compute):
    with pytest.raises(ProcessEnded, check=lambda error: not error.too_slow):
        compute(crash)
    assert compute(os.getpid) != os.getpid()


def test_memory_is_limited_beyond_what_was_prepared():
    with pytest.raises(MemoryError):
        run(ProcessLimits(2 * 10**9), partial(fill, 3 * 10**9))
    little = ProcessLimits(10**8, prepare=use_memory_first)
    assert run(little, used_bytes) == 3 * 10**8
    assert run(little, partial(fill, 5 * 10**7)) == 5 * 10**7
    with pytest.raises(MemoryError):
        run(little, partial(fill, 2 * 10**8))


def test_each_call_has_its_own_processor_time(monkeypatch):
    monkeypatch.setattr(process, "WAITING", 100)
    own = Process(ProcessLimits(cpu_seconds=2, prepare=spin_for_two_seconds))
    for _ in range(3):
        own.start(spin_for_two_seconds)
        assert own.answer() is None
    own.end()


def test_a_kill_from_outside_is_not_taken_for_slowness():
    with pytest.raises(ProcessEnded, check=lambda error: not error.too_slow):
        run(ProcessLimits(10**9, 60), partial(signal.raise_signal, signal.SIGKILL))


def test_prints_and_reads_of_libraries_leave_the_messages_alone(capfd):
    library = partial(os.system, "echo printed; read line")
    for limits, shown in ((FREE, "printed\n"), (ProcessLimits(is_quiet=True), "")):
        assert run(limits, library) == 256  # the end of a file
        assert capfd.readouterr() == ("", shown)


def test_a_crash_writes_no_texts_to_the_disk():
    resource = pytest.importorskip("resource")  # not on Windows
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    assert run(FREE, partial(resource.getrlimit, resource.RLIMIT_CORE)) == (0, hard)
    resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))


def test_processor_time_and_time_by_the_clock_are_limited(monkeypatch):
    for seconds, waiting in ((0.5, 100), (10**6, 1e-6)):
        monkeypatch.setattr(process, "WAITING", waiting)
        with pytest.raises(ProcessEnded, check=lambda error: error.too_slow):
            run(ProcessLimits(cpu_seconds=seconds), spin)


def test_its_environment_and_its_low_priority(monkeypatch):
    limits = ProcessLimits(environment={"NARROW_CONE_TEST": "1"})
    assert run(limits, partial(os.getenv, "NARROW_CONE_TEST")) == "1"
    monkeypatch.delenv(NICENESS_VARIABLE)
    lowered = min(19, os.nice(0) + 10)
    assert run(FREE, niceness) == lowered
    assert run(FREE, partial(run, FREE, niceness)) == lowered  # one that it starts is no slower
    own = Worker(idle_seconds=60)
    assert own.run(niceness) == lowered
    own.stop()


def test_neither_streamlit_nor_torch_is_imported(compute):
    found = compute(loaded)
    assert "geometry" in found
    assert not {"streamlit", "torch", "numpy"} & set(found)


def test_a_cancel_ends_the_process_though_its_work_goes_on(compute, tmp_path):
    class Cancelled(Exception):
        pass

    pid = tmp_path / "pid"

    def cancel(done: int, total: int) -> None:
        if total:
            assert runs(int(pid.read_text()))
            raise Cancelled

    with pytest.raises(Cancelled):
        compute(until_end(pid), cancel)
    assert not Path(f"/proc/{pid.read_text()}").exists()  # it is no zombie either
    assert compute(os.getpid) != int(pid.read_text())


def test_a_kill_ends_one_work_and_no_other(worker, tmp_path):
    other = Worker(idle_seconds=60)
    paths = {name: tmp_path / name / "pid" for name in ("one", "other")}
    for path in paths.values():
        path.parent.mkdir()
    with ThreadPoolExecutor() as threads:
        lost, going = (
            threads.submit(each.run, until_end(path))
            for each, path in zip((worker, other), paths.values(), strict=True)
        )
        until(lambda: all(path.exists() for path in paths.values()))
        os.kill(int(paths["one"].read_text()), signal.SIGKILL)
        with pytest.raises(ProcessEnded):
            lost.result(PATIENCE)
        assert worker.run(ADD) == 5
        assert not going.done()
        (tmp_path / "other" / "end").touch()
        assert going.result(PATIENCE) == "done"
    other.stop()


def test_calls_of_a_worker_take_turns_in_one_process_and_a_cancel_of_one_harms_no_other(
    worker, tmp_path
):
    path = tmp_path / "pid"

    def cancel(done: int, total: int) -> None:
        raise KeyError

    with ThreadPoolExecutor() as threads:
        first = threads.submit(worker.run, until_end(path))
        until(path.exists)
        waiting = threads.submit(worker.run, os.getpid)
        with pytest.raises(KeyError):
            worker.run(os.getpid, cancel)
        assert not waiting.done()
        (tmp_path / "end").touch()
        assert first.result(PATIENCE) == "done"
        assert waiting.result(PATIENCE) == int(path.read_text())


def test_a_worker_killed_while_idle_is_replaced_and_an_idle_one_ends(worker):
    before = worker.run(os.getpid)
    os.kill(before, signal.SIGKILL)
    until(lambda: not Path(f"/proc/{before}").exists())  # nor does it stay as a zombie
    assert worker.run(os.getpid) != before
    own = Worker(idle_seconds=0.2)
    pid = own.run(os.getpid)
    until(lambda: not Path(f"/proc/{pid}").exists())
    assert own.run(os.getpid) != pid
    own.stop()


@pytest.mark.parametrize("work", ["run(ProcessLimits(), call)", "Worker(60).run(call)"])
def test_a_process_does_not_outlive_a_killed_server(tmp_path, work):
    script = f"""
from functools import partial
from geometry.process import ProcessLimits, Worker, no_report, run
from tests.functions import work_until
call = partial(work_until, {str(tmp_path / "pid")!r}, progress=no_report)
{work}
"""
    server = subprocess.Popen([sys.executable, "-c", script])
    until((tmp_path / "pid").exists)
    pid = int((tmp_path / "pid").read_text())
    assert runs(pid)
    server.kill()
    server.wait()
    until(lambda: not runs(pid))
