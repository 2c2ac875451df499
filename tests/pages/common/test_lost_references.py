"""Messages of a fragment that reruns before they are sent."""

from collections.abc import Iterator, Sequence
from types import SimpleNamespace

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from pages.common import lost_references, server_memory
from tests.event_loop import run_alone

AGAIN, OTHER = "fragment-again", "fragment-other"


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
def mended(monkeypatch) -> Iterator[None]:
    # monkeypatch restores it afterwards
    monkeypatch.setattr(ForwardMsgQueue, "clear", ForwardMsgQueue.clear)
    lost_references.drop_lost_references()


def left(messages: Sequence[ForwardMsg], **options: object) -> list[tuple[int, ...]]:
    """The places of the messages that remain when AGAIN begins to run."""
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


def test_a_running_server_has_the_mended_queue(monkeypatch):
    monkeypatch.setattr(ForwardMsgQueue, "clear", lost_references._clear)
    monkeypatch.setattr(server_memory.net_util, "_external_ip", None)
    monkeypatch.setattr(server_memory, "warm_up", lambda: None)
    figures = SimpleNamespace(register_provider=lambda provider: None)
    running = SimpleNamespace(stats_mgr=figures)
    monkeypatch.setattr(server_memory.runtime, "get_instance", lambda: running)

    async def start() -> None:
        async with server_memory.while_running(None):
            assert left([block([0, 1, 0], AGAIN), reference([0, 1, 0, 0])]) == []

    run_alone(start())
