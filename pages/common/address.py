"""The address: the name of every parameter, which is the key of its control.

Links that people have saved depend on these names. No upload is in an address.
"""

import re

import streamlit as st

PRESENT, CLASS, WINDOW, OWN_FILE = "present", "class", "window", "file"
# by the page whose controls they are, or by the first one
OF_PAGES = {
    "every page": (
        "lang model revision dtype prefix corpus present class window file lesson lesson-step"
    ),
    "pages that draw a cloud": (
        "unit layer pooling special view dims camera colour point find where others clusters-on "
        "size selected"
    ),
    "two at once": (
        "first-model first-place first-pooling first-treatment second-model second-place "
        "second-pooling second-treatment"
    ),
    "narrow_cone and whitening": "centring strength weights",
    "whitening and neighbours": "fit-on",
    "neighbours and sentence_similarity": "after",
    "whitening and degeneration": "chart",
    "narrow_cone": "fit map-seeded map-all left-table left-layer right-table right-layer",
    "layers": "measure",
    "word_frequency": "words counts words-by",
    "degeneration": (
        "train gamma text vocabulary width rate steps seed tied norm step shape hull side toy"
    ),
    "whitening": "second third fourth fit-rows kept shrink shrinkage removed",
    "neighbours": "nearest typed",
    "sentence_similarity": (
        "pairs source sts-layer sts-pooling sts-fit sts-grid pair curve "
        "noise-unrelated noise-related ties outlier reversed"
    ),
    "contrast": (
        "contrast-text contrast-layer contrast-pooling contrast-temperature contrast-dropout "
        "contrast-head contrast-batch contrast-rate contrast-steps contrast-seed contrast-centred"
    ),
    "claims": "claims-state",
    "evidence": "evidence-cures evidence-data evidence-by",
    "cosine_basis": (
        "reading whiten circle len1 len2 angle turn shift_x shift_y a_x a_y b_x b_y c_x c_y"
    ),
    "your_corpus": "poolings judge arm",
}
PARAMETERS = frozenset(" ".join(OF_PAGES.values()).split())
_OF_CLOUDS = frozenset(OF_PAGES["pages that draw a cloud"].split())
AWAITS_FILE = "awaits-file"  # key of the session's state: the address is about a missing file


def is_presenting() -> bool:
    return st.query_params.get(PRESENT) == "1"


def keep_presenting(page: str) -> None:
    """Show the next page to the audience too: a link to a page has no parameters."""
    if st.session_state.get("page") not in (None, page) and st.session_state.get(PRESENT):
        put_in_url(PRESENT, "1")
    st.session_state[PRESENT] = is_presenting()


def fills_window() -> bool:
    return st.query_params.get(WINDOW) == "1"


def number_in_url(key: str) -> int | None:
    """The whole number in the address; None for anything else, also for ² and for many digits."""
    text = st.query_params.get(key, "")
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None


def of_rows(key: str) -> str:
    """A parameter about rows of a file; "" without it, and while that file is missing."""
    return "" if st.session_state.get(AWAITS_FILE) else st.query_params.get(key, "")


def require_parameter(key: str) -> None:
    if key not in PARAMETERS:
        raise KeyError(key)


def put_in_url(key: str, value: str | None) -> None:
    """Write a parameter. A link's view of a file stays in the address until the file is opened."""
    require_parameter(key)
    if key in _OF_CLOUDS and OWN_FILE in st.query_params and st.session_state.get(AWAITS_FILE):
        return
    if value is None:
        st.query_params.pop(key, None)
    elif st.query_params.get(key) != value:
        st.query_params[key] = value
