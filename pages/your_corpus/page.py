"""Your corpus: paste or upload texts, see their cone, and use them on the other pages."""

from contextlib import suppress

import streamlit as st

from geometry import Corpus, ModelFilesError
from geometry.diagnosis.sentences import file_notes
from pages.common.cloud_choices import Look, choose_colour
from pages.common.cloud_parts import show_parts
from pages.common.corpus_cloud import warn_of_cache
from pages.common.explore_panel import explored_part, open_panel
from pages.common.measures import show_verdict
from pages.common.messages import errors_shown
from pages.common.origin import coverage_line, coverage_of, of_known_text, warn_of_coverage
from pages.common.page_list import page_labels
from pages.common.selected_points import choose_point
from pages.common.shell import close_page, open_page, require_model
from pages.common.uploads import OWN_CORPORA, OWN_PAIRS, OWN_VECTORS, show_own
from pages.common.words import _, markdown, prose
from pages.your_corpus import PAGE
from pages.your_corpus.diagnosis import show_diagnosis
from pages.your_corpus.evidence import show_evidence_form
from pages.your_corpus.form import limits, show_form, show_link, show_used_pairs, shown_data
from pages.your_corpus.result import cone_verdict, draw_cloud, make_scene, show_counts

body = open_page(PAGE)
with body:
    require_model()
values = limits()

with body:
    show_form()
    result = st.container()
with st.expander(_("What you can give, and where it goes"), key="limits", icon=":material/rule:"):
    st.markdown(prose(PAGE, "limits", values))
close_page(PAGE, values)  # before the result, so that the page is whole during the encoding

with result:
    for store in (OWN_CORPORA, OWN_VECTORS, OWN_PAIRS):
        show_own(store)
    show_used_pairs()
    corpus, pairs = shown_data()
    if corpus is None:
        st.info(prose(PAGE, "none-yet"))
    else:
        chosen = _(
            "“{name}” is chosen in the sidebar. Narrow cone, Whitening and Neighbours use it too."
        )
        if pairs is not None:
            chosen = _(
                "No corpus of yours is chosen in the sidebar, so this page shows the {n} different "
                "sentences of the pairs “{name}”. The pairs say whether a cure helps."
            )
        elif isinstance(corpus, Corpus):
            chosen = _(
                "“{name}” is chosen in the sidebar. Narrow cone, Whitening and Neighbours use it "
                "too, and Sentence similarity can fit treatments on it."
            )
        chosen = chosen.format(name=markdown(corpus.name), n=f"{len(corpus):,}")
        st.success(chosen, icon=":material/check_circle:")
        for note in file_notes(corpus, _):
            st.caption(markdown(note))
        if corpus.columns:
            names = _(", ").join(column.name for column in corpus.columns)
            line = _("Colours, filters and sizes can show: {columns}.")
            st.caption(markdown(line.format(columns=names)))
        if isinstance(corpus, Corpus):
            with suppress(ModelFilesError):  # make_scene shows this error
                coverage = coverage_of(corpus)
                st.caption(coverage_line(coverage))
                warn_of_coverage(coverage)
        else:
            show_evidence_form(corpus)
        place_box = st.container()
        picture_row = st.container()
        panel = open_panel()
        with panel.parts:
            explored = explored_part(corpus)
        scene = cloud = None
        with errors_shown(), place_box:
            scene = make_scene(corpus, pairs, explored)
        if scene is not None:
            warn_of_cache()
            picture_box, number_box = picture_row.columns([3, 1])
            with place_box:
                colour = choose_colour(corpus, scene.points.spec)
            with panel.find:
                row = choose_point(scene.drawn)
            with picture_box, st.container(key="picture"):
                cloud = draw_cloud(scene, explored, colour, row)
            if cloud is not None and scene.picture is not None:
                look = Look(view="mean", n_components=2, colour=colour)
                places = {_("Raw"): scene.picture.around_origin}
                show_parts(panel, corpus, scene.drawn, explored, look, row, cloud, places)
            with number_box:
                show_counts(scene)
                show_link("narrow_cone", _("Show its cone"))
            show_verdict(of_known_text(cone_verdict(scene), scene.points), key="own-cone")
            with errors_shown():
                if explored.left_in is not None:
                    st.caption(_("The diagnosis is of all rows, also of those left out above."))
                show_diagnosis(scene)
            st.markdown(prose(PAGE, "more"))
            with st.container(horizontal=True):
                for page in ("whitening", "sentence_similarity"):
                    show_link(page, page_labels()[page])
