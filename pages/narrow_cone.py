"""The landing page: the raw cloud beside the whitened one."""

from __future__ import annotations

import streamlit as st

from pages.common.shell import close_page, open_page, require_model

_ = open_page("narrow_cone")
require_model(_)

# imported here, so that the browser reads Plotly's script meanwhile: open_page has sent for it
from pages.common.cone_explorer import explore  # noqa: E402
from pages.common.uploads import chosen_corpus  # noqa: E402

body = st.container()
close_page("narrow_cone", _)  # drawn first, so that the page is whole while a corpus is encoded
with body:
    explore(chosen_corpus(), _)
