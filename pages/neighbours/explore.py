"""The page's interactive part: one fragment, so that a control redraws only it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Corpus, UndefinedMeasure
from geometry.data import VectorSet
from pages.common import jobs
from pages.common.address import is_presenting
from pages.common.cloud_choices import choose_cloud, warn_of_too_few
from pages.common.corpus_cloud import ALL_POINTS, OF_VECTORS, coverage_of, warn_of_cache
from pages.common.coverage_notes import warn_of_coverage
from pages.common.fit_set import choose_fit_set
from pages.common.folded import folded
from pages.common.messages import ENCODER_ERRORS, encoder_errors_shown, show_error
from pages.common.models import current_encoder
from pages.common.shell import picture_place, show_question
from pages.common.treatment_names import choose_treatment
from pages.common.verdict import show_verdict
from pages.common.words import _

from . import PAGE
from .choices import choose_nearest
from .numbers import offer_lists, offer_points, show_headlines, show_hubs
from .pictures import draw_histogram, draw_rankings
from .query import choose_query
from .ranking import rank
from .relevance import show_relevance
from .scene import AT_ONCE, MOST_TOKENS, Scene, read_points, search_clouds
from .verdicts import neighbours_verdict


@st.fragment
def explore(corpus: Corpus | VectorSet) -> None:
    """The controls and pictures, then the results in words and numbers."""
    control_box, notes_box = st.container(key="cloud-controls"), st.container()
    # a separate container: a progress bar would shift the elements below it,
    # and the browser would build them again and lose the focus
    progress_box, look_box, answer_box = st.container(), picture_place(), st.container()
    more_box = st.expander(_("More controls and downloads"), key="more-controls")
    try:
        scene = _choose_scene(
            corpus, controls=control_box, more=more_box, notes=notes_box, progress=progress_box
        )
    except ENCODER_ERRORS as error:
        with notes_box:
            show_error(error)
        return
    if scene is None:
        return
    with look_box:
        is_measured = _show_pictures(scene)
    with notes_box:  # above the pictures, but computed after they were sent
        if isinstance(corpus, Corpus):
            with encoder_errors_shown():
                warn_of_coverage(coverage_of(corpus))
        warn_of_cache()
    if not is_presenting():
        with answer_box:
            _answer(scene, is_measured=is_measured)
    with more_box, st.container(horizontal=True):
        offer_lists(scene)
        if is_measured:
            offer_points(scene)


def _choose_scene(
    corpus: Corpus | VectorSet,
    *,
    controls: DeltaGenerator,
    more: DeltaGenerator,
    notes: DeltaGenerator,
    progress: DeltaGenerator,
) -> Scene | None:
    """The controls and the scene; None if there are too few points.

    Parameters
    ----------
    corpus : Corpus or VectorSet
    controls : DeltaGenerator
        The box of the controls.
    more : DeltaGenerator
        The box of further controls.
    notes : DeltaGenerator
        The box of messages.
    progress : DeltaGenerator
        The box of a progress bar.
    """
    with controls:
        if isinstance(corpus, VectorSet):
            spec = OF_VECTORS
        else:
            spec = choose_cloud(current_encoder(), more=more)
            most = MOST_TOKENS if spec.unit == "tokens" else ALL_POINTS
            spec = replace(spec, max_points=most)
        after_box, fit_box, nearest_box, search_box, match_box = st.columns(5)
    with fit_box:
        code = choose_fit_set(corpus)
    with progress:
        points, fit = read_points(corpus, spec, code)
    with notes:
        if warn_of_too_few(min(len(points.cloud), len(fit.cloud))):
            return None
    with nearest_box:
        k = min(choose_nearest(), len(points.cloud) - 2)
    with after_box:
        after = choose_treatment(PAGE, len(fit.cloud), fit.vectors.shape[1], notes=notes)
    with progress:
        clouds = jobs.kept_or_made(
            search_clouds,
            *(points, fit, after),
            what=_("Preparing {n} points for the search").format(n=f"{len(points.cloud):,}"),
            at_once=len(points.cloud) <= AT_ONCE,
            lane="measure",
        )
    chosen = choose_query(points, code, search=search_box, matches=match_box)
    rankings = rank(clouds, chosen, k)
    return Scene(points, fit, code, after, k, clouds, rankings)


def _show_pictures(scene: Scene) -> bool:
    """The lists, the histogram and the numbers; False if these are undefined."""
    with st.container(key="neighbour-pictures"):
        lists_box, histogram_box = st.columns([7, 3])
    with lists_box:
        draw_rankings(scene)
    with histogram_box:
        draw_histogram(scene)
    try:
        show_headlines(scene)
    except UndefinedMeasure as error:
        show_error(error)
        return False
    return True


def _answer(scene: Scene, *, is_measured: bool) -> None:
    """Below the picture: the claim, the questions, hubs, queries with known answers.

    is_measured : False if the numbers over all points are undefined.
    """
    if is_measured:
        show_verdict(neighbours_verdict(scene), key="neighbours")
    for question in ("hub", "better", "fit"):
        show_question(PAGE, question)
    if is_measured:
        with folded(_("Hubs"), key="hubs", icon=":material/table:") as is_open:
            if is_open:
                show_hubs(scene)
    with folded(
        _("Queries with known answers"), key="relevance", icon=":material/rule:"
    ) as is_open:
        if is_open:
            with encoder_errors_shown():
                show_relevance(scene)
