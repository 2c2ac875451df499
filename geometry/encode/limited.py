"""Runs a module in a process of its own, which ends at limits of memory and time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from ..data.limits import WAITING

PULSE = 0.1  # seconds between two checks of the clock and of a cancel
NICENESS_VARIABLE = "NARROW_CONE_NICENESS"  # variable of the environment; its default is 10
ROOT = Path(__file__).resolve().parents[2]  # where the package is imported from


@contextmanager
def started(
    module: str, *arguments: str, content: IO[Any] | None = None, env: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """A process that runs the module, killed at the end of the block.

    Parameters
    ----------
    module : str
    *arguments : str
        Arguments of its command line.
    content : file, optional
        Its standard input.
    env : mapping
        Variables of its environment beside those of this process.
    """
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        env=os.environ | env | {"PYTHONPATH": paths},
        stdin=subprocess.DEVNULL if content is None else content,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()  # does nothing if it has ended
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def output_of(
    process: subprocess.Popen[bytes], seconds: float, watch: Callable[[], object] | None
) -> bytes:
    """The output of the process; empty if it takes too long or fails.

    Parameters
    ----------
    process : Popen
    seconds : float
        Its limit of processor time, of which it may take WAITING times as long by the clock.
    watch : callable or None
        Called several times a second; an exception raised in it is raised here.
    """
    last = time.monotonic() + WAITING * seconds
    while True:
        try:
            output = process.communicate(timeout=PULSE)[0]
        except subprocess.TimeoutExpired:
            if time.monotonic() > last:
                return b""
            if watch is not None:
                watch()
        else:
            return b"" if process.returncode else output


def lower_priority() -> None:
    """Lower the priority of this process, where the system can."""
    if hasattr(os, "nice"):
        os.nice(int(os.environ.get(NICENESS_VARIABLE, "10")))


def limit_this_process(most_bytes: int, seconds: float) -> None:
    """Low priority, and a limit of further memory and of processor time, where the system can."""
    lower_priority()
    try:
        import resource
    except ImportError:  # Windows: only the time is limited, by the caller
        return
    status = Path("/proc/self/status")
    used = 0
    if status.is_file():
        lines = status.read_text(encoding="utf-8").splitlines()
        used = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmSize"))
    for what, limit in (
        (resource.RLIMIT_AS, used + most_bytes),
        (resource.RLIMIT_CPU, int(seconds) + 1),  # also ends the process if its caller has ended
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        within = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        try:
            resource.setrlimit(what, (within, within))
        except (ValueError, OSError):  # macOS supports no limit of addresses
            continue
