"""The measured part of the page: forms, choices, the scene, and one panel after the other."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import ModelFilesError
from pages.common.corpus_cloud import warn_of_cache
from pages.common.messages import show_error
from pages.common.shell import show_question
from pages.common.upload_limits import megabytes, upload_limits
from pages.common.words import Translate, prose

from .best import show_best
from .choices import Choice, make_choice
from .claim import show_claim
from .cone import show_cone_against_score
from .fit_size import show_fit_sizes
from .grid import show_grid
from .moves import show_moves
from .pairs import show_folder_form, show_pair_form
from .scene import build_scene
from .subsets import show_subsets
from .word_vectors import show_vector_form, show_word_pair_form

PAGE = "sentence_similarity"
QUESTIONS = ("spearman", "interval", "target", "difference")


@st.fragment
def explore(_: Translate) -> None:
    """Look, Measure and Try. The forms run first: the choices offer the pairs they adopt."""
    look_box, measure_box, try_box = st.container(), st.container(), st.container()
    with try_box:
        st.subheader(_("Try"))
        st.markdown(prose(PAGE, "own"))
        show_pair_form(_)
        show_folder_form(_)
        most = upload_limits().vector_file_bytes
        st.markdown(prose(PAGE, "own-vectors", {"megabytes": megabytes(most)}))
        show_vector_form(_)
        show_word_pair_form(_)
    try:
        with look_box:
            choice = make_choice(_)
        _show_panels(choice, look_box, measure_box, _)
    except (ModelFilesError, ValueError, OSError, MemoryError, RuntimeError) as error:
        with look_box:
            show_error(error, _)


def _show_panels(
    choice: Choice, look_box: DeltaGenerator, measure_box: DeltaGenerator, _: Translate
) -> None:
    with look_box:
        scene = build_scene(choice, _)
        warn_of_cache(_)
        show_claim(scene, _)
    with measure_box:
        st.subheader(_("Measure"))
        show_grid(scene, _)
        best_box = st.container()
        show_subsets(scene, _)
        show_cone_against_score(scene, _)
        sizes_box, moves_box = st.container(), st.container()
        with moves_box:  # before the panels above it, which may wait for a job
            show_moves(scene, _)
            for question in QUESTIONS:
                show_question(PAGE, question)
        with best_box:
            show_best(scene, _)
        with sizes_box:
            show_fit_sizes(scene, _)
