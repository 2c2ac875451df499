"""Live training with real processes: records, commands, the queue, errors, all endings."""

import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from geometry.hub.operator_limits import MemoryLimits
from geometry.process import PAUSE, RUN, STEP, ProcessEnded
from geometry.training import TrainingError
from pages.common import live_training
from pages.common.live_training import Training
from tests.functions import count_apart, count_then_crash, count_then_fail
from tests.pages.visits import healthy
from tests.waiting import PATIENCE, until

SOMEBODY, ANOTHER = "somebody", "another"


@pytest.fixture(autouse=True)
def nothing_trains() -> Iterator[None]:
    yield
    for training in list(live_training._active):
        training.stop()
        assert training.wait(PATIENCE)


def test_pause_step_and_resume():
    training = Training(SOMEBODY, partial(count_apart, 10**6))
    until(lambda: len(training.records) > 0)
    training.order(PAUSE)
    time.sleep(0.3)
    n = len(training.records)
    training.order(STEP)
    until(lambda: len(training.records) == n + 1)
    time.sleep(0.2)
    assert (len(training.records), training.state) == (n + 1, "paused")
    training.order(RUN)
    until(lambda: len(training.records) > n + 5)
    assert training.state == "running"


def test_one_visitor_has_one_training_and_the_others_see_their_place(monkeypatch):
    monkeypatch.setattr(live_training, "memory_limits", lambda: MemoryLimits(trainings=2))
    first = Training(SOMEBODY, partial(count_apart, 10**6))
    until(lambda: first.state == "running")
    second = Training(SOMEBODY, partial(count_apart, 3))  # the same visitor's second training waits
    third = Training(ANOTHER, partial(count_apart, 10**6))
    until(lambda: third.state == "running")
    fourth = Training("third", partial(count_apart, 3))
    assert [each.place for each in (first, second, third, fourth)] == [0, 1, 0, 2]
    third.stop()
    assert fourth.wait(PATIENCE)
    assert (fourth.state, second.state) == ("finished", "waiting")
    first.stop()
    assert second.wait(PATIENCE)
    assert second.records == [0, 1, 2]


def test_it_ends_with_its_session_and_after_a_long_pause(monkeypatch):
    monkeypatch.setattr(live_training, "GONE_SECONDS", 0.1)
    training = Training(SOMEBODY, partial(count_apart, 10**6))
    until(lambda: len(training.records) > 1)
    monkeypatch.setattr(live_training, "is_connected", lambda _session: False)
    assert training.wait(2.0)
    monkeypatch.setattr(live_training, "is_connected", lambda _session: True)
    monkeypatch.setattr(live_training, "LONGEST_PAUSE", 0.1)
    training = Training(SOMEBODY, partial(count_apart, 10**6))
    until(lambda: len(training.records) > 1)
    training.order(PAUSE)
    assert training.wait(2.0)
    assert (training.state, training.error) == ("paused long", None)


def test_errors_come_back():
    refused = Training(
        SOMEBODY, partial(count_then_fail, TrainingError("small_vocabulary", n=3, limit=20))
    )
    crashed = Training(ANOTHER, count_then_crash)
    assert refused.wait(PATIENCE)
    assert crashed.wait(PATIENCE)
    assert isinstance(refused.error, TrainingError)
    assert refused.error.code == "small_vocabulary"
    assert isinstance(crashed.error, ProcessEnded)
    assert refused.records == crashed.records == [0]


def test_an_order_returns_while_the_process_does_not_read(monkeypatch):
    start, processes = subprocess.Popen, []

    def start_and_suspend(*call: object, **options: object) -> subprocess.Popen[bytes]:
        processes.append(start(*call, **options))
        processes[-1].send_signal(signal.SIGSTOP)
        return processes[-1]

    monkeypatch.setattr(subprocess, "Popen", start_and_suspend)
    large = partial(count_apart, b" " * 10**7)  # larger than the pipe's buffer
    training = Training(SOMEBODY, large)
    until(lambda: training.state == "running")
    order = threading.Thread(target=training.order, args=(PAUSE,))
    order.start()
    order.join(PATIENCE)
    try:
        assert not order.is_alive()
        assert training.state == "paused"
        training.stop()
        assert training.wait(PATIENCE)
    finally:
        processes[0].kill()  # also ends a command that waits for the process


def page_that_trains() -> None:
    from functools import partial

    import streamlit as st

    from pages.common.live_training import Training, follow, show_controls, started
    from tests.functions import count_apart

    def draw(training: Training | None) -> None:
        st.button(
            "Train", on_click=started, args=("page", partial(count_apart, 10**6)), key="train"
        )
        if training is not None:
            show_controls("page", training)
            st.write(f"{len(training.records)} records")

    follow("page", draw)


def test_a_page_follows_its_own_training_through_reruns():
    app = healthy(AppTest.from_function(page_that_trains, default_timeout=PATIENCE).run())
    assert [button.label for button in app.button] == ["Train"]
    app.button(key="train").click().run()
    training = app.session_state["live-trainings"]["page"]
    until(lambda: len(training.records) > 1)
    healthy(app.run())
    assert "records" in app.markdown[0].value
    app.button(key="training-page-pause").click().run()
    assert training.state == "paused"
    app.button(key="training-page-stop").click().run()
    assert training.wait(1.0)
    assert (training.state, training.error) == ("stopped", None)
    assert training.records
    healthy(app.button(key="training-page-reset").click().run())
    assert [button.label for button in app.button] == ["Train"]
