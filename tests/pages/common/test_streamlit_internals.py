"""Names that Streamlit does not publish, and its faults, corrected in one version only."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit import net_util
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.pages_manager import PagesManager

from pages.common import streamlit_internals as internals
from pages.common.streamlit_internals import Unreadable

AGAIN, OTHER = "fragment-again", "fragment-other"
FAULTS = [
    (PagesManager, "uses_pages_directory"),
    (net_util, "_external_ip"),
    (ForwardMsgQueue, "clear"),
]


def element(path: Sequence[int], fragment: str = "") -> ForwardMsg:
    message = ForwardMsg()
    message.metadata.delta_path.extend(path)
    message.delta.fragment_id = fragment
    message.delta.new_element.text.body = "text"
    return message


def block(path: Sequence[int], fragment: str = "") -> ForwardMsg:
    message = element(path, fragment)
    message.delta.add_block.allow_empty = True
    return message


def reference(path: Sequence[int]) -> ForwardMsg:
    message = ForwardMsg(ref_hash="hash")
    message.metadata.delta_path.extend(path)
    return message


@pytest.fixture(autouse=True)
def restored(monkeypatch) -> Iterator[None]:
    """Streamlit as it is without corrections, during the test and after it."""
    for owner, name in FAULTS:
        monkeypatch.setattr(owner, name, getattr(owner, name))
    internals._log.cache_clear()
    yield
    internals._log.cache_clear()


def left(messages: Sequence[ForwardMsg], **options: object) -> list[tuple[int, ...]]:
    """The places of the messages that remain when AGAIN begins to run."""
    internals.correct_faults()
    queue = ForwardMsgQueue()
    for message in messages:
        queue.enqueue(message)
    queue.clear(**{"retain_lifecycle_msgs": True, "fragment_ids_this_run": [AGAIN]} | options)
    return [tuple(message.metadata.delta_path) for message in queue.flush()]


def test_a_reference_goes_with_the_block_around_it():
    assert left([block([0, 1, 0], AGAIN), reference([0, 1, 0, 0])]) == []
    inner = [block([0, 1, 0], AGAIN), block([0, 1, 0, 0], AGAIN), reference([0, 1, 0, 0, 0])]
    assert left(inner) == []


def test_a_reference_goes_with_the_element_before_it():
    assert left([element([0, 1, 0], AGAIN), reference([0, 1, 1])]) == []


def test_references_elsewhere_stay():
    sent = [block([0, 0]), reference([0, 0, 0]), block([0, 2], OTHER), reference([0, 2, 0])]
    again = [block([0, 1, 0], AGAIN), reference([0, 1, 0, 0])]
    assert left([*sent, *again]) == [(0, 0), (0, 0, 0), (0, 2), (0, 2, 0)]


def test_a_run_of_the_whole_page_drops_all():
    messages = [block([0, 0]), reference([0, 0, 0])]
    assert left(messages, fragment_ids_this_run=None) == []
    assert left(messages, retain_lifecycle_msgs=False) == []


# ---- another version ----


def test_the_installed_version_is_the_one_that_was_read():
    """After an upgrade of Streamlit: read each name of the module again, then set VERSION."""
    assert st.__version__.startswith(f"{internals.VERSION}.")


def values() -> list[object]:
    return [getattr(owner, name) for owner, name in FAULTS]


def test_faults_are_corrected_in_the_version_that_was_read_only(monkeypatch, caplog):
    before = values()
    monkeypatch.setattr(st, "__version__", "1.670.0")
    internals.correct_faults()
    assert values() == before
    assert len(caplog.records) == len(FAULTS)
    monkeypatch.setattr(st, "__version__", f"{internals.VERSION}.9")
    internals.correct_faults()
    assert values() == [False, "127.0.0.1", internals._clear_with_references]


# ---- names that Streamlit does not publish ----


class Bare:
    """A part of Streamlit without the names that it does not publish."""

    uploaded_file_mgr = SimpleNamespace()
    session_id = "1"
    script_requests = SimpleNamespace()

    def get_app_session(self, _session: str) -> SimpleNamespace:
        return SimpleNamespace()


WITHOUT = {  # name: what uses it, and what that gives without it
    "Runtime._session_mgr": (internals.open_sessions, Unreadable),
    "MemoryUploadedFileManager.file_storage": (internals.uploaded_bytes, Unreadable),
    "AppSession._state": (partial(internals.is_running, "1"), False),
    "ScriptRequests._state": (internals.click_waits, False),
    "ScriptRunContext.is_history_navigation": (internals.is_from_history, False),
    "Runtime.stats_mgr": (partial(internals.publish, "family", "about", dict), None),
    "WebsocketSessionManager._session_storage": (internals.end_expired_sessions, Unreadable),
    "MemorySessionStorage._cache": (internals.end_expired_sessions, Unreadable),
}


@pytest.mark.parametrize("name", WITHOUT)
def test_without_a_name_there_is_a_refusal_or_a_plain_path_and_one_line(name, monkeypatch, caplog):
    use, expected = WITHOUT[name]
    monkeypatch.setattr(internals, "_server", Bare)
    monkeypatch.setattr(internals, "get_script_run_ctx", lambda **_: Bare())
    if expected is Unreadable and use is internals.end_expired_sessions:
        manager = SimpleNamespace(list_active_sessions=list)
        if name == "MemorySessionStorage._cache":
            manager._session_storage = SimpleNamespace()
        monkeypatch.setattr(Bare, "_session_mgr", manager, raising=False)
    for _ in range(2):
        if expected is Unreadable:
            with pytest.raises(Unreadable):
                use()
        else:
            assert use() is expected
    [record] = caplog.records
    assert f"lacks {name}. " in record.getMessage()


def test_each_name_that_is_used_is_tested():
    code = Path(internals.__file__).read_text(encoding="utf-8")
    needed = {*re.findall(r'_needs\("([\w.]+)"\)', code)}
    assert needed == {*WITHOUT, "ForwardMsgQueue._queue"}
    own = {*re.findall(r"^(?:def |class )?(_\w+)\b", code, re.M)}  # the module's own
    private = {*re.findall(r"[.\"](_[a-z]\w*)", code)} - own - {name for _owner, name in FAULTS}
    assert private <= {name.partition(".")[2] for name in needed}
