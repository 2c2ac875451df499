"""Long work: one job for each key and all sessions, with progress, an estimate and Cancel.

A job runs in a thread; jobs of one lane take turns, short ones before long ones. A job that nobody
waits for is cancelled within a second.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NoReturn
from uuid import uuid4

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry.linalg.threads import in_threads
from geometry.process import ProcessEnded
from geometry.process import Progress as Progress
from geometry.process import no_report as no_report

from .cache import REPORT, Answer, Kept, in_session
from .streamlit_internals import click_waits, is_connected, is_running, session_id
from .words import _

POLL_SECONDS = 0.2  # between checks of a job's progress, and whether anybody waits for its result
PASSING_SECONDS = 0.05  # between checks for a moved control, if it cancels the work
GRACE_SECONDS = 0.5  # until such work is cancelled, because a moved control interrupts the wait
CANCELLED, DIED = "cancelled", "died"  # how a visitor's work ended without a result


class Cancelled(Exception):
    """Raised inside the work, at its next report, after Cancel was pressed."""


def may_wait_again(session: str, since: float) -> bool:
    """Whether a session that stopped waiting then may return: until its page's next run ends."""
    is_soon = since + GRACE_SECONDS > time.monotonic()
    return is_connected(session) and (is_soon or is_running(session))


class Lane:
    """Jobs in turn: short ones first, even at a report of a running long one."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._jobs: list[Job] = []  # in order of their turns
        self._running: Job | None = None

    @contextmanager
    def turn(self, job: Job) -> Iterator[None]:
        """Wait for the job's turn; it ends with the block. Raises Cancelled."""
        with self._changed:
            self._jobs.append(job)
            self._jobs.sort(key=lambda each: each.is_long)  # a stable sort
        try:
            self.give_way(job)
            yield
        finally:
            with self._changed:
                self._jobs.remove(job)
                self._stop(job)

    def give_way(self, job: Job) -> None:
        """Run the job when those before it have ended. Raises Cancelled."""
        with self._changed:
            if self.before(job):
                self._stop(job)
            while self.before(job):
                if job.cancelled:
                    raise Cancelled
                self._changed.wait(POLL_SECONDS)
            self._running = job

    def before(self, job: Job) -> int:
        """How many jobs the job waits for; 0 if it is its turn."""
        with self._changed:
            if job not in self._jobs:
                return 0
            place = self._jobs.index(job)
            return max(place, 1) if self._running not in (None, job) else place

    def _stop(self, job: Job) -> None:
        if self._running is job:
            self._running = None
        self._changed.notify_all()


# one lane for each kind of work, so that a long UMAP does not delay an encoding
_lanes = {name: Lane() for name in ("encode", "read", "umap", "model", "flow", "measure")}
_jobs: dict[str, Job] = {}
_lock = threading.RLock()
_place: ContextVar[DeltaGenerator | None] = ContextVar("place", default=None)


class Job:
    """One piece of work: its progress, then its result or error. A long one lets others pass."""

    def __init__(
        self, work: Callable[[Progress], Any], lane: Lane, *, is_long: bool = False
    ) -> None:
        self.lane, self.is_long = lane, is_long
        self.done, self.total = 0, 0
        self.result: Any = None
        self.error: BaseException | None = None
        self.waiting: Counter[str] = Counter()  # runs that wait for it, by session
        self.left: dict[str, float] = {}  # when a session stopped waiting
        self._began: float | None = None
        self._reported = 0.0
        self._loaded = 0  # items in the first report: their time includes loading
        self._finished, self._cancel = threading.Event(), threading.Event()
        self.wait, self.cancel = self._finished.wait, self._cancel.set
        self._work = work

    def run(self) -> None:
        try:
            with self.lane.turn(self):
                self.report(0, 0)
                self.result = self._work(self.report)
        except BaseException as error:
            self.error = error
        finally:
            del self._work  # frees the objects that it refers to
            self._finished.set()

    def report(self, done: int, total: int) -> None:
        """Record progress and give way to shorter jobs. Raises Cancelled after a cancel."""
        if self.cancelled:
            raise Cancelled
        now = time.monotonic()
        self.lane.give_way(self)
        self._reported = time.monotonic()
        if self._began is not None:
            self._began += self._reported - now  # the time of other jobs does not count
        if total and total != self.total:  # its first stage, or the next
            self._began, self._loaded = self._reported, done
        self.done, self.total = done, total

    def excludes(self, other: Job) -> bool:
        """Whether a visitor may not have both at once."""
        return self.lane is other.lane or (self.is_long and other.is_long)

    def leave(self, session: str) -> None:
        with _lock:
            # the session's previous run may still wait, in another thread
            if not self.waiting.keys() - {session}:
                self.cancel()

    @property
    def cancelled(self) -> bool:
        """True after a cancel, and from when nobody waits for it or may wait for it again."""
        with _lock:
            if not self.waiting and not any(may_wait_again(*each) for each in self.left.items()):
                self.cancel()
        return self._cancel.is_set()

    @property
    def rate(self) -> float | None:
        """Items per second so far; None before the second report."""
        if self._began is None or self.done <= self._loaded:
            return None
        seconds = self._reported - self._began
        return (self.done - self._loaded) / seconds if seconds > 0 else None


@contextmanager
def joined(
    key: str,
    work: Callable[[Progress], Any],
    session: str,
    lane: str = "encode",
    *,
    is_long: bool = False,
) -> Iterator[Job]:
    """The job of a key, running or new, for which the visitor waits while the block runs."""
    with _lock:
        job = _jobs.get(key)
        if job is None or job.cancelled:
            job = Job(in_session(work), _lanes[lane], is_long=is_long)
            _jobs[key] = job
            # a daemon, so that Ctrl-C ends the server during an encoding
            threading.Thread(target=_run, args=(key, job), daemon=True).start()
        job.waiting[session] += 1
        for other in _jobs.values():
            if job.excludes(other):
                other.left.pop(session, None)
    try:
        yield job
    finally:
        with _lock:
            job.waiting -= Counter([session])  # drops a count of 0
            if not any(session in each.waiting and job.excludes(each) for each in _jobs.values()):
                job.left[session] = time.monotonic()


def _run(key: str, job: Job) -> None:
    """Do the work, and drop its result once nobody waits for it."""
    job.run()
    while _jobs.get(key) is job:
        with _lock:
            if job.cancelled and _jobs.get(key) is job:
                del _jobs[key]
        time.sleep(POLL_SECONDS)


def wait_for(
    key: str,
    work: Callable[[Progress], Answer],
    what: str,
    *,
    lane: str = "measure",
    amount: Callable[[float], str] = "{:,.0f}".format,
    cancelled: str | None = None,  # the message
    died: str | None = None,  # the message, where the process of the work was ended
    watch: Callable[[], None] | None = None,  # draws the results so far
    passing: bool = False,  # the work depends on the page's controls: moving one cancels it
    is_long: bool = False,  # more than some seconds: others of the lane go first
    in_place: bool = False,  # progress in ``progress_place``, where it moves no picture
) -> Answer:
    """The result of work that is run or joined, with its progress; ``key`` names all it depends on.

    If the work is cancelled, the page's run ends with a button to start again.
    """
    sentences = {
        CANCELLED: cancelled or _("Cancelled. Your texts are still here, and you can start again."),
        DIED: died
        or _(
            "The process that did this work was ended, perhaps because memory ran out. Your texts "
            "are still here, and you can start again."
        ),
    }
    if key in _left():
        _offer_again(key, sentences[_left()[key]])
    session = session_id()
    with joined(key, work, session, lane, is_long=is_long) as job:
        if not job.wait(0):
            place = ((in_place and _place.get()) or st).empty()
            with place.container():
                bar = st.progress(0.0, text=f"{what} …")
                st.button(_("Cancel"), key=f"cancel-{uuid4().hex}", on_click=_leave, args=(key,))
                while not job.wait(PASSING_SECONDS if passing else POLL_SECONDS):
                    share = job.done / job.total if job.total else 0.0
                    bar.progress(min(share, 1.0), text=_progress_line(job, what, amount))
                    if watch is not None:
                        watch()
                    if click_waits():  # Cancel inside a fragment interrupts no run
                        if passing:
                            job.leave(session)
                        st.rerun()
            place.empty()
        if job.cancelled:
            _offer_again(key, sentences[CANCELLED])
    with _lock:  # the next visit starts the work again
        if _jobs.get(key) is job:
            del _jobs[key]
    if isinstance(job.error, ProcessEnded):
        _left()[key] = DIED
        _offer_again(key, sentences[DIED])
    if isinstance(job.error, Exception):
        raise job.error
    if job.error is not None:  # a panic of a library in Rust, which would run the page for ever
        raise RuntimeError(f"{type(job.error).__name__}: {job.error}") from job.error
    return job.result


def progress_place() -> None:
    """Show the progress of ``wait_for(in_place=True)`` here, in this run of the page."""
    _place.set(st.container())


def kept_or_made(
    function: Kept[..., Answer], *values: Any, what: str, at_once: bool = False, **how: Any
) -> Answer:
    """The kept answer of a function, or the result of a job; ``at_once`` calls it without a job."""
    if at_once:
        return function(*values)
    if (entry := function.entry(*values)) is not None:
        return entry.answer

    def work(report: Progress) -> Answer:
        beside = {REPORT: report} if function.takes_report else {}
        return function.function(*values, **beside)

    return function.put(wait_for(function.name_of(*values), work, what, **how), *values)


def all_kept_or_made(
    function: Kept[..., Answer],
    calls: Sequence[tuple[Any, ...]],
    *,
    what: str,
    threads: int = 1,
    **how: Any,
) -> list[Answer]:
    """The kept answer of each call. One job makes the {n} (in ``what``) that are missing."""
    missing = [values for values in calls if function.entry(*values) is None]
    if missing:

        def work(report: Progress) -> list[Answer]:
            made: list[Answer] = []
            for answer in in_threads(lambda values: function(*values), missing, threads):
                made.append(answer)
                report(len(made), len(missing))
            return made

        name = "/".join(function.name_of(*values) for values in missing)
        answers = wait_for(name, work, what.format(n=len(missing)), **how)
        for values, answer in zip(missing, answers, strict=True):
            function.put(answer, *values)
    return [function(*values) for values in calls]


def _leave(key: str) -> None:
    """Stop waiting for a job, by its key: the argument of a button stays with the session."""
    _left()[key] = CANCELLED
    if (job := _jobs.get(key)) is not None:
        job.leave(session_id())


def _left() -> dict[str, str]:
    """CANCELLED or DIED for each job of this visitor that ended so, by its key."""
    return st.session_state.setdefault("left_jobs", {})


def _offer_again(key: str, sentence: str) -> NoReturn:
    st.info(sentence)
    again = st.session_state["left_jobs"].pop
    st.button(_("Start again"), key=f"again-{key}", on_click=again, args=(key, None))
    st.stop()


def _progress_line(job: Job, what: str, amount: Callable[[float], str]) -> str:
    if before := job.lane.before(job):
        return f"{what} · " + _("Waiting in the queue; jobs before it: {n}").format(n=before)
    if not job.total:
        return f"{what} · " + _("Loading …")
    line = f"{what} · {amount(job.done)} / {amount(job.total)}"
    if job.rate:
        left = f"{(job.total - job.done) / job.rate:,.0f}"
        speed = _("{rate} a second, {left} s left").format(rate=amount(job.rate), left=left)
        line = f"{line} · {speed}"
    return line
