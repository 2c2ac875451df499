"""All uses of names that Streamlit does not publish.

If one is missing, the log has a line about it. A limit that can't be read then refuses. A
correction of a fault is made in one version only. Other uses do without. A missing module ends the
server's start.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl

import streamlit as st
from streamlit import net_util
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSessionState
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import StopException as StopException
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
from streamlit.runtime.stats import GaugeStat
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string
from streamlit.web.server.starlette.starlette_routes import BASE_ROUTE_UPLOAD_FILE
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME

VERSION = "1.67"  # in which the names were read
NAMES = {  # what each is for
    "Runtime._session_mgr": "limits sessions; without it pages are refused",
    "Runtime.uploaded_file_mgr": "frees a file once it is read; without it only the limit remains",
    "MemoryUploadedFileManager.file_storage": "limits uploads; without it they are refused",
    "WebsocketSessionManager._session_storage": "ends the sessions of closed tabs in time",
    "MemorySessionStorage._cache": "ends the sessions of closed tabs in time",
    "AppSession._state": "lets work go on during a slow run of its page",
    "ScriptRunContext.is_history_navigation": "lets Back and Forward reset settings",
    "ScriptRunContext.query_string": "lets Back and Forward reset settings of two pages",
    "ScriptRunContext.script_requests": "lets a click in a fragment interrupt a wait",
    "ScriptRequests._state": "lets a click in a fragment interrupt a wait",
    "Runtime.stats_mgr": "publishes the operator's figures",
    "PagesManager.uses_pages_directory": "corrects the first visit by a deep link",
    "net_util._external_ip": "corrects a request of this server's address on the internet",
    "ForwardMsgQueue.clear": "corrects pages that quick clicks blank",
    "ForwardMsgQueue._queue": "corrects pages that quick clicks blank",
}
FILE_BYTES = 1_000  # of an uploaded file beside its content and names
UPLOADS = f"/{BASE_ROUTE_UPLOAD_FILE}/"  # the path of an upload ends with <session>/<file>


class Unreadable(Exception):
    """Streamlit lacks a name."""


@contextmanager
def _needs(name: str) -> Iterator[None]:
    """Log the lack of a name in the block, and raise Unreadable."""
    try:
        yield
    except AttributeError as error:
        _log(name)
        raise Unreadable(name) from error


@cache
def _log(name: str) -> None:
    logging.getLogger(__name__).warning(
        "Streamlit %s is not as in %s: %s, which %s", st.__version__, VERSION, name, NAMES[name]
    )


def _read(owner: Any, name: str) -> Any:
    """The attribute of that name in NAMES; None without its owner, and if Streamlit lacks it."""
    with suppress(Unreadable), _needs(name):
        return None if owner is None else getattr(owner, name.split(".")[1])
    return None


def _server() -> Any:
    """The running server, or None. AppTest has a mock, which isinstance takes for a server."""
    running = Runtime.instance() if Runtime.exists() else None
    return running if issubclass(type(running), Runtime) else None


# ---- the session of a run ----


def browser_of(cookies: Mapping[str, str]) -> str:
    """A random name of the browser, the same in all its tabs; empty if it sent no cookie."""
    name, _time = decode_xsrf_token_string(cookies.get(XSRF_COOKIE_NAME, ""))
    return name.hex() if name else ""


def session_id() -> str:
    """Streamlit's name of this session; empty outside of a run."""
    context = get_script_run_ctx(suppress_warning=True)
    return "" if context is None else context.session_id


def is_from_history() -> bool:
    """True in a run that Back or Forward has caused: the address decides about each setting."""
    return bool(_read(get_script_run_ctx(), "ScriptRunContext.is_history_navigation"))


def query_of_history() -> dict[str, str]:
    """The address after Back or Forward. ``st.query_params`` lacks its bound settings."""
    return dict(parse_qsl(_read(get_script_run_ctx(), "ScriptRunContext.query_string") or ""))


def click_waits() -> bool:
    """True if a control of the fragment was used during the run, which does not interrupt it."""
    requests = _read(get_script_run_ctx(), "ScriptRunContext.script_requests")
    return _read(requests, "ScriptRequests._state") is ScriptRequestType.RERUN


# ---- all sessions ----


def open_sessions() -> list[str]:
    """The names of the sessions with an open tab, in order of arrival; none without a server."""
    server = _server()
    if server is None:
        return []
    with _needs("Runtime._session_mgr"):
        return [info.session.id for info in server._session_mgr.list_active_sessions()]


def is_connected(session: str) -> bool:
    """Whether a session's tab is open and connected. True without a server."""
    server = _server()
    return server is None or server.is_active_session(session)


def is_running(session: str) -> bool:
    server = _server()
    found = None if server is None else server.get_app_session(session)
    return _read(found, "AppSession._state") is AppSessionState.APP_IS_RUNNING


def end_expired_sessions() -> int:
    """End sessions whose tab was closed for long; returns how many sessions remain."""
    # Streamlit retains a session for a lost connection, and looks only when another tab is closed
    server = _server()
    with _needs("Runtime._session_mgr"):
        manager = server._session_mgr
    with _needs("WebsocketSessionManager._session_storage"):
        storage = manager._session_storage
    with _needs("MemorySessionStorage._cache"):
        expired = [info.session for _, info in storage._cache.expire()]
    with ExitStack() as ending:  # an error in one does not keep the others
        for session in expired:
            ending.callback(session.shutdown)
    uploading = uploaded_bytes()
    left = {info.session.id for info in manager.list_sessions()}
    for session in uploading.keys() - left:  # its file came after its end
        server.uploaded_file_mgr.remove_session_files(session)
    return len(left)


def uploaded_bytes() -> dict[str, int]:
    with _needs("MemoryUploadedFileManager.file_storage"):
        files = _server().uploaded_file_mgr.file_storage
        return {
            session: sum(map(_size_of, list(own.values()))) for session, own in list(files.items())
        }


def _size_of(file: UploadedFileRec) -> int:
    """The bytes of an uploaded file; its names may be long too, and its objects take some."""
    return len(file.data) + len(file.name) + len(file.file_id) + len(file.type) + FILE_BYTES


def forget_upload(file_id: str) -> None:
    """Free an uploaded file of this session; Streamlit keeps it until its reader removes it."""
    if (files := _read(_server(), "Runtime.uploaded_file_mgr")) is not None:
        files.remove_file(session_id(), file_id)


def forget_uploads() -> None:
    """Free all uploaded files of this session, for which no uploader is on the page any more."""
    if (files := _read(_server(), "Runtime.uploaded_file_mgr")) is not None:
        files.remove_session_files(session_id())


# ---- figures ----


def publish(family: str, about: str, figures: Callable[[], Mapping[str, int]]) -> None:
    def get_stats(_families: Sequence[str] | None = None) -> dict[str, list[GaugeStat]]:
        each = partial(GaugeStat, family, unit="bytes", help=about)
        return {family: [each(size, {"of": name}) for name, size in figures().items()]}

    provider = SimpleNamespace(stats_families=(family,), get_stats=get_stats)
    with suppress(Unreadable), _needs("Runtime.stats_mgr"):
        _server().stats_mgr.register_provider(provider)


# ---- faults ----

_clear = ForwardMsgQueue.clear


def correct_faults() -> None:
    """Correct three faults of Streamlit, before its server starts."""
    for owner, full_name, value in (
        # "Page not found" above the first page, as ``pages`` is taken for an older list of pages
        (PagesManager, "PagesManager.uses_pages_directory", False),
        # all visitors wait for a service on the internet when a page of another site connects
        (net_util, "net_util._external_ip", "127.0.0.1"),
        (ForwardMsgQueue, "ForwardMsgQueue.clear", _clear_with_references),
    ):
        name = full_name.split(".")[1]
        if st.__version__.startswith(f"{VERSION}.") and hasattr(owner, name):
            setattr(owner, name, value)
        else:
            _log(full_name)


def _clear_with_references(
    queue: ForwardMsgQueue,
    retain_lifecycle_msgs: bool = False,
    fragment_ids_this_run: list[str] | None = None,
) -> None:
    """Drop references, which stand for unchanged elements, together with the blocks around them.

    When a fragment runs again, Streamlit drops its messages that were not sent. It recognises them
    by the fragment's id, which a reference does not have. So the reference stays without its block,
    and the browser fails with "Cannot set a node at a delta path".
    """
    if retain_lifecycle_msgs and fragment_ids_this_run is not None:
        with suppress(Unreadable), _needs("ForwardMsgQueue._queue"):
            queue._queue = _without_lost(queue._queue, {*fragment_ids_this_run})
    _clear(queue, retain_lifecycle_msgs, fragment_ids_this_run)


def _without_lost(messages: list[ForwardMsg], fragments: set[str]) -> list[ForwardMsg]:
    """The messages without references beside or inside a message of these fragments."""
    places = {
        tuple(message.metadata.delta_path)
        for message in messages
        if message.HasField("delta") and message.delta.fragment_id in fragments
    }
    parents = {place[:-1] for place in places}

    def is_lost(message: ForwardMsg) -> bool:
        path = tuple(message.metadata.delta_path)
        return path[:-1] in parents or any(path[:n] in places for n in range(1, len(path)))

    return [each for each in messages if not (each.HasField("ref_hash") and is_lost(each))]
