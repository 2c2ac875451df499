"""Limits of sessions and uploads, sessions that are cleared away, and the operator's figures."""

import asyncio
import gc
import weakref
from types import SimpleNamespace

import pytest
from streamlit.runtime.caching.ttl_cache import TTLCache
from streamlit.testing.v1 import AppTest

from geometry.hub.operator_limits import VARIABLE
from pages.common import server_memory
from pages.common.cache import memory_limits
from pages.common.garbage import collect_all
from tests.event_loop import run_alone

MEGABYTE = 10**6


@pytest.fixture
def limits(monkeypatch, tmp_path):
    """limits(text): those in the table [memory] of the operator's file."""

    def write(text):
        file = tmp_path / "own.toml"
        file.write_text(f"[memory]\n{text}\n", encoding="utf-8")
        monkeypatch.setenv(VARIABLE, str(file))
        memory_limits.clear()

    yield write
    monkeypatch.undo()
    memory_limits.clear()


def sessions(*ids):
    return [SimpleNamespace(session=SimpleNamespace(id=id_)) for id_ in ids]


@pytest.fixture
def server(monkeypatch):
    """A running server; tests set its open sessions and its uploaded files."""
    manager = SimpleNamespace(list_active_sessions=list)
    files = SimpleNamespace(file_storage={})
    running = SimpleNamespace(_session_mgr=manager, uploaded_file_mgr=files)
    monkeypatch.setattr(
        server_memory,
        "runtime",
        SimpleNamespace(exists=lambda: True, get_instance=lambda: running),
    )
    return running


# ---- sessions ----


def page():
    import streamlit as st

    from pages.common.server_memory import limit_sessions

    limit_sessions()
    st.text("the page")


@pytest.mark.parametrize(("others", "shown"), [(["a"], True), (["a", "b"], False)])
def test_visitors_beyond_the_limit_see_a_message(limits, server, monkeypatch, others, shown):
    limits("sessions = 2")
    server._session_mgr.list_active_sessions = lambda: sessions(*others, "mine")
    mine = SimpleNamespace(session_id="mine")
    monkeypatch.setattr(server_memory, "get_script_run_ctx", lambda: mine)
    app = AppTest.from_function(page).run()
    assert not app.exception
    assert bool(app.text) is shown
    assert [("2 visitors" in warning.value) for warning in app.warning] == [True] * (not shown)


# ---- uploads ----


def put(session, size, *, length=True, method="PUT", path=server_memory.UPLOAD, beside=()):
    """The status of an upload of so many bytes; 204 from the server itself.

    beside : (session, size) of an upload that begins before this one has ended; its status follows.
    """
    sent = []

    async def upload(scope, receive, send):
        if beside and scope is first:
            await app(upload_of(*beside), None, send)
        await send({"type": "http.response.start", "status": 204})

    async def send(message):
        sent.append(message)

    def upload_of(session, size):
        return {
            "type": "http",
            "method": method,
            "path": f"{path}{session}/file",
            "headers": [(b"content-length", str(size).encode())] if length else [],
        }

    app, first = server_memory.UploadLimit(upload), upload_of(session, size)
    run_alone(app(first, None, send))
    statuses = [message["status"] for message in sent if "status" in message]
    return statuses[::-1] if beside else statuses[0]


def test_uploads_have_a_limit_for_each_session_and_for_all(limits, server):
    limits("session_uploads_megabytes = 3\nuploads_megabytes = 4")
    file = SimpleNamespace(data=bytes(2 * MEGABYTE))
    assert put("a", 3 * MEGABYTE) == 204
    assert put("a", 3 * MEGABYTE + 1) == 413
    server.uploaded_file_mgr.file_storage = {"a": {"1": file}}
    assert put("a", MEGABYTE) == 204
    assert put("a", MEGABYTE + 1) == 413
    assert put("b", 2 * MEGABYTE) == 204
    assert put("b", 2 * MEGABYTE + 1) == 507
    assert put("a", 0, length=False) == 411
    assert put("a", "9" * 5_000) == 411
    assert put("b", 9 * MEGABYTE, method="DELETE") == 204
    assert put("b", 9 * MEGABYTE, path="/elsewhere/") == 204


def test_uploads_at_the_same_time_count_before_they_have_ended(limits, server):
    limits("session_uploads_megabytes = 3\nuploads_megabytes = 4")
    two = 2 * MEGABYTE
    assert put("a", two, beside=("a", MEGABYTE)) == [204, 204]
    assert put("a", two, beside=("a", two)) == [204, 413]
    assert put("a", two, beside=("b", two + 1)) == [204, 507]


# ---- clearing away ----


class Session:
    """Like Streamlit's session, it has a reference to itself."""

    def __init__(self):
        self.itself = self
        self.is_shut_down = False

    def shutdown(self):
        self.is_shut_down = True


def test_a_session_that_lived_at_a_freeze_is_freed():
    gc.collect()
    session = Session()
    alive = weakref.ref(session)
    gc.freeze()
    del session
    gc.collect()
    assert alive() is not None
    collect_all()
    assert alive() is None
    gc.unfreeze()


def test_closed_sessions_are_cleared_away_when_their_time_is_over(server, monkeypatch):
    now = [0.0]
    stored = TTLCache(maxsize=9, ttl=120, timer=lambda: now[0])
    server._session_mgr._session_storage = SimpleNamespace(_cache=stored)
    collected = []
    monkeypatch.setattr(server_memory, "collect_all", lambda: collected.append(now[0]))
    monkeypatch.setattr(server_memory, "SWEEP_SECONDS", 0.01)
    first, second = Session(), Session()
    stored["first"] = SimpleNamespace(session=first)
    now[0] = 100.0
    stored["second"] = SimpleNamespace(session=second)

    async def sweep():
        sweeping = asyncio.create_task(server_memory._sweep(server._session_mgr))
        await asyncio.sleep(0.05)
        now[0] = 130.0
        while not collected:
            await asyncio.sleep(0.01)
        sweeping.cancel()

    run_alone(sweep())
    assert (first.is_shut_down, second.is_shut_down) == (True, False)
    assert collected == [130.0]
    gc.unfreeze()


def test_the_operator_s_figures(server):
    server.uploaded_file_mgr.file_storage = {"a": {"1": SimpleNamespace(data=b"12345")}}
    [(family, figures)] = server_memory._Figures().get_stats().items()
    lines = [figure.to_metric_str() for figure in figures]
    assert family == "narrow_cone_memory_bytes"
    assert lines[0] == 'narrow_cone_memory_bytes{of="uploads"} 5'
    assert int(lines[2].split()[1]) > 50 * MEGABYTE  # of the process
