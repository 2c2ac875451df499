"""Long work: one job a key for all sessions, with a count, an estimate and a cancel button.

A job runs in a thread of its own, one after the other, so a reader who moves a control or
thirty readers who open the same page do not start it again, and one of them who cancels does
not stop it for the others.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn
from uuid import uuid4

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType

from .words import Translate

Report = Callable[[int, int], None]
KEPT_JOBS = 64  # jobs remembered; one that nobody waited for to its end stays until then
POLL_SECONDS = 0.2
PASSING_SECONDS = 0.05  # between looks for a control that was moved, where it ends the work

_jobs: OrderedDict[str, Job] = OrderedDict()
_lock = threading.Lock()
# one lane for each kind of work: a long UMAP never holds up somebody's encoding
_lanes = {name: threading.Lock() for name in ("encode", "umap", "model", "flow", "measure")}


class Cancelled(Exception):
    """Raised inside the work, at its next report, after somebody pressed Cancel."""


class Job:
    """One piece of work: where it is, how it ended."""

    def __init__(self, work: Callable[[Report], Any]) -> None:
        self.done, self.total = 0, 0
        self.result: Any = None
        self.error: BaseException | None = None
        self.waiting: Counter[str] = Counter()  # runs before which its progress is shown
        self._began: float | None = None
        self._reported = 0.0
        self._loaded = 0  # items in the first report, whose time was spent on loading too
        self._finished, self._cancel = threading.Event(), threading.Event()
        self._work = work

    def run(self, lane: threading.Lock) -> None:
        """Do the work when the lane is free; its result or error is kept for who waits."""
        try:
            with lane:
                self.report(0, 0)
                self.result = self._work(self.report)
        except BaseException as error:
            self.error = error
        finally:
            self._work = _nothing  # lets go of what the work held
            self._finished.set()

    def report(self, done: int, total: int) -> None:
        """How far the work is; raises Cancelled where it should stop."""
        if self._cancel.is_set():
            raise Cancelled
        self._reported = time.monotonic()
        if self._began is None and total:
            self._began, self._loaded = self._reported, done
        self.done, self.total = done, total

    def cancel(self) -> None:
        """Ask the work to stop at its next report."""
        self._cancel.set()

    def wait(self, seconds: float) -> bool:
        """True once the work has ended."""
        return self._finished.wait(seconds)

    @contextmanager
    def joined(self, visitor: str) -> Iterator[None]:
        """The visitor waits for it as long as the block runs."""
        with _lock:
            self.waiting[visitor] += 1
        try:
            yield
        finally:
            with _lock:
                self.waiting -= Counter([visitor])

    def leave(self, visitor: str) -> None:
        """Cancel the work where nobody else waits for it."""
        with _lock:
            # the visitor's own last run may still be about to stop, in another thread
            if not self.waiting.keys() - {visitor}:
                self.cancel()

    @property
    def cancelled(self) -> bool:
        """True from the moment the work was asked to stop."""
        return self._cancel.is_set()

    @property
    def succeeded(self) -> bool:
        """True once the work has ended as it should."""
        return self._finished.is_set() and self.error is None

    @property
    def rate(self) -> float | None:
        """Items a second so far; None before the second report."""
        if self._began is None or self.done <= self._loaded:
            return None
        seconds = self._reported - self._began
        return (self.done - self._loaded) / seconds if seconds > 0 else None


def _nothing(report: Report) -> None:
    return None


def start(key: str, work: Callable[[Report], Any], lane: str = "encode") -> Job:
    """The job of that key: running already, failed and not told yet, or started now.

    One that succeeded is started again: whoever asks no longer finds what it left.
    """
    with _lock:
        if key not in _jobs or _jobs[key].succeeded or _jobs[key].cancelled:
            _jobs[key] = Job(work)
            # a daemon: Ctrl-C ends the server without waiting for somebody's encoding
            threading.Thread(target=_jobs[key].run, args=(_lanes[lane],), daemon=True).start()
            while len(_jobs) > KEPT_JOBS:
                _jobs.popitem(last=False)
        return _jobs[key]


def forget(key: str) -> None:
    """Let the next visit start the job again."""
    with _lock:
        _jobs.pop(key, None)


def wait_for(
    key: str,
    work: Callable[[Report], Any],
    _: Translate,
    what: str,
    *,
    lane: str = "encode",
    amount: Callable[[float], str] = "{:,.0f}".format,
    cancelled: str | None = None,
    watch: Callable[[], None] | None = None,
    passing: bool = False,
) -> Any:
    """Run the work or join it, showing its progress; returns its result.

    ``what`` names it ("Encoding 1,224 sentences"); ``amount`` writes how much is done;
    ``cancelled`` is what is said after a cancel. ``watch`` is called while the work goes on, to
    draw what it has so far. ``passing``: it is about this moment's controls, so when one of them
    is moved nobody wants it any more.
    Ends the page's run where it was cancelled, with a button to start again. An error of the
    work is raised here.
    """
    cancelled = cancelled or _("Cancelled. Your texts are kept; start again when you like.")
    if key in _left():
        _offer_again(key, cancelled, _)
    job = start(key, work, lane)
    if not job.wait(0):
        place = st.empty()
        with place.container(), job.joined(_visitor()):
            bar = st.progress(0.0, text=f"{what} …")
            st.button(_("Cancel"), key=f"cancel-{key}", on_click=_leave, args=(key, job))
            while not job.wait(PASSING_SECONDS if passing else POLL_SECONDS):
                share = job.done / job.total if job.total else 0.0
                bar.progress(min(share, 1.0), text=_progress_line(job, _, what, amount))
                if watch is not None:
                    watch()
                if _click_waits():
                    if passing:
                        job.leave(_visitor())
                    st.rerun()
        place.empty()
    if job.cancelled:
        _offer_again(key, cancelled, _)
    forget(key)
    if job.error is not None:
        raise job.error
    return job.result


def _click_waits() -> bool:
    """True where a fragment's control was used: its run, unlike others, interrupts none.

    Without this, Cancel inside a fragment would be heard when there is nothing left to cancel.
    """
    context = get_script_run_ctx()
    requests = None if context is None else context.script_requests
    return requests is not None and requests._state is ScriptRequestType.RERUN


def _leave(key: str, job: Job) -> None:
    """This visitor waits no longer; the work stops where nobody else waits for it."""
    st.session_state["left_jobs"] = {*_left(), key}
    job.leave(_visitor())


def _visitor() -> str:
    """A name for this session."""
    return st.session_state.setdefault("visitor", uuid4().hex)


def _left() -> set[str]:
    return st.session_state.get("left_jobs", set())


def _offer_again(key: str, cancelled: str, _: Translate) -> NoReturn:
    st.info(cancelled)
    st.button(_("Start again"), key=f"again-{key}", on_click=_again, args=(key,))
    st.stop()


def _again(key: str) -> None:
    st.session_state["left_jobs"] = _left() - {key}


def _progress_line(
    job: Job, _: Translate, what: str, amount: Callable[[float], str] = "{:,.0f}".format
) -> str:
    if not job.total:
        return f"{what} · " + _("loading, or waiting for its turn …")
    line = f"{what} · {amount(job.done)} / {amount(job.total)}"
    if job.rate:
        left = (job.total - job.done) / job.rate
        line += " · " + _("{rate} a second, {left} s left").format(
            rate=amount(job.rate), left=f"{left:,.0f}"
        )
    return line
