"""The measured part of the sentence-similarity page: choices, then panel after panel."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import CorpusError, ModelFilesError
from geometry.hub.model_errors import DataSetError
from pages.common import cached
from pages.common.messages import error_text, show_error
from pages.common.shell import show_question
from pages.common.words import Translate, prose

from .best import show_best
from .choices import choose_after, choose_cell, choose_fit
from .claim import show_claim
from .cone import show_cone_against_score
from .folder import show_folder_form
from .grid import show_grid
from .moves import show_moves
from .pairs import choose_pairs, show_origin, show_pair_form
from .scene import Asked, encode_all, measured_grid
from .size import show_sizes
from .static import MOST_MEGABYTES, show_static_form
from .subsets import show_subsets
from .word_pairs import show_word_pair_form

PAGE = "sentence_similarity"
QUESTIONS = ("spearman", "interval", "target", "difference")


@st.fragment
def explore(_: Translate) -> None:
    """The claim; what was measured; the reader's own pairs. Each as soon as it is known."""
    look_box, measure_box, try_box = st.container(), st.container(), st.container()
    with try_box:  # first: an upload that was just adopted is on offer above
        st.subheader(_("Try"))
        st.markdown(prose(PAGE, "own"))
        show_pair_form(_)
        show_folder_form(_)
        st.markdown(prose(PAGE, "own-vectors", {"megabytes": MOST_MEGABYTES}))
        show_static_form(_)
        show_word_pair_form(_)
    try:
        with look_box:
            asked = _ask(_)
        _show(asked, look_box, measure_box, _)
    except DataSetError as error:
        with look_box:
            st.error(error_text(error, _))
    except CorpusError as error:
        with look_box:
            st.error(error_text(error, _))
    except (ModelFilesError, ValueError, OSError, MemoryError) as error:
        with look_box:
            show_error(error, _)


def _ask(_: Translate) -> Asked:
    encoder = cached.encoder()
    st.markdown("#### " + _("Which pairs, and what is done to their vectors"))
    left, middle, right = st.columns(3)
    with left:
        pairs = choose_pairs(_)
    with middle:
        fit = choose_fit(pairs, _)
    with right:
        after = choose_after(fit, encoder.dimension, _)
    layer, pooling, similarity = choose_cell(encoder, _)
    st.caption(prose(PAGE, "similarity"))
    if similarity == "mahalanobis":
        st.caption(prose(PAGE, "mahalanobis", {"fit": fit.name}))
    if pairs.is_bundled:
        st.caption(prose(PAGE, "hard-pairs"))
    show_origin(pairs, _)
    return Asked(pairs, fit, after, layer, pooling, similarity, encoder)


def _show(
    asked: Asked,
    look_box: DeltaGenerator,
    measure_box: DeltaGenerator,
    _: Translate,
) -> None:
    with look_box:
        encode_all(asked, _)
        measured = measured_grid(asked, _)
        grid = measured.grid
        show_claim(asked, grid, _)
    with measure_box:
        st.subheader(_("Measure"))
        show_grid(asked, grid, _)
        best_box = st.container()
        show_subsets(asked, grid, _)
        show_cone_against_score(asked, grid, _)
        sizes_box, moves_box = st.container(), st.container()
        with moves_box:  # at once; what is above has to be waited for
            show_moves(asked, _)
            for question in QUESTIONS:
                show_question(PAGE, question)
        with best_box:
            show_best(asked, measured, _)
        with sizes_box:
            show_sizes(asked, _)
