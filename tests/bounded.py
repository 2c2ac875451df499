"""Runs readers on hostile input in another process, and measures its memory and time.

An input is "large" if the process, or one that a reader starts, grows by more than ``MEGABYTES``,
and "slow" beyond ``SECONDS`` of processor time. After a crash a new process reads the next input.
"""

import os
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from geometry.process import Process, ProcessEnded, ProcessLimits

MEGABYTES, SECONDS = 1_000, 10
WAITING = 12  # the limit by the clock is this many times SECONDS: other tests use the processor too
_AT_ONCE = 100  # inputs of a process: a reader's own process begins with the memory of its parent
_LIMITS = ProcessLimits(memory_bytes=8 << 30)  # protects the machine


@dataclass(frozen=True)
class Attempt:
    """One call of a reader; ``kind`` is its row in the table of results."""

    reader: str
    content: bytes
    kind: str = ""
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """How an attempt ended.

    ending : "read", "refused" (the library's own error), "other" (any other error), "crash",
        "slow" or "large".
    said : the code of the library's error, or the text of another one.
    """

    ending: str
    said: str = ""
    seconds: float = 0.0

    @property
    def is_fine(self) -> bool:
        return self.ending in ("read", "refused")


def outcomes(
    attempts: Sequence[Attempt], *, megabytes: int = MEGABYTES, seconds: float = SECONDS
) -> list[Outcome]:
    found: list[Outcome] = []
    while len(found) < len(attempts):
        part = attempts[len(found) : len(found) + _AT_ONCE]
        found += _of_one_process(part, megabytes, seconds)
    return found


def _of_one_process(part: Sequence[Attempt], megabytes: int, seconds: float) -> list[Outcome]:
    """The outcomes until the process ends, by itself or at a limit."""
    found: list[Outcome] = []
    began = time.monotonic()

    def report(*_: int) -> None:
        if time.monotonic() - began > WAITING * seconds:
            raise TimeoutError

    process = Process(_LIMITS)
    try:
        process.start(partial(_read_each, part, megabytes, seconds))
        for outcome in process.values(report):
            found.append(outcome)
            began = time.monotonic()
    except TimeoutError:
        found.append(Outcome("slow"))
    except ProcessEnded as error:
        found.append(Outcome("crash", str(error)))
    finally:
        process.end()
    return found


def _read_each(part: Sequence[Attempt], megabytes: int, seconds: float) -> Iterator[Outcome]:
    readers = _readers()
    readers["vectors"](b"a 1\nb 2\n")  # so that pyarrow is loaded before the memory is measured
    base = _peak(resource.RUSAGE_SELF)
    for attempt in part:
        own, others, began = _peak(resource.RUSAGE_SELF), _peak(resource.RUSAGE_CHILDREN), _worked()
        ending, said = _ending(readers[attempt.reader], attempt)
        worked, peak = _worked() - began, _peak(resource.RUSAGE_SELF)
        of_others = _peak(resource.RUSAGE_CHILDREN)
        if (peak > own and peak - base > megabytes) or megabytes < of_others > others:
            ending = "large"
        elif worked > seconds:
            ending = "slow"
        yield Outcome(ending, said, worked)


def _ending(read: Callable[..., Any], attempt: Attempt) -> tuple[str, str]:
    from geometry.errors import GeometryError

    try:
        read(attempt.content, **attempt.options)
    except GeometryError as error:
        str(error)
        return "refused", error.code
    except BaseException as error:  # any error: the table of results names it
        return "other", f"{type(error).__name__}: {error}"[:200]
    return "read", ""


def _readers() -> dict[str, Callable[..., Any]]:
    from geometry import project, read_corpus, read_pairs, read_vectors
    from geometry.data.corpus import preview_table, read_pasted
    from geometry.vectors import read_counts, read_vector_set, read_word_pairs

    return {
        "corpus": read_corpus,
        "preview": preview_table,
        "pasted": lambda content, **options: (
            read_pasted(content.decode("utf-8", "surrogateescape"), **options).sha256
        ),
        "pairs": read_pairs,
        "vectors": read_vectors,
        "vector set": read_vector_set,
        "drawn vectors": lambda content: project(read_vectors(content).vectors),
        "word pairs": read_word_pairs,
        "counts": read_counts,
        "coverage": _coverage,
    }


def _coverage(content: bytes) -> Any:
    from geometry import load_encoder

    text = content.decode()
    return load_encoder().coverage([text[i : i + 10**5] for i in range(0, len(text), 10**5)])


def _peak(who: int) -> float:
    """The most resident megabytes of this process, or of any that it started and that ended."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(who).ru_maxrss * unit / 1e6


def _worked() -> float:
    """Seconds of processor time, also of processes that have ended."""
    return sum(os.times()[:4])
