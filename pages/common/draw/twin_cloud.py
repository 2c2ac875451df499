"""The twin cloud: the same points in several pictures, moved by one hand (assets/components/twin).

Positions and colours travel as arrays of their own, under names that their contents decide: a
control that changes neither sends neither. Needs WebGL2; where a browser has none,
``has_no_webgl2`` says so from then on, and the page draws with Plotly.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from geometry.figures.theme import Theme
from geometry.projection.packing import pack_codes, unpack_rows

from ..words import Translate
from .charts import share_texts
from .scripts import served
from .twin_message import Points, TwinCloud, message_of

COMPONENTS = Path(__file__).parents[3] / "assets" / "components" / "twin"
NO_WEBGL2 = "no-webgl2"
MOST_TEXTS = 5000  # that are sent at once: half a megabyte
MOST_ANSWERS = 50  # texts asked for one by one that a session keeps on the wire


def has_no_webgl2() -> bool:
    """True once this session's browser has said that it can't draw these pictures."""
    return bool(st.session_state.get(NO_WEBGL2))


def show_twin_cloud(
    cloud: TwinCloud,
    theme: Theme,
    _: Translate,
    *,
    key: str,
    texts: Sequence[str] = (),
    on_point: Callable[[int], None] | None = None,
    on_selection: Callable[[np.ndarray], None] | None = None,
    on_settled: Callable[[float], None] | None = None,
) -> None:
    """Draw it, or change what of it has changed where one of that key is on the page.

    texts : of the points, for who hovers over one; sent at once where they are few, else asked
    for.   on_point : called with a clicked row.   on_selection : with the rows inside a lasso,
    ascending; none where it was taken back.   on_settled : with the stop at which a reader left
    the film; without it the film is the browser's alone.
    """
    place = f"twin-{key}"
    n = cloud.n

    def told(event: str) -> Any:
        return st.session_state[place].get(event)

    def chosen() -> None:
        if on_point is not None and told("chosen") is not None:
            on_point(int(told("chosen")))

    def selected() -> None:
        text = told("selected")
        if on_selection is not None and text is not None:
            on_selection(unpack_rows(text, n) if text else np.zeros(0, dtype=np.int64))

    def settled() -> None:
        if on_settled is not None and told("settled") is not None:
            on_settled(float(told("settled")))

    def missing() -> None:
        st.session_state[NO_WEBGL2] = True

    codes = Points.of(pack_codes(cloud.colours.codes))
    asides = [one.aside.points for one in cloud.pictures if one.aside is not None]
    texts_name = f"{key}-{cloud.rows_key}"
    message = message_of(cloud, codes, theme, texts_name, _)
    with st.container(key=place + "-box", gap=None):  # most of it is not seen
        if len(texts) <= MOST_TEXTS:
            share_texts(texts_name, texts, key=key)
        else:
            _answer(texts_name, texts)
        for slot, points in (("points", cloud.points), ("codes", codes)):
            _hold(points, f"{place}-{slot}")
        for points in asides:
            _hold(points, f"{place}-aside")
        _component()(
            key=place,
            data=json.dumps(message | {"settles": on_settled is not None}).encode(),
            on_chosen_change=chosen,
            on_selected_change=selected,
            on_settled_change=settled,
            on_missing_change=missing,
        )


@st.fragment
def _answer(name: str, texts: Sequence[str]) -> None:
    """A fragment of its own: a text asked for runs nothing else of the page again."""
    key = f"asked-{name}"
    answers: dict[int, str] = st.session_state.setdefault(f"{key}-answers", {})

    def asked() -> None:
        row = st.session_state[key].get("asked")
        if row is not None and 0 <= int(row) < len(texts):
            answers[int(row)] = texts[int(row)]
            for old in list(answers)[:-MOST_ANSWERS]:
                del answers[old]  # the browser has it

    told = {"name": name, "answers": answers}
    _asked()(key=key, data=json.dumps(told).encode(), on_asked_change=asked)


def _hold(points: Points, key: str) -> None:
    name = points.name.encode()
    _arrays()(key=key, data=len(name).to_bytes(4, "little") + name + points.body)


@st.cache_resource(show_spinner=False)
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "narrow_cone_twin",
        html=(COMPONENTS / "twin.html").read_text(encoding="utf8"),
        css=(COMPONENTS / "twin.css").read_text(encoding="utf8"),
        js=served(COMPONENTS / "twin.js"),
        isolate_styles=False,  # the pictures stand in the page's own tab order and typeface
    )


@st.cache_resource(show_spinner=False)
def _asked() -> Callable[..., Any]:
    script = (COMPONENTS.parent / "asked_texts.js").read_text(encoding="utf8")
    return st.components.v2.component("narrow_cone_asked_texts", js=script)


@st.cache_resource(show_spinner=False)
def _arrays() -> Callable[..., Any]:
    script = (COMPONENTS / "arrays.js").read_text(encoding="utf8")
    return st.components.v2.component("narrow_cone_arrays", js=script)
