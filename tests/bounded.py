"""Runs readers on hostile input in a child process whose memory and time are watched.

The parent ends a child that grows by more than ``MEGABYTES``, or uses more than ``SECONDS`` of
processor time on one input. A new child then reads the next input. If a reader starts a process,
its peak memory is compared with the limit after that process has ended.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
MEGABYTES, SECONDS = 1_000, 10
_ADDRESS_SPACE = 8 << 30  # protects the machine if the parent measures too rarely
WAITING = 12  # the limit by the clock is this many times SECONDS: other tests use the processor too
_POLL = 0.02  # seconds between two measurements of the child


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
    """The outcome of each attempt, in order."""
    found: list[Outcome] = []
    with tempfile.TemporaryDirectory() as folder:
        while len(found) < len(attempts):
            file = Path(folder) / "attempts"
            with file.open("wb") as out:
                for attempt in attempts[len(found) :]:
                    pickle.dump(attempt, out)
            found += _of_one_child(file, len(attempts) - len(found), megabytes, seconds)
    return found


def _of_one_child(file: Path, n: int, megabytes: int, seconds: float) -> list[Outcome]:
    """The outcomes until the child ends, by itself or at a limit."""
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.bounded", str(file)], cwd=ROOT, stdout=subprocess.PIPE
    )
    found: list[Outcome] = []
    lines: list[list[str]] = []
    reading = threading.Thread(target=_collect, args=(child, lines))
    reading.start()
    base, began, worked, ended_for = 0.0, time.monotonic(), 0.0, ""
    while reading.is_alive() and not ended_for:
        reading.join(_POLL)
        n_before = len(found)
        found += [_outcome(line, megabytes) for line in lines[1 + n_before :]]
        size, seconds_worked = _measured(child.pid)
        if len(found) > n_before or not lines:
            began, worked = time.monotonic(), seconds_worked
        if lines:
            base = base or size
            if size > base + megabytes:
                ended_for = "large"
            elif seconds_worked - worked > seconds or time.monotonic() - began > WAITING * seconds:
                ended_for = "slow"
    if ended_for:
        child.kill()
    reading.join()
    code = child.wait()
    found = [_outcome(line, megabytes) for line in lines[1:]]
    if len(found) < n:
        assert lines, f"the child did not start (exit code {code})"
        found.append(Outcome(ended_for or "crash", f"exit code {code}"))
    return found


def _outcome(line: list[str], megabytes: int) -> Outcome:
    ending, seconds, peak, said = line
    return Outcome("large" if float(peak) > megabytes else ending, said, float(seconds))


def _collect(child: subprocess.Popen[bytes], lines: list[list[str]]) -> None:
    assert child.stdout is not None
    with child.stdout as out:
        for line in out:
            lines.append(line.decode().rstrip("\n").split("\t", 3))


def _measured(pid: int) -> tuple[float, float]:
    """(resident megabytes, seconds of processor time); the time includes ended children."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]
    except (OSError, IndexError):  # the process has ended, or the system has no /proc
        return 0, 0
    seconds = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6, seconds


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
    """The coverage of texts of 100,000 characters."""
    from geometry import load_encoder

    text = content.decode()
    return load_encoder().coverage([text[i : i + 10**5] for i in range(0, len(text), 10**5)])


def _child(file: Path) -> None:
    import resource

    from geometry.errors import GeometryError

    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    readers = _readers()
    readers["vectors"](b"a 1\nb 2\n")  # so that pyarrow is loaded before the memory is measured
    _say("ready")
    for attempt in _attempts(file):
        began, before = time.monotonic(), _peak_of_processes()
        try:
            readers[attempt.reader](attempt.content, **attempt.options)
            ending, said = "read", ""
        except GeometryError as error:
            str(error)
            ending, said = "refused", error.code
        except BaseException as error:  # any error: the table of results names it
            ending, said = "other", f"{type(error).__name__}: {error}"
        said = " ".join(said.split())[:200].encode("ascii", "replace").decode()
        peak = _peak_of_processes()
        grown = peak if peak > before else 0
        _say(f"{ending}\t{time.monotonic() - began:.3f}\t{grown:.0f}\t{said}")


def _attempts(file: Path) -> Iterator[Attempt]:
    """One attempt at a time: a reader's process starts with the memory of this process."""
    with file.open("rb") as content:
        while True:
            try:
                yield pickle.load(content)
            except EOFError:
                return


def _peak_of_processes() -> float:
    """The most resident megabytes of any process that this one started and that has ended."""
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit / 1e6


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _child(Path(sys.argv[1]))
