"""The same points in several pictures with one camera (assets/components/twin_cloud).

Positions and colours are sent as separate arrays, named by a hash of their content: a control
that changes neither sends neither. The twin cloud needs WebGL2. For a browser without it,
``has_no_webgl2`` returns True from then on, and the page draws with Plotly.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import streamlit as st

from geometry.palette import Theme
from geometry.projection.packing import unpack_rows
from geometry.projection.twin_message import MOST_TEXTS, Points, TwinCloud, message_of, short_text
from pages.common.address import fills_window, put_in_url
from pages.common.words import _

from .charts import COMPONENTS, share_texts
from .scripts import served

FOLDER = COMPONENTS / "twin_cloud"
NO_WEBGL2 = "no-webgl2"
CAMERA = "camera"
# azimuth and elevation in degrees, zoom, and three numbers more for a target
_NUMBER = r"-?[0-9]{1,4}(?:\.[0-9]{1,3})?"
CAMERA_FORM = re.compile(
    rf"{_NUMBER},{_NUMBER},{_NUMBER.removeprefix('-?')}(?:(?:,{_NUMBER}){{3}})?"
)
MOST_ANSWERS = 50  # requested texts that each answer sends again at most


def has_no_webgl2() -> bool:
    """True once this session's browser has reported that it has no WebGL2."""
    return bool(st.session_state.get(NO_WEBGL2))


def show_twin_cloud(
    cloud: TwinCloud,
    theme: Theme,
    *,
    key: str,
    texts: Sequence[str] = (),
    on_point: Callable[[int], None] | None = None,
    on_selection: Callable[[np.ndarray], None] | None = None,  # ascending; none when cleared
    # Knobs where the reader stops the film or a knob; None runs the film in the browser only
    on_settled: Callable[[Sequence[float]], None] | None = None,
    in_address: bool = True,  # whether the address has the camera; of one twin cloud a page
) -> None:
    """Draw the twin cloud; if one of that key is on the page, update what has changed."""
    place = f"twin-{key}"
    n = cloud.n

    def event(name: str) -> Any:
        return st.session_state[place].get(name)

    def chosen() -> None:
        if on_point is not None and event("chosen") is not None:
            on_point(int(event("chosen")))

    def selected() -> None:
        text = event("selected")
        if on_selection is not None and text is not None:
            on_selection(unpack_rows(text, n) if text else np.zeros(0, dtype=np.int64))

    def settled() -> None:
        if on_settled is not None and event("settled") is not None:
            on_settled([float(value) for value in event("settled")])

    def missing() -> None:
        st.session_state[NO_WEBGL2] = True

    texts_name = f"{key}-{cloud.rows_key}"
    message = message_of(cloud, theme, texts_name, _)
    is_flat = len(cloud.axis_titles) == 2
    message |= {
        "settles": on_settled is not None,
        "camera": None if is_flat or not in_address else _camera(),
    }
    message["fills"] = fills_window()
    with st.container(key=place + "-box", gap=None):  # most of these components are invisible
        if len(texts) <= MOST_TEXTS:
            share_texts(texts_name, texts, key=key)
        else:
            _answer(texts_name, texts)
        if not in_address:
            pass
        elif is_flat:
            put_in_url(CAMERA, None)
        else:
            _put_camera_in_url()
        for slot, points in cloud.arrays.items():
            _hold(points, f"{place}-{slot}")
        _component()(
            key=place,
            data=json.dumps(message).encode(),
            on_chosen_change=chosen,
            on_selected_change=selected,
            on_settled_change=settled,
            on_missing_change=missing,
        )


def _camera() -> list[float] | None:
    """The camera that the reader has set, or else of the address; None for the usual one."""
    text = st.session_state.setdefault(CAMERA, st.query_params.get(CAMERA, ""))
    return [float(number) for number in text.split(",")] if CAMERA_FORM.fullmatch(text) else None


@st.fragment
def _put_camera_in_url() -> None:
    """A fragment: a turn of the pictures does not run the rest of the page again."""
    key = "camera-address"

    def on_turned() -> None:
        st.session_state[CAMERA] = st.session_state[key].get("turned") or ""

    put_in_url(CAMERA, st.session_state[CAMERA] if _camera() else None)
    _camera_address()(key=key, on_turned_change=on_turned)


@st.fragment
def _answer(name: str, texts: Sequence[str]) -> None:
    """Send requested texts. A fragment: a request does not run the rest of the page again."""
    key = f"text-requests-{name}"
    answers: dict[int, str] = st.session_state.setdefault(f"{key}-answers", {})

    def on_request() -> None:
        row = st.session_state[key].get("requested")
        if row is not None and 0 <= int(row) < len(texts):
            answers[int(row)] = short_text(texts[int(row)])
            for old in list(answers)[:-MOST_ANSWERS]:
                del answers[old]  # the browser has this answer

    message = {"name": name, "answers": answers}
    _text_requests()(key=key, data=json.dumps(message).encode(), on_requested_change=on_request)


def _hold(points: Points, key: str) -> None:
    name = points.name.encode()
    _arrays()(key=key, data=len(name).to_bytes(4, "little") + name + points.body)


@st.cache_resource(show_spinner=False)
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "narrow_cone_twin",
        html=(FOLDER / "twin_cloud.html").read_text(encoding="utf8"),
        css=(FOLDER / "twin_cloud.css").read_text(encoding="utf8"),
        js=served("twin_cloud"),
        isolate_styles=False,  # the pictures follow the page's tab order and typeface
    )


@st.cache_resource(show_spinner=False)
def _text_requests() -> Callable[..., Any]:
    script = (COMPONENTS / "text_requests.js").read_text(encoding="utf8")
    return st.components.v2.component("narrow_cone_text_requests", js=script)


@st.cache_resource(show_spinner=False)
def _camera_address() -> Callable[..., Any]:
    script = (COMPONENTS / "camera_address.js").read_text(encoding="utf8")
    return st.components.v2.component("narrow_cone_camera_address", js=script)


@st.cache_resource(show_spinner=False)
def _arrays() -> Callable[..., Any]:
    script = (FOLDER / "arrays.js").read_text(encoding="utf8")
    return st.components.v2.component("narrow_cone_arrays", js=script)
