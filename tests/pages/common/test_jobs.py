"""Background jobs: visitors share one, unneeded work is cancelled, short jobs run first."""

import gc
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from geometry.process import ProcessEnded
from pages.common import jobs
from pages.common.jobs import Cancelled, Job, Lane, Progress, joined
from tests.for_each import for_each
from tests.waiting import PATIENCE, until

SOMEBODY, ANOTHER = "somebody", "another"


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
    def __init__(self, work: Callable[[Progress], object], page: Callable[[], None]) -> None:
        self.at = AppTest.from_function(page, default_timeout=PATIENCE)
        self.at.session_state["work"] = work

    def visit(self) -> threading.Thread:
        thread = threading.Thread(target=self.at.run)
        thread.start()
        return thread


class Gate:
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
    until(lambda: "work" in jobs._jobs and jobs._jobs["work"].waiting.total() == 2)
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


def press_cancel(session: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "session_id", lambda: session)
    assert not AppTest.from_function(page_that_leaves).run().exception


def test_cancel_stops_the_work_though_the_visitor_s_own_run_still_waits(monkeypatch):
    with joined("work", Gate(), SOMEBODY) as job:
        press_cancel(SOMEBODY, monkeypatch)
        assert job.wait(PATIENCE)
    assert isinstance(job.error, Cancelled)


def test_one_of_two_who_leaves_does_not_stop_the_work_of_the_other(monkeypatch):
    gate = Gate()
    with joined("work", gate, SOMEBODY) as job:
        press_cancel(ANOTHER, monkeypatch)
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
    until(lambda: gc.collect() >= 0 and result() is None)


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
    assert jobs.may_wait_again(SOMEBODY, time.monotonic() - seconds_ago) is expected


def test_a_visitor_has_one_job_of_a_lane_and_one_long_job(monkeypatch):
    monkeypatch.setattr(jobs, "may_wait_again", lambda session, since: True)
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
    monkeypatch.setattr(jobs, "may_wait_again", lambda session, since: True)
    old = joined("old", Gate(), SOMEBODY)
    left = old.__enter__()
    with joined("new", Gate(), SOMEBODY):
        old.__exit__(None, None, None)
        until(lambda: left.cancelled)


def test_short_work_comes_before_long_work_and_long_work_goes_on():
    long, next_long, short = Gate(), Gate(), Gate()
    with (
        joined("long", long, "a", is_long=True) as running,
        joined("next", next_long, "b", is_long=True) as queued,
    ):
        until(lambda: long.begun == 1)
        assert (running.lane.before(running), queued.lane.before(queued)) == (0, 1)
        with joined("short", short, "c") as quick:
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


def test_cancelled_work_in_the_queue_never_begins_and_nobody_joins_it():
    first, second = Gate(), Gate()
    with joined("a", first, SOMEBODY) as running, joined("b", second, ANOTHER) as queued:
        until(lambda: queued.lane.before(queued) == 1)
        line = "Encoding · Waiting in the queue; jobs before it: 1"
        assert jobs._progress_line(queued, "Encoding", str) == line
        with jobs._lock:  # a dropped job could not be joined
            queued.cancel()
            with joined("b", second, ANOTHER) as again:
                assert again is not queued
        assert queued.wait(PATIENCE)
        assert not running.cancelled
    assert second.begun == 0


class Panic(BaseException):
    """Like pyo3_runtime.PanicException from tokenizers, it is not an Exception."""


def failing_first(outcomes: list[BaseException | None]) -> Callable[[Progress], None]:
    """Work that has these outcomes, one a start."""

    def work(report: Progress) -> None:
        outcome = outcomes.pop(0)
        if outcome is not None:
            raise outcome

    return work


def test_a_lost_worker_is_reported_and_the_work_can_start_again():
    outcomes = [ProcessEnded("SIGKILL"), None]
    visitor = Visit(failing_first(outcomes), page_that_waits)
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


@for_each(
    ("error", "said"),
    [
        (ValueError("no room for the vectors"), "no room for the vectors"),
        (Panic("index out of bounds"), "Panic: index out of bounds"),
    ],
)
def test_an_error_is_shown_once_and_can_be_retried(error, said):
    outcomes = [error, None]
    visitor = Visit(failing_first(outcomes), page_that_waits)
    visitor.at.run()
    assert [box.value for box in visitor.at.error] == [said]
    visitor.at.run()
    assert not visitor.at.error
    assert [box.value for box in visitor.at.success] == ["done"]
    assert not outcomes


def test_the_progress_line_shows_count_rate_and_time_left(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: now[0]))
    job = Job(lambda report: None, Lane())
    job.waiting[SOMEBODY] = 1

    def line(seconds: float, done: int, total: int) -> str:
        now[0] += seconds
        job.report(done, total)
        return jobs._progress_line(job, "UMAP", "{:,} B".format).removeprefix("UMAP · ")

    # the first time includes loading the model, so there is no rate yet
    assert line(9, 200, 1200) == "200 B / 1,200 B"
    assert line(4, 600, 1200) == "600 B / 1,200 B · 100.0 B a second, 6 s left"
    monkeypatch.setattr(job.lane, "give_way", lambda _: now.append(now.pop() + 60))
    assert line(4, 1000, 1200) == "1,000 B / 1,200 B · 100.0 B a second, 2 s left"
    monkeypatch.undo()
    monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: now[0]))
    assert line(1, 0, 200) == "0 B / 200 B"  # a second stage has a rate of its own
    assert line(4, 40, 200) == "40 B / 200 B · 10.0 B a second, 16 s left"
