"""A correction of Streamlit's message queue. Without it quick clicks can blank the page.

For an unchanged element the server sends only its hash, a reference. When a fragment runs again
before its messages were sent, Streamlit 1.67 drops them, because the new run makes them again. It
recognises them by the fragment's id, which a reference does not have. So the reference stays in the
queue, but the block around it is dropped. The browser then fails with "Cannot set a node at a delta
path".
"""

from __future__ import annotations

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

_clear = ForwardMsgQueue.clear


def drop_lost_references() -> None:
    """From now on queues drop references together with the blocks around them."""
    ForwardMsgQueue.clear = _clear_with_references  # type: ignore[method-assign, assignment]


def _clear_with_references(
    queue: ForwardMsgQueue,
    retain_lifecycle_msgs: bool = False,
    fragment_ids_this_run: list[str] | None = None,
) -> None:
    if retain_lifecycle_msgs and fragment_ids_this_run is not None:
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
        if not message.HasField("ref_hash"):
            return False
        path = tuple(message.metadata.delta_path)
        return path[:-1] in parents or any(path[:n] in places for n in range(1, len(path)))

    return [message for message in messages if not is_lost(message)]
