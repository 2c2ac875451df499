"""Background jobs: visitors share one, unneeded work is cancelled, short jobs run first."""

import gc
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from geometry.errors import readable_bytes
from geometry.process import ProcessEnded
from pages.common import jobs
from pages.common.jobs import Cancelled, Job, Lane, Progress, Visitor, joined
from tests.waiting import PATIENCE, until

SOMEBODY, ANOTHER = Visitor("somebody", "1"), Visitor("another", "2")


@pytest.fixture(autouse=True)
def no_jobs() -> Iterator[None]:
    yield
    for job in list(jobs._jobs.values()):
        job.cancel()
        assert job.wait(PATIENCE)
    jobs._jobs.clear()


def page_that_waits() -> None:
    import streamlit as st

    from pages.common import jobs

    try:
        jobs.wait_for("work", st.session_state["work"], "Encoding 3 sentences")
        st.success("done")
    except (ValueError, RuntimeError) as error:
        st.error(str(error))


def page_that_leaves() -> None:
    from pages.common import jobs

    jobs._leave("work")


class Visit:
    """A separate session that runs in a thread, like a browser tab."""

    def __init__(self, work: Callable[[Progress], object], page: Callable[[], None]) -> None:
        self.at = AppTest.from_function(page, default_timeout=PATIENCE)
        self.at.session_state["work"] = work

    def visit(self) -> threading.Thread:
        thread = threading.Thread(target=self.at.run)
        thread.start()
        return thread


class Gate:
    """Work that reports progress until ``passed`` is set."""

    def __init__(self) -> None:
        self.begun, self.ended, self.passed = 0, 0, threading.Event()

    def __call__(self, report: Progress) -> None:
        self.begun += 1
        try:
            while not self.passed.wait(0.005):
                report(1, 3)
            report(3, 3)
        finally:
            self.ended += 1


def test_two_visitors_join_one_job():
    gate = Gate()
    visitors = [Visit(gate, page_that_waits) for _ in range(2)]
    threads = [visitor.visit() for visitor in visitors]
    until(lambda: "work" in jobs._jobs and len(jobs._jobs["work"].waiting) == 2)
    gate.passed.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert gate.begun == 1
    for visitor in visitors:
        assert not visitor.at.exception
        assert [box.value for box in visitor.at.success] == ["done"]
        assert not visitor.at.get("progress")


def test_cancel_stops_the_work_at_its_next_report_and_is_shown():
    gate = Gate()
    visitor = Visit(gate, page_that_waits)
    thread = visitor.visit()
    until(lambda: gate.begun == 1)
    jobs._jobs["work"].cancel()
    thread.join(PATIENCE)
    assert gate.ended == 1
    assert not gate.passed.is_set()
    assert not visitor.at.exception
    assert visitor.at.info[0].value == (
        "Cancelled. Your texts are still here, and you can start again."
    )
    assert not visitor.at.success


def leave_as(visitor: Visitor) -> None:
    """Press Cancel in a session of that name."""
    leaver = AppTest.from_function(page_that_leaves)
    leaver.session_state["visitor"] = visitor.name
    assert not leaver.run().exception


def test_cancel_stops_the_work_though_the_visitor_s_own_run_still_waits(monkeypatch):
    # AppTest has one session id for all
    monkeypatch.setattr(jobs, "session_id", lambda: "1")
    with joined("work", Gate(), SOMEBODY) as job:
        leave_as(SOMEBODY)
        assert job.wait(PATIENCE)
    assert isinstance(job.error, Cancelled)


def test_one_of_two_who_leaves_does_not_stop_the_work_of_the_other():
    gate = Gate()
    with joined("work", gate, SOMEBODY) as job:
        leave_as(ANOTHER)
        assert not job.cancelled
        gate.passed.set()
        assert job.wait(PATIENCE)
    assert job.error is None


def test_work_that_nobody_waits_for_stops_and_is_dropped():
    gate = Gate()
    with joined("work", gate, SOMEBODY) as job:
        until(lambda: gate.begun == 1)
    until(lambda: "work" not in jobs._jobs)
    assert isinstance(job.error, Cancelled)
    assert gate.ended == 1


def test_work_goes_on_for_the_other_when_one_tab_is_closed(monkeypatch):
    gate = Gate()
    monkeypatch.setattr(jobs, "GRACE_SECONDS", 0.0)
    with joined("work", gate, SOMEBODY) as job:
        with joined("work", gate, ANOTHER) as same:
            assert same is job
        threading.Event().wait(3 * jobs.WATCH_SECONDS)
        assert not job.cancelled


def test_a_visitor_who_returns_at_once_finds_the_work_running():
    gate = Gate()
    with joined("work", gate, SOMEBODY) as first:
        pass
    with joined("work", gate, SOMEBODY) as again:
        assert again is first
        assert not again.cancelled
        gate.passed.set()
        assert again.wait(PATIENCE)
    assert gate.begun == 1


class Vectors:
    """The result of a job."""


def test_what_nobody_fetched_is_freed():
    with joined("work", lambda report: Vectors(), SOMEBODY) as job:
        assert job.wait(PATIENCE)
    result = weakref.ref(job.result)
    del job
    until(lambda: "work" not in jobs._jobs)
    gc.collect()
    assert result() is None


@pytest.mark.parametrize(
    ("connected", "running", "seconds_ago", "expected"),
    [
        (False, False, 0, False),  # the tab is closed
        (True, True, 0, True),
        (True, True, 60, True),  # the run of a slow page
        (True, False, 0, True),  # between two runs
        (True, False, 60, False),  # on another page
    ],
)
def test_who_may_come_back(monkeypatch, connected, running, seconds_ago, expected):
    monkeypatch.setattr(jobs, "is_connected", lambda session: connected)
    monkeypatch.setattr(jobs, "is_running", lambda session: running)
    assert SOMEBODY.may_wait_again(time.monotonic() - seconds_ago) is expected


def test_a_visitor_has_one_job_of_a_lane_and_one_long_job(monkeypatch):
    monkeypatch.setattr(Visitor, "may_wait_again", lambda visitor, since: True)
    first, second, other, long = Gate(), Gate(), Gate(), Gate()
    with joined("long", long, SOMEBODY, "umap", is_long=True) as left_long:
        until(lambda: long.begun == 1)
    with joined("first", first, SOMEBODY, is_long=True) as left:
        until(lambda: first.begun == 1)
    with (
        joined("other", other, SOMEBODY, "flow") as continuing,
        joined("second", second, SOMEBODY, is_long=True),
    ):
        until(lambda: second.begun == 1)
        assert isinstance(left.error, Cancelled)
        until(lambda: left_long.error is not None)
        assert isinstance(left_long.error, Cancelled)
        assert not continuing.cancelled


def test_a_run_that_ends_after_the_next_has_begun_delays_nothing(monkeypatch):
    """After a control moves, the new run of the page waits before the old run has stopped."""
    monkeypatch.setattr(Visitor, "may_wait_again", lambda visitor, since: True)
    old = joined("old", Gate(), SOMEBODY)
    left = old.__enter__()
    with joined("new", Gate(), SOMEBODY):
        old.__exit__(None, None, None)
        until(lambda: left.cancelled)


def test_short_work_comes_before_long_work_and_long_work_goes_on():
    long, next_long, short = Gate(), Gate(), Gate()
    with (
        joined("long", long, Visitor("a", ""), is_long=True) as running,
        joined("next", next_long, Visitor("b", ""), is_long=True) as queued,
    ):
        until(lambda: long.begun == 1)
        assert (running.lane.before(running), queued.lane.before(queued)) == (0, 1)
        with joined("short", short, Visitor("c", "")) as quick:
            until(lambda: short.begun == 1)
            assert [job.lane.before(job) for job in (quick, running, queued)] == [0, 1, 2]
            assert not long.ended
            short.passed.set()
            assert quick.wait(PATIENCE)
        until(lambda: running.lane.before(running) == 0)
        assert next_long.begun == 0
        long.passed.set()
        assert running.wait(PATIENCE)
        until(lambda: next_long.begun == 1)


def test_short_work_does_not_interrupt_short_work():
    first, second = Gate(), Gate()
    with joined("a", first, SOMEBODY) as running, joined("b", second, ANOTHER) as queued:
        until(lambda: queued.lane.before(queued) == 1)
        first.passed.set()
        assert running.wait(PATIENCE)
        until(lambda: second.begun == 1)


def test_cancelled_work_in_the_queue_never_begins():
    first, second = Gate(), Gate()
    with joined("a", first, SOMEBODY) as running, joined("b", second, ANOTHER) as queued:
        until(lambda: queued.lane.before(queued) == 1)
        queued.cancel()
        assert queued.wait(PATIENCE)
        assert not running.cancelled
    assert second.begun == 0


def test_paused_work_can_be_cancelled():
    long, short = Gate(), Gate()
    with joined("a", long, SOMEBODY, is_long=True) as paused, joined("b", short, ANOTHER):
        until(lambda: short.begun == 1)
        paused.cancel()
        assert paused.wait(PATIENCE)
    assert isinstance(paused.error, Cancelled)


class Panic(BaseException):
    """Like pyo3_runtime.PanicException from tokenizers, it is not an Exception."""


def test_a_panic_in_the_work_is_an_error_with_its_reason():
    def work(report: Progress) -> None:
        raise Panic("index out of bounds")

    visitor = Visit(work, page_that_waits)
    visitor.at.run()
    assert not visitor.at.exception
    (box,) = visitor.at.error
    assert box.value == "Panic: index out of bounds"


def test_a_lost_worker_is_reported_and_the_work_can_start_again():
    outcomes = [ProcessEnded("SIGKILL"), None]

    def work(report: Progress) -> None:
        outcome = outcomes.pop(0)
        if outcome is not None:
            raise outcome

    visitor = Visit(work, page_that_waits)
    for _ in range(2):  # a rerun alone does not start it again
        visitor.at.run()
        assert not visitor.at.exception
        assert visitor.at.info[0].value == (
            "The process that did this work was ended, perhaps because memory ran out. "
            "Your texts are still here, and you can start again."
        )
        assert len(outcomes) == 1
    visitor.at.button[0].click().run()
    assert [box.value for box in visitor.at.success] == ["done"]


def test_who_left_can_start_again():
    gate = Gate()
    gate.passed.set()
    visitor = Visit(gate, page_that_waits)
    visitor.at.session_state["left_jobs"] = {"work": jobs.CANCELLED}
    visitor.at.run()
    assert gate.begun == 0
    assert visitor.at.button[0].label == "Start again"
    visitor.at.button[0].click().run()
    assert gate.begun == 1
    assert [box.value for box in visitor.at.success] == ["done"]


def test_a_cancelled_job_starts_anew_for_the_next_visitor():
    gate = Gate()
    with joined("work", gate, SOMEBODY) as first:
        first.cancel()
        assert first.wait(PATIENCE)
    gate.passed.set()
    visitor = Visit(gate, page_that_waits)
    visitor.at.run()
    assert [box.value for box in visitor.at.success] == ["done"]


def test_an_error_is_shown_once_and_can_be_retried():
    outcomes = [ValueError("no room for the vectors"), None]

    def work(report: Progress) -> None:
        outcome = outcomes.pop(0)
        if outcome is not None:
            raise outcome

    visitor = Visit(work, page_that_waits)
    visitor.at.run()
    assert [box.value for box in visitor.at.error] == ["no room for the vectors"]
    visitor.at.run()
    assert not visitor.at.error
    assert [box.value for box in visitor.at.success] == ["done"]
    assert not outcomes


def test_fetched_work_is_done_again_for_whoever_finds_nothing_of_it():
    gate = Gate()
    gate.passed.set()
    for _ in range(2):
        Visit(gate, page_that_waits).at.run()
    assert gate.begun == 2


def test_lanes_do_not_delay_each_other():
    slow, quick = Gate(), Gate()
    quick.passed.set()
    with joined("slow", slow, SOMEBODY, "umap"):
        until(lambda: slow.begun == 1)
        with joined("quick", quick, ANOTHER, "encode") as job:
            assert job.wait(PATIENCE)
        assert not slow.ended


def test_the_progress_line_shows_count_rate_and_time_left(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: now[0]))
    job = Job(lambda report: None, Lane())
    what = "Encoding 1,200 sentences"
    assert jobs._progress_line(job, what).startswith(f"{what} · ")
    job.report(200, 1200)  # the first time includes loading the model, so there is no rate yet
    assert jobs._progress_line(job, what) == f"{what} · 200 / 1,200"
    now[0] += 4
    job.report(600, 1200)
    line = f"{what} · 600 / 1,200 · 100 a second, 6 s left"
    assert jobs._progress_line(job, what) == line
    now[0] += 60  # without a new report nothing changes
    assert jobs._progress_line(job, what) == line


def test_a_download_s_line_shows_bytes_a_second_and_time_left(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: now[0]))
    job, amount = Job(lambda report: None, Lane()), partial(readable_bytes, decimals=1)
    job.report(1_000_000, 90_868_376)
    now[0] += 2
    job.report(21_000_000, 90_868_376)
    line = "Fetching a/b · 21.0 MB / 90.9 MB · 10.0 MB a second, 7 s left"
    assert jobs._progress_line(job, "Fetching a/b", amount) == line


def test_the_progress_line_shows_the_place_in_the_queue():
    first, second = Gate(), Gate()
    with joined("a", first, SOMEBODY), joined("b", second, ANOTHER) as queued:
        until(lambda: queued.lane.before(queued) == 1)
        line = "Encoding · Waiting in the queue; jobs before it: 1"
        assert jobs._progress_line(queued, "Encoding") == line


def test_time_that_other_work_takes_is_not_in_the_rate(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: now[0]))
    job = Job(lambda report: None, Lane())
    job.report(0, 300)
    now[0] += 2
    job.report(100, 300)

    def pause(_: Job) -> None:
        now[0] += 60

    monkeypatch.setattr(job.lane, "give_way", pause)
    now[0] += 2
    job.report(200, 300)
    assert job.rate == 50


def test_a_second_stage_has_a_rate_of_its_own(monkeypatch):
    """Such as the epochs of a map after the search of neighbours."""
    now = [100.0]
    monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: now[0]))
    job = Job(lambda report: None, Lane())
    for done, total in ((0, 1000), (1000, 1000), (0, 200), (40, 200)):
        job.report(done, total)
        now[0] += 4
    line = "UMAP · 40 / 200 · 10 a second, 16 s left"
    assert jobs._progress_line(job, "UMAP") == line


def test_no_thread_is_left_without_work():
    gate = Gate()
    gate.passed.set()
    Visit(gate, page_that_waits).at.run()
    until(lambda: jobs._watcher is None)
