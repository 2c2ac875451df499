"""The server's memory: limits of sessions and of uploads, ended sessions, metrics.

The limits are [memory] in narrow-cone.toml; those of computed results are in ``cache``.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import net_util, runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.stats import GaugeStat, Stat

from geometry.data.limits import MEGABYTE

from .cache import memory_limits, total_size
from .garbage import collect_all
from .lost_references import drop_lost_references
from .models import warm_up
from .words import _

SWEEP_SECONDS = 60.0
UPLOAD = "/_stcore/upload_file/"
LONGEST_NUMBER = 19  # digits of a number of bytes at most
FAMILY = "narrow_cone_memory_bytes"


# ---- sessions ----


def limit_sessions() -> None:
    """End the page with a warning if the operator's number of sessions was reached before."""
    context = get_script_run_ctx()
    if context is None or not runtime.exists():
        return
    manager = getattr(runtime.get_instance(), "_session_mgr", None)
    if manager is None:  # a runtime of AppTest
        return
    most = memory_limits().sessions
    came_first = [info.session.id for info in manager.list_active_sessions()[:most]]
    if len(came_first) == most and context.session_id not in came_first:
        st.warning(
            _(
                "This server already has {n} visitors, as many as its operator allows. Reload the "
                "page in some minutes."
            ).format(n=most),
            icon=":material/group:",
        )
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
        if scope["type"] == "http" and scope["method"] == "PUT" and UPLOAD in scope["path"]:
            session = scope["path"].partition(UPLOAD)[2].partition("/")[0]
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
        limits, files = memory_limits(), _uploaded()
        own = _bytes_of(files.get(session, {})) + self._coming[session]
        if own + n_bytes > limits.session_uploads_megabytes * MEGABYTE:
            return (
                413,
                "Your uploads take too much memory together. Remove one, or reload the page.",
            )
        every = sum(map(_bytes_of, files.values())) + self._coming.total()
        if every + n_bytes > limits.uploads_megabytes * MEGABYTE:
            return 507, "The server's memory for uploads is full. Try again later."
        return None


def _uploaded() -> dict[str, dict[str, Any]]:
    """The uploaded files by session and name."""
    return dict(getattr(runtime.get_instance().uploaded_file_mgr, "file_storage", {}))


def _bytes_of(files: dict[str, Any]) -> int:
    return sum(len(file.data) for file in list(files.values()))


# ---- ended sessions ----


@asynccontextmanager
async def while_running(app: Any) -> AsyncIterator[None]:
    """While the server runs: publish its memory as metrics, and remove ended sessions.

    The bundled encoder is loaded in the background.

    Streamlit stores the session of a closed tab for a while, because the connection may come back.
    It removes expired sessions only when another session is closed.
    """
    # When a page of another site connects, Streamlit requests this server's address from a service
    # on the internet, and all visitors wait for the answer. Such a page is refused in any case.
    net_util._external_ip = "127.0.0.1"
    drop_lost_references()
    running = runtime.get_instance()
    running.stats_mgr.register_provider(_Figures())
    warm_up()
    sweeping = asyncio.create_task(_sweep(getattr(running, "_session_mgr", None)))
    yield
    sweeping.cancel()


async def _sweep(manager: Any) -> None:
    storage = getattr(getattr(manager, "_session_storage", None), "_cache", None)
    open_before = 0
    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        expired = storage.expire() if storage is not None else []
        for item in expired:
            item[1].session.shutdown()
        expired.clear()
        n_open = len(manager.list_active_sessions()) + len(storage or ())
        if n_open < open_before:
            await asyncio.to_thread(collect_all)
        open_before = n_open


class _Figures:
    """Streamlit's protocol of a provider of metrics."""

    stats_families = (FAMILY,)

    def get_stats(self, family_names: Sequence[str] | None = None) -> Mapping[str, Sequence[Stat]]:
        sizes = {
            "uploads": sum(map(_bytes_of, _uploaded().values())),
            "results": total_size(),
            "process": _resident_bytes(),
        }
        about = "Bytes of uploaded files, of computed results, and of the whole process."
        return {
            FAMILY: [
                GaugeStat(FAMILY, size, {"of": name}, unit="bytes", help=about)
                for name, size in sizes.items()
            ]
        }


def _resident_bytes() -> int:
    """Memory of this process; 0 if the system has no such figure."""
    with suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS:")).split()[1]) * 1024
    return 0
