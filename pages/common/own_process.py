"""A function in another process: it delays no other visitor, and can be paused and ended at once.

This module is also the program that the process runs, so it imports little.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from geometry.encode.limited import ROOT, limit_this_process

PULSE = 0.1  # seconds between two reports
VALUE, ERROR, END = "value", "error", "end"
RUN, PAUSE, STEP = b"r", b"p", b"s"  # orders to the process, a byte each


@dataclass(frozen=True)
class ProcessLimits:
    """Limits of a process.

    Attributes
    ----------
    memory_bytes : int
        Addresses beyond those that the process has when it starts the function.
    cpu_seconds : int
    threads : mapping of str to str
        Variables of its environment that set numbers of threads.
    """

    memory_bytes: int
    cpu_seconds: int
    threads: Mapping[str, str]


# BLAS and pyarrow reserve addresses for each thread
READING = ProcessLimits(
    2 * 10**9,
    120,
    dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "ARROW_IO_THREADS"), "1"),
)
# Most addresses are those of torch's libraries. Threads that wait by spinning are slow beside
# another training. The number of threads is fixed, because the rounding depends on it.
TRAINING = ProcessLimits(
    4 * 10**9,
    1_800,
    {**READING.threads, "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "PASSIVE"},
)


class ProcessEnded(RuntimeError):
    """The process ended early: it passed a limit, or a library crashed."""


class OwnProcess:
    """A process of low priority that computes a function, or the values of a generator.

    Parameters
    ----------
    limits : ProcessLimits
    function : callable
        Of a module's top level. It returns a value, or an iterator of values, which can be pickled.
    *values
        Positional arguments of the function, which can be pickled.
    **options
        Keyword arguments of the function, which can be pickled.
    """

    def __init__(
        self, limits: ProcessLimits, function: Callable[..., Any], /, *values: Any, **options: Any
    ) -> None:
        call = pickle.dumps((limits, function, values, options))
        paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pages.common.own_process"],
            env=os.environ | limits.threads | {"PYTHONPATH": paths},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._messages: SimpleQueue[bytes] = SimpleQueue()
        self._messages.put(call)
        # a thread, because the pipe takes a large text only as fast as the process reads it, and
        # the process reads nothing while it imports
        threading.Thread(target=self._write_messages, daemon=True).start()

    def values(self) -> Iterator[Any]:
        """The values as they come. An error of the function is raised as it is.

        Raises
        ------
        ProcessEnded
            If the process ended before the function did.
        """
        assert self._process.stdout is not None
        with self._process.stdout as written:
            while True:
                try:
                    kind, value = pickle.load(written)
                except (EOFError, pickle.UnpicklingError) as error:
                    raise ProcessEnded("the process ended before its function did") from error
                if kind == END:
                    return
                if kind == ERROR:
                    raise value
                yield value

    def order(self, what: bytes) -> None:
        """RUN, PAUSE before the next value, or STEP: one value and then a pause; without a wait."""
        self._messages.put(what)

    def end(self) -> None:
        """Kill the process, whatever it does."""
        self._process.kill()  # nothing if it has ended
        self._process.wait()
        self._messages.put(b"")

    def _write_messages(self) -> None:
        assert self._process.stdin is not None
        with suppress(OSError), self._process.stdin as pipe:  # OSError: the process has ended
            while message := self._messages.get():
                pipe.write(message)
                pipe.flush()


def run_apart(
    function: Callable[..., Any],
    *values: Any,
    report: Callable[[int, int], None],
    **options: Any,
) -> Any:
    """``function(*values, **options)``, by another process with the limits ``READING``.

    Parameters
    ----------
    function : callable
        Of a module's top level.
    *values
        Positional arguments of the function, which can be pickled.
    report : callable
        Called with (0, 0) several times a second. An exception raised in it ends the process.
    **options
        Keyword arguments of the function, which can be pickled.

    Raises
    ------
    ProcessEnded
        If there is no answer. An error of the function is raised as it is.
    """
    process = OwnProcess(READING, function, *values, **options)
    answer: Future[Any] = Future()

    def read() -> None:
        try:
            answer.set_result(next(process.values()))
        except Exception as error:
            answer.set_exception(error)

    threading.Thread(target=read, daemon=True).start()
    try:
        while not wait([answer], PULSE).done:
            report(0, 0)
    finally:
        process.end()
    return answer.result()


def sendable(error: Exception) -> Exception:
    """The error, or a RuntimeError with its message if the error can't be pickled."""
    with suppress(Exception):
        pickle.loads(pickle.dumps(error))
        return error
    return RuntimeError(str(error))


# ---- in the process ----


class _Pauses:
    """Pauses and resumes the function by the server's orders. Without a server the process ends."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._allowed: float = float("inf")  # values that may be computed before a pause

    def follow_orders(self) -> None:
        while order := sys.stdin.buffer.read(1):
            with self._changed:
                self._allowed = {RUN: float("inf"), PAUSE: 0, STEP: 1}[order]
                self._changed.notify_all()
        os._exit(1)

    def wait(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._allowed > 0)
            self._allowed -= 1


def _main() -> None:
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # stdout carries the values, so prints of libraries go to stderr
    limits, function, values, options = pickle.load(sys.stdin.buffer)
    limit_this_process(limits.memory_bytes, limits.cpu_seconds)
    pauses = _Pauses()
    threading.Thread(target=pauses.follow_orders, daemon=True).start()

    def send(kind: str, value: Any = None) -> None:
        content = pickle.dumps((kind, value), pickle.HIGHEST_PROTOCOL)  # all or nothing
        out.write(content)
        out.flush()

    try:
        found = function(*values, **options)
        steps = found if isinstance(found, Iterator) else iter([found])
        while True:
            pauses.wait()
            try:
                value = next(steps)
            except StopIteration:
                break
            send(VALUE, value)
        send(END)
    except Exception as error:
        send(ERROR, sendable(error))
    os._exit(0)  # the other thread still reads orders


if __name__ == "__main__":
    _main()
