"""Limits of sessions and uploads, sessions that end, and names that Streamlit does not publish.

All on a running server with low limits in its narrow-cone.toml.
"""

import asyncio
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

import psutil
import pytest
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from bench.reader import Reader
from geometry.hub.operator_limits import VARIABLE
from pages.common import server_memory, streamlit_internals
from tests.browser.server import AppServer
from tests.event_loop import run_alone
from tests.waiting import until

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on Windows")

MEGABYTE = 10**6
NAMES = 1_200  # bytes of a file beside its content, at most
LIMITS = "[memory]\nsessions = 2\nsession_uploads_megabytes = 3\nuploads_megabytes = 4\n"
PAGE = "cosine_basis"
FULL = "This server already has 2 visitors"
UNCOUNTED = "can't count its visitors"
LINE = "is not as in"  # in a line of the log about a name

# Every Python process imports this module at its start. The server's runs what the tests write.
OBEDIENT = """
import os, sys, threading

def hide(owner, name):
    "Remove a name of a class or module; of an instance, hide it from the module that uses it."
    undo = []
    if name in vars(owner):
        before = vars(owner)[name]
        delattr(owner, name)
        undo.append(lambda: setattr(owner, name, before))
    if isinstance(owner, type):

        def get(self, wanted, plain=owner.__getattribute__):
            user = sys._getframe(1).f_globals.get("__name__")
            if wanted == name and user == "pages.common.streamlit_internals":
                raise AttributeError(wanted)
            return plain(self, wanted)

        owner.__getattribute__ = get
        undo.append(lambda: delattr(owner, "__getattribute__"))
    return lambda: [each() for each in undo]

def obey(path, names={"hide": hide}):
    while True:
        with open(path) as orders:
            code = orders.read()
        try:
            exec(code, names)
        except BaseException as error:
            print("FAILED", repr(error))
        print("OBEYED", flush=True)

if "ORDERS" in os.environ:  # worker processes do not inherit it
    threading.Thread(target=obey, args=[os.environ.pop("ORDERS")], daemon=True).start()
"""
# Objects of the server, by the names that WITHOUT uses.
OBJECTS = """
from pages.common import streamlit_internals as internals
from streamlit.runtime.scriptrunner import RerunData
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext

server, Queue = internals._server(), internals.ForwardMsgQueue
manager, uploads = server._session_mgr, server.uploaded_file_mgr
session = next((info.session for info in manager.list_active_sessions()), None)
requests = ScriptRequests()
requests.request_rerun(RerunData())
context = object.__new__(ScriptRunContext)
assert {"script_requests", "is_history_navigation", "query_string"} <= {*vars(ScriptRunContext)[
    "__dataclass_fields__"]}
context.script_requests, context.is_history_navigation = requests, True
context.query_string = "strength=0"

def in_a_run(function):
    real, internals.get_script_run_ctx = internals.get_script_run_ctx, lambda: context
    try:
        return function()
    finally:
        internals.get_script_run_ctx = real

def tell(function):
    try:
        print("GAVE", function(), flush=True)
    except internals.Unreadable:
        print("GAVE refused", flush=True)
"""
# A name that Streamlit does not publish: (its owner, what uses it, what that gives without it)
WITHOUT = {
    "Runtime._session_mgr": ("type(server)", "internals.open_sessions()", "refused"),
    "MemoryUploadedFileManager.file_storage": (
        "type(uploads)",
        "internals.uploaded_bytes()",
        "refused",
    ),
    "Runtime.uploaded_file_mgr": ("type(server)", "internals.forget_upload('x')", "None"),
    "WebsocketSessionManager._session_storage": (
        "type(manager)",
        "internals.end_expired_sessions()",
        "refused",
    ),
    "MemorySessionStorage._cache": (
        "type(manager._session_storage)",
        "internals.end_expired_sessions()",
        "refused",
    ),
    "AppSession._state": ("type(session)", "internals.is_running(session.id)", "False"),
    "ScriptRunContext.script_requests": (
        "ScriptRunContext",
        "in_a_run(internals.click_waits)",
        "False",
    ),
    "ScriptRequests._state": ("ScriptRequests", "in_a_run(internals.click_waits)", "False"),
    "ScriptRunContext.is_history_navigation": (
        "ScriptRunContext",
        "in_a_run(internals.is_from_history)",
        "False",
    ),
    "ScriptRunContext.query_string": (
        "ScriptRunContext",
        "in_a_run(internals.query_of_history)",
        "{}",
    ),
    "Runtime.stats_mgr": ("type(server)", "internals.publish('other', '', dict)", "None"),
    "ForwardMsgQueue._queue": (
        "Queue",
        "internals._clear_with_references(Queue(), True, ['a'])",
        "None",
    ),
    "ForwardMsgQueue.clear": ("Queue", "internals.correct_faults()", "None"),
    "PagesManager.uses_pages_directory": (
        "internals.PagesManager",
        "internals.correct_faults()",
        "None",
    ),
    "net_util._external_ip": ("internals.net_util", "internals.correct_faults()", "None"),
}


class Server(AppServer):
    """The app, which also runs the tests' code."""

    def order(self, code: str) -> str:
        before = len(self.log)
        Path(self.environment["ORDERS"]).write_text(code, encoding="utf-8")
        until(lambda: "OBEYED" in self.log[before:])
        printed = self.log[before:].partition("OBEYED")[0]
        assert "FAILED" not in printed, printed
        return printed

    def uploaded(self) -> int:
        with urlopen(f"{self.url}/_stcore/metrics") as answer:
            metrics = answer.read().decode()
        figures = dict(re.findall(r'^narrow_cone_memory_bytes\{of="(\w+)"\} (\d+)', metrics, re.M))
        assert figures.keys() == {"uploads", "results", "process"}
        assert int(figures["process"]) > 50 * MEGABYTE
        return int(figures["uploads"])


class Upload:
    """A PUT of so many bytes to the endpoint of uploads. The server reads it if status is 100."""

    def __init__(self, server: Server, session: str, size: int, *, sized: bool = True) -> None:
        with urlopen(f"{server.url}/_stcore/health") as answer:
            cookies = " ".join(answer.headers.get_all("Set-Cookie"))
        [token] = re.findall(r"_streamlit_xsrf=([^;]+)", cookies)
        begin = b'--edge\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
        end = b"\r\n--edge--\r\n"
        self._content = begin + bytes(size - len(begin) - len(end)) + end
        if not sized:
            self._content = b"%x\r\n%b\r\n0\r\n\r\n" % (size, self._content)
        length = f"Content-Length: {size}" if sized else "Transfer-Encoding: chunked"
        self._socket = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        head = [
            f"PUT {streamlit_internals.UPLOADS}{session}/{os.urandom(8).hex()} HTTP/1.1",
            f"Host: 127.0.0.1:{server.port}",
            "Content-Type: multipart/form-data; boundary=edge",
            f"Cookie: _streamlit_xsrf={token}",
            f"X-Xsrftoken: {token}",
            "Expect: 100-continue",
            f"{length}\r\n\r\n",
        ]
        self._socket.sendall("\r\n".join(head).encode())
        self.status = self._read()

    def send(self, n_bytes: int) -> None:
        self._socket.sendall(self._content[:n_bytes])
        self._content = self._content[n_bytes:]

    def end(self) -> int:
        """Send the rest if the server reads it; returns the last status."""
        if self.status == 100:
            with suppress(OSError):  # the server has refused what has come
                self.send(len(self._content))
            return self.answer()
        self._socket.close()
        return self.status

    def answer(self) -> int:
        self.status = self._read()
        self._socket.close()
        return self.status

    def _read(self) -> int:
        return int(self._socket.recv(4096).split()[1])


def put(*given: object, **options: bool) -> int:
    return Upload(*given, **options).end()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    (folder / "sitecustomize.py").write_text(OBEDIENT, encoding="utf-8")
    (folder / "own.toml").write_text(LIMITS, encoding="utf-8")
    os.mkfifo(folder / "orders")
    environment = {
        "PYTHONPATH": str(folder),
        "ORDERS": str(folder / "orders"),
        VARIABLE: str(folder / "own.toml"),
        # By default Streamlit ends a session only two minutes after the reader has left.
        "STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL": "1",
    }
    with Server(cache_dir=folder / "cache", environment=environment) as running:
        yield running


def until_empty(server: Server) -> None:
    count = f"{OBJECTS}\nprint('GAVE', len(manager.list_sessions()))"
    until(lambda: "GAVE 0" in server.order(count))


@pytest.fixture(autouse=True)
def empty(server: Server) -> None:
    """Without sessions, places and uploads."""
    until_empty(server)
    until(lambda: not server.uploaded())
    server.order("import pages.common.server_memory as limits; limits._places.clear()")


async def sees(reader: Reader) -> str:
    await reader.open()
    text = "\n".join(reader.texts)
    [seen] = [each for each in (FULL, UNCOUNTED) if each in text] or [PAGE]
    assert (seen == PAGE) == ("The cosine of coordinates" in text)
    return seen


def browser(name: str) -> str:
    """A browser's cookie; the server masks the name anew each time."""
    return f"{XSRF_COOKIE_NAME}={generate_xsrf_token_string(name.encode())}"


@pytest.mark.slow
def test_a_free_place_goes_to_the_reader_who_waited_longest(server):
    """Refused readers do not count, and a reload keeps its place."""
    server.order("import pages.common.server_memory as limits; limits.RETURN_SECONDS = 3")

    async def visit() -> None:
        async with (
            Reader(server.port, PAGE, cookie=browser("a")) as first,
            Reader(server.port, PAGE, cookie=browser("b")) as second,
            Reader(server.port, PAGE, cookie=browser("c")) as third,
            Reader(server.port, PAGE, cookie=browser("d")) as last,
        ):
            readers = (first, second, third, last)
            assert [await sees(each) for each in readers] == [PAGE, PAGE, FULL, FULL]
            await second.__aexit__()
            async with Reader(server.port, PAGE, cookie=browser("b")) as again:
                assert await sees(last) == FULL
                assert await sees(again) == PAGE
                await third.__aexit__()
                async with Reader(server.port, PAGE, cookie=browser("c")) as third_again:
                    assert await sees(third_again) == FULL
                    await first.__aexit__()
                    async with asyncio.timeout(60):
                        while await sees(third_again) == FULL:
                            assert await sees(last) == FULL  # it asks as often
                            await asyncio.sleep(0.2)
                    assert await sees(last) == FULL
                    # whoever came again, or asked often, holds one place and no more
                    async with Reader(server.port, PAGE, cookie=browser("e")) as new:
                        assert await sees(new) == FULL
                        await again.__aexit__()
                        await last.__aexit__()
                        async with asyncio.timeout(60):
                            while await sees(new) == FULL:
                                await asyncio.sleep(0.2)

    run_alone(visit())


def test_a_page_under_a_foreign_name_gets_no_connection(server):
    """A site may point its own name to this machine: its pages then have its name as origin."""

    async def answers(name: str) -> bool:
        address = f"ws://{name}:{server.port}/_stcore/stream"
        origin = f"http://{name}:{server.port}"
        options = {"host": "127.0.0.1", "port": server.port, "origin": origin}
        with suppress(InvalidStatus):
            async with connect(address, subprotocols=["streamlit"], **options):
                return True
        return False

    async def visit() -> None:
        names = ("localhost", "127.0.0.1", "rebound.example", "127.0.0.1.rebound.example")
        assert [await answers(name) for name in names] == [True, True, False, False]

    run_alone(visit())


def test_uploads_have_a_limit_for_each_session_and_for_all(server):
    async def visit() -> None:
        async with Reader(server.port, PAGE) as one, Reader(server.port, PAGE) as other:
            await one.open()
            await other.open()
            a, b = one.session, other.session
            assert put(server, a, 3 * MEGABYTE + 1) == 413
            assert put(server, a, 3 * MEGABYTE + 1, sized=False) == 413
            assert put(server, a, 2 * MEGABYTE) == 204
            assert 2 * MEGABYTE < server.uploaded() < 2 * MEGABYTE + NAMES
            assert put(server, a, 2 * MEGABYTE) == 413
            assert put(server, b, 3 * MEGABYTE) == 507
            # an upload counts as far as it has come
            begun = Upload(server, b, 2 * MEGABYTE - NAMES)
            assert begun.status == 100
            assert put(server, a, MEGABYTE - NAMES) == 204
            begun.send(MEGABYTE // 2)
            until(lambda: put(server, a, MEGABYTE) == 413 or put(server, b, MEGABYTE) == 507)
            assert begun.end() == 507
            # also among all, where no length is stated
            server.order(f"{OBJECTS}\nuploads.remove_session_files({a!r})")
            both = [Upload(server, each, 5 * MEGABYTE // 2, sized=False) for each in (a, b)]
            for each in both:
                each.send(2 * MEGABYTE)
            assert 507 in [each.end() for each in both]

    run_alone(visit())


def test_a_file_that_comes_after_its_session_has_ended_is_freed(server):
    async def visit() -> Upload:
        async with Reader(server.port, PAGE) as reader:
            await reader.open()
            begun = Upload(server, reader.session, 2 * MEGABYTE)
            begun.send(MEGABYTE)
            return begun

    begun = run_alone(visit())
    until_empty(server)
    assert begun.end() == 204
    until(lambda: not server.uploaded())


def test_an_error_in_one_session_keeps_no_other_from_its_end(server):
    server.order(f"""{OBJECTS}
def fail(*_, real=internals.end_expired_sessions):
    internals.end_expired_sessions = real
    raise RuntimeError
internals.end_expired_sessions = fail""")

    async def visit() -> None:
        async with Reader(server.port, PAGE) as reader:
            await reader.open()
            assert put(server, reader.session, 2 * MEGABYTE) == 204

    run_alone(visit())
    until(lambda: not server.uploaded())
    assert "A session was not ended in full." in server.log


def test_a_server_does_not_start_with_limits_that_can_t_be_read(tmp_path):
    (tmp_path / "own.toml").write_text("[memory]\nsesions = 2\n", encoding="utf-8")
    command = [sys.executable, "-m", "geometry", "app", "--no-browser", "--port", "8999"]
    environment = os.environ | {VARIABLE: str(tmp_path / "own.toml")}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert ended.returncode
    [line] = ended.stderr.splitlines()
    assert "unknown entry `sesions`" in line


def test_an_upload_that_nothing_comes_of_holds_nothing_and_ends(server):
    server.order("import pages.common.server_memory as limits; limits.IDLE_SECONDS = 1")

    async def visit() -> None:
        async with Reader(server.port, PAGE) as reader:
            await reader.open()
            idle = [Upload(server, reader.session, 3 * MEGABYTE) for _ in range(5)]
            assert {each.status for each in idle} == {100}
            assert put(server, reader.session, 2 * MEGABYTE) == 204
            assert {each.answer() for each in idle} == {408}
            assert put(server, "stranger", 9 * MEGABYTE) == 400  # before any limit

    run_alone(visit())


def test_a_session_that_turns_the_page_leaves_no_upload(server):
    async def visit() -> None:
        async with Reader(server.port, PAGE) as reader:
            await reader.open()
            assert put(server, reader.session, 2 * MEGABYTE) == 204
            await reader.open()
            assert server.uploaded() > MEGABYTE
            reader.leave_page()
            reader.page = "claims"
            await reader.open()
            assert not server.uploaded()

    run_alone(visit())


def test_a_session_that_ends_leaves_no_upload_and_no_memory(server):
    async def visit() -> None:
        async with Reader(server.port, PAGE) as leaver:
            await leaver.open()
            assert put(server, leaver.session, 2 * MEGABYTE) == 204
            server.order(f"""{OBJECTS}
import gc, types, weakref
session.brought = types.ModuleType("brought")
session.brought.itself = session.brought
left = weakref.ref(session.brought)
del session
gc.disable()  # no automatic collection frees it""")
        assert server.uploaded() > MEGABYTE
        # Streamlit's main loop refers to the last session that it served
        async with Reader(server.port, PAGE) as next_visitor:
            await next_visitor.open()

    run_alone(visit())
    until(lambda: not server.uploaded())
    until(lambda: "GAVE True" in server.order("print('GAVE', left() is None)"))


# ---- names that Streamlit does not publish ----


def test_without_a_name_there_is_a_refusal_or_a_plain_path_and_one_line(server):
    found = {}

    async def visit() -> None:
        async with Reader(server.port, PAGE) as reader:
            await reader.open()
            for name, (owner, use, _) in WITHOUT.items():
                own = name.rpartition(".")[2]
                found[name] = server.order(f"""{OBJECTS}
session._state = internals.AppSessionState.APP_IS_RUNNING
tell(lambda: {use})
restore = hide({owner}, {own!r})
internals._log.cache_clear()
try:
    tell(lambda: {use})
    tell(lambda: {use})
finally:
    restore()""")

    run_alone(visit())
    for name, (_, _, without) in WITHOUT.items():
        before, _, after = found[name].partition("GAVE")[2].partition("\n")
        assert (before.strip() == "None") is (without == "None"), (name, before)
        assert before.strip() not in ("refused", "False"), name
        assert re.findall("GAVE (.*)", after) == [without] * 2, (name, found[name])
        [line] = [line for line in found[name].splitlines() if LINE in line]
        assert f"{name}, which " in line


def test_sessions_that_can_t_be_counted_get_no_page_and_uploads_none_in(server):
    async def visit() -> None:
        async with Reader(server.port, PAGE) as reader:
            assert await sees(reader) == PAGE
            server.order(
                f"{OBJECTS}\nundo = hide(type(server), '_session_mgr'), "
                "hide(type(uploads), 'file_storage')"
            )
            assert await sees(reader) == UNCOUNTED
            assert put(server, reader.session, MEGABYTE) == 503
            server.order("for each in undo: each()")
            assert await sees(reader) == PAGE
            assert put(server, reader.session, MEGABYTE) == 204

    run_alone(visit())


def test_the_server_s_faults_are_corrected(server):
    told = server.order("""
from pages.common import streamlit_internals as internals
print("GAVE", internals.PagesManager.uses_pages_directory, internals.net_util._external_ip,
      internals.ForwardMsgQueue.clear.__name__)""")
    assert "GAVE False 127.0.0.1 _clear_with_references" in told


def test_each_name_is_listed_and_tested():
    assert streamlit_internals.NAMES.keys() == WITHOUT.keys()
    code = Path(streamlit_internals.__file__).read_text(encoding="utf-8")
    own = {*re.findall(r"^(?:def |class )?(_\w+)\b", code, re.M)}  # the module's own
    private = {*re.findall(r"[.\"](_[a-z]\w*)", code)} - own
    assert private <= {name.partition(".")[2] for name in WITHOUT}


@pytest.mark.skipif(sys.platform != "linux", reason="glibc alone retains freed memory")
def test_freed_memory_is_returned_once_the_process_has_grown():
    blocks = [b"x" * 100_000 for _ in range(2_000)]  # too small to be mapped one by one
    [held], blocks = blocks[-1:], []  # the last one is above all others
    grown = psutil.Process().memory_info().rss
    server_memory.return_memory(growth=10**15)
    assert psutil.Process().memory_info().rss > grown - 50e6
    server_memory.return_memory(growth=0)
    assert psutil.Process().memory_info().rss < grown - 150e6
    assert len(held) == 100_000
    server_memory._size = 2 * grown  # of sessions that have ended since
    blocks = [b"x" * 100_000 for _ in range(2_000)]
    [held], blocks = blocks[-1:], []
    server_memory._free()
    assert psutil.Process().memory_info().rss < grown - 150e6
