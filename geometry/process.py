"""A function in another process, with limits of memory and time, progress and cancel.

    corpus = run(ProcessLimits(10**9, cpu_seconds=10), partial(read_corpus, content))

``run`` starts a process for one call. A ``Worker`` keeps its process for the next calls. A
``Process`` computes the values of a generator, and can be paused. Such a process has a low
priority. It ends at once when its call is cancelled or passes a limit. When this process ends, it
ends as soon as Python code runs in it.

A call is a function of a module's top level, or a partial of one with arguments that can be
pickled. The other process runs this module too, so that the module imports little.
"""

import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, TypeVar

PULSE = 0.1  # seconds between two reports, and between two checks of the clock
WAITING = 3  # limit by the clock over limit of processor time, which other programs use too
FOREVER = float("inf")
NICENESS_VARIABLE = "NARROW_CONE_NICENESS"  # variable of the environment; its default is 10
ROOT = Path(__file__).resolve().parents[1]  # where the package is imported from
PROGRAM = "from geometry.process import _serve; _serve()"
# BLAS and OpenMP: threads that wait for each other by spinning are slow on busy cores
SINGLE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
TOO_SLOW = getattr(signal, "SIGXCPU", None)  # ends a process at its limit of processor time
# What a process sends, each with a value
VALUE, PROGRESS, ERROR, END, DIED = "value", "progress", "error", "end", "died"
# Orders to a process: how many values it may compute before a pause
RUN, PAUSE, STEP = FOREVER, 0, 1

Answer = TypeVar("Answer")
Progress = Callable[[int, int], None]  # (done, in all); raise in it to end the work


class ProcessLimits(NamedTuple):
    memory_bytes: int | None = None  # addresses beyond those at the start of a call; on Linux only
    cpu_seconds: float = FOREVER  # of a call; ``run`` allows WAITING times as long by the clock
    environment: Mapping[str, str] = {}  # variables beside those of this process
    # of a module's top level; called before the limit of memory begins, to import libraries
    prepare: Callable[[], object] | None = None
    is_quiet: bool = False  # whether what libraries print there is not shown


class ProcessEnded(RuntimeError):
    """The process passed a limit (``too_slow``: of time), was killed, or a library crashed."""

    def __init__(self, message: str = "the process ended early", *, too_slow: bool = False) -> None:
        super().__init__(message)
        self.too_slow = too_slow


def no_report(done: int, total: int) -> None:
    """Report nothing."""


def run(limits: ProcessLimits, call: Callable[[], Answer], report: Progress = no_report) -> Answer:
    """What the call returns, by another process; ProcessEnded if there is no answer.

    ``report`` is called several times a second with the last progress, (0, 0) before the first. An
    exception raised in it ends the process. An error of the function is raised as it is, or as a
    RuntimeError with its message if it can't be pickled or is no Exception.
    """
    process = Process(limits)
    try:
        process.start(call)
        return process.answer(report)
    finally:
        process.end()


def is_limited() -> bool:
    """Whether this process has limits of memory and of time, so that a reader needs no other."""
    return _is_limited


class Process:
    """A process of low priority that computes calls, one after the other."""

    def __init__(self, limits: ProcessLimits) -> None:
        import subprocess

        first = pickle.dumps(limits)
        self._seconds = WAITING * limits.cpu_seconds
        paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM],
            env={**os.environ, **limits.environment, "PYTHONPATH": paths},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if limits.is_quiet else None,
        )
        self.is_busy = False  # whether the answer of a call has not come to its end
        self._messages: SimpleQueue[object] = SimpleQueue()
        self._answers: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        self._messages.put(first)
        # threads, because the pipe takes a large value only as fast as the other side reads it,
        # and the process reads nothing while it imports
        for work in (self._write, self._read):
            threading.Thread(target=work, daemon=True).start()

    def start(self, call: Callable[[], Any]) -> None:
        self._messages.put(pickle.dumps(call, pickle.HIGHEST_PROTOCOL))
        self.is_busy = True

    def answer(self, report: Progress = no_report) -> Any:
        """What the call returns, within its time by the clock; ``report`` as in ``run``."""
        [answer] = self.values(report, self._seconds)
        return answer

    def values(self, report: Progress = no_report, seconds: float = FOREVER) -> Iterator[Any]:
        """The values of the iterator that the call returns, as they come; as ``run``."""
        last, progress = time.monotonic() + seconds, (0, 0)
        while True:
            try:
                kind, value = self._answers.get(timeout=PULSE)
            except Empty:
                kind, value = PROGRESS, progress
            if kind not in (VALUE, PROGRESS):
                self.is_busy = False
                if kind == DIED:
                    raise ProcessEnded(too_slow=-self._process.returncode == TOO_SLOW) from value
                if kind == ERROR:
                    raise value
                return
            if time.monotonic() > last:
                raise ProcessEnded(too_slow=True)
            if kind == VALUE:
                yield value
            else:
                progress = value
            report(*progress)

    def order(self, what: float) -> None:
        """RUN, PAUSE before the next value, or STEP: one value and then a pause; without a wait."""
        self._messages.put(what)

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def end(self) -> None:
        self._process.kill()  # nothing if it has ended
        self._process.wait()
        self._messages.put(None)

    def _write(self) -> None:
        assert self._process.stdin is not None
        with suppress(OSError), self._process.stdin as pipe:  # OSError: the process has ended
            while (message := self._messages.get()) is not None:
                pickle.dump(message, pipe, pickle.HIGHEST_PROTOCOL)
                pipe.flush()
                message = None  # frees it, while this thread waits for the next

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as pipe:
            try:
                while True:
                    self._answers.put(pickle.load(pipe))
            except Exception as error:  # the end, perhaps in the middle of a message
                self.end()
                self._answers.put((DIED, error))


class Worker:
    """A process for calls of one kind, which take turns; it ends when idle, and at a cancel."""

    def __init__(self, idle_seconds: float) -> None:
        self.idle_seconds = idle_seconds
        self._process: Process | None = None
        self._turn = threading.Lock()
        self._timer = threading.Timer(0, self._end_if_idle)

    def run(self, call: Callable[[], Answer], report: Progress = no_report) -> Answer:
        """What the call returns; as ``run``. ``report`` is also called while it waits its turn."""
        while not self._turn.acquire(timeout=PULSE):
            report(0, 0)
        try:
            self._timer.cancel()
            if self._process is None or self._process.has_ended:
                self._process = Process(ProcessLimits(environment=SINGLE_THREAD))
            self._process.start(call)
            answer: Answer = self._process.answer(report)
            return answer
        finally:
            if self._process is not None and self._process.is_busy:  # the call was cancelled
                self.stop()
            self._timer = threading.Timer(self.idle_seconds, self._end_if_idle)
            self._timer.daemon = True
            self._timer.start()
            self._turn.release()

    def stop(self) -> None:
        self._timer.cancel()
        if (process := self._process) is not None:
            process.end()

    def _end_if_idle(self) -> None:
        if self._turn.acquire(blocking=False):
            self.stop()
            self._turn.release()


# ---- in the process ----


class _Parent:
    """The parent's side of both pipes. Without a parent the process ends."""

    def __init__(self) -> None:
        self._pipe = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # stdout carries the messages, so prints of libraries go to stderr
        self._orders = os.fdopen(os.dup(0), "rb")
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # a library that reads stdin finds its end
        self._sending = threading.Lock()
        self._unsent: tuple[int, ...] = ()
        self._sent_at = -PULSE
        self.calls: SimpleQueue[bytes] = SimpleQueue()
        self._ordered = threading.Condition()
        self._allowed = RUN  # values that may be computed before a pause
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        try:
            while True:
                message = pickle.load(self._orders)
                if isinstance(message, bytes):
                    self.calls.put(message)
                else:
                    with self._ordered:
                        self._allowed = message
                        self._ordered.notify_all()
                del message  # frees it, while this thread waits for the next
        finally:
            os._exit(1)

    def wait(self) -> None:
        """Wait while the next value must not be computed."""
        with self._ordered:
            self._ordered.wait_for(lambda: self._allowed > 0)
            self._allowed -= 1

    def send(self, kind: str, value: Any = None) -> None:
        content = pickle.dumps((kind, value), pickle.HIGHEST_PROTOCOL)  # all or nothing
        with self._sending:
            self._pipe.write(content)
            self._pipe.flush()

    def send_progress(self, numbers: tuple[int, ...], pulse: float = PULSE) -> None:
        """Send the numbers now or later: a function may report 100,000 times a second."""
        self._unsent = numbers
        if numbers and time.monotonic() - self._sent_at >= pulse:
            self._unsent, self._sent_at = (), time.monotonic()
            self.send(PROGRESS, numbers)

    def compute(self, limits: ProcessLimits) -> None:
        call = pickle.loads(self.calls.get())
        _limit_this_process(limits)
        found = call()
        self.wait()
        for value in found if isinstance(found, Iterator) else [found]:
            self.send_progress(self._unsent, 0)
            self.send(VALUE, value)
            self.wait()


_parent: _Parent | None = None
_is_limited = False


def send_progress(*numbers: Any) -> None:
    """Report progress to the ``report`` of the call; the last two numbers are (done, in all)."""
    if _parent is not None:
        _parent.send_progress((int(numbers[-2]), int(numbers[-1])))


def _serve() -> None:
    """Compute the parent's calls, until it closes the pipe."""
    global _parent, _is_limited
    _parent = parent = _Parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C ends
    limits: ProcessLimits = pickle.loads(parent.calls.get())
    if hasattr(os, "nice"):
        os.nice(int(os.environ.get(NICENESS_VARIABLE, "10")))
        os.environ[NICENESS_VARIABLE] = "0"  # processes that this one starts inherit the priority
    if limits.prepare is not None:
        limits.prepare()
    _is_limited = limits.memory_bytes is not None and limits.cpu_seconds < FOREVER
    while True:
        try:
            parent.compute(limits)
            parent.send(END)
        except BaseException as error:
            parent.send(ERROR, _sendable(error))


def _sendable(error: BaseException) -> Exception:
    if not isinstance(error, Exception):  # such as a panic of a library in Rust
        return RuntimeError(f"{type(error).__name__}: {error}")
    with suppress(Exception):
        pickle.loads(pickle.dumps(error))
        return error
    return RuntimeError(str(error))


def _limit_this_process(limits: ProcessLimits) -> None:
    """Limit memory and processor time, where the system can."""
    try:
        import resource
    except ImportError:  # Windows: only the time is limited, by the parent
        return
    wanted: dict[int, float] = {resource.RLIMIT_CORE: 0}
    if limits.cpu_seconds < FOREVER:
        wanted[resource.RLIMIT_CPU] = time.process_time() + limits.cpu_seconds + 1
    if limits.memory_bytes is not None and (pages := Path("/proc/self/statm")).is_file():
        used = int(pages.read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        wanted[resource.RLIMIT_AS] = used + limits.memory_bytes
    for what, limit in wanted.items():
        hard = resource.getrlimit(what)[1]
        within = int(min(limit, sys.maxsize if hard == resource.RLIM_INFINITY else hard))
        with suppress(ValueError, OSError):  # the system supports no such limit
            resource.setrlimit(what, (within, hard))  # the next call has its own
