"""Faults of Streamlit that are corrected, in the version that was read only."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import streamlit as st
from streamlit import net_util
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.pages_manager import PagesManager

from pages.common import streamlit_internals as internals
from tests.for_each import for_each

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


class Lacking:
    """An object of Streamlit without the names that are not published."""

    def get_app_session(self, _session: str) -> "Lacking":
        return self


@for_each(
    ("use", "name", "without"),
    [
        (internals.open_sessions, "Runtime._session_mgr", "refused"),
        (internals.uploaded_bytes, "MemoryUploadedFileManager.file_storage", "refused"),
        (lambda: internals.is_running("a"), "AppSession._state", False),
        (internals.click_waits, "ScriptRequests._state", False),
        (internals.is_from_history, "ScriptRunContext.is_history_navigation", False),
        (lambda: internals.publish("a", "", dict), "Runtime.stats_mgr", None),
    ],
)
def test_without_a_name_there_is_a_refusal_or_a_plain_path_and_one_line(
    use, name, without, monkeypatch, caplog
):
    context = Lacking()
    context.script_requests = Lacking()
    monkeypatch.setattr(internals, "get_script_run_ctx", lambda: context)
    monkeypatch.setattr(internals, "_server", Lacking)
    caplog.clear()
    for _time in range(2):
        try:
            found = use()
        except internals.Unreadable:
            found = "refused"
        assert found == without
    [line] = caplog.records
    assert f"{name}, which " in line.getMessage()


def test_each_name_is_listed():
    code = Path(internals.__file__).read_text(encoding="utf-8")
    own = {*re.findall(r"^(?:def |class )?(_\w+)\b", code, re.M)}  # the module's own
    private = {*re.findall(r"[.\"](_[a-z]\w*)", code)} - own
    assert private <= {name.partition(".")[2] for name in internals.NAMES}
