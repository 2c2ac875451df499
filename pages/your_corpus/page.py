"""Your corpus: paste or upload texts, see their cone, and use them on every page."""

import streamlit as st

from pages.common.corpus_cloud import coverage_of, warn_of_cache
from pages.common.coverage_notes import show_coverage
from pages.common.escape import markdown
from pages.common.page_list import page_path
from pages.common.shell import close_page, open_page, require_model
from pages.common.words import prose
from pages.your_corpus.form import limits, show_form
from pages.your_corpus.result import draw_cloud, encode_own, own_corpus, show_counts

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
            _("“{name}” is the corpus of every page now.").format(name=markdown(corpus.name)),
            icon=":material/check_circle:",
        )
        show_coverage(coverage_of(corpus, _), _)
        points = encode_own(corpus, _)
        if points is not None:
            warn_of_cache(_)
            draw_cloud(points, _)
            st.page_link(
                page_path("narrow_cone"), label=_("See its cone"), icon=":material/arrow_forward:"
            )
            st.subheader(_("Measure"))
            show_counts(points, _)
