"""Sentence similarity: does isotropy help? Scores with intervals, on real pairs."""

from __future__ import annotations

import streamlit as st

from pages.common.shell import close_page, open_page, require_model
from pages.sentence_similarity import PAGE

_ = open_page(PAGE)
require_model(_)
body = st.container()

from pages.sentence_similarity.explore import explore  # noqa: E402

close_page(PAGE, _)  # before the body: the page is complete while pairs are encoded
with body:
    explore(_)
