"""The page Degeneration: models are trained, and the cone of their embeddings forms."""

import streamlit as st

from pages.common.address import is_presenting
from pages.common.shell import close_page, open_page, show_question
from pages.common.words import _
from pages.degeneration import PAGE

body = open_page(PAGE)

from pages.degeneration.explore import explore, show_forces, show_hull  # noqa: E402

with body:
    explore()
if not is_presenting():
    st.subheader(_("Why a never-seen token is pushed away"))
    show_forces()
    st.subheader(_("The origin and the convex hull"))
    show_hull()
    for question in ("frequent", "word2vec", "layernorm", "small"):
        show_question(PAGE, question)

close_page(PAGE)
