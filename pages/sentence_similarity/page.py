"""Sentence similarity: does isotropy help? Scores with intervals, on real pairs."""

from __future__ import annotations

import streamlit as st

from pages.common.shell import close_page, open_page, require_model
from pages.sentence_similarity.lesson import show_lesson

PAGE = "sentence_similarity"
_ = open_page(PAGE)
st.subheader(_("Look"))
show_lesson(_)  # made-up scores: on screen before any model is read
require_model(_)
body = st.container()

from pages.sentence_similarity.explore import explore  # noqa: E402

close_page(PAGE, _)  # drawn first, so that the page is whole while the pairs are encoded
with body:
    explore(_)
