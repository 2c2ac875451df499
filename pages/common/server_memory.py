"""The server's memory: limits of sessions and of uploads, ended sessions, metrics."""

import asyncio
import ctypes
import gc
import logging
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from threading import Lock
from typing import Any

import psutil
import streamlit as st
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from geometry.data.limits import MEGABYTE

from . import streamlit_internals
from .cache import LARGE, memory_limits, total_size
from .models import warm_up
from .words import _

LONGEST_NUMBER = 19  # digits of a number of bytes at most
IDLE_SECONDS = 10.0  # until an upload of which nothing more comes is ended
RETURN_SECONDS = 15.0  # for which a place is retained after its tab has gone: a reload takes it


# ---- sessions ----


@dataclass
class _Place:
    visitor: str
    session: str
    gone: float | None = None


_size = 0  # bytes of the process when it last returned memory
_places: list[_Place] = []
_lock = Lock()


def limit_sessions() -> None:
    """End the page with a warning if the operator's number of sessions came before."""
    most = memory_limits().sessions
    try:
        if _place(streamlit_internals.session_id(), streamlit_internals.open_sessions()) < most:
            return
    except streamlit_internals.Unreadable:
        refusal = _("This server can't count its visitors, so it shows no page. Its log says why.")
    else:
        refusal = _(
            "This server already has {n} visitors, as many as its operator allows. Reload the "
            "page in some minutes."
        ).format(n=most)
    st.warning(refusal, icon=":material/group:")
    st.stop()


def _place(session: str, open_: Sequence[str]) -> int:
    """How many places are before that of this session. A reload takes the place of its browser."""
    visitor = streamlit_internals.browser_of(st.context.cookies) or session
    now = time.monotonic()
    with _lock:
        for each in _places:
            each.gone = None if each.session in open_ else each.gone or now
        _places[:] = [each for each in _places if now - (each.gone or now) < RETURN_SECONDS]
        own = [each for each in _places if each.session == session]
        left = [each for each in _places if each.gone is not None and each.visitor == visitor]
        if not own and not left:
            _places.append(_Place(visitor, session))
        place = (own or left or _places[-1:])[0]
        place.session, place.gone = session, None
        return _places.index(place)


# ---- uploads ----


class UploadLimit:
    """ASGI middleware: ends an upload if the server would have too many bytes of uploaded files."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._coming: Counter[str] = Counter()  # bytes that have come of uploads, by session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_put = scope["type"] == "http" and scope["method"] == "PUT"
        if not is_put or streamlit_internals.UPLOADS not in scope["path"]:
            await self._app(scope, receive, send)
            return
        session = scope["path"].partition(streamlit_internals.UPLOADS)[2].partition("/")[0]
        stated = dict(scope["headers"]).get(b"content-length", b"0")
        size = int(stated) if stated.isdigit() and len(stated) < LONGEST_NUMBER else 0
        came = 0

        async def counted() -> Message:
            nonlocal came
            self._refuse_too_much(session, max(0, size - came))
            try:
                async with asyncio.timeout(IDLE_SECONDS):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408, "Nothing more of the file came.") from None
            n_bytes = len(message.get("body", b""))
            came += n_bytes
            self._coming[session] += n_bytes
            self._refuse_too_much(session, 0)
            return message

        try:
            await self._app(scope, counted, send)
        finally:
            self._coming -= Counter({session: came})

    def _refuse_too_much(self, session: str, n_bytes: int) -> None:
        try:
            stored = streamlit_internals.uploaded_bytes()
        except streamlit_internals.Unreadable as error:
            text = "This server can't count its uploads, so it accepts none. Its log says why."
            raise HTTPException(503, text) from error
        limits = memory_limits()
        own = stored.get(session, 0) + self._coming[session]
        if own + n_bytes > limits.session_uploads_megabytes * MEGABYTE:
            text = "Your uploads take too much memory together. Remove one, or reload the page."
            raise HTTPException(413, text)
        every = sum(stored.values()) + self._coming.total()
        if every + n_bytes > limits.uploads_megabytes * MEGABYTE:
            raise HTTPException(507, "The server's memory for uploads is full. Try again later.")


# ---- ended sessions ----


@asynccontextmanager
async def while_running(app: Any) -> AsyncIterator[None]:
    """While the server runs: publish its memory as metrics, and remove ended sessions."""
    about = "Bytes of uploaded files, of computed results, and of the whole process."
    streamlit_internals.publish("narrow_cone_memory_bytes", about, _figures)
    warm_up()
    ttl = st.get_option("server.disconnectedSessionTTL")
    sweeping = asyncio.create_task(_sweep(max(1, ttl / 2)))
    yield
    sweeping.cancel()


async def _sweep(every: float) -> None:
    open_before = 0
    while True:
        await asyncio.sleep(every)
        n_open = -1  # some may have ended
        try:
            n_open = streamlit_internals.end_expired_sessions()
        except streamlit_internals.Unreadable:  # the log has a line
            pass
        except Exception:  # of one session: the next are ended all the same
            logging.getLogger(__name__).exception("A session was not ended in full.")
        if n_open < max(open_before, 0):
            await asyncio.to_thread(_free)
        open_before = n_open


def _free() -> None:
    """Collect cycles of references, which sessions have, and return free memory to the system."""
    gc.collect()
    return_memory(growth=0)


def return_memory(growth: int = LARGE) -> None:
    """Return free memory to the system if the process has grown by so many bytes since the last.

    glibc retains it: 68 MB after 200 sessions, 160 to 300 MB after an upload of 154 MB
    (``make bench load``, ``explore``). Other C libraries lack the function.
    """
    global _size
    if growth and _size_now() - _size < growth:
        _size = min(_size, _size_now())
        return
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim:
        trim(0)
    _size = _size_now()


def _size_now() -> int:
    return int(psutil.Process().memory_info().rss)


def _figures() -> dict[str, int]:
    figures = {"results": total_size(), "process": _size_now()}
    with suppress(streamlit_internals.Unreadable):
        figures["uploads"] = sum(streamlit_internals.uploaded_bytes().values())
    return figures
