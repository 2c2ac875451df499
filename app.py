"""Narrow Cone: see, measure and undo the anisotropy of embeddings."""

from __future__ import annotations

import streamlit as st

from pages.common.shell import LANDING, PAGES, page_path

pages = {name: st.Page(page_path(name), url_path=name) for name in PAGES}


def home() -> None:
    """The bare address leads to the landing page's own, so that every page has one address."""
    st.switch_page(pages[LANDING], query_params=st.query_params.to_dict())


# hidden: the shared sidebar links the pages, in the reader's language
st.navigation([st.Page(home, default=True), *pages.values()], position="hidden").run()
