"""The server's memory: limits of sessions and of uploads, ended sessions, metrics.

The limits are [memory] in narrow-cone.toml; those of computed results are in ``cache``.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from geometry.data.limits import MEGABYTE

from .cache import memory_limits, total_size
from .garbage import collect_all
from .models import warm_up
from .streamlit_internals import (
    UPLOADS,
    Unreadable,
    end_expired_sessions,
    open_sessions,
    publish,
    session_id,
    uploaded_bytes,
)
from .words import _

LONGEST_NUMBER = 19  # digits of a number of bytes at most


# ---- sessions ----


def limit_sessions() -> None:
    """End the page with a warning if the operator's number of sessions was reached before."""
    most = memory_limits().sessions
    try:
        came_first = open_sessions()[:most]
    except Unreadable:
        refusal = _("This server can't count its visitors, so it shows no page. Its log says why.")
    else:
        if len(came_first) < most or session_id() in came_first:
            return
        refusal = _(
            "This server already has {n} visitors, as many as its operator allows. Reload the "
            "page in some minutes."
        ).format(n=most)
    st.warning(refusal, icon=":material/group:")
    st.stop()


# ---- uploads ----


class UploadLimit:
    """Refuses an upload if the server would then have too many bytes of uploaded files.

    An ASGI middleware. Streamlit limits each file, but not how many there are.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._coming: Counter[str] = Counter()  # bytes of uploads in progress, by session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "PUT" and UPLOADS in scope["path"]:
            session = scope["path"].partition(UPLOADS)[2].partition("/")[0]
            length = dict(scope["headers"]).get(b"content-length", b"")
            n_bytes = int(length) if length.isdigit() and len(length) < LONGEST_NUMBER else None
            reason = self._reason_to_refuse(session, n_bytes)
            if reason is not None:
                status, text = reason
                await PlainTextResponse(text, status_code=status)(scope, receive, send)
                return
            coming = Counter({session: n_bytes or 0})
            self._coming += coming
            try:
                await self._app(scope, receive, send)
            finally:
                self._coming -= coming
            return
        await self._app(scope, receive, send)

    def _reason_to_refuse(self, session: str, n_bytes: int | None) -> tuple[int, str] | None:
        """An HTTP status and a sentence; None if the upload is accepted."""
        if n_bytes is None:
            return 411, "The size of the file is missing."
        try:
            stored = uploaded_bytes()
        except Unreadable:
            return 503, "This server can't count its uploads, so it accepts none. Its log says why."
        limits = memory_limits()
        own = stored.get(session, 0) + self._coming[session]
        if own + n_bytes > limits.session_uploads_megabytes * MEGABYTE:
            return (
                413,
                "Your uploads take too much memory together. Remove one, or reload the page.",
            )
        every = sum(stored.values()) + self._coming.total()
        if every + n_bytes > limits.uploads_megabytes * MEGABYTE:
            return 507, "The server's memory for uploads is full. Try again later."
        return None


# ---- ended sessions ----


@asynccontextmanager
async def while_running(app: Any) -> AsyncIterator[None]:
    """While the server runs: publish its memory as metrics, and remove ended sessions.

    The bundled encoder is loaded in the background.
    """
    about = "Bytes of uploaded files, of computed results, and of the whole process."
    publish("narrow_cone_memory_bytes", about, _figures)
    warm_up()
    sweeping = asyncio.create_task(_sweep())
    yield
    sweeping.cancel()


async def _sweep() -> None:
    open_before = 0
    while True:
        await asyncio.sleep(max(1, st.get_option("server.disconnectedSessionTTL") / 2))
        try:
            n_open = end_expired_sessions()
        except Unreadable:
            n_open = -1  # some may have ended
        if n_open < max(open_before, 0):
            await asyncio.to_thread(collect_all)
        open_before = n_open


def _figures() -> dict[str, int]:
    figures = {"results": total_size(), "process": _resident_bytes()}
    with suppress(Unreadable):
        figures["uploads"] = sum(uploaded_bytes().values())
    return figures


def _resident_bytes() -> int:
    """Memory of this process; 0 if the system has no such figure."""
    with suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS:")).split()[1]) * 1024
    return 0
