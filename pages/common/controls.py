"""Controls whose state is in the URL, under codes; Streamlit's ``bind`` would put labels there."""

import time
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Encoder
from geometry.data.words import tokenizer_for
from geometry.encode.pool import POOLING_NAMES

from .address import put_in_url, require_parameter
from .page_state import PRIVATE, forget_unlinked, note_choice
from .streamlit_internals import is_from_history
from .words import _, names

FOUND = "found"  # code of the tokenizer that is found from the texts
TEXTS_READ = 1000  # evenly over the corpus, in which the tokenizer is found: some milliseconds
LATE_SECONDS = 1.0  # the browser's values may be older than a change by the server


def choose(
    widget: Callable[..., Any],
    label: str,
    options: Mapping[str, str] | Sequence[str],  # codes with their labels, or codes
    *,
    key: str,
    default: str = "",  # else the first
    labels: Mapping[str, str] | None = None,
    always_in_url: bool = False,
    **settings: Any,
) -> str:
    """A control over codes, which ``?key=code`` sets on arrival; returns the chosen code.

    A code that is not among the options counts as the default. The address never gets a code of
    own data (PRIVATE), and gets the default only with ``always_in_url``.
    """
    require_parameter(key)
    state = st.session_state
    linked = st.query_params.get(key)
    labels = labels or (options if isinstance(options, Mapping) else {})
    options = list(options)
    default = default or options[0]
    if is_from_history():
        forget_unlinked(key)
    if settings.get("accept_new_options"):
        shown = state.setdefault("shown-labels", {}).setdefault(key, {})
        shown.update({label: code for code, label in labels.items() if label not in options})
        if state.get(key) in shown:  # the browser sends labels, perhaps of another language
            state[key] = shown[state[key]]
        typed = state.get(key) or linked
        if typed and typed not in options:
            options.append(typed)
    is_refused = state.get(key, default) not in options  # by this page or this model
    if state.get(key) not in options:
        state[key] = linked if linked in options else default
    code = state[key]
    last_labels = state.setdefault("last-labels", {})
    if last_labels.get(key) != labels.get(code):
        state[key] = code  # the browser shows the old label until the value is sent again
    last_labels[key] = labels.get(code)
    settings["format_func"] = lambda code: labels.get(code, code)
    value = str(widget(label, options, key=key, persist_state="session", **settings))
    if not is_refused:
        note_choice(key, value)
    is_hidden = value.startswith(PRIVATE) or (value == default and not always_in_url)
    put_in_url(key, None if is_hidden else value)
    return value


def follow_default(key: str, default: float | str) -> None:
    """Move a control, before it is drawn, to its new default if it is still at the old one."""
    known = st.session_state.setdefault("defaults", {})
    last, before, since = known.get(key, (None, None, 0.0))
    value = st.session_state.get(key, default)
    # the browser may have sent its values before it received the new default
    is_late = value == before and time.monotonic() - since < LATE_SECONDS
    if value != default and (value == last or is_late):
        st.session_state[key] = default
    if default != last:
        known[key] = (default, last, time.monotonic())


def layer_labels(last: int) -> dict[str, str]:
    """Labels of the first and the last layer and of averages; others are shown as numbers."""
    ends = {str(last): _("{last} (last)").format(last=last), "0": _("0 (embedding layer)")}
    return ends | names("layer_sets")


def pooling_names(encoder: Encoder | None = None) -> dict[str, str]:
    """Names of the poolings, by code. ``encoder`` : to say where [CLS] is its first token."""
    names = {code: _(POOLING_NAMES[code]) for code in POOLING_NAMES}
    if encoder is not None and POOLING_NAMES["cls"] not in encoder.special_tokens:
        names["cls"] = _("[CLS]: here the first token")
    return names


def choose_tokenizer(texts: Sequence[str] = ()) -> str:
    """How the texts become words. Chinese without spaces is never split at spaces."""
    labels = names("tokenizers")
    offered = list(labels)
    found = tokenizer_for(texts[:: max(1, len(texts) // TEXTS_READ)])
    if found == "characters":
        offered = [FOUND, "characters", "jieba"]
    if find_spec("jieba") is None:
        offered.remove("jieba")
    label = _("Words of a text")
    code = choose(st.selectbox, label, offered, key="words-by", default=FOUND, labels=labels)
    return found if code == FOUND else code


def choose_in(box: DeltaGenerator, label: str, options: Any, default: str = "", **how: Any) -> str:
    return choose(box.selectbox, label, options, default=default, **how)


def act_button(
    label: str, key: str, icon: str, act: Callable[..., Any], *values: Any, **how: Any
) -> None:
    """A button with one of Material's icons, whose press calls ``act`` before the rerun."""
    icon = f":material/{icon}:"
    st.button(label, key=key, icon=icon, on_click=act, args=values, **how)


def layer_options(last: int) -> dict[str, str]:
    labels = layer_labels(last)
    return {code: labels.get(code, code) for code in map(str, range(last + 1))}
