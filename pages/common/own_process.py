"""A function in a process of its own: it delays no other visitor, and a cancel ends it at once.

This module is also the program that the process runs, so it imports little.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from geometry.encode.limited import limit_this_process

ROOT = Path(__file__).resolve().parents[2]
PULSE = 0.1  # seconds between two reports
MEMORY_BYTES = 2 * 10**9  # of addresses, beyond those of the libraries
CPU_SECONDS = 120
# BLAS and pyarrow reserve addresses for each thread, and a worker of low priority needs none
SINGLE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "ARROW_IO_THREADS"), "1")


class ProcessEnded(RuntimeError):
    """The process ended without an answer: it passed a limit, or a library crashed."""


def run_apart(
    function: Callable[..., Any],
    *values: Any,
    report: Callable[[int, int], None],
    **options: Any,
) -> Any:
    """``function(*values, **options)``, by a process of low priority, limited in memory and time.

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
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    process = subprocess.Popen(
        [sys.executable, "-m", "pages.common.own_process"],
        env=os.environ | SINGLE | {"PYTHONPATH": paths},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    # a thread, because a second ``communicate`` of Python 3.11 sends nothing more
    call = pickle.dumps((function, values, options))
    threading.Thread(target=_send, args=(process.stdin, call), daemon=True).start()
    process.stdin = None
    try:
        while True:
            try:
                answer, _ = process.communicate(timeout=PULSE)
                break
            except subprocess.TimeoutExpired:
                report(0, 0)
    finally:
        process.kill()  # nothing if it has ended
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
    if process.returncode or not answer:
        raise ProcessEnded(f"it takes more than {CPU_SECONDS} s or {MEMORY_BYTES // 10**9} GB")
    is_error, found = pickle.loads(answer)
    if is_error:
        raise found
    return found


def _send(pipe: IO[bytes], content: bytes) -> None:
    with suppress(BrokenPipeError), pipe:  # the process was ended
        pipe.write(content)


def _main() -> None:
    function, values, options = pickle.load(sys.stdin.buffer)
    limit_this_process(MEMORY_BYTES, CPU_SECONDS)
    try:
        content = pickle.dumps((False, function(*values, **options)))
    except Exception as error:
        try:
            content = pickle.dumps((True, error))
            pickle.loads(content)
        except Exception:  # an error that can't be pickled
            content = pickle.dumps((True, RuntimeError(str(error))))
    sys.stdout.buffer.write(content)


if __name__ == "__main__":
    _main()
