"""A reader of a page without a browser, over Streamlit's own WebSocket protocol."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from streamlit.components.v2.bidi_component.constants import EVENT_DELIM
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.session_state import STREAMLIT_INTERNAL_KEY_PREFIX
from websockets.asyncio.client import ClientConnection, connect

SECONDS = 120.0  # a run that takes longer counts as an error
FINISHED = {
    ForwardMsg.FINISHED_SUCCESSFULLY,
    ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
}
TWIN = "narrow_cone_twin"  # the component's name
# Where a reader may stop the film of a twin cloud: (centring, strength).
FILM = [(step / 16, 0.0) for step in range(17)] + [(1.0, step / 16) for step in range(1, 17)]


class PageError(Exception):
    """The page showed an exception."""


@dataclass(frozen=True)
class Run:
    """Seconds from the request to the end of the script run, and the bytes that came."""

    seconds: float
    size: int


@dataclass
class Control:
    """A slider, a selectbox, options, a text area, a button or a film as the page last sent it."""

    id: str
    fragment: str
    choices: Sequence[Any]


@dataclass
class Reader:
    """One session of a page: ``async with Reader(port, "narrow_cone") as reader``.

    It draws nothing, so its times are the server's alone.

    Attributes
    ----------
    port : int
    page : str
    query : str
        Of the address, without "?".
    progress : str
        The text of the last progress bar.
    cookie : str
        Sent when it connects; afterwards the one that a proxy set.
    session : str
        The server's name of it.
    texts : list of str
        Prose, numbers and messages that the last run sent.
    """

    port: int
    page: str
    query: str = ""
    progress: str = ""
    cookie: str = ""
    session: str = ""
    texts: list[str] = field(default_factory=list)
    controls: dict[str, Control] = field(default_factory=dict)
    _states: dict[str, WidgetState] = field(default_factory=dict)
    _cached: set[str] = field(default_factory=set)

    async def __aenter__(self) -> "Reader":
        self._socket: ClientConnection = await connect(
            f"ws://127.0.0.1:{self.port}/_stcore/stream",
            subprotocols=["streamlit"],  # type: ignore[list-item]
            additional_headers={"Cookie": self.cookie} if self.cookie else None,
            max_size=None,
            open_timeout=60,
        )
        assert self._socket.response is not None
        cookie = self._socket.response.headers.get("Set-Cookie", self.cookie)
        self.cookie = cookie.partition(";")[0]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._socket.close()

    async def open(self) -> Run:
        """The first visit of the page."""
        return await self._run("")

    async def move(self, key: str, value: float | str | bool | tuple[float, float]) -> Run:
        """Set the control with this key to a value, or an option by its number (int).

        True presses a button, and a pair of numbers stops the film there.
        """
        control = self.controls[key]
        state = WidgetState(id=control.id)
        if value is True:
            state.trigger_value = True
            return await self._run(control.fragment, pressed=state)
        if isinstance(value, tuple):
            # Without a value of its own the server does not find the component.
            self._states[control.id] = WidgetState(id=control.id, json_value="{}")
            state.id = f"{STREAMLIT_INTERNAL_KEY_PREFIX}_{control.id}{EVENT_DELIM}events"
            state.json_trigger_value = json.dumps([{"event": "settled", "value": value}])
            return await self._run(control.fragment, pressed=state)
        if isinstance(value, str):
            state.string_value = value
        elif isinstance(value, int):
            state.string_array_value.data.append(control.choices[value])
        else:
            state.double_array_value.data.append(value)
        self._states[control.id] = state
        return await self._run(control.fragment)

    async def _run(self, fragment: str, *, pressed: WidgetState | None = None) -> Run:
        message = BackMsg()
        rerun = message.rerun_script
        rerun.page_name = self.page
        rerun.query_string = self.query
        rerun.fragment_id = fragment
        rerun.widget_states.widgets.extend(self._states.values())
        if pressed is not None:
            rerun.widget_states.widgets.append(pressed)
        rerun.cached_message_hashes.extend(self._cached)
        self.texts = []
        start, size = perf_counter(), 0
        is_ours = False  # a fragment that a callback has run again may finish first
        await self._socket.send(message.SerializeToString())
        while True:
            content: Any = await asyncio.wait_for(self._socket.recv(), SECONDS)
            size += len(content)
            answer = ForwardMsg.FromString(content)
            if answer.metadata.cacheable:
                self._cached.add(answer.hash)
            kind = answer.WhichOneof("type")
            if kind == "delta":
                self._read(answer.delta)
            elif kind == "new_session":
                self.session = answer.new_session.initialize.session_id
                is_ours = bool(fragment) or not answer.metadata.run.fragment_ids
            elif kind == "script_finished" and answer.script_finished in FINISHED and is_ours:
                return Run(perf_counter() - start, size)

    def leave_page(self) -> None:
        """Forget the controls, as the browser does when another page is opened."""
        self.controls.clear()
        self._states.clear()

    async def settle(self, quiet: float = 0.5) -> None:
        """Read what a control's callback made run again, until nothing comes for some time."""
        with suppress(TimeoutError):
            while True:
                content: Any = await asyncio.wait_for(self._socket.recv(), quiet)
                answer = ForwardMsg.FromString(content)
                if answer.WhichOneof("type") == "delta":
                    self._read(answer.delta)

    def _read(self, delta: Any) -> None:
        element = delta.new_element
        kind = element.WhichOneof("type")
        if kind == "exception":
            raise PageError(element.exception.message)
        if kind == "progress":
            self.progress = element.progress.text
            return
        if kind in ("markdown", "html", "alert"):
            self.texts.append(getattr(element, kind).body)
            return
        if kind == "slider" and len(element.slider.default) == 1:
            slider = element.slider
            steps = round((slider.max - slider.min) / slider.step)
            choices: Any = [slider.min + step * slider.step for step in range(steps + 1)]
        elif kind == "selectbox":
            choices = list(element.selectbox.options)
        elif kind == "button_group":
            choices = [option.content for option in element.button_group.options]
        elif kind in ("text_area", "button"):
            choices = ()
        elif kind == "bidi_component" and element.bidi_component.component_name == TWIN:
            choices = FILM
        else:
            return
        id_ = getattr(element, kind).id
        key = "film" if choices is FILM else id_.split("-", 2)[-1]  # $$ID-<hash>-<key>
        self.controls[key] = Control(id_, delta.fragment_id, choices)
