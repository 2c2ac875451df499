"""Your corpus: paste or upload texts, see their cone, and use them on every page."""

import streamlit as st

from pages.common.cached import coverage
from pages.common.coverage_notes import show_coverage
from pages.common.shell import close_page, open_page, page_path, require_model
from pages.common.words import prose
from pages.your_corpus.form import limits, show_form
from pages.your_corpus.result import draw_cloud, own_corpus, read_scene, show_counts

PAGE = "your_corpus"

_ = open_page(PAGE)
require_model(_)
values = limits()

st.subheader(_("Try"))
st.markdown(prose(PAGE, "limits", values))
show_form(_)

result = st.container()
close_page(PAGE, _, values)  # before the result, so that the page is whole during the encoding

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
        read = coverage(corpus)
        show_coverage(read, _)
        scene = read_scene(corpus, read, _)
        if scene is not None:
            draw_cloud(scene, _)
            st.page_link(
                page_path("narrow_cone"), label=_("See its cone"), icon=":material/arrow_forward:"
            )
            st.subheader(_("Measure"))
            show_counts(scene, _)
