"""The request for news: who is answered, and what is said where there is no answer."""

import asyncio
import sqlite3
from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from geometry.hub.operator_limits import ClassLimits
from pages.common.classroom import rooms as store
from pages.common.classroom import wait
from pages.common.classroom.rooms import Rooms
from tests.event_loop import run_alone


@pytest.fixture
def rooms(tmp_path, monkeypatch) -> Rooms:
    """A class; a cookie ``who`` is the name of a browser, and no answer is waited for."""
    found = Rooms(tmp_path / "rooms.sqlite", ClassLimits(rooms=2))
    monkeypatch.setattr(wait, "rooms", lambda: found)
    monkeypatch.setattr(wait, "browser_of", lambda cookies: cookies.get("who", ""))
    monkeypatch.setattr(wait, "EVERY", 0.01)
    monkeypatch.setattr(wait, "LONGEST", 0.05)
    monkeypatch.setattr(wait, "REFUSAL", 0.0)
    monkeypatch.setattr(store, "LOCKED_SECONDS", 0.05)
    wait._waiting.clear()
    return found


@pytest.fixture
def ask(rooms) -> Iterator:
    """ask(code, who, since): the answer to a browser."""
    client = TestClient(Starlette(routes=wait.routes()))

    def ask_as(code: str, who: str, since: str = ""):
        return client.get(f"/classroom/{code}?since={since}", headers={"Cookie": f"who={who}"})

    yield ask_as
    client.close()


def test_members_alone_are_answered(rooms, ask):
    code = rooms.open("teacher")
    rooms.join(code, "student")
    rooms.lead(code, "teacher", "layers?layer=4", None)
    found = rooms.look(code, "student")
    news = {"version": found.version, "heard": found.heard, "address": "layers?layer=4"}
    for since in ("", "0.0", f"{found.version}.{found.heard}", f"{found.version}.-1"):
        answer = ask(code, "student", since)
        assert (answer.status_code, answer.json()) == (200, news)
    for who, tried in (("stranger", code), ("", code), ("student", "AAAAAA")):
        answer = ask(tried, who)
        assert (answer.status_code, answer.content) == (404, b"")
    assert not wait._waiting


def test_too_many_waiting_requests_are_refused(rooms, ask, monkeypatch):
    code = rooms.open("teacher")
    rooms.join(code, "student")
    wait._waiting["student"] = wait.WAITS_EACH
    assert ask(code, "student").status_code == 429
    assert ask(code, "teacher").status_code == 200
    monkeypatch.setattr(wait, "WAITS", wait.WAITS_EACH)
    assert ask(code, "teacher").status_code == 429


def test_a_locked_file_is_an_error_that_passes(rooms, ask, tmp_path):
    code = rooms.open("teacher")
    holder = sqlite3.connect(tmp_path / "rooms.sqlite", isolation_level=None)
    holder.execute("begin immediate")
    assert ask(code, "teacher").status_code == 503
    holder.execute("rollback")
    holder.close()
    rooms._failed = -store.REST_SECONDS
    assert ask(code, "teacher").status_code == 200


def test_a_closed_tab_waits_no_longer(rooms, monkeypatch):
    code = rooms.open("teacher")
    monkeypatch.setattr(wait, "LONGEST", 60.0)

    class Closed:
        async def is_disconnected(self) -> bool:
            return True

    state = rooms.look(code, "teacher")
    since = f"{state.version}.{state.heard}"
    run_alone(asyncio.wait_for(wait._change(Closed(), code, since, "teacher"), timeout=10))


@pytest.mark.parametrize("base", ["", "lab", "/lab/"])
def test_the_address_is_below_that_of_the_pages(base, monkeypatch):
    monkeypatch.setattr(wait.st, "get_option", {"server.baseUrlPath": base}.get)
    [route] = wait.routes()
    assert route.path == ("/lab" if base else "") + "/classroom/{code:str}"
