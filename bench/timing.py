"""Medians of repeated work."""

from collections.abc import Callable
from statistics import median
from time import perf_counter


def seconds(work: Callable[[], object]) -> float:
    """How long the work takes once."""
    start = perf_counter()
    work()
    return perf_counter() - start


def paired_medians(
    ours: Callable[[], object], peer: Callable[[], object], *, repeats: int = 5, warmups: int = 1
) -> tuple[float, float]:
    """Median seconds of both. They take turns, so that a slow moment of the machine slows both.

    Parameters
    ----------
    ours : callable
    peer : callable
        The work to compare with.
    repeats : int
        Timed calls of each.
    warmups : int
        Calls of each before these.
    """
    for _ in range(warmups):
        ours()
        peer()
    times = [(seconds(ours), seconds(peer)) for _ in range(repeats)]
    ours_times, peer_times = zip(*times, strict=True)
    return median(ours_times), median(peer_times)
