"""Freed memory stays with the process, so that timings exclude the system's allocation."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

# option numbers in glibc's malloc.h; the defaults are 128 KiB and 65,536 areas
TRIM_THRESHOLD, MAX_MAPPED_AREAS = -1, -4
DEFAULTS = {TRIM_THRESHOLD: 128 * 1024, MAX_MAPPED_AREAS: 65_536}
KEEP_ALL = {TRIM_THRESHOLD: 2**31 - 1, MAX_MAPPED_AREAS: 0}


@contextmanager
def retained_memory() -> Iterator[None]:
    """Freed memory stays with the process within this block.

    Otherwise the memory of a large array returns to the system when it is freed. A virtual machine
    may have to fetch it again from its host, which takes up to 0.7 s for 300 MB, at random.
    Only glibc has these options; with another C library nothing is changed.
    """
    _set_malloc(KEEP_ALL)
    try:
        yield
    finally:
        _set_malloc(DEFAULTS)


def _set_malloc(options: dict[int, int]) -> None:
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    for option, value in options.items():
        if mallopt:
            mallopt(option, value)
