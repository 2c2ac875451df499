"""Work on several items at a time: numpy's large operations run beside each other in threads."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

Given = TypeVar("Given")
Result = TypeVar("Result")


def in_threads(
    work: Callable[[Given], Result], items: Iterable[Given], threads: int
) -> Iterator[Result]:
    """The result of each item, in order; no more than ``threads`` items are begun ahead."""
    if threads == 1:
        yield from map(work, items)
        return
    rest = iter(items)
    with ThreadPoolExecutor(threads) as pool:
        begun = deque(pool.submit(work, item) for item in islice(rest, threads))
        while begun:
            result = begun.popleft().result()
            begun.extend(pool.submit(work, item) for item in islice(rest, 1))
            yield result
