"""The same points in several pictures with one camera (assets/components/twin_cloud).

Arrays are named by a hash: what has not changed is not sent. Without WebGL2, Plotly draws.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import streamlit as st

from geometry.palette import Theme
from geometry.projection.packing import unpack_rows
from geometry.projection.twin_message import MOST_TEXTS, TwinCloud, message_of, short_text
from pages.common.address import fills_window, put_in_url
from pages.common.words import _

from .charts import share_texts
from .scripts import COMPONENTS, send, served

FOLDER = COMPONENTS / "twin_cloud"
NO_WEBGL2 = "no-webgl2"
CAMERA = "camera"
# azimuth and elevation in degrees (in 3D alone), zoom, and three numbers more for a target
_NUMBER = r"-?[0-9]{1,4}(?:\.[0-9]{1,5})?"
CAMERA_FORM = re.compile(
    rf"(?:{_NUMBER},{_NUMBER},)?{_NUMBER.removeprefix('-?')}(?:(?:,{_NUMBER}){{3}})?"
)
MOST_ANSWERS = 50  # requested texts that each answer sends again at most


def has_no_webgl2() -> bool:
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
    texts_name = f"{key}-{cloud.rows_key}"
    n = cloud.n  # the session keeps the callback, so it holds no cloud

    def selected(rows: str) -> None:
        if on_selection is not None:
            on_selection(unpack_rows(rows, n) if rows else np.zeros(0, dtype=np.int64))

    k = len(cloud.axis_titles)
    message = message_of(cloud, theme, texts_name, _) | {
        "settles": on_settled is not None,
        "camera": _camera(k) if in_address else None,
        "isInAddress": in_address,
        "fills": fills_window(),
    }
    with st.container(key=place + "-box", gap=None):  # most of these components are invisible
        if len(texts) <= MOST_TEXTS:
            share_texts(texts_name, texts, key=key)
        else:
            _answer(texts_name, texts)
        if in_address:
            _put_camera_in_url(k)
        for slot, points in cloud.arrays.items():
            name = points.name.encode()
            held = len(name).to_bytes(4, "little") + name + points.body
            send("arrays", f"{place}-{slot}", held, script=partial(_text, "arrays.js"))
        send(
            "twin",
            place,
            message,
            html=_text("twin_cloud.html"),
            css=_text("twin_cloud.css"),
            script=partial(served, "twin_cloud"),
            chosen=on_point,
            selected=selected,
            settled=on_settled,
            missing=partial(st.session_state.__setitem__, NO_WEBGL2),
        )


def _text(file: str) -> str:
    return (FOLDER / file).read_text(encoding="utf8")


def _camera(k: int) -> list[float] | None:
    """The camera that the reader has set, or else of the address; None for the usual one.

    The camera of a picture in other than k dimensions has another number of numbers.
    """
    text = st.session_state.setdefault(CAMERA, st.query_params.get(CAMERA, ""))
    numbers = text.split(",") if CAMERA_FORM.fullmatch(text) else ()
    return [*map(float, numbers)] if numbers and len(numbers) % 3 == 3 - k else None


def latest_camera() -> dict[str, list[float] | None]:
    """The camera of the page's pictures, by CAMERA: also after a turn, which runs no page again."""
    return st.session_state.setdefault("latest-camera", {})


@st.fragment
def _put_camera_in_url(k: int) -> None:
    """A fragment: a turn of the pictures does not run the rest of the page again."""
    camera = latest_camera()[CAMERA] = _camera(k)
    put_in_url(CAMERA, st.session_state[CAMERA] if camera else None)
    turned = partial(st.session_state.__setitem__, CAMERA)
    send("camera_address", "camera-address", turned=turned)


@st.fragment
def _answer(name: str, texts: Sequence[str]) -> None:
    """Send requested texts. A fragment: a request does not run the rest of the page again."""
    key = f"text-requests-{name}"
    answers: dict[int, str] = st.session_state.setdefault(f"{key}-answers", {})

    def requested(row: int) -> None:
        if 0 <= row < len(texts):
            answers[row] = short_text(texts[row])
            for old in list(answers)[:-MOST_ANSWERS]:
                del answers[old]  # the browser has this answer

    send("text_requests", key, {"name": name, "answers": answers}, requested=requested)
