"""The layers page's interactive part: one fragment, so that a control redraws only it."""

from __future__ import annotations

import streamlit as st

from geometry import Corpus
from geometry.data.number_text import signed
from pages.common.address import is_presenting
from pages.common.cloud_choices import warn_of_too_few
from pages.common.corpus_cloud import MOST_DRAWN, coverage_of, encode_corpus, warn_of_cache
from pages.common.coverage_notes import warn_of_coverage
from pages.common.draw.find_point import choose_point
from pages.common.draw.selected import show_selection
from pages.common.draw.twin_cloud import has_no_webgl2
from pages.common.folded import folded
from pages.common.messages import ENCODER_ERRORS, encoder_errors_shown, show_error
from pages.common.models import current_encoder
from pages.common.shell import picture_place, show_question
from pages.common.verdict import show_verdict
from pages.common.words import _

from . import PAGE
from .choices import choose_cloud_and_look, chosen_layer
from .curves import show_curves
from .film import build_film
from .numbers import offer_downloads, show_all_measures, show_headlines
from .pictures import draw_pictures
from .rogue import show_rogues
from .scene import Scene
from .series import SAMPLE_ROWS, TOKENS, drawn_spec
from .verdicts import layers_verdict, rogue_verdict

QUESTIONS = ("cls", "higher", "standardise", "context", "directions")


@st.fragment
def explore(corpus: Corpus) -> None:
    """The pictures with their controls, then the curves and what they say."""
    control_box, notes_box = st.container(key="cloud-controls"), st.container()
    # the progress bar has its own container: in another one it would shift the elements below it,
    # and the browser would build them again and lose the focus
    progress_box, look_box, find_box = st.container(), picture_place(), st.container()
    curve_progress_box, answer_box = st.container(), st.container()
    more_box = st.expander(_("More controls and downloads"), key="more-controls")
    encoder = current_encoder()
    with control_box:
        choice = choose_cloud_and_look(corpus, encoder, more=more_box.container())
    try:
        # without WebGL2 Plotly draws the points; it is slow with many
        most = SAMPLE_ROWS if has_no_webgl2() else MOST_DRAWN
        with progress_box:
            spec = drawn_spec(encoder, choice.name, choice.special_tokens, most)
            first = encode_corpus(corpus, spec)
        with notes_box:
            if warn_of_too_few(len(first.cloud)):
                return
        with progress_box:
            film = build_film(choice.name, first, choice.look)
        with find_box, st.container(horizontal=True):
            chosen = choose_point(first)
        scene = Scene(corpus, choice, film, chosen_layer(film.last), chosen)
    except ENCODER_ERRORS as error:
        with notes_box:
            show_error(error)
        return
    with look_box:
        draw_pictures(scene)
        show_headlines(scene)
    with find_box:
        show_selection(first.cloud, first.key)
    with notes_box:  # above the pictures, but computed after they were sent
        with encoder_errors_shown():
            warn_of_coverage(coverage_of(corpus))
        warn_of_cache()
    try:
        with curve_progress_box:  # encodes and measures every layer
            values = lesson_values(scene)
        with answer_box:
            measure = show_curves(scene)
            if not is_presenting():
                show_verdict(layers_verdict(scene), key="layers")
            show_rogues(scene)
            if not is_presenting():
                show_verdict(rogue_verdict(scene), key="rogue")
                for question in QUESTIONS:
                    show_question(PAGE, question, values)
                with folded(
                    _("All measures"), key="all-measures", icon=":material/table:"
                ) as is_open:
                    if is_open:
                        show_all_measures(scene)
        with more_box:
            offer_downloads(scene, measure)
    except ENCODER_ERRORS as error:
        with answer_box:
            show_error(error)


def lesson_values(scene: Scene) -> dict[str, str]:
    """Figures of this corpus that the page's questions quote."""
    cls = [table["mean_cosine"].value for table in scene.tables.get("cls", ())]
    tokens = [table["mean_cosine"].value for table in scene.tables[TOKENS]]
    return {
        "cls": _listed(cls, 4),
        "cls_last": _listed(cls[-1:], 3),
        "tokens": _listed(tokens, 3),
    }


def _listed(values: list[float | None], decimals: int) -> str:
    return ", ".join("—" if v is None else signed(v, decimals) for v in values) or "—"
