"""The document around a page: its language, its scroll position, its table of contents."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NoReturn

import streamlit as st

from geometry.data.catalogues import ENGLISH

from .draw.charts import COMPONENTS
from .page_list import page_path
from .page_state import BOUND, LEFT, give_to_page
from .uploads import NEXT, USES, chosen_own, has_own, linked_file, own_code
from .words import _, labelled, language, markdown

KEY = "document"
LINKED = "view-of-link"  # a link's file, page and settings, until the reader has opened the file
OF_TABLES = ("Show/hide columns", "Download as CSV", "Search", "Fullscreen")


def show_contents(page: str) -> None:
    """The list of the page's headings. It also sets the language of the document (document.js).

    Another page, and a page with newly used own data, is shown from its top.

    The browser stores the name of the reader's own corpus. After a reload, which ends the session,
    it sends the name, and ``warn_of_lost_corpus`` asks the reader to give the corpus again.
    """
    own = chosen_own()
    message = {
        "page": page,
        "uses": st.session_state.get(USES, 0),
        "lang": language(),
        "contents": _("On this page"),
        "words": {} if language() == ENGLISH else _streamlit_words(),
        "own": own.name if own else "",
    }

    def on_gone() -> None:
        st.session_state["gone-corpus"] = str(st.session_state[KEY].get("gone") or "")

    _component()(key=KEY, data=json.dumps(message).encode(), on_gone_change=on_gone)


def warn_of_lost_corpus() -> None:
    """What a link or a reload lacks: a file that this session does not have."""
    linked, name = linked_file(), st.session_state.get("gone-corpus")
    if linked is not None and not name:
        code, of_file = linked
        here = str(st.session_state.get("page", ""))
        st.session_state[LINKED] = (code, of_file, here, st.query_params.to_dict())
        st.info(
            _(
                "This link shows the file “{name}”, and a file stays with its owner. Open your own "
                "copy on the page *Your corpus* to see this view. It has to have the same content."
            ).format(name=markdown(of_file)),
            icon=":material/link:",
        )
        return
    if LINKED in st.session_state:
        code, of_file, of_page, query = st.session_state[LINKED]
        if has_own(code):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.success(_("This file is the one of your link."), icon=":material/link:")
                if st.button(_("Show the view of the link"), key="linked-view"):
                    _open_link(code, of_page, query)
        elif st.session_state.get("page") == "your_corpus":
            st.info(
                _("Your link shows the file “{name}”. Open it here.").format(
                    name=markdown(of_file)
                ),
                icon=":material/link:",
            )
    if not name:
        return
    if chosen_own():
        del st.session_state["gone-corpus"]
        return
    st.warning(
        _(
            "Your corpus “{name}” is gone, because the server drops texts when the page is "
            "reloaded. Give it again on the page *Your corpus*. Until then another corpus is "
            "used."
        ).format(name=markdown(name)),
        icon=":material/report:",
    )


def _open_link(code: str, page: str, query: dict[str, str]) -> NoReturn:
    """Open a link's page with its settings and its file, which this session has now.

    A control on the screen can't get its value from the address, so its value goes to the page.
    """
    state = st.session_state
    for key in [key for key in state if str(key).startswith("filter-")]:
        del state[key]
    state.get(LEFT, {}).pop(page, None)
    for key in BOUND.keys() & query.keys():
        value, usual = query[key], BOUND[key]
        is_number = isinstance(usual, float)
        given = value == "true" if isinstance(usual, bool) else value
        give_to_page(page, key, float(value) if is_number else given)
    state[NEXT] = own_code(code)  # for the sidebar of that page
    del state[LINKED]
    st.switch_page(page_path(page), query_params={k: v for k, v in query.items() if k not in BOUND})


def _streamlit_words() -> dict[str, str]:
    """The English names and words that Streamlit gives to its own controls, and the reader's."""
    words = {
        "Skip to main content": _("Skip to main content"),
        "Sidebar": _("Sidebar"),
        "Collapse sidebar": _("Collapse sidebar"),
        "Expand sidebar": _("Expand sidebar"),
        "Close": _("Close"),
        "Open": _("Open"),
        "Clear value": _("Clear value"),
        "Choose an option": _("Choose an option"),
        "Choose or add an option": _("Choose or add an option"),
        "No results": _("No results"),
        "Increment": _("Increment"),
        "Decrement": _("Decrement"),
        "Help": _("Help"),
        "Help for {name}": _("Help for {name}"),
        "{name} icon": _("icon"),
        "Link to heading": _("Link to heading"),
        "Copy to clipboard": _("Copy to clipboard"),
        "Fullscreen": _("Fullscreen"),
        "Close fullscreen": _("Close fullscreen"),
        "Download as CSV": _("Download as CSV"),
        "Search": _("Search"),
        "Show/hide columns": _("Show/hide columns"),
        "Upload": _("Upload"),
        "file upload": _("file upload"),
        "{name}MB per file": _("At most {name} MB"),
        "Remove {name}": _("Remove {name}"),
        "Add files": _("Add files"),
    }
    # the same button has the name of its table, where the table has one
    named = {f"{tool}: {{name}}": labelled(words[tool], "{name}") for tool in OF_TABLES}
    return words | named


@st.cache_resource(show_spinner=False)
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "narrow_cone_document",
        html='<nav class="contents" hidden></nav>',
        js=(COMPONENTS / "document.js").read_text(encoding="utf8"),
        isolate_styles=False,
    )
