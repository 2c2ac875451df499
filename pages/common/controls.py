"""Controls whose state is in the URL, under codes that no language changes.

Streamlit's own ``bind`` puts a choice into the URL by its *label*, which is translated here;
sliders and numbers bind by themselves, choices go through ``choose``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import streamlit as st

from .words import Translate


def choose(
    widget: Callable[..., Any],
    label: str,
    options: Sequence[str],
    *,
    key: str,
    default: str,
    labels: Mapping[str, str] | None = None,
    always_in_url: bool = False,
    private: Collection[str] = (),
    **settings: Any,
) -> str:
    """A selectbox, radio or segmented control over codes; the chosen code.

    The URL's ``?key=code`` sets it on arrival and follows it afterwards; the default leaves no
    trace there unless ``always_in_url``, and ``private`` codes never do. A code that is not on
    offer counts as the default.
    """
    st.session_state.setdefault("choices", set()).add(key)
    if st.session_state.get(key) not in options:
        asked = st.query_params.get(key)
        st.session_state[key] = asked if asked in options else default
    shown = labels or {}
    value = str(
        widget(
            label,
            options,
            key=key,
            format_func=lambda code: shown.get(code, code),
            persist_state="session",
            **settings,
        )
    )
    unsaid = value in private or (value == default and not always_in_url)
    put_in_url(key, None if unsaid else value)
    return value


def follow_default(key: str, default: int | str) -> None:
    """A control that nobody has moved from its default stays at it where that changes: other
    points have another, and the address says nothing of defaults. Call it before the control."""
    defaults = st.session_state.setdefault("defaults", {})
    if key in st.session_state and st.session_state[key] == defaults.get(key) != default:
        st.session_state[key] = default
    defaults[key] = default


def layer_labels(last: int, _: Translate) -> dict[str, str]:
    """What the first and the last layer are called; the others are their numbers."""
    return {"0": _("0 (embedding layer)"), str(last): _("{last} (last)").format(last=last)}


def keep_choices(page: str) -> None:
    """Carry the choices over to another page, where each is a new widget that knows no value."""
    if st.session_state.get("page") == page:
        return
    st.session_state["page"] = page
    for key in st.session_state.get("choices", set()) & st.session_state.keys():
        st.session_state[key] = st.session_state[key]


def put_in_url(key: str, value: str | None) -> None:
    """Write ``?key=value``, or take the key away for None; a no-op where nothing changes."""
    if value is None:
        if key in st.query_params:
            del st.query_params[key]
    elif st.query_params.get(key) != value:
        st.query_params[key] = value
