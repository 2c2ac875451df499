"""Many readers at once: first pictures, moved controls, memory, on one server of two cores.

60 readers are also tried on two replicas behind deploy's nginx.
"""

import asyncio
import os
import random
import re
import sys
import tempfile
from collections.abc import Coroutine, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import numpy as np

from bench.reader import PageError, Reader, Run
from bench.table import Row
from tests.browser.server import ROOT, AppServer
from tests.deploy.proxy import Proxy

# The controls that readers move. Each fourth move is of the last one, which needs another cloud.
CONTROLS = {
    "narrow_cone": ("film", "layer"),
    "whitening": ("strength", "centring", "layer"),
    "sentence_similarity": ("sts-pooling", "after", "sts-layer"),
}
PAUSE = (3.0, 7.0)  # seconds between two moves of a reader
MOVES, ALONE_MOVES = 8, 24  # moves of each of many readers, and of a single reader
# Sessions; limits of a first picture and of a move in seconds, which 95 of 100 meet.
CLASSES = ((1, None, 0.15), (10, None, None), (30, 4.0, 1.0), (60, None, 3.0))
REPLICATED, REPLICATED_LIMIT = 60, 3.0  # sessions on two replicas; seconds of a move
MEANWHILE, MEANWHILE_LIMIT = 30, 1.5  # sessions beside a long job; seconds of a move
LONG_TEXTS, LONG_WORDS = 20_000, 25  # texts of an encoding; words of each
# Other long jobs: a page, and the addresses that one more visitor opens one after the other.
_LAYERS = (*range(1, 7), "first-last", "last-2", "last-3", "last-4")
_CLOUDS = [f"layer={n}&pooling={name}" for name, n in product(("cls", "max", "mean"), _LAYERS)]
LONG_JOBS = {
    "UMAP": ("narrow_cone", [f"view=umap&{cloud}" for cloud in _CLOUDS]),
    "a flow": (
        "whitening",
        [f"second=flow&unit={u}&{c}" for u, c in product(("sentences", "tokens"), _CLOUDS)],
    ),
    "a bootstrap of every layer": (
        "sentence_similarity",
        [f"sts-grid=after&after=pca:{k}" for k in range(16, 385, 16)],
    ),
}
VISITS, VISITS_AT_ONCE, RETAINED = 200, 10, 50.0  # sessions, of which so many are open at once; MB
CLEARED_AFTER = 240.0  # seconds until closed sessions take no memory
# Every Python process imports this module at its start; the server's alone replaces the function.
WITHOUT_TRIM = """
import sys
if "streamlit" in sys.orig_argv:
    from pages.common import server_memory
    server_memory.return_memory = lambda growth=0: None
"""
SOAK_READERS = 20
SOAK_MINUTES = float(os.environ.get("SOAK_MINUTES", "30"))


@dataclass
class Record:
    """Times and errors of the readers of one test."""

    first: list[Run] = field(default_factory=list)
    moves: list[Run] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def main() -> list[Row]:
    """Rows of 95th percentiles at the server, to the end of the script run. Nothing is drawn."""
    with tempfile.TemporaryDirectory() as folder, AppServer(cache_dir=Path(folder)) as server:
        fill_caches(server)
        rows = []
        for page in CONTROLS:
            for sessions, first_limit, move_limit in CLASSES:
                moves = MOVES if sessions > 1 else ALONE_MOVES
                record = asyncio.run(read(server, page, sessions, moves, PAUSE))
                rows += rows_of(page, sessions, record, first_limit, move_limit)
        rows += asyncio.run(beside_an_encoding(server, "narrow_cone"))
        for job, (page, addresses) in LONG_JOBS.items():
            rows += asyncio.run(beside(job, open_all(server, page, addresses), server))
        rows += on_two_replicas(Path(folder))
        rows += [retained_memory(server), retained_without_trim(Path(folder)), soak(server)]
        return rows


def on_two_replicas(cache: Path) -> list[Row]:
    """The rows of all pages with two servers behind nginx, as deploy/ starts them."""
    with ExitStack() as running:
        servers = [running.enter_context(AppServer(cache_dir=cache)) for _ in range(2)]
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        proxy = running.enter_context(Proxy(folder, [server.port for server in servers]))
        for server in servers:
            fill_caches(server)
        rows = []
        for page in CONTROLS:
            record = asyncio.run(read(proxy, page, REPLICATED, MOVES, PAUSE))
            rows += rows_of(f"{page} on two replicas", REPLICATED, record, None, REPLICATED_LIMIT)
        return rows


def fill_caches(server: AppServer) -> None:
    for page in CONTROLS:
        asyncio.run(move_through(server, page))


async def move_through(server: AppServer, page: str) -> None:
    """One reader sets each control to all its values."""
    async with Reader(server.port, page) as reader:
        await reader.open()
        for key in CONTROLS[page]:
            for value in reader.controls[key].choices:
                await reader.move(key, value)


async def read(
    server: AppServer | Proxy, page: str, sessions: int, moves: int, pause: tuple[float, float]
) -> Record:
    """So many readers open a page at once and each moves controls, with pauses.

    Parameters
    ----------
    server : AppServer or Proxy
    page : str
        Name of a page.
    sessions : int
        Readers.
    moves : int
        Of each reader.
    pause : (float, float)
        Shortest and longest time between two moves of a reader, in seconds.
    """
    record = Record()
    await asyncio.gather(
        *(_visit(server, page, seed, moves, pause, record) for seed in range(sessions))
    )
    print(f"bench: {summary(page, sessions, record)}", file=sys.stderr, flush=True)
    return record


async def _visit(
    server: AppServer | Proxy,
    page: str,
    seed: int,
    moves: int,
    pause: tuple[float, float],
    record: Record,
) -> None:
    draw = random.Random(seed)
    try:
        async with Reader(server.port, page) as reader:
            record.first.append(await reader.open())
            for place in range(seed, seed + moves):
                await asyncio.sleep(draw.uniform(*pause))
                *others, rare = CONTROLS[page]
                key = rare if place % 4 == 0 else draw.choice(others)
                value = draw.choice(reader.controls[key].choices)
                record.moves.append(await reader.move(key, value))
    except (OSError, TimeoutError, PageError, KeyError) as error:
        record.errors.append(f"{type(error).__name__}: {error}"[:200])


async def beside_an_encoding(server: AppServer, page: str) -> list[Row]:
    """The rows of a page while one more visitor's own corpus is encoded."""
    draw = random.Random(0)
    words = ["".join(draw.choices("aeinorst", k=draw.randint(2, 8))) for _ in range(5000)]
    texts = "\n".join(" ".join(draw.choices(words, k=LONG_WORDS)) for _ in range(LONG_TEXTS))
    async with Reader(server.port, "your_corpus") as visitor:
        await visitor.open()
        await visitor.move("pasted", texts)
        encoding = asyncio.create_task(visitor.move("use_pasted", True))
        # its tokens are counted first
        while not visitor.progress.startswith("Encoding") and not encoding.done():
            await asyncio.sleep(0.1)
        return await _read_beside("an encoding", encoding, server, page)


async def open_all(server: AppServer, page: str, addresses: Sequence[str]) -> None:
    """One visitor opens a page with each of these settings and waits for its work.

    Parameters
    ----------
    server : AppServer
    page : str
        Name of a page.
    addresses : sequence of str
        Queries of the address, without "?".
    """
    for query in addresses:
        async with Reader(server.port, page, query=query) as visitor:
            await visitor.open()


async def beside(job: str, work: Coroutine[Any, Any, None], server: AppServer) -> list[Row]:
    """The rows of *Narrow cone* while one more visitor's long work is done.

    Parameters
    ----------
    job : str
        Names the work in the rows.
    work : coroutine
        Cancelled after the last reader.
    server : AppServer
    """
    working = asyncio.create_task(work)
    await asyncio.sleep(1)
    return await _read_beside(job, working, server, "narrow_cone")


async def _read_beside(
    job: str, working: asyncio.Task[Any], server: AppServer, page: str
) -> list[Row]:
    record = await read(server, page, MEANWHILE, MOVES, PAUSE)
    if working.done():
        reason = f": {working.exception()}" if working.exception() else ""
        record.errors.append(f"{job} ended before the readers{reason}")
    working.cancel()
    with suppress(asyncio.CancelledError, Exception):
        await working
    return rows_of(f"{page} beside {job}", MEANWHILE, record, None, MEANWHILE_LIMIT)


def summary(page: str, sessions: int, record: Record) -> str:
    """One line of medians and 95th percentiles, with the first errors.

    Parameters
    ----------
    page : str
        Name of a page.
    sessions : int
        Readers.
    record : Record
    """
    first, moves = seconds(record.first), seconds(record.moves)
    size = np.mean([run.size for run in record.moves]) / 1e3
    return (
        f"{page}, {sessions} sessions: first picture {median(first):.2f} s, "
        f"p95 {p95(first):.2f} s; move {median(moves):.2f} s, p95 {p95(moves):.2f} s, "
        f"{size:.0f} kB; {len(record.errors)} errors {record.errors[:2]}"
    )


def rows_of(
    page: str, sessions: int, record: Record, first_limit: float | None, move_limit: float | None
) -> list[Row]:
    """The row of the first picture and the row of the moves.

    Parameters
    ----------
    page : str
        Name of a page.
    sessions : int
        Readers.
    record : Record
    first_limit : float or None
        Most seconds of the first picture, for 95 of 100.
    move_limit : float or None
        Most seconds of a moved control, for 95 of 100.
    """
    readers = "reader" if sessions == 1 else "readers"
    rows = []
    for name, runs, limit in (
        ("first picture", record.first, first_limit),
        ("a moved control", record.moves, move_limit),
    ):
        times = seconds(runs)
        rows.append(
            Row(
                f"{page}, {sessions} {readers}: {name}, p95 at the server",
                p95(times),
                target="" if limit is None else f"{limit:g} s or less, no error",
                met=None if limit is None else p95(times) <= limit and not record.errors,
                note=f"median {median(times):.2f} s of {len(times)}; "
                f"{np.mean([run.size for run in runs]) / 1e3:.0f} kB; errors {len(record.errors)}",
            )
        )
    return rows


def retained_memory(server: AppServer) -> Row:
    """Growth of the process's memory after 200 sessions were opened and closed."""
    before = memory(server)
    for _ in range(VISITS // VISITS_AT_ONCE):
        asyncio.run(read(server, "narrow_cone", VISITS_AT_ONCE, 1, (0, 0.5)))
    more = growth_once_cleared(server, before)
    return Row(
        f"memory after {VISITS} sessions, opened and closed, minus that before",
        more,
        unit="MB",
        target=f"{RETAINED:g} MB or less",
        met=more <= RETAINED,
    )


def retained_without_trim(cache: Path) -> Row:
    """The same figure on a new server that never calls malloc_trim; it has no target."""
    with tempfile.TemporaryDirectory() as hook:
        (Path(hook) / "sitecustomize.py").write_text(WITHOUT_TRIM, encoding="utf-8")
        both = {"PYTHONPATH": os.pathsep.join((hook, str(ROOT)))}
        with AppServer(cache_dir=cache, environment=both) as server:
            fill_caches(server)
            row = retained_memory(server)
    return replace(row, name="the same without malloc_trim", target="", met=None)


def growth_once_cleared(server: AppServer, before: float) -> float:
    """Growth of the memory in MB, once it is RETAINED or less or CLEARED_AFTER is over.

    Streamlit stores a closed session for two minutes; then a sweep clears it away.
    """
    deadline = perf_counter() + CLEARED_AFTER
    while memory(server) - before > RETAINED and perf_counter() < deadline:
        sleep(1)
    return memory(server) - before


def soak(server: AppServer) -> Row:
    """Readers who go on for half an hour (SOAK_MINUTES); the growth of memory in the later half."""
    start, sizes, errors = perf_counter(), [], 0
    while perf_counter() - start < 60 * SOAK_MINUTES:
        record = asyncio.run(read(server, "narrow_cone", SOAK_READERS, 10, PAUSE))
        sizes.append(memory(server))
        errors += len(record.errors)
    growth = sizes[-1] - sizes[len(sizes) // 2]
    return Row(
        f"{SOAK_READERS} readers for {SOAK_MINUTES:g} minutes: growth of memory in the later half",
        growth,
        unit="MB",
        target=f"{RETAINED:g} MB or less, no error",
        met=growth <= RETAINED and not errors,
        note=f"{sizes[-1]:.0f} MB at the end; errors {errors}",
    )


def memory(server: AppServer) -> float:
    """The server's resident memory in MB."""
    status = Path(f"/proc/{server.process_id}/status").read_text(encoding="utf-8")
    [kilobytes] = re.findall(r"VmRSS:\s+(\d+)", status)
    return int(kilobytes) / 1e3


def seconds(runs: list[Run]) -> list[float]:
    return [run.seconds for run in runs] or [float("nan")]


def median(values: list[float]) -> float:
    return float(np.median(values))


def p95(values: list[float]) -> float:
    return float(np.quantile(values, 0.95))
