"""Background jobs: many visitors share one, the last to leave cancels it, an error shows once."""

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from geometry.errors import readable_bytes
from pages.common import jobs
from pages.common.jobs import Cancelled, Job, Report

PATIENCE = 20.0  # seconds to wait for another thread


def english(text: str) -> str:
    return text


def until(condition: Callable[[], bool]) -> None:
    """Return as soon as the condition holds; fail after PATIENCE."""
    deadline = time.monotonic() + PATIENCE
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, "what the test waits for never came"
        pause.wait(0.005)


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
        jobs.wait_for("work", st.session_state["work"], lambda text: text, "Encoding 3 sentences")
        st.success("done")
    except ValueError as error:
        st.error(str(error))


def page_that_leaves() -> None:
    from pages.common import jobs

    jobs._leave("work", jobs._jobs["work"])


class Visitor:
    """A session of its own, run in a thread, like a browser tab."""

    def __init__(self, work: Callable[[Report], object], page: Callable[[], None]) -> None:
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

    def __call__(self, report: Report) -> None:
        self.begun += 1
        try:
            while not self.passed.wait(0.005):
                report(1, 3)
            report(3, 3)
        finally:
            self.ended += 1


def test_two_visitors_join_one_job():
    gate = Gate()
    visitors = [Visitor(gate, page_that_waits) for _ in range(2)]
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


def test_cancel_stops_the_work_at_its_next_report_and_says_so():
    gate = Gate()
    visitor = Visitor(gate, page_that_waits)
    thread = visitor.visit()
    until(lambda: gate.begun == 1)
    jobs._jobs["work"].cancel()
    thread.join(PATIENCE)
    assert gate.ended == 1
    assert not gate.passed.is_set()
    assert not visitor.at.exception
    assert visitor.at.info[0].value == "Cancelled. Your texts are kept; start again when you like."
    assert not visitor.at.success


def test_the_last_who_waits_stops_the_work():
    gate = Gate()
    job = jobs.start("work", gate)
    until(lambda: gate.begun == 1)
    leaver = AppTest.from_function(page_that_leaves).run()
    assert not leaver.exception
    assert job.wait(PATIENCE)
    assert isinstance(job.error, Cancelled)


def test_a_visitor_s_own_run_that_is_about_to_stop_does_not_count():
    job = jobs.start("work", Gate())
    with job.joined("somebody"):
        leaver = AppTest.from_function(page_that_leaves)
        leaver.session_state["visitor"] = "somebody"
        assert not leaver.run().exception
        assert job.wait(PATIENCE)
    assert isinstance(job.error, Cancelled)


def test_one_of_two_who_leaves_does_not_stop_the_work_of_the_other():
    gate = Gate()
    job = jobs.start("work", gate)
    with job.joined("somebody else"):
        assert not AppTest.from_function(page_that_leaves).run().exception
        assert not job.cancelled
        gate.passed.set()
        assert job.wait(PATIENCE)
    assert job.succeeded


def test_who_left_can_start_again():
    gate = Gate()
    gate.passed.set()
    visitor = Visitor(gate, page_that_waits)
    visitor.at.session_state["left_jobs"] = {"work"}
    visitor.at.run()
    assert gate.begun == 0
    assert visitor.at.button[0].label == "Start again"
    visitor.at.button[0].click().run()
    assert gate.begun == 1
    assert [box.value for box in visitor.at.success] == ["done"]


def test_a_cancelled_job_starts_anew_for_the_next_visitor():
    gate = Gate()
    first = jobs.start("work", gate)
    first.cancel()
    assert first.wait(PATIENCE)
    gate.passed.set()
    visitor = Visitor(gate, page_that_waits)
    visitor.at.run()
    assert [box.value for box in visitor.at.success] == ["done"]


def test_an_error_is_told_once_and_can_be_retried():
    outcomes = [ValueError("no room for the vectors"), None]

    def work(report: Report) -> None:
        outcome = outcomes.pop(0)
        if outcome is not None:
            raise outcome

    visitor = Visitor(work, page_that_waits)
    visitor.at.run()
    assert [box.value for box in visitor.at.error] == ["no room for the vectors"]
    visitor.at.run()
    assert not visitor.at.error
    assert [box.value for box in visitor.at.success] == ["done"]
    assert not outcomes


def test_finished_work_is_done_again_for_whoever_finds_nothing_of_it():
    gate = Gate()
    gate.passed.set()
    assert jobs.start("work", gate).wait(PATIENCE)
    assert jobs.start("work", gate).wait(PATIENCE)
    assert gate.begun == 2


def test_lanes_do_not_hold_each_other_up():
    slow, quick = Gate(), Gate()
    quick.passed.set()
    held = jobs.start("slow", slow, "umap")
    until(lambda: slow.begun == 1)
    assert jobs.start("quick", quick, "encode").wait(PATIENCE)
    assert not held.succeeded
    slow.passed.set()
    assert held.wait(PATIENCE)


def test_the_progress_line_shows_count_rate_and_time_left(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: now[0]))
    job = Job(lambda report: None)
    what = "Encoding 1,200 sentences"
    assert jobs._progress_line(job, english, what).startswith(f"{what} · ")
    job.report(200, 1200)  # its time includes loading the model: no rate yet
    assert jobs._progress_line(job, english, what) == f"{what} · 200 / 1,200"
    now[0] += 4
    job.report(600, 1200)
    line = f"{what} · 600 / 1,200 · 100 a second, 6 s left"
    assert jobs._progress_line(job, english, what) == line
    now[0] += 60  # without a new report nothing changes
    assert jobs._progress_line(job, english, what) == line


def test_a_download_s_line_shows_bytes_a_second_and_time_left(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: now[0]))
    job, amount = Job(lambda report: None), partial(readable_bytes, decimals=1)
    job.report(1_000_000, 90_868_376)
    now[0] += 2
    job.report(21_000_000, 90_868_376)
    line = "Fetching a/b · 21.0 MB / 90.9 MB · 10.0 MB a second, 7 s left"
    assert jobs._progress_line(job, english, "Fetching a/b", amount) == line


def test_old_jobs_are_let_go():
    def nothing(report: Report) -> None:
        return None

    for i in range(jobs.MAX_JOBS + 3):
        assert jobs.start(f"job-{i}", nothing).wait(PATIENCE)
    assert len(jobs._jobs) == jobs.MAX_JOBS
