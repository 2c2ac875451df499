"""Which settings travel with the reader from page to page, and which belong to their page."""

from typing import Any

import streamlit as st

from .address import PARAMETERS, put_in_url, require_parameter
from .streamlit_internals import forget_uploads, is_from_history, query_of_history

# Of all pages once the reader has chosen. Until then each page has its own default.
READERS = {"unit": "unit"} | {
    f"{page}{kind}": kind for kind in ("layer", "pooling") for page in ("", "sts-", "contrast-")
}
# Settings that several pages have, each with its own value. The value of a control that only one
# page has stays in the session, so it needs no place here.
OF_SEVERAL = (
    *(*READERS, "special", "view", "dims", "camera", "colour", "point", "find", "centring"),
    *("strength", "weights", "fit-on", "after", "chart", "words-by"),
    *("others", "size", "point-of", "selected-rows", "defaults", "last-labels"),
)
# Controls that Streamlit binds to the address: their defaults, which the address does not contain.
BOUND = {"special": True, "find": "", "centring": 1.0, "strength": 1.0, "weights": True}
PRIVATE = ("upload-", "pairs-upload-", "evidence-")  # codes of own data, which no address contains
LEFT, CHOSEN, SEEN = "left-pages", "readers-choice", "seen-choices"


def enter_page(page: str) -> None:
    """Store the left page's settings, and restore this page's; of Back's, by the address alone."""
    state = st.session_state
    left = state.get("page")
    if left != page:
        state["page"] = page
        if left is not None:
            forget_uploads()  # what was read stays; its uploader is empty on return
            _turn_page(left, page)
    if is_from_history():
        for key in OF_SEVERAL:
            forget_unlinked(key)
        for key, value in query_of_history().items():
            if key in BOUND:
                put_in_url(key, value)


def forget_unlinked(key: str) -> None:
    """Forget a setting, so that it is read from the address; own data are never in an address."""
    if not str(st.session_state.get(key)).startswith(PRIVATE):
        st.session_state.pop(key, None)


def _turn_page(left: str, page: str) -> None:
    state = st.session_state
    pages: dict[str, dict[str, Any]] = state.setdefault(LEFT, {})
    pages[left] = {key: state[key] for key in OF_SEVERAL if key in state}
    reader = state.get(CHOSEN, {})
    chosen = {key: reader[kind] for key, kind in READERS.items() if kind in reader}
    restored = pages.get(page, {}) | chosen
    for key in pages[left]:
        del state[key]
    for key, value in restored.items():
        if key in st.query_params:
            continue
        state[key] = value
        if key in BOUND and not is_from_history():
            put_in_url(key, None if value == BOUND[key] else str(value).lower())
    for key in PARAMETERS & state.keys():
        # each page has new controls, and only a value that is set now is written to the address
        if key not in OF_SEVERAL and key not in st.query_params:
            state[key] = state[key]
    state[SEEN] = {}


def note_choice(key: str, value: str) -> None:
    """Remember the reader's choice for other pages; in each run, before the address is set."""
    if key not in READERS:
        return
    state = st.session_state
    seen: dict[str, str] = state.setdefault(SEEN, {})
    chosen: dict[str, str] = state.setdefault(CHOSEN, {})
    is_linked = key not in seen and st.query_params.get(key) == value
    if is_linked or seen.get(key, value) != value:
        chosen[READERS[key]] = value
    seen[key] = value


def is_first_in_visit(name: str) -> bool:
    """True the first time that it is called with that name since this page was entered."""
    seen = st.session_state.setdefault(SEEN, {})
    is_first = name not in seen
    seen[name] = True
    return is_first


def forget_layers() -> None:
    """Set the layer of every page to its default: another model has other layers."""
    state = st.session_state
    state.get(CHOSEN, {}).pop("layer", None)
    for key, kind in READERS.items():
        if kind == "layer":
            for values in (state, state.get(SEEN, {}), *state.get(LEFT, {}).values()):
                values.pop(key, None)
            put_in_url(key, None)


def give_to_page(page: str, key: str, value: Any) -> None:
    """Choose a setting of another page, which is used when that page is opened."""
    require_parameter(key)
    st.session_state.setdefault(LEFT, {}).setdefault(page, {})[key] = value
