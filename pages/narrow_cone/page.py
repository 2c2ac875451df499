"""The landing page: the raw cloud beside the whitened one."""

from __future__ import annotations

import streamlit as st

# The order follows what the reader needs: first a progress bar, then Plotly's script (requested by
# open_page), which occupies the browser for a while, then the server's slow imports.
first_sign = st.empty()
if "visited" not in st.session_state:
    first_sign.progress(0.0)

from pages.common.words import translator  # noqa: E402

_ = translator()
if "visited" not in st.session_state:
    first_sign.progress(0.0, text=_("Preparing the picture …"))

from pages.common.shell import close_page, open_page, require_model  # noqa: E402
from pages.narrow_cone import PAGE  # noqa: E402

_ = open_page(PAGE)
require_model(_, first_sign=first_sign)
body = st.container()

from pages.common.uploads import chosen_data  # noqa: E402
from pages.narrow_cone.explore import explore  # noqa: E402

close_page(PAGE, _)  # drawn first, so that the page is whole while a corpus is encoded
first_sign.empty()
st.session_state["visited"] = True
with body:
    explore(chosen_data(), _)
