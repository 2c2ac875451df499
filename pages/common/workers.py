"""Long work in worker processes of low priority: it slows no page, and a cancel ends it at once.

There is at most one worker of each kind. It starts at its first work. It ends when it was idle for
a while, when its work is cancelled, or when the server ends. If it is killed, its work fails with
``WorkerDied``, other workers continue, and the next work starts a new worker.

A worker imports this module, so the module imports neither Streamlit nor torch.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from pathlib import Path
from typing import Any

from loky import ProcessPoolExecutor
from loky.process_executor import BrokenProcessPool, ShutdownExecutorError

from geometry.encode.limited import lower_priority
from geometry.hub.download import Progress

from .own_process import sendable

POLL_SECONDS = 0.2  # between two reports
WATCH_SECONDS = 1.0  # between a worker's checks that its server still runs
# BLAS and numba's OpenMP: threads that wait for each other by spinning are slow on busy cores
SINGLE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class WorkerDied(RuntimeError):
    """The worker process was killed, or a library crashed in it."""


class Panic(BaseException):
    """An error in the worker that is no Exception, such as a panic of a library in Rust."""


class Worker:
    """A process for work of one kind, which takes turns.

    Parameters
    ----------
    idle_seconds : float
        Idle time after which the process ends and frees its memory.
    """

    def __init__(self, idle_seconds: float) -> None:
        self.idle_seconds = idle_seconds
        self._executor: ProcessPoolExecutor | None = None
        self._lock = threading.Lock()

    def run(
        self, function: Callable[..., Any], *values: Any, report: Progress, **options: Any
    ) -> Any:
        """``function(*values, **options, progress=...)``, by the worker.

        Parameters
        ----------
        function : callable
            Of a module's top level. It calls ``progress`` with numbers, of which the last two are
            how much is done and how much there is.
        *values
            Positional arguments of the function, which can be pickled.
        report : callable
            Called with these two numbers several times a second, with (0, 0) before the first. An
            exception raised in it ends the process.
        **options
            Keyword arguments of the function, which can be pickled.

        Raises
        ------
        WorkerDied
            If the process ended. An error of the function is raised as it is.
        """
        # a worker that is being killed may still write its note while the folder is removed
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            note = Path(folder) / "progress"
            future = self.submit(_call, function, values, options, str(note))
            try:
                while not wait([future], POLL_SECONDS).done:
                    report(*_read_note(note))
                report(*_read_note(note))  # what was done since the last look
            except BaseException:
                self.stop()
                raise
            try:
                is_error, answer = future.result()
            except (BrokenProcessPool, ShutdownExecutorError) as error:
                raise WorkerDied(str(error)) from error
        if is_error:
            raise answer
        return answer

    def submit(self, function: Callable[..., Any], *values: Any) -> Future[Any]:
        """Start the call in the worker, and the worker if there is none."""
        with self._lock:
            try:
                return self._started().submit(function, *values)
            except (BrokenProcessPool, ShutdownExecutorError):  # killed while it was idle
                self._executor = None
                return self._started().submit(function, *values)

    def stop(self) -> None:
        """Kill the process, whatever it does."""
        with self._lock:
            executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=False, kill_workers=True)

    def _started(self) -> ProcessPoolExecutor:
        if self._executor is None:
            self._executor = ProcessPoolExecutor(
                1,
                timeout=self.idle_seconds,
                initializer=_begin,
                initargs=(os.getpid(),),
                env=SINGLE_THREAD,
            )
        return self._executor


ENCODING = Worker(idle_seconds=300)


def _begin(server: int) -> None:
    """Prepare the worker process."""
    lower_priority()
    if os.name == "posix":
        threading.Thread(target=_end_with, args=(server,), daemon=True).start()


def _end_with(server: int) -> None:
    """End this process once it has another parent, because the server was killed."""
    while os.getppid() == server:
        time.sleep(WATCH_SECONDS)
    os._exit(1)


def _call(
    function: Callable[..., Any], values: tuple[Any, ...], options: dict[str, Any], note: str
) -> tuple[bool, Any]:
    """(False, the answer) or (True, the error), in the worker."""
    part, last = Path(f"{note}.part"), ""

    def write(*numbers: Any) -> None:
        nonlocal last
        text = f"{numbers[-2]} {numbers[-1]}"
        if text == last:  # writing the same note for each of 100,000 texts took minutes
            return
        last = text
        with suppress(OSError):  # work continues on a full disk
            part.write_text(text, encoding="ascii")
            part.replace(note)  # atomic, so that no reader gets half of a note

    try:
        return False, function(*values, **options, progress=write)
    except Exception as error:
        return True, sendable(error)
    except BaseException as error:
        return True, Panic(f"{type(error).__name__}: {error}")


def _read_note(note: Path) -> tuple[int, int]:
    try:
        done, total = note.read_text(encoding="ascii").split()
    except (OSError, ValueError):  # there is no file yet
        return 0, 0
    return int(done), int(total)
