"""A lesson of ten minutes with a class: 30 and 100 students in two languages.

From the teacher's press to the last student's page, and answers until they are counted: on one
server, on two as `make class` starts them on two cores, and on two behind deploy's nginx, of which
one is killed. Also what a server that allows rooms costs a reader without a class.
"""

import asyncio
import json
import os
import random
import re
import signal
import sys
import tempfile
import tomllib
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack, suppress
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from time import perf_counter, sleep
from urllib.parse import urlencode

import numpy as np
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME
from websockets.exceptions import WebSocketException

from bench.reader import Reader
from bench.table import Row
from tests.browser.server import ROOT, AppServer
from tests.deploy.proxy import Proxy

LESSON = ROOT / "assets" / "text" / "en" / "lesson.toml"
LIMITS = "[classes]\nrooms = 9\nmembers = 200\n[memory]\nsessions = 300\n"
LANGUAGES = ("en", "zh-Hant")  # of every other student
OPTIONS = 2  # of the question with the fewest
REST = 60.0  # seconds after the first visits, in which the server prepares the models and scores
PAUSE = 6.0  # seconds between two steps of the teacher
ARRIVAL, COUNTED, MOVED = 2.0, 1.0, 1.0  # limits, in seconds, which 95 of 100 meet
MOVES, BETWEEN = 4, (3.0, 7.0)  # moves of a student of a hundred; seconds between two
CODE = re.compile(r"Class: \*\*(\w{6})\*\*")
ALONE = 100  # moves of the reader without a class, on each of two servers
WAIT = 60.0  # seconds of one request for news, at most


@dataclass
class Times:
    """Seconds of one class, and what went wrong."""

    last_page: list[float] = field(default_factory=list)
    each_page: list[float] = field(default_factory=list)
    own: list[float] = field(default_factory=list)  # the page's run alone
    moves: list[float] = field(default_factory=list)
    counted: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def main() -> list[Row]:
    """95th percentiles at the server, to the end of the script run. Nothing is drawn."""
    return [
        row_without_class(),
        *rows_of(30, 1),
        *rows_of(30, 2),
        *rows_of(100, 2, is_proxied=True),
    ]


def steps() -> list[tuple[str, str, bool]]:
    """Page, query and whether there is a guess: the ten minutes of the lesson."""
    every = tomllib.loads(LESSON.read_text(encoding="utf-8"))["step"]
    short = [step for step in every if step.get("short")]
    return [
        (
            step["page"],
            urlencode({"lesson": "10", "lesson-step": n, **step.get("query", {})}),
            "guess" in step,
        )
        for n, step in enumerate(short, start=1)
    ]


def row_without_class(n: int = ALONE) -> Row:
    """A reader's moves on a server that allows rooms, of which none is open, beside one without."""
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        ports = []
        for rooms in (9, 0):
            config = folder / f"rooms-{rooms}.toml"
            config.write_text(f"[classes]\nrooms = {rooms}\n", encoding="utf-8")
            given = {"NARROW_CONE_CONFIG": str(config)}
            server = AppServer(cache_dir=folder / "cache", environment=given)
            ports.append(running.enter_context(server).port)
        seconds = asyncio.run(_alternating(ports, n))  # (n, 2)
    with_rooms, without = np.median(seconds, axis=0)
    differences = seconds[:, 0] - seconds[:, 1]
    drawn = np.random.default_rng(0).choice(differences, (10_000, n))
    low, high = np.quantile(np.median(drawn, axis=1), (0.025, 0.975))
    first, last = np.quantile(seconds[:, 1], (0.25, 0.75))
    return Row(
        "a reader without a class: a move on a server with rooms = 9, beside one with rooms = 0",
        float(with_rooms),
        float(without),
        float(without / with_rooms),
        target="within the noise",
        met=bool(low <= 0),
        note=f"{n} moves each; median difference {1000 * np.median(differences):.1f} ms, 95% "
        f"interval {1000 * low:.1f} to {1000 * high:.1f} ms; half of the moves without rooms took "
        f"{first:.3f} to {last:.3f} s",
    )


async def _alternating(ports: list[int], n: int) -> np.ndarray:
    """Seconds (n, 2) of the same moves on two servers, first on the one, then on the other."""
    draw, found = random.Random(0), []
    async with AsyncExitStack() as stack:
        readers = [await stack.enter_async_context(Reader(port, "whitening")) for port in ports]
        for reader in readers:
            await reader.open()
        choices = readers[0].controls["strength"].choices
        for value, reader in product(choices, readers):  # the server keeps what it computes
            await reader.move("strength", value)
        for turn in range(n):
            value, times = draw.choice(choices), [0.0, 0.0]
            for place in (0, 1) if turn % 2 else (1, 0):
                times[place] = (await readers[place].move("strength", value)).seconds
            found.append(times)
    return np.array(found)


def rows_of(students: int, n_servers: int, *, is_proxied: bool = False) -> list[Row]:
    """The rows of a class of so many. Of servers behind nginx, one is killed in the end."""
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        (folder / "limits.toml").write_text(LIMITS, encoding="utf-8")
        given = {"NARROW_CONE_CONFIG": str(folder / "limits.toml")}
        servers = [
            running.enter_context(AppServer(cache_dir=folder / "cache", environment=given))
            for _ in range(n_servers)
        ]
        ports = [server.port for server in servers]
        if is_proxied:
            (folder / "nginx").mkdir()
            ports = [running.enter_context(Proxy(folder / "nginx", ports)).port]
        for server in servers:  # the first visits fill the caches
            for (page, query, _), language in product(steps(), LANGUAGES):
                asyncio.run(_visit(server.port, page, f"lang={language}&{query}"))
        sleep(REST)
        times = asyncio.run(_lesson(ports, students, servers[0] if is_proxied else None))
    where = "one server" if n_servers == 1 else f"{n_servers} servers"
    if is_proxied:
        where += " behind nginx, one killed"
    name = f"a class of {students}, {where}"
    note = (
        f"each student: median {np.median(times.each_page):.2f} s, p95 {_p95(times.each_page):.2f} "
        f"s, the page's own run {np.median(times.own):.2f} s; errors {len(times.errors)}"
    )
    last, counted = _p95(times.last_page), _p95(times.counted)
    print(f"bench: {name}: {last:.2f} s, {note} {times.errors[:3]}", file=sys.stderr, flush=True)
    rows = [
        Row(
            f"{name}: from the teacher's press to the last student's page, p95",
            last,
            target=f"{ARRIVAL:g} s or less" if students == 30 else "",
            met=last <= ARRIVAL and not times.errors if students == 30 else None,
            note=note,
        ),
        Row(
            f"{name}: an answer until it is counted, p95",
            counted,
            target=f"{COUNTED:g} s or less",
            met=counted <= COUNTED,
            note=f"median {np.median(times.counted):.2f} s of {len(times.counted)}",
        ),
    ]
    if times.moves:
        moved = _p95(times.moves)
        name = f"{name}: a moved control, p95"
        rows.append(Row(name, moved, target=f"{MOVED:g} s or less", met=moved <= MOVED))
    return rows


def _p95(seconds: list[float]) -> float:
    return float(np.percentile(seconds, 95)) if seconds else float("nan")


async def _visit(port: int, page: str, query: str) -> None:
    async with Reader(port, page, query) as reader:
        await reader.open()


async def _lesson(ports: list[int], n: int, killed: AppServer | None) -> Times:
    """The teacher leads through the ten minutes; all follow, guess, and see the answer.

    ports : a student stays at one of them, as behind the address of `make class`.
    """
    times = Times()
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(n + 10))
    async with AsyncExitStack() as stack:
        teacher = await stack.enter_async_context(Student(ports[0], code="", times=times))
        await teacher.go("cosine_basis", "")
        await teacher.reader.move("class-open", True)
        teacher.code = CODE.search(" ".join(teacher.reader.texts))[1]  # type: ignore[index]
        students = [
            Student(
                ports[place % len(ports)],
                teacher.code,
                times,
                language=LANGUAGES[place // 2 % 2],
            )
            for place in range(n)
        ]
        for each in students:
            await stack.enter_async_context(each)
            await each.go("cosine_basis", "")
        for at, (page, query, has_guess) in enumerate(steps()):
            await _lead(teacher, students, page, query)
            if has_guess:
                await _guess(teacher, students, at)
        if killed is not None:
            await _lead(teacher, students, "whitening", "")
            await asyncio.gather(*(each.wander(seed) for seed, each in enumerate(students)))
        if killed is not None:
            os.kill(killed.process_id, signal.SIGKILL)
            await asyncio.gather(*(each.come_back() for each in (teacher, *students)))
            await _lead(teacher, students, "cosine_basis", "")
    return times


async def _lead(teacher: "Student", students: list["Student"], page: str, query: str) -> None:
    """The teacher goes to a page, and all come."""
    times = teacher.times
    version = (await asyncio.to_thread(teacher.news, ""))["version"]
    waits = [asyncio.create_task(each.follow(int(version))) for each in students]
    await asyncio.sleep(PAUSE)
    start = perf_counter()
    await teacher.go(page, query)
    arrived = [at - start for at in await asyncio.gather(*waits) if at]
    times.each_page += arrived
    times.last_page.append(max(arrived, default=WAIT))


async def _guess(teacher: "Student", students: list["Student"], at: int) -> None:
    """All guess at once; the teacher's page then says how many."""
    n, key = len(students), f"lesson-guess-10-{at}"
    now = await asyncio.to_thread(teacher.news, "")
    counting = asyncio.create_task(asyncio.to_thread(teacher.count, n, now))
    await asyncio.gather(*(each.press(key, i % OPTIONS) for i, each in enumerate(students)))
    await counting
    await asyncio.gather(*(each.reader.settle() for each in students))
    await teacher.reader.open()
    if not any(f"{n} of {n} have answered." in text for text in teacher.reader.texts):
        teacher.times.errors.append(f"step {at + 1}: answers were lost or counted twice")
    await teacher.reader.move("class-reveal", True)
    await teacher.reader.settle()


@dataclass
class Student:
    """A member of the class, or its teacher: a reader, and the request that waits for news."""

    port: int
    code: str
    times: Times
    language: str = "en"
    cookie: str = field(default_factory=generate_xsrf_token_string)
    replica: str = ""

    async def __aenter__(self) -> "Student":
        self.reader = Reader(self.port, "cosine_basis", cookie=self._cookies())
        await self.reader.__aenter__()
        if "replica" in self.reader.cookie:  # of the proxy, which then chooses the same server
            self.replica = self.reader.cookie
        return self

    async def __aexit__(self, *error: object) -> None:
        with suppress(WebSocketException, OSError):
            await self.reader.__aexit__(*error)

    def _cookies(self) -> str:
        own = f"{XSRF_COOKIE_NAME}={self.cookie}"
        return f"{own}; {self.replica}" if self.replica else own

    async def go(self, page: str, query: str) -> float:
        """Open a page as Back and Forward do; returns the seconds of its run."""
        self.reader.leave_page()
        self.reader.page = page
        self.reader.query = f"lang={self.language}&class={self.code}&{query}".rstrip("&")
        return (await self.reader.open()).seconds

    async def follow(self, version: int) -> float:
        """When this student's page followed the teacher; 0 if it did not."""
        try:
            found = await asyncio.to_thread(self.news, f"{version}.-1")
            page, _, query = str(found["address"]).partition("?")
            self.times.own.append(await self.go(page, query))
            return perf_counter()
        except Exception as error:  # an error is a figure of the benchmark
            self.times.errors.append(repr(error))
            return 0.0

    async def press(self, key: str, option: int) -> None:
        """Choose an option of the page's question."""
        if key in self.reader.controls:
            await self.reader.move(key, option)
        else:
            self.times.errors.append(f"no question on {self.reader.page}")

    async def wander(self, seed: int) -> None:
        """Move a control some times, with pauses."""
        draw = random.Random(seed)
        for _ in range(MOVES):
            await asyncio.sleep(draw.uniform(*BETWEEN))
            value = draw.choice(self.reader.controls["strength"].choices)
            self.times.moves.append((await self.reader.move("strength", value)).seconds)

    def news(self, since: str) -> dict[str, str | int]:
        """What the server answers to the browser's request for news."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/classroom/{self.code}?since={since}",
            headers={"Cookie": self._cookies()},
        )
        with urllib.request.urlopen(request, timeout=WAIT) as answer:
            found: dict[str, str | int] = json.load(answer)
            return found

    def count(self, n: int, first: dict[str, str | int]) -> None:
        """Wait until so many answers have been heard; the seconds of each from now on."""
        start = perf_counter()
        heard = before = int(first["heard"])
        while heard - before < n:
            found = self.news(f"{first['version']}.{heard}")
            new = int(found["heard"]) - heard
            self.times.counted += [perf_counter() - start] * new
            heard += new
            if perf_counter() - start > WAIT:
                self.times.errors.append(f"{heard - before} answers of {n}")
                return

    async def come_back(self) -> None:
        """Connect again, as the browser does; the room is there on either server."""
        await self.__aexit__(None, None, None)
        try:
            await self.__aenter__()
            await self.go("cosine_basis", "")
            await asyncio.to_thread(self.news, "0.0")
        except (OSError, WebSocketException, urllib.error.URLError) as error:
            self.times.errors.append(f"not back: {error!r}")
