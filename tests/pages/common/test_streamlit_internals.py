"""Faults of Streamlit that are corrected, in the version that was read only."""

from collections.abc import Iterator, Sequence

import pytest
import streamlit as st
from streamlit import net_util
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.pages_manager import PagesManager

from pages.common import streamlit_internals
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
    streamlit_internals._log.cache_clear()
    yield
    streamlit_internals._log.cache_clear()


def left(messages: Sequence[ForwardMsg], **options: object) -> list[tuple[int, ...]]:
    streamlit_internals.correct_faults()
    queue = ForwardMsgQueue()
    for message in messages:
        queue.enqueue(message)
    queue.clear(**{"retain_lifecycle_msgs": True, "fragment_ids_this_run": [AGAIN]} | options)
    return [tuple(message.metadata.delta_path) for message in queue.flush()]


AROUND = (block([0, 1, 0], AGAIN), reference([0, 1, 0, 0]))
ELSEWHERE = (block([0, 0]), reference([0, 0, 0]), block([0, 2], OTHER), reference([0, 2, 0]))


@for_each(
    ("sent", "stay"),
    [
        (AROUND, []),
        ((AROUND[0], block([0, 1, 0, 0], AGAIN), reference([0, 1, 0, 0, 0])), []),
        ((element([0, 1, 0], AGAIN), reference([0, 1, 1])), []),
        ((*ELSEWHERE, *AROUND), [(0, 0), (0, 0, 0), (0, 2), (0, 2, 0)]),
    ],
)
def test_a_reference_goes_with_what_is_around_or_before_it(sent, stay):
    assert left(sent) == stay


@for_each("how", [{"fragment_ids_this_run": None}, {"retain_lifecycle_msgs": False}])
def test_a_run_of_the_whole_page_drops_all(how):
    assert left([block([0, 0]), reference([0, 0, 0])], **how) == []


# ---- another version ----


def test_the_installed_version_is_the_one_that_was_read():
    """After an upgrade of Streamlit: read each name of the module again, then set VERSION."""
    assert st.__version__.startswith(f"{streamlit_internals.VERSION}.")


def values() -> list[object]:
    return [getattr(owner, name) for owner, name in FAULTS]


def test_faults_are_corrected_in_the_version_that_was_read_only(monkeypatch, caplog):
    before = values()
    monkeypatch.setattr(st, "__version__", "1.670.0")
    streamlit_internals.correct_faults()
    assert values() == before
    assert len(caplog.records) == len(FAULTS)
    monkeypatch.setattr(st, "__version__", f"{streamlit_internals.VERSION}.9")
    streamlit_internals.correct_faults()
    assert values() == [False, "127.0.0.1", streamlit_internals._clear_with_references]
