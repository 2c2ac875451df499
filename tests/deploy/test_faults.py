"""Servers with a full disk, a shared cache or a killed worker.

The tests compare the numbers below the pictures with those of a server without faults.
"""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from bench.reader import Reader
from geometry.encode.disk_cache import ArrayStore
from tests.browser.server import AppServer
from tests.event_loop import run_alone

pytestmark = [pytest.mark.slow, pytest.mark.model]

# Settings of the smallest corpus whose vectors are not shipped. One encoding stores the vectors of
# every layer.
FIRST, OF_THE_SAME_ENCODING, OTHER = (
    f"corpus=topics-zh&pooling=max&{settings}"
    for settings in ("layer=2", "layer=3", "layer=2&special=false")
)
SENTENCE = "can't write its cache folder"
DIED = "The process that did this work was ended"


@pytest.fixture
def start() -> Iterator[Callable[..., AppServer]]:
    """start(folder, **environment): start a server with this cache folder."""
    with ExitStack() as running:

        def start_server(folder: Path, **environment: str) -> AppServer:
            return running.enter_context(AppServer(cache_dir=folder, environment=environment))

        yield start_server


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A new disk with room for two arrays of 0.4 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)]
    if sys.platform != "linux" or subprocess.run(command, check=False).returncode:
        pytest.skip("this user can't mount a small disk")
    yield folder
    # a lazy unmount, because the server may still have a file open there
    subprocess.run(["umount", "--lazy", str(folder)], check=False)


def visit(server: AppServer, query: str) -> tuple[list[str], str]:
    """The numbers below both pictures, and all text of the page."""

    async def read() -> list[str]:
        async with Reader(server.port, "narrow_cone", query=query) as reader:
            await reader.open()
            return reader.texts

    texts = run_alone(read())
    numbers = [text for text in texts if 'class="big-numbers"' in text]
    assert len(numbers) == 2
    return numbers, "\n".join(texts)


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The numbers of a server without faults, by settings."""
    with AppServer(cache_dir=tmp_path_factory.mktemp("quiet")) as server:
        found = {query: visit(server, query) for query in (FIRST, OF_THE_SAME_ENCODING, OTHER)}
    assert all(SENTENCE not in text for _, text in found.values())
    assert len({*map(str, (numbers for numbers, _ in found.values()))}) == len(found)
    return {query: numbers for query, (numbers, _) in found.items()}


def test_a_full_disk_is_reported_and_changes_no_number(start, small_disk, quiet):
    server = start(small_disk)
    for query in (FIRST, OF_THE_SAME_ENCODING, OTHER):
        numbers, text = visit(server, query)
        assert numbers == quiet[query]
        assert SENTENCE in text
        assert "No space left" in text
    assert not list(small_disk.glob("*.part"))


@pytest.mark.long
def test_two_servers_that_encode_at_once_share_one_cache(start, tmp_path, quiet):
    servers = [start(tmp_path) for _ in range(2)]

    async def both(query: str) -> list[tuple[list[str], str]]:
        return await asyncio.gather(
            *(asyncio.to_thread(visit, server, query) for server in servers)
        )

    for query in (FIRST, OTHER, OF_THE_SAME_ENCODING):
        for numbers, text in run_alone(both(query)):
            assert (numbers, SENTENCE in text) == (quiet[query], False)
    store = ArrayStore(tmp_path)
    arrays = [*tmp_path.glob("*.array")]
    assert arrays
    assert all(store.read(path.stem) is not None for path in arrays)
    assert not list(tmp_path.glob("*.part"))


# ---- a worker ----

LONG = "\n".join(f"the visitor number {n} saw {n * 7 % 1000} cats on the roof" for n in range(5000))


@pytest.mark.long
def test_a_worker_killed_at_work_is_reported_and_others_are_not_affected(start, tmp_path):
    server = start(tmp_path)
    run_alone(lose_the_worker(server))


async def lose_the_worker(server: AppServer) -> None:
    moves = 0
    stop = asyncio.Event()

    async def other() -> None:
        nonlocal moves
        async with Reader(server.port, "narrow_cone") as reader:
            await reader.open()
            film = reader.controls["film"].choices
            while not stop.is_set():
                await reader.move("film", film[moves % len(film)])
                moves += 1
                await asyncio.sleep(0.2)

    reading = asyncio.create_task(other())
    async with Reader(server.port, "your_corpus") as visitor:
        await visitor.open()
        await visitor.move("pasted", LONG)
        encoding = asyncio.create_task(visitor.move("use_pasted", True))
        await until(lambda: visitor.progress.startswith("Encoding") and bool(workers(server)))
        [worker] = workers(server)
        os.kill(worker, signal.SIGKILL)
        await encoding
        assert any(DIED in text for text in visitor.texts)
        [again] = [key for key in visitor.controls if key.startswith("again-")]
        before = moves
        await visitor.move(again, True)
        assert not any(DIED in text for text in visitor.texts)
        assert any("5,000" in text for text in visitor.texts)
    assert moves > before
    stop.set()
    await reading  # raises an error of the other visitor's page


async def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "what the test waits for never came"
        await asyncio.sleep(0.05)


def workers(server: AppServer) -> list[int]:
    """The ids of the server's worker processes."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            command = (path / "cmdline").read_text()
        except OSError:  # it has ended
            continue
        if parent == server.process_id and "geometry.process" in command:
            found.append(int(path.name))
    return found
