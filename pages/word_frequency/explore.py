"""The page's interactive part: one fragment, so that a control redraws only it."""

from __future__ import annotations

import streamlit as st

from geometry import Corpus
from geometry.data.number_text import signed
from pages.common import jobs
from pages.common.address import is_presenting
from pages.common.corpus_cloud import coverage_of, warn_of_cache
from pages.common.coverage_notes import warn_of_coverage
from pages.common.folded import folded
from pages.common.messages import ENCODER_ERRORS, encoder_errors_shown, show_error
from pages.common.models import current_encoder
from pages.common.shell import picture_place, show_question
from pages.common.verdict import show_verdict
from pages.common.words import _

from . import PAGE
from .choices import choose_words
from .numbers import offer_downloads, show_direction, show_headlines, show_table, show_zipf
from .pictures import draw_clouds, draw_cosines, draw_lengths
from .scene import FEWEST, NARROWEST, ORDERED, Scene, measure_words, read_words
from .sentences import show_holes, show_left_out, show_swap
from .verdicts import words_verdict


@st.fragment
def explore(corpus: Corpus) -> None:
    """The controls and pictures, then the results in words and numbers."""
    control_box, notes_box = st.container(key="word-controls"), st.container()
    # a separate container: a progress bar would shift the elements below it,
    # and the browser would build them again and lose the focus
    progress_box, look_box, answer_box = st.container(), picture_place(), st.container()
    encoder = current_encoder()
    with control_box:
        choice = choose_words(encoder)
    if choice.lacks_file:
        notes_box.info(_("Upload the file above. Its words then appear here."))
        return
    try:
        with progress_box:
            words = read_words(corpus, encoder, choice)
            if len(words) < FEWEST:
                notes_box.warning(
                    _("This needs {n} words or more that have a vector and a frequency.").format(
                        n=FEWEST
                    )
                )
                return
            if not words.is_ordered:
                notes_box.warning(
                    _(
                        "This vocabulary’s own order is not offered as a frequency. Its Spearman "
                        "correlation with the counts of the corpus is {rho} (n = {n}), and {least} "
                        "is needed. Choose another source of frequencies."
                    ).format(
                        rho=signed(words.agreement or 0, 2), n=f"{len(words):,}", least=ORDERED
                    )
                )
                return
            if words.vectors.shape[1] < NARROWEST:
                notes_box.warning(
                    _("This needs vectors of {n} dimensions or more.").format(n=NARROWEST)
                )
                return
            measures = jobs.kept_or_made(
                measure_words,
                words.measured,
                what=_("Neighbours of {n} words").format(n=f"{len(words.measured):,}"),
                lane="measure",
                is_long=True,
            )
    except ENCODER_ERRORS as error:
        with notes_box:
            show_error(error)
        return
    scene = Scene(words, measures, choice, corpus, encoder)
    with look_box:
        draw_lengths(scene)
        show_headlines(scene)
    with notes_box:  # above the pictures, but computed after they were sent
        if choice.words != "upload" or choice.counts == "corpus":
            with encoder_errors_shown():
                warn_of_coverage(coverage_of(corpus))
        warn_of_cache()
    with answer_box:
        _answer(scene)


def _answer(scene: Scene) -> None:
    """Below the picture: the sentence, the claims, the clouds, the tables, the tests."""
    show_direction(scene)
    if not is_presenting():
        show_verdict(words_verdict(scene), key="words")
    draw_cosines(scene)
    draw_clouds(scene)
    if is_presenting():
        return
    with folded(_("Table by frequency"), key="word-table", icon=":material/table:") as is_open:
        if is_open:
            show_table(scene)
    parts = {
        "left-out": (
            _("Test: are frequent words the cause of large sentence cosines?"),
            show_left_out,
        ),
        "holes": (_("Do sentences lie in holes between words?"), show_holes),
        "swap": (_("Swap a word"), show_swap),
        "zipf": (_("Weighted by frequency"), show_zipf),
    }
    if scene.choice.words != "types":
        del parts["holes"]  # sentences are averaged from the model's own types
    for name, (label, show) in parts.items():
        with folded(label, key=f"words-{name}", icon=":material/science:") as is_open:
            if is_open:
                with encoder_errors_shown():
                    show(scene)
    for question in ("opposite", "types"):
        show_question(PAGE, question)
    with st.expander(_("Downloads"), key="more-controls"):
        offer_downloads(scene)
