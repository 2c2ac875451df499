"""Functions that a process of its own runs in tests. Few imports, so that it starts fast."""

import os
import time
from pathlib import Path


def fill(n_bytes: int) -> int:
    return len(bytearray(n_bytes))


def crash() -> None:
    os._exit(3)


def priority() -> int:
    return os.nice(0)


def wait_after_writing_the_pid(path: str) -> None:
    Path(path).write_text(str(os.getpid()))
    time.sleep(600)


def raise_a_panic() -> None:
    raise BaseException("no Exception")


class Picky(Exception):
    """An error that can't be pickled."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__("too picky")


def raise_picky() -> None:
    raise Picky(1, 2)


def raise_unpicklable() -> None:
    error = ValueError("with a function")
    error.function = lambda: None  # type: ignore[attr-defined]
    raise error
