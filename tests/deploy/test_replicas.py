"""Two servers of the app behind nginx, as deploy/ starts them; one is killed under load."""

import asyncio
import os
import random
import signal
from collections.abc import Iterator
from contextlib import suppress
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from bench.load import CONTROLS
from bench.reader import Reader
from tests.browser.server import AppServer
from tests.deploy.proxy import DEPLOY, Proxy
from tests.event_loop import run_alone

pytestmark = [pytest.mark.slow, pytest.mark.model]

READERS, MOVES = 8, 4


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[AppServer]]:
    """Two servers with one cache folder, which is empty at first."""
    cache = tmp_path_factory.mktemp("cache")
    operator = {"NARROW_CONE_CONFIG": str(DEPLOY / "narrow-cone.toml")}
    with (
        AppServer(cache_dir=cache, environment=operator) as first,
        AppServer(cache_dir=cache, environment=operator) as second,
    ):
        yield [first, second]


@pytest.fixture(scope="module")
def proxy(servers: list[AppServer], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    with Proxy(tmp_path_factory.mktemp("nginx"), [server.port for server in servers]) as running:
        yield running


def replica_of(url: str, cookie: str) -> str:
    with urlopen(Request(f"{url}/_stcore/health", headers={"Cookie": cookie})) as answer:
        cookies = answer.headers.get_all("Set-Cookie")
    [replica] = [each.partition(";")[0] for each in cookies if each.startswith("replica=")]
    return replica


def test_what_the_proxy_answers(proxy):
    with urlopen(f"{proxy.url}/narrow_cone") as answer:
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "same-origin"
        policy = answer.headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in policy
        [scripts] = [rule for rule in policy.split("; ") if rule.startswith("script-src")]
        assert "unsafe" not in scripts
        assert "data:" not in scripts
    with pytest.raises(HTTPError, match="404"):
        urlopen(f"{proxy.url}/_stcore/metrics")


def test_an_upload_needs_the_token_of_its_own_cookie(proxy):
    def new_token() -> str:
        with urlopen(f"{proxy.url}/_stcore/health") as answer:
            cookies = answer.headers.get_all("Set-Cookie")
        [token] = [each.partition(";")[0].partition("=")[2] for each in cookies if "xsrf" in each]
        return token

    def upload(headers: dict[str, str]) -> int:
        address = f"{proxy.url}/_stcore/upload_file/no-session/file"
        with pytest.raises(HTTPError) as refused:
            urlopen(Request(address, b"a file", headers, method="PUT"))
        return refused.value.code

    token, other = new_token(), new_token()
    cookie = f"_streamlit_xsrf={token}"
    assert upload({}) == 403
    assert upload({"Cookie": cookie}) == 403  # a form on another site sends no token
    assert upload({"X-Xsrftoken": token}) == 403
    assert upload({"Cookie": cookie, "X-Xsrftoken": other}) == 403
    # the token is valid, but the session does not exist
    assert upload({"Cookie": cookie, "X-Xsrftoken": token}) == 400


def test_another_site_s_page_can_t_connect_or_read(proxy, servers):
    async def join(origin: str) -> None:
        address = f"ws://127.0.0.1:{proxy.port}/_stcore/stream"
        async with connect(address, subprotocols=["streamlit"], origin=origin):
            pass

    run_alone(join(proxy.url))
    with pytest.raises(InvalidStatus, match="403"):
        run_alone(join("https://example.org"))
    request = Request(f"{proxy.url}/_stcore/health", headers={"Origin": "https://example.org"})
    with urlopen(request) as answer:
        assert answer.headers["Access-Control-Allow-Origin"] is None
    # Otherwise the server would request its own address online, which delays all visitors.
    assert not any("external IP" in server.log for server in servers)


def test_a_visitor_stays_with_one_replica(proxy):
    for cookie in ("replica=1", "replica=2"):
        assert {replica_of(proxy.url, cookie) for _ in range(5)} == {cookie}
    assert {replica_of(proxy.url, "replica=3; other=1") for _ in range(20)} == {
        "replica=1",
        "replica=2",
    }


@pytest.mark.long
def test_visitors_of_a_killed_server_reconnect_and_the_others_are_not_affected(servers, proxy):
    before, after = run_alone(read_while_one_is_killed(servers[0], proxy))
    killed = [seed for seed in before if before[seed] == "replica=1"]
    assert 0 < len(killed) < READERS
    # Readers in `after` reconnected. Every reader completed all moves.
    assert after == dict.fromkeys(killed, "replica=2")
    assert replica_of(proxy.url, "replica=1") == "replica=2"


async def read_while_one_is_killed(
    server: AppServer, proxy: Proxy
) -> tuple[dict[int, str], dict[int, str]]:
    """(replica by reader, replica after the kill by reader who lost the connection)."""
    before: dict[int, str] = {}
    after: dict[int, str] = {}
    opened = asyncio.Barrier(READERS + 1)

    async def read(seed: int) -> None:
        draw = random.Random(seed)
        async with Reader(proxy.port, "narrow_cone", cookie=f"replica={1 + seed % 2}") as reader:
            await reader.open()
            before[seed] = reader.cookie
            await opened.wait()
            with suppress(ConnectionClosed):
                await move(reader, draw, MOVES)
                return
        async with Reader(proxy.port, "narrow_cone", cookie=reader.cookie) as again:
            after[seed] = again.cookie
            await again.open()
            await move(again, draw, MOVES)

    async def kill() -> None:
        await opened.wait()
        await asyncio.sleep(0.3)  # by now all readers are changing settings
        os.kill(server.process_id, signal.SIGKILL)

    await asyncio.gather(kill(), *(read(seed) for seed in range(READERS)))
    return before, after


async def move(reader: Reader, draw: random.Random, times: int) -> None:
    for _ in range(times):
        await asyncio.sleep(draw.uniform(0, 0.4))
        key = draw.choice(CONTROLS[reader.page])
        await reader.move(key, draw.choice(reader.controls[key].choices))
