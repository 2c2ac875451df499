"""A session's training runs in another process, with controls and a queue, from page to page."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal

import streamlit as st

from geometry.process import PAUSE, RUN, STEP, Process, ProcessEnded, ProcessLimits

from .cache import memory_limits
from .controls import act_button
from .messages import error_text
from .reading import ONE_EACH
from .streamlit_internals import is_connected, session_id
from .words import _

POLL_SECONDS = 0.1  # between two looks at the queue
GONE_SECONDS = 3.0  # a training continues so long, because a broken connection may come back
LONGEST_PAUSE = 600.0  # seconds until a paused training ends, so that others can train
REDRAW_SECONDS = 2.0  # between two redraws; a redraw takes the server about 0.2 s
# Most addresses are those of torch's libraries. Threads that wait by spinning are slow beside
# another training. The number of threads is fixed, because the rounding depends on it.
TORCH_THREADS = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "PASSIVE"}
TRAINING = ProcessLimits(4 * 10**9, 1_800, ONE_EACH | TORCH_THREADS)
STATE = "live-trainings"  # key of the session's state

TrainingState = Literal[
    "waiting", "running", "paused", "finished", "stopped", "paused long", "failed"
]

_changed = threading.Condition()
_active: list[Training] = []  # trainings that wait or run, in order of arrival


class _Ended(Exception):
    """The training must end."""


class Training:
    def __init__(self, session: str, call: Callable[[], Iterator[Any]]) -> None:
        self.records: list[Any] = []
        self.error: Exception | None = None
        self.state: TrainingState = "waiting"
        self._session = session
        self._call = [call]
        self._process: Process | None = None
        self._ended = threading.Event()
        self._stopping = threading.Event()
        self._visited_at = self._paused_at = time.monotonic()
        with _changed:
            _active.append(self)
        # a daemon, so that Ctrl-C ends the server; the process then ends by itself
        threading.Thread(target=self._run, daemon=True).start()

    @property
    def is_active(self) -> bool:
        return not self._ended.is_set()

    @property
    def place(self) -> int:
        """The place in the queue, from 1; 0 for a training that does not wait."""
        with _changed:
            waiting = [each for each in _active if each._process is None]
            return waiting.index(self) + 1 if self in waiting else 0

    def order(self, what: float) -> None:
        """PAUSE, RUN, or STEP: run until the next record, and then pause."""
        with _changed:
            if self._process is not None and self.state in ("running", "paused"):
                self._process.order(what)
                self.state = "running" if what == RUN else "paused"
                self._paused_at = time.monotonic()

    def stop(self) -> None:
        """End the process, within a second in which this waits. The records stay."""
        self._stopping.set()
        self.wait(1.0)

    def wait(self, seconds: float) -> bool:
        return self._ended.wait(seconds)

    def _run(self) -> None:
        try:
            for record in self._process_at_its_turn().values(self._check):
                self.records.append(record)
            with _changed:
                self.state = "finished"
        except _Ended:
            pass
        except Exception as error:
            with _changed:
                self.state, self.error = "failed", error
        finally:
            self._call.clear()  # frees the objects that the work refers to
            if self._process is not None:
                self._process.end()
            with _changed:
                _active.remove(self)
                if self.state in ("waiting", "running", "paused"):
                    self.state = "stopped"
                self._ended.set()
                _changed.notify_all()

    def _process_at_its_turn(self) -> Process:
        """A process, once a place is free and no other training of this session runs."""
        with _changed:
            while True:
                self._check()
                running = [each for each in _active if each._process is not None]
                busy = {each._session for each in running}
                waiting = (each for each in _active if each._process is None)
                first = next((each for each in waiting if each._session not in busy), None)
                if first is self and len(running) < memory_limits().trainings:
                    break
                _changed.wait(POLL_SECONDS)
            self._process = Process(TRAINING)
            self._process.start(self._call.pop())
            self.state = "running"
            return self._process

    def _check(self, *_: int) -> None:
        now = time.monotonic()
        if is_connected(self._session):
            self._visited_at = now
        if self.state == "paused" and now - self._paused_at > LONGEST_PAUSE:
            self.state = "paused long"
            raise _Ended
        if self._stopping.is_set() or now - self._visited_at > GONE_SECONDS:
            raise _Ended


def started(name: str, call: Callable[[], Iterator[Any]]) -> Training:
    """Start this session's training of that name, one for each page, and drop the earlier one."""
    drop(name)
    training = Training(session_id(), call)
    st.session_state.setdefault(STATE, {})[name] = training
    return training


def drop(name: str) -> None:
    training = st.session_state.get(STATE, {}).pop(name, None)
    if training is not None:
        training.stop()


def follow(
    name: str,
    draw: Callable[[Training | None], None],
    *,
    playing: str = "no-film",
    every: float = 0.0,
) -> None:
    """Draw in a fragment, again while the training is active or ``playing`` in the session."""

    def now() -> tuple[Training | None, bool, bool]:
        training: Training | None = st.session_state.get(STATE, {}).get(name)
        is_active = training is not None and training.is_active
        return training, is_active, bool(st.session_state.get(playing))

    _training, *before = now()
    seconds = REDRAW_SECONDS if before[0] else every

    @st.fragment(run_every=seconds if any(before) else None)
    def part() -> None:
        training, *after = now()
        if after != before:
            st.rerun()  # the whole page, because the timer starts or ends
        draw(training)

    part()


def show_controls(name: str, training: Training) -> None:
    """Pause, resume, step, stop and reset; below them the place in the queue or the error."""
    is_running = training.state in ("running", "paused")
    pause: tuple[Any, ...] = (_("Pause"), "pause", training.order, PAUSE)
    if training.state == "paused":
        pause = (_("Resume"), "play_arrow", training.order, RUN)
    one_step = _("Train until the next recorded step, and then pause.")
    reset = _("End the training and remove what it recorded.")
    buttons: list[tuple[Any, ...]] = [("reset", reset, _("Reset"), "restart_alt", drop, name)]
    if training.is_active:
        buttons[:0] = [
            ("pause", None, *pause),
            ("step", one_step, _("One step"), "skip_next", training.order, STEP),
            ("stop", None, _("Stop"), "stop", training.stop),
        ]
    with st.container(horizontal=True, key=f"training-{name}", gap="xsmall"):
        for what, about, label, icon, act, *values in buttons:
            is_off = what in ("pause", "step") and not is_running
            key = f"training-{name}-{what}"
            act_button(label, key, icon, act, *values, disabled=is_off, help=about)
    if training.state == "waiting":
        said = _(
            "Waiting for a free place: at most {n} trainings run at once on this server, and "
            "one for each visitor. Your place in the queue: {place}."
        ).format(n=memory_limits().trainings, place=training.place)
        st.info(said, icon=":material/hourglass_top:")
    elif training.state == "paused long":
        said = _("Paused for {n} minutes, so the training has ended. Its steps are still here.")
        st.info(said.format(n=round(LONGEST_PAUSE / 60)))
    elif isinstance(training.error, ProcessEnded | MemoryError):
        said = _(
            "The process of this training was ended, perhaps because memory ran out. Choose a "
            "smaller model or vocabulary, and train again."
        )
        st.error(said)
    elif training.error is not None:
        st.error(error_text(training.error))


def show_progress(done: int, n: int) -> None:
    text = _("Step {step} of {n}") if done else _("The training starts: {n} steps …")
    st.progress(done / n, text=text.format(step=done, n=n))
