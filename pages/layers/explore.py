"""The layers page's interactive part: one fragment, so that a control redraws only it."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Corpus
from pages.common.address import is_presenting
from pages.common.cloud_choices import FEWEST_POINTS
from pages.common.corpus_cloud import MOST_DRAWN, coverage_of, encode_corpus, warn_of_cache
from pages.common.coverage_notes import warn_of_coverage
from pages.common.draw.find_point import choose_point
from pages.common.draw.selected import show_selection
from pages.common.draw.twin_cloud import has_no_webgl2
from pages.common.folded import folded
from pages.common.messages import ENCODER_ERRORS, encoder_errors_shown, show_error
from pages.common.models import current_encoder
from pages.common.shell import show_question
from pages.common.verdict import show_verdict
from pages.common.words import Translate, signed

from .choices import choose_cloud_and_look, chosen_layer
from .curves import show_curves
from .numbers import show_all_measures, show_headlines, take_away
from .pictures import draw_pictures
from .rogue import show_rogues
from .scene import SAMPLE_ROWS, TOKENS, Scene, all_series, build_film, drawn_spec
from .sweep import Sweep, sweep
from .verdicts import layers_verdict, rogue_verdict

PAGE = "layers"


@st.fragment
def explore(corpus: Corpus, _: Translate) -> None:
    """The pictures with their controls, then the curves and what they say."""
    control_box, notes_box = st.container(key="cloud-controls"), st.container()
    # a container of its own: a progress bar would shift the elements below it,
    # and the browser would build them again and lose the focus
    progress_box, look_box, find_box = st.container(), st.container(), st.container()
    curve_progress_box, answer_box = st.container(), st.container()
    more_box = st.expander(_("More controls and downloads"), key="more-controls")
    encoder = current_encoder()
    with control_box:
        choice = choose_cloud_and_look(corpus, encoder, _, more=more_box.container())
    try:
        # Plotly draws them without WebGL2, and is slow with many points
        most = SAMPLE_ROWS if has_no_webgl2() else MOST_DRAWN
        with progress_box:
            spec = drawn_spec(encoder, choice.series, choice.special_tokens, most)
            first = encode_corpus(corpus, spec, _)
            if len(first.cloud) < FEWEST_POINTS:
                notes_box.warning(_("A picture needs at least {n} points.").format(n=FEWEST_POINTS))
                return
            film = build_film(choice.series, first, choice.look, _)
        with find_box, st.container(horizontal=True):
            chosen = choose_point(first, _)
        scene = Scene(film, choice.look, chosen_layer(film.last), chosen)
    except ENCODER_ERRORS as error:
        with notes_box:
            show_error(error, _)
        return
    with look_box:
        draw_pictures(scene, _)
        show_headlines(scene, _)
    with find_box:
        show_selection(first.cloud, first.key, _)
    with notes_box:  # above the pictures, but computed after they were sent
        with encoder_errors_shown(_):
            warn_of_coverage(coverage_of(corpus, _), _)
        warn_of_cache(_)
    try:
        _answer(scene, corpus, choice.special_tokens, answer_box, curve_progress_box, more_box, _)
    except ENCODER_ERRORS as error:
        with answer_box:
            show_error(error, _)


def _answer(
    scene: Scene,
    corpus: Corpus,
    special_tokens: bool,
    answer: DeltaGenerator,
    progress: DeltaGenerator,
    more: DeltaGenerator,
    _: Translate,
) -> None:
    """Below the pictures: curves, claims, rogue dimensions, questions, all measures.

    Parameters
    ----------
    scene : Scene
    corpus : Corpus
    special_tokens : bool
        Include special tokens in the pooling of sentences.
    answer : DeltaGenerator
        Where this is drawn.
    progress : DeltaGenerator
        Where a progress bar is drawn.
    more : DeltaGenerator
        Where the downloads are drawn.
    """
    with progress:
        encoder, name = scene.first.encoder, scene.film.name
        series, unresolved = all_series(name, corpus, encoder, special_tokens, _)
        tables = sweep(series, _)
    by_name = {each.name: each for each in series}
    with answer:
        figure = show_curves(scene, series, unresolved, _)
        if not is_presenting():
            show_verdict(layers_verdict(by_name[TOKENS], tables[TOKENS], _), _, key="layers")
        parts = show_rogues(scene, by_name[name], tables[name], _)
        if not is_presenting():
            verdict = rogue_verdict(by_name[name], tables[name], scene.layer, _)
            show_verdict(verdict, _, key="rogue")
            values = lesson_values(tables)
            for question in ("cls", "higher", "standardise", "context", "directions"):
                show_question(PAGE, question, values)
            with folded(_("All measures"), key="all-measures", icon=":material/table:") as is_open:
                if is_open:
                    show_all_measures(scene, series, tables, _)
    with more:
        take_away(scene, figure, parts, _)


def lesson_values(tables: Sweep) -> dict[str, str]:
    """Live figures that the page's questions quote."""
    cls = [table["mean_cosine"].value for table in tables.get("cls", ())]
    tokens = [table["mean_cosine"].value for table in tables[TOKENS]]
    return {
        "cls": _listed(cls, 4),
        "cls_last": _listed(cls[-1:], 3),
        "tokens": _listed(tokens, 3),
    }


def _listed(values: list[float | None], decimals: int) -> str:
    return ", ".join("—" if v is None else signed(v, decimals) for v in values) or "—"
