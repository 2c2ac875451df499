"""Long work: one job for each key and all sessions, with a count, an estimate and Cancel.

A job runs in its own thread; jobs of one lane run one after the other. A reader who moves a
control does not start the job again, and neither do thirty readers who open the same page. If one
of several readers cancels, the job goes on for the others.
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
MAX_JOBS = 64  # jobs in memory; a job whose result nobody fetched stays until the limit
POLL_SECONDS = 0.2
PASSING_SECONDS = 0.05  # between checks for a moved control, for work that it cancels

_jobs: OrderedDict[str, Job] = OrderedDict()
_lock = threading.Lock()
# one lane for each kind of work: a long UMAP does not delay an encoding
_lanes = {name: threading.Lock() for name in ("encode", "umap", "model", "flow", "measure")}


class Cancelled(Exception):
    """Raised inside the work, at its next report, after Cancel was pressed."""


class Job:
    """One piece of work: its progress, then its result or error."""

    def __init__(self, work: Callable[[Report], Any]) -> None:
        self.done, self.total = 0, 0
        self.result: Any = None
        self.error: BaseException | None = None
        self.waiting: Counter[str] = Counter()  # visitors who wait for it
        self._began: float | None = None
        self._reported = 0.0
        self._loaded = 0  # items in the first report: their time includes loading
        self._finished, self._cancel = threading.Event(), threading.Event()
        self._work = work

    def run(self, lane: threading.Lock) -> None:
        """Do the work when the lane is free; store its result or error."""
        try:
            with lane:
                self.report(0, 0)
                self.result = self._work(self.report)
        except BaseException as error:
            self.error = error
        finally:
            self._work = _nothing  # frees what the work refers to
            self._finished.set()

    def report(self, done: int, total: int) -> None:
        """Record progress; raises Cancelled if the work should stop."""
        if self._cancel.is_set():
            raise Cancelled
        self._reported = time.monotonic()
        if self._began is None and total:
            self._began, self._loaded = self._reported, done
        self.done, self.total = done, total

    def cancel(self) -> None:
        """Make the work stop at its next report."""
        self._cancel.set()

    def wait(self, seconds: float) -> bool:
        """True once the work has ended."""
        return self._finished.wait(seconds)

    @contextmanager
    def joined(self, visitor: str) -> Iterator[None]:
        """Count the visitor as waiting while the block runs."""
        with _lock:
            self.waiting[visitor] += 1
        try:
            yield
        finally:
            with _lock:
                self.waiting -= Counter([visitor])

    def leave(self, visitor: str) -> None:
        """Cancel the work if no other visitor waits for it."""
        with _lock:
            # the visitor's previous run may still be waiting, in another thread
            if not self.waiting.keys() - {visitor}:
                self.cancel()

    @property
    def cancelled(self) -> bool:
        """True once the work was cancelled."""
        return self._cancel.is_set()

    @property
    def succeeded(self) -> bool:
        """True once the work has ended without an error."""
        return self._finished.is_set() and self.error is None

    @property
    def rate(self) -> float | None:
        """Items per second so far; None before the second report."""
        if self._began is None or self.done <= self._loaded:
            return None
        seconds = self._reported - self._began
        return (self.done - self._loaded) / seconds if seconds > 0 else None


def _nothing(report: Report) -> None:
    return None


def start(key: str, work: Callable[[Report], Any], lane: str = "encode") -> Job:
    """The job of that key: one that runs or has failed, else a new one.

    A job that succeeded is started again: the caller no longer has its result in a cache.
    """
    with _lock:
        if key not in _jobs or _jobs[key].succeeded or _jobs[key].cancelled:
            _jobs[key] = Job(work)
            # a daemon: Ctrl-C ends the server without waiting for an encoding
            threading.Thread(target=_jobs[key].run, args=(_lanes[lane],), daemon=True).start()
            while len(_jobs) > MAX_JOBS:
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

    If the work is cancelled, the page's run ends here with a button to start again. An error of
    the work is raised here.

    Parameters
    ----------
    key : str
        The same key joins the same job.
    work : callable
        Called with a report function (done, total).
    what : str
        Names the work, as in "Encoding 1,224 sentences".
    lane : str
        Jobs of one lane run one after the other.
    amount : callable
        Formats how much is done.
    cancelled : str or None
        The message after a cancel.
    watch : callable or None
        Called while the work goes on, to draw what there is so far.
    passing : bool
        True if the work depends on the page's controls: a moved control then cancels it.
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
    """True if a control of the fragment was used: a fragment's rerun interrupts no running one.

    Without this check, Cancel inside a fragment would take effect only after the work has ended.
    """
    context = get_script_run_ctx()
    requests = None if context is None else context.script_requests
    return requests is not None and requests._state is ScriptRequestType.RERUN


def _leave(key: str, job: Job) -> None:
    """Stop waiting for this visitor; the work stops if no other visitor waits for it."""
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
