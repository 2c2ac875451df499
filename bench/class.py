"""A class: from the teacher's press to the last student's page, and answers until counted.

30 students on one server, and 100 on two behind deploy's nginx, of which one is killed.
"""

import asyncio
import json
import os
import re
import sys
import tempfile
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import numpy as np
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME
from websockets.exceptions import WebSocketException

from bench.reader import Reader
from bench.table import Row
from tests.browser.server import AppServer
from tests.deploy.proxy import Proxy

# Where the teacher leads: pages and settings as in the ten minutes of the lesson.
STEPS = (
    ("narrow_cone", "layer=4"),
    ("narrow_cone", "layer=6"),
    ("whitening", "layer=4"),
    ("whitening", "layer=4&strength=0.5"),
    ("sentence_similarity", "sts-pooling=mean"),
    ("cosine_basis", ""),
    ("narrow_cone", "layer=4"),
    ("whitening", "layer=6"),
)
LIMITS = "[classes]\nrooms = 9\nmembers = 200\n[memory]\nsessions = 300\n"
PAUSE = 5.0  # seconds between two steps of the teacher
ARRIVAL, COUNTED = 2.0, 1.0  # seconds to the last student's page; until an answer is counted
CODE = re.compile(r"Class: \*\*(\w{6})\*\*")
WAIT = 40.0  # seconds of one request for news, at most


@dataclass
class Times:
    """Seconds of one class; gone : students whose page did not come back after a kill."""

    last_page: list[float] = field(default_factory=list)
    each_page: list[float] = field(default_factory=list)
    own: list[float] = field(default_factory=list)  # the page's run alone
    counted: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def main() -> list[Row]:
    """95th percentiles at the server, to the end of the script run. Nothing is drawn."""
    return [*rows_of(30, 1), *rows_of(100, 2)]


def rows_of(students: int, n_servers: int) -> list[Row]:
    """The rows of a class of so many, on one server or on two behind nginx."""
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        (folder / "limits.toml").write_text(LIMITS, encoding="utf-8")
        given = {"NARROW_CONE_CONFIG": str(folder / "limits.toml")}
        servers = [
            running.enter_context(AppServer(cache_dir=folder / "cache", environment=given))
            for _ in range(n_servers)
        ]
        port = servers[0].port
        if n_servers > 1:
            (folder / "nginx").mkdir()
            ports = [server.port for server in servers]
            port = running.enter_context(Proxy(folder / "nginx", ports)).port
        for server in servers:  # the first visits fill the caches
            for page, query in STEPS:
                asyncio.run(_visit(server.port, page, query))
        times = asyncio.run(_lesson(port, students, servers))
    where = "one server" if n_servers == 1 else f"{n_servers} servers behind nginx"
    name = f"a class of {students}, {where}"
    note = (
        f"each student: median {np.median(times.each_page):.2f} s, p95 "
        f"{np.percentile(times.each_page, 95):.2f} s, of which the page's own run "
        f"{np.median(times.own):.2f} s; errors {len(times.errors)}"
    )
    last, counted = (np.percentile(each, 95) for each in (times.last_page, times.counted))
    print(f"bench: {name}: {last:.2f} s, {note} {times.errors[:2]}", file=sys.stderr, flush=True)
    return [
        Row(
            f"{name}: from the teacher's press to the last student's page, p95",
            float(last),
            target=f"{ARRIVAL:g} s or less" if students == 30 else "",
            met=bool(last <= ARRIVAL) if students == 30 else None,
            note=note,
        ),
        Row(
            f"{name}: an answer until it is counted, p95",
            float(counted),
            target=f"{COUNTED:g} s or less",
            met=bool(counted <= COUNTED),
            note=f"median {np.median(times.counted):.2f} s of {len(times.counted)}",
        ),
    ]


async def _visit(port: int, page: str, query: str) -> None:
    async with Reader(port, page, query) as reader:
        await reader.open()


async def _lesson(port: int, n: int, servers: list[AppServer]) -> Times:
    """The teacher leads through the steps; all follow, and answer on the page that asks."""
    times = Times()
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(n + 10))
    async with AsyncExitStack() as stack:
        teacher = await stack.enter_async_context(Student(port, code="", times=times))
        await teacher.go("cosine_basis", "")
        await teacher.reader.move("class-open", True)
        teacher.code = CODE.search(" ".join(teacher.reader.texts))[1]  # type: ignore[index]
        students = [Student(port, code=teacher.code, times=times) for _ in range(n)]
        for each in students:
            await stack.enter_async_context(each)
            await each.go("cosine_basis", "")
        for page, query in STEPS:
            version = (await asyncio.to_thread(teacher.news, ""))["version"]
            waits = [asyncio.create_task(each.follow(int(version))) for each in students]
            await asyncio.sleep(PAUSE)
            start = perf_counter()
            await teacher.go(page, query)
            done = await asyncio.gather(*waits)
            arrived = [at - start for at, _ in done if at]
            times.each_page += arrived
            times.last_page.append(max(arrived))
            times.own += [seconds for at, seconds in done if at]
        for each in (teacher, *students):
            await each.go("cosine_basis", "")
        now = await asyncio.to_thread(teacher.news, "")
        counting = asyncio.create_task(asyncio.to_thread(teacher.count, n, now))
        await asyncio.gather(*(each.reader.move("guess-larger", True) for each in students))
        await counting
        if len(servers) > 1:
            os.kill(servers[0].process_id, 9)
            await asyncio.gather(*(each.come_back() for each in (teacher, *students)))
        await teacher.go("cosine_basis", "")
        if f"**{n} of {n} have answered.**" not in teacher.reader.texts:
            times.errors.append("answers were lost or counted twice")
    return times


@dataclass
class Student:
    """A member of the class, or its teacher: a reader, and the request that waits for news."""

    port: int
    code: str
    times: Times
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
        self.reader.page = page
        self.reader.query = f"class={self.code}&{query}".rstrip("&")
        return (await self.reader.open()).seconds

    async def follow(self, version: int) -> tuple[float, float]:
        """When this student's page followed the teacher, and the seconds of its run; 0 if never."""
        try:
            found = await asyncio.to_thread(self.news, f"{version}.-1")
            page, _, query = str(found["address"]).partition("?")
            seconds = await self.go(page, query)
            return perf_counter(), seconds
        except Exception as error:  # an error is a figure of the benchmark
            self.times.errors.append(repr(error))
            return 0.0, 0.0

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
