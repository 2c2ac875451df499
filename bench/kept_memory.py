"""Memory that a process keeps, so that a time is that of the work and not of the system."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

# of glibc's malloc.h; its own values are 128 KiB and 65,536 areas
TRIM_THRESHOLD, AREAS_OF_THEIR_OWN = -1, -4
USUAL = {TRIM_THRESHOLD: 128 * 1024, AREAS_OF_THEIR_OWN: 65_536}
KEPT = {TRIM_THRESHOLD: 2**31 - 1, AREAS_OF_THEIR_OWN: 0}


@contextmanager
def kept_memory() -> Iterator[None]:
    """What is freed stays with the process, and the next array has it at once.

    A large array's memory is otherwise given back when it is freed, and a virtual machine may have
    to fetch it again from its host: 300 MB then take anything up to .7 s, by luck, whoever asks.
    Where the C library is not glibc nothing is done.
    """
    _tell_malloc(KEPT)
    try:
        yield
    finally:
        _tell_malloc(USUAL)


def _tell_malloc(options: dict[int, int]) -> None:
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    for option, value in options.items():
        if mallopt:
            mallopt(option, value)
