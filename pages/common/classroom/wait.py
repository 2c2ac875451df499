"""The address at which a browser waits for news of its room."""

import asyncio
from collections import Counter

import streamlit as st
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ..streamlit_internals import browser_of
from .rooms import RoomError
from .visit import rooms

EVERY = 0.1  # seconds between two looks at a room
LONGEST = 25.0  # seconds of one request; proxies end one after 60
REFUSAL = 1.0  # seconds until an error is answered
WAITS_EACH, WAITS = 3, 600  # requests that may wait at once: of a visitor, of all
_waiting: Counter[str] = Counter()
_looks: dict[str, asyncio.Task[tuple[int, int]]] = {}  # by the room's code


async def news(request: Request) -> Response:
    """Answer when the room has changed since ``?since=version.heard`` (-1: without answers)."""
    code = request.path_params["code"]
    since = request.query_params.get("since", "")
    visitor = browser_of(request.cookies)
    if _waiting[visitor] >= WAITS_EACH or _waiting.total() >= WAITS:
        return Response(status_code=429)
    _waiting[visitor] += 1
    try:
        return JSONResponse(await _change(request, code, since, visitor))
    except RoomError as error:  # a stranger learns nothing of a code: members alone are answered
        await asyncio.sleep(REFUSAL)
        return Response(status_code=404 if error.reason == "unknown" else 503)
    finally:
        _waiting[visitor] -= 1
        if not _waiting[visitor]:
            del _waiting[visitor]


async def _change(request: Request, code: str, since: str, visitor: str) -> dict[str, int | str]:
    room = await asyncio.to_thread(rooms().look, code, visitor)  # for members only
    version, heard = room.version, room.heard
    for _ in range(round(LONGEST / EVERY)):
        is_news = since not in (f"{version}.{heard}", f"{version}.-1")
        if is_news or await request.is_disconnected():
            break
        version, heard = await _next_look(code)
    room = await asyncio.to_thread(rooms().look, code, visitor)
    return {"version": room.version, "heard": room.heard, "address": room.address}


async def _next_look(code: str) -> tuple[int, int]:
    """The room's versions a little later. All who wait for one room share the look at it."""

    async def look() -> tuple[int, int]:
        await asyncio.sleep(EVERY)
        return await asyncio.to_thread(rooms().versions, code)

    if code not in _looks:
        _looks[code] = asyncio.create_task(look())
        _looks[code].add_done_callback(lambda _: _looks.pop(code))
    return await asyncio.shield(_looks[code])  # one request that ends does not end the others


def routes() -> list[Route]:
    """The address is below that of the pages, where the browser looks for it."""
    base = str(st.get_option("server.baseUrlPath")).strip("/")
    return [Route(f"{base and '/'}{base}/classroom/{{code:str}}", news)]
