"""The landing page: the raw cloud beside the whitened one."""

from __future__ import annotations

import streamlit as st

from pages.common.shell import close_page, open_page, require_model

_ = open_page("narrow_cone")

first_sign = st.empty()
if "visited" not in st.session_state:  # before the browser turns to Plotly's script
    first_sign.progress(0.0, text=_("Preparing the picture …"))
require_model(_)
body = st.container()

# imported here, so that the browser reads Plotly's script meanwhile: open_page has sent for it
from pages.common.cone_explorer import explore  # noqa: E402
from pages.common.uploads import chosen_corpus  # noqa: E402

close_page("narrow_cone", _)  # drawn first, so that the page is whole while a corpus is encoded
with body:
    explore(chosen_corpus(), _)
first_sign.empty()
st.session_state["visited"] = True
