"""A generator in a process of its own, whose values come while it runs; it can be paused.

This module is also the program that the process runs, so it imports little.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

from geometry.encode.limited import ROOT, limit_this_process

MEMORY_BYTES = 4 * 10**9  # of addresses, most of them of torch's libraries
CPU_SECONDS = 1_800
# Threads that wait by spinning are slow beside another training. One number of threads on every
# machine, because another number rounds in another way.
THREADS = {
    "OMP_NUM_THREADS": "2",
    "OMP_WAIT_POLICY": "PASSIVE",
    "OPENBLAS_NUM_THREADS": "1",
    "ARROW_IO_THREADS": "1",
}
VALUE, ERROR, END = "value", "error", "end"
RUN, PAUSE, STEP = b"r", b"p", b"s"  # what is written to the process, a byte each


class TrainingProcess:
    """A process that computes a generator's values.

    Parameters
    ----------
    function : callable
        Of a module's top level; it returns an iterator whose values can be pickled.
    *values
        Positional arguments of the function, which can be pickled.
    **options
        Keyword arguments of the function, which can be pickled.
    """

    def __init__(
        self, function: Callable[..., Iterator[Any]], *values: Any, **options: Any
    ) -> None:
        call = pickle.dumps((function, values, options))
        paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pages.common.training_process"],
            env=os.environ | THREADS | {"PYTHONPATH": paths},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._messages: SimpleQueue[bytes] = SimpleQueue()
        self._messages.put(call)
        # a thread, because the pipe takes a large text only as fast as the process reads it, and
        # the process reads nothing while it imports
        threading.Thread(target=self._write_messages, daemon=True).start()

    def values(self) -> Iterator[Any]:
        """The values as they come. An error of the generator is raised as it is.

        Raises
        ------
        EOFError
            If the process ended before the generator did.
        """
        assert self._process.stdout is not None
        with self._process.stdout as written:
            while True:
                try:
                    kind, value = pickle.load(written)
                except pickle.UnpicklingError as error:
                    raise EOFError("the process ended while it wrote a value") from error
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


class _Gate:
    """Opens and closes as the server orders; the process ends with the server."""

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
    os.dup2(2, 1)  # what a library prints is no value
    function, values, options = pickle.load(sys.stdin.buffer)
    limit_this_process(MEMORY_BYTES, CPU_SECONDS)
    gate = _Gate()
    threading.Thread(target=gate.follow_orders, daemon=True).start()

    def send(kind: str, value: Any = None) -> None:
        pickle.dump((kind, value), out, protocol=pickle.HIGHEST_PROTOCOL)
        out.flush()

    try:
        steps = function(*values, **options)
        while True:
            gate.wait()
            try:
                value = next(steps)
            except StopIteration:
                break
            send(VALUE, value)
        send(END)
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:  # an error that can't be pickled
            error = RuntimeError(str(error))
        send(ERROR, error)
    out.flush()
    os._exit(0)  # a thread still reads orders


if __name__ == "__main__":
    _main()
