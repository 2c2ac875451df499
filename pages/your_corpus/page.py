"""Your corpus: paste or upload texts, see their cone, take them to every other page."""

import streamlit as st

from pages.common.shell import close_page, open_page, page_path, require_model
from pages.common.words import prose
from pages.your_corpus.form import limits, show_form
from pages.your_corpus.result import draw_cloud, encoded, own_corpus, show_counts, tell_unread

PAGE = "your_corpus"

_ = open_page(PAGE)
require_model(_)

st.subheader(_("Try"))
st.markdown(prose(PAGE, "limits", limits()))
show_form(_)

result = st.container()
close_page(PAGE, _, limits())  # drawn first, so that the page is whole while the texts are encoded

with result:
    st.subheader(_("Look"))
    corpus = own_corpus()
    if corpus is None:
        st.info(prose(PAGE, "none-yet"))
    else:
        st.success(
            _("“{name}” is the corpus of every page now.").format(name=corpus.name),
            icon=":material/check_circle:",
        )
        tell_unread(corpus, _)
        points = encoded(corpus, _)
        if points is not None:
            draw_cloud(points, corpus, _)
            st.page_link(
                page_path("narrow_cone"), label=_("See its cone"), icon=":material/arrow_forward:"
            )
            st.subheader(_("Measure"))
            show_counts(corpus, points, _)
