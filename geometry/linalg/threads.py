"""Blocks of rows on several threads, each of which multiplies alone.

A BLAS that splits every product among threads leaves all but one of them idle while numpy
subtracts and sums in between. Whole blocks to each thread keep all of them at work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Lock
from typing import Any, TypeVar

MOST = 16  # threads; each holds some 20 MB
NEAR_ROWS = 256
LEAST_BLOCKS = 8  # fewer are done before threads have begun

_Part = TypeVar("_Part")
_one_at_a_time = Lock()  # BLAS has one number of threads, whoever asks for it


def even_blocks(n: int, most: int) -> range:
    """Starts of blocks of n rows, ``step`` of them in each and never more than so many.

    Where there are blocks enough for threads, each has the same share of the rows: one thread with
    a block more than the other would keep it waiting.
    """
    count = -(-n // most)
    if count >= LEAST_BLOCKS:
        count += -count % _threads()
    return range(0, n, -(-n // max(count, 1)) or most)


def by_threads(work: Callable[[Sequence[int]], _Part], starts: Sequence[int]) -> list[_Part]:
    """work(some of the starts) by as many threads as BLAS may use, in a fixed order of parts.

    One part, in this thread, where BLAS has been limited to one, the blocks are few, or another
    caller is at it. BLAS is limited to one thread meanwhile, for the whole process: as with any
    limit of threadpoolctl's, one that another thread sets in between may outlast it.
    """
    if len(starts) < LEAST_BLOCKS or not _one_at_a_time.acquire(blocking=False):
        return [work(starts)]
    try:
        threads = _threads()
        if threads < 2:
            return [work(starts)]
        with _blas().limit(limits=1), ThreadPoolExecutor(threads) as pool:
            return list(pool.map(work, [starts[k::threads] for k in range(threads)]))
    finally:
        _one_at_a_time.release()


def _threads() -> int:
    return min(MOST, blas_threads())


def blas_threads() -> int:
    """How many threads one of numpy's products may take now; MOST where its BLAS is not known."""
    return min((library.num_threads for library in _blas().lib_controllers), default=MOST)


def blas_kernels() -> set[str]:
    """The kinds of processor that numpy's BLAS takes this one for, in its own words."""
    return {str(library.info().get("architecture")) for library in _blas().lib_controllers}


def near_slices(n: int) -> Iterator[slice]:
    """Slices of n rows, few enough at a time for the cache of one processor.

    What a pass of numpy leaves there, the next one need not fetch again.
    """
    return (slice(start, start + NEAR_ROWS) for start in range(0, n, NEAR_ROWS))


@cache
def _blas() -> Any:
    """The libraries that numpy multiplies with: they are there from its import on, and looking
    for them takes as long as three blocks do."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")
