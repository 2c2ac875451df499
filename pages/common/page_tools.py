"""The buttons beside a page's title: copy its address, and show it to an audience."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import streamlit as st

from .address import PRESENT, is_presenting, put_in_url
from .draw.charts import COMPONENTS
from .lesson import scroll_target
from .words import _

KEY = "page-tools"
HTML = """<div class="page-tools">
  <button type="button"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M10 6H7a6 6 0 0 0 0 12h3v-2H7a4 4 0 0 1 0-8h3zm4 0v2h3a4 4 0 0 1 0 8h-3v2h3a6 6 0 0 0 0-12zM8 11h8v2H8z" /></svg><span></span></button>
  <button type="button"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 4h18v12h-8v2h3v2H8v-2h3v-2H3zm2 2v8h14V6z" /></svg><span></span></button>
  <p aria-live="polite"></p>
</div>"""  # noqa: E501 - the icons


def show_page_tools() -> None:
    """Copy link and Present. There, Escape leaves, arrows change the page, the space bar plays."""

    def on_present() -> None:
        is_wanted = st.session_state[KEY].get(PRESENT) == "on"
        st.session_state[PRESENT] = is_wanted
        put_in_url(PRESENT, "1" if is_wanted else None)

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
    _component()(key=KEY, data=json.dumps(message).encode(), on_present_change=on_present)


@st.cache_resource(show_spinner=False)
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "narrow_cone_page_tools",
        html=HTML,
        js=(COMPONENTS / "page_tools.js").read_text(encoding="utf8"),
        isolate_styles=False,
    )
