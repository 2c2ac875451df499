"""The document around a page: its language, scroll position, contents and title's buttons."""

from functools import partial
from typing import Any, NoReturn

import streamlit as st

from .address import AWAITS_FILE, PRESENT, is_presenting, put_in_url
from .draw.scripts import send
from .lesson import scroll_target
from .page_list import page_path
from .page_state import BOUND, LEFT, OF_SEVERAL, forget_unlinked, give_to_page
from .uploads import NEXT, USES, chosen_own, linked_file, own_code
from .words import _, labelled, language, markdown, names

LINKED = "view-of-link"  # a link's file, page and settings, until the reader has opened the file
OF_TABLES = ("Show/hide columns", "Download as CSV", "Search", "Fullscreen")
TOOLS_HTML = """<div class="page-tools">
  <button type="button"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M10 6H7a6 6 0 0 0 0 12h3v-2H7a4 4 0 0 1 0-8h3zm4 0v2h3a4 4 0 0 1 0 8h-3v2h3a6 6 0 0 0 0-12zM8 11h8v2H8z" /></svg><span></span></button>
  <button type="button"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 4h18v12h-8v2h3v2H8v-2h3v-2H3zm2 2v8h14V6z" /></svg><span></span></button>
  <p aria-live="polite"></p>
</div>"""  # noqa: E501 - the icons


def show_contents(page: str) -> None:
    own = chosen_own()
    words = names("streamlit")  # the reader's words for Streamlit's own controls
    # the same button has the name of its table, where the table has one
    named = {tool: labelled(words[tool], "{name}") for tool in OF_TABLES if tool in words}
    message = {
        "page": page,
        "uses": st.session_state.get(USES, 0),
        "lang": language(),
        "contents": _("On this page"),
        "words": words | {f"{tool}: {{name}}": each for tool, each in named.items()},
        "own": own.name if own else "",
    }
    html = '<nav class="contents" hidden></nav>'
    gone = partial(st.session_state.__setitem__, "gone-corpus")
    send("document", "document", message, html=html, gone=gone)


def warn_of_lost_corpus() -> None:
    """What a link or a reload lacks: a file that this session does not have."""
    linked = linked_file()
    name = st.session_state.get("gone-corpus")
    st.session_state[AWAITS_FILE] = linked is not None
    if linked is not None and not name:
        code, of_file = linked
        here = str(st.session_state.get("page", ""))
        st.session_state[LINKED] = (code, of_file, here, st.query_params.to_dict())
        said = _(
            "This link shows the file “{name}”, and a file stays with its owner. Open your own "
            "copy on the page *Your corpus* to see this view. It has to have the same content."
        )
        st.info(said.format(name=markdown(of_file)), icon=":material/link:")
        return
    if LINKED in st.session_state:
        code, of_file, of_page, query = st.session_state[LINKED]
        if own_code(code):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.success(_("This file is the one of your link."), icon=":material/link:")
                if st.button(_("Show the view of the link"), key="linked-view"):
                    _open_link(code, of_page, query)
        elif st.session_state.get("page") == "your_corpus":
            said = _("Your link shows the file “{name}”. Open it here.")
            st.info(said.format(name=markdown(of_file)), icon=":material/link:")
    if not name:
        return
    if chosen_own():
        del st.session_state["gone-corpus"]
        return
    said = _(
        "Your corpus “{name}” is gone, because the server drops texts when the page is "
        "reloaded. Give it again on the page *Your corpus*. Until then another corpus is used."
    )
    st.warning(said.format(name=markdown(name)), icon=":material/report:")


def _open_link(code: str, page: str, query: dict[str, str]) -> NoReturn:
    state = st.session_state
    for key in [key for key in state if str(key).startswith("filter-")]:
        del state[key]
    state.get(LEFT, {}).pop(page, None)
    is_here = state.get("page") == page  # then no page is turned, so its settings go here
    for key in OF_SEVERAL if is_here else ():
        forget_unlinked(key)
    for key in BOUND.keys() & query.keys():
        kind: Any = type(BOUND[key])
        given = query[key] == "true" if kind is bool else kind(query[key])
        if is_here:
            state[key] = given
        else:
            give_to_page(page, key, given)
    state[NEXT] = own_code(code)  # for the sidebar of that page
    del state[LINKED]
    st.switch_page(page_path(page), query_params={k: v for k, v in query.items() if k not in BOUND})


def show_page_tools() -> None:
    """Copy link and Present. There, Escape leaves, arrows change the page, the space bar plays."""

    def present(wanted: str) -> None:
        st.session_state[PRESENT] = wanted == "on"
        put_in_url(PRESENT, "1" if wanted == "on" else None)

    message = {
        "presenting": is_presenting(),
        "scroll": scroll_target(),
        "words": {
            "copy": _("Copy link"),
            "copied": _("Link copied"),
            "present": _("Present"),
            "leave": _("Leave (Esc)"),
        },
    }
    send("page_tools", "page-tools", message, html=TOOLS_HTML, present=present)
