"""Blocks of rows on several threads, each of which multiplies alone.

A BLAS that splits every product among threads leaves all but one of them idle while numpy
subtracts and sums in between. Whole blocks to each thread keep all of them at work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Lock
from typing import Any, TypeVar

MOST = 4  # threads; more wait for memory
LEAST_BLOCKS = 8  # fewer are done before threads have begun

_Part = TypeVar("_Part")
_one_at_a_time = Lock()  # BLAS has one number of threads, whoever asks for it


def by_threads(work: Callable[[Sequence[int]], _Part], starts: Sequence[int]) -> list[_Part]:
    """work(some of the starts) by as many threads as BLAS may use, in a fixed order of parts.

    One part, in this thread, where BLAS has been limited to one, the blocks are few, or another
    caller is at it.
    """
    if len(starts) < LEAST_BLOCKS or not _one_at_a_time.acquire(blocking=False):
        return [work(starts)]
    try:
        blas = _blas()
        threads = min([MOST, *(library.num_threads for library in blas.lib_controllers)])
        if threads < 2:
            return [work(starts)]
        with blas.limit(limits=1), ThreadPoolExecutor(threads) as pool:
            return list(pool.map(work, [starts[k::threads] for k in range(threads)]))
    finally:
        _one_at_a_time.release()


@cache
def _blas() -> Any:
    """The libraries that numpy multiplies with: they are there from its import on, and looking
    for them takes as long as three blocks do."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")
