"""Waiting for a condition, such as the end of a job in another thread."""

import threading
import time
from collections.abc import Callable

PATIENCE = 60.0  # seconds; a busy machine may need many of them


def until(condition: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Return as soon as the condition is true; fail after some seconds."""
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, "the condition did not become true"
        pause.wait(0.005)
