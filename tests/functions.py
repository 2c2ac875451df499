"""Functions that separate processes run in tests. Few imports, so that they start fast."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path


def fill(n_bytes: int) -> int:
    return len(bytearray(n_bytes))


def crash() -> None:
    os._exit(3)


def niceness() -> int:
    return os.nice(0)


def loaded() -> list[str]:
    return list(sys.modules)


def spin() -> None:
    while True:
        pass


def spin_for_two_seconds() -> None:
    end = time.process_time() + 2
    while time.process_time() < end:
        pass


def use_memory_first() -> None:
    global _used
    _used = bytearray(3 * 10**8)


def used_bytes() -> int:
    return len(_used)


def add_slowly(first: int, two: int, *, progress: Callable[[int, int], None]) -> int:
    for done in range(4):
        progress(done, 4)
        time.sleep(0.05)
    return first + two


def count_fast(*, progress: Callable[[int, int], None]) -> None:
    for done in range(100_000):
        progress(done + 1, 100_000)


def work_until(path: str, *, progress: Callable[[int, int], None]) -> str:
    """Write this process's id, then report until a file "end" exists beside it."""
    file = Path(path)
    file.with_suffix(".part").write_text(str(os.getpid()))
    file.with_suffix(".part").replace(file)
    while not file.with_name("end").exists():
        progress(1, 2)
        time.sleep(0.01)
    return "done"


def fail(error: BaseException) -> None:
    raise error


def panic() -> None:
    raise BaseException("no Exception")


class Picky(Exception):
    """An error that can be pickled and not be read again."""

    def __init__(self, first: int, two: int) -> None:
        super().__init__("too picky")


def raise_picky() -> None:
    raise Picky(1, 2)


def raise_unpicklable() -> None:
    error = ValueError("with a function")
    error.function = lambda: None  # type: ignore[attr-defined]
    raise error


def return_unpicklable() -> Callable[[], None]:
    return lambda: None


def count_apart(n: int) -> Iterator[int]:
    for number in range(n):
        sys.stdout.write("what a library prints is no record")
        yield number
        time.sleep(0.01)


def count_then_fail(error: Exception) -> Iterator[int]:
    yield 0
    raise error


def count_then_crash() -> Iterator[int]:
    yield 0
    os._exit(3)
