"""The whitening page's interactive part: one fragment, so that a control redraws only it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Corpus
from geometry.data import VectorSet
from pages.common.address import is_presenting
from pages.common.cloud_choices import Look, choose_cloud, choose_look, warn_of_too_few
from pages.common.corpus_cloud import MOST_DRAWN, OF_VECTORS, CloudSpec, coverage_of, warn_of_cache
from pages.common.coverage_notes import warn_of_coverage
from pages.common.draw.find_point import choose_point
from pages.common.draw.selected import show_selection
from pages.common.draw.twin_cloud import has_no_webgl2
from pages.common.fit_set import choose_fit_set, choose_weights, points_and_fit
from pages.common.folded import folded
from pages.common.messages import ENCODER_ERRORS, encoder_errors_shown, show_error
from pages.common.models import current_encoder
from pages.common.shell import picture_place, show_question
from pages.common.verdict import show_verdict
from pages.common.words import _, prose

from . import PAGE
from .charts import show_charts
from .choices import (
    FitRows,
    choose_knobs,
    choose_rows,
    choose_treatments,
)
from .downloads import offer_downloads
from .flow import train_flow
from .headlines import show_headlines
from .numbers import show_all_measures
from .pictures import draw_pictures
from .scene import SAMPLE_ROWS, Scene, build_scene, choose_point_sets
from .verdicts import whitening_verdict
from .warnings import warn_of_emptied, warn_of_simplex

CHARTS = "all-charts"


@st.fragment
def explore(corpus: Corpus | VectorSet) -> None:
    """The pictures with their controls, then what they say."""
    control_box, notes_box = st.container(key="cloud-controls"), st.container()
    # the progress bar has its own container: in another one it would shift the elements below it,
    # and the browser would build them again and lose the focus
    progress_box, look_box = st.container(), picture_place()
    find_box, answer_box = st.container(), st.container()
    more_box = st.expander(_("More controls and downloads"), key="more-controls")
    with control_box:
        boxes = st.columns(6 if isinstance(corpus, Corpus) else 5)
    unit_box, pooling_box, fit_box = more_box.columns(3)
    special_box = more_box.container()
    if isinstance(corpus, VectorSet):
        spec = OF_VECTORS
    else:
        cloud_boxes = (unit_box, boxes[5], pooling_box)
        spec = choose_cloud(current_encoder(), more=special_box, boxes=cloud_boxes)
        spec = replace(spec, max_points=MOST_DRAWN)
    with more_box:
        look = choose_look(corpus, spec, views=("mean", "svd", "pca"))
    scene = _choose_scene(
        corpus,
        spec,
        look,
        own=boxes[:5],
        fit_on=fit_box,
        more=more_box,
        notes=notes_box,
        progress=progress_box,
        find=find_box,
    )
    if scene is None:
        return
    points = scene.sets.points
    with look_box:
        draw_pictures(scene)
        waiting = show_headlines(scene)
    with find_box:
        show_selection(points.cloud, points.key)
    with notes_box:  # above the pictures, but computed after they were sent
        if isinstance(corpus, Corpus):
            with encoder_errors_shown():
                warn_of_coverage(coverage_of(corpus))
        warn_of_cache()
        warn_of_simplex(scene)
        warn_of_emptied(scene)
    if not is_presenting():
        with answer_box:
            _answer(scene)
    with more_box:
        offer_downloads(scene)
    if "flow" in waiting:
        with waiting["flow"]:
            train_flow(scene.sets.fit_points)
        st.rerun()  # the whole page: on a first visit there is no fragment yet to run again


def _answer(scene: Scene) -> None:
    """Below the pictures: the claim, the questions, all measures, the charts."""
    show_verdict(whitening_verdict(scene), key="whitening")
    for question in ("disagree", "same-cosines", "fit", "flow"):
        show_question(PAGE, question)
    with folded(_("All measures"), key="all-measures", icon=":material/table:") as is_open:
        if is_open:
            show_all_measures(scene)
    st.session_state.setdefault(CHARTS, "chart" in st.query_params)
    with folded(_("Charts"), key=CHARTS, icon=":material/show_chart:") as is_open:
        if is_open:
            show_charts(scene)


def _choose_scene(
    corpus: Corpus | VectorSet,
    spec: CloudSpec,
    look: Look,
    *,
    own: Sequence[DeltaGenerator],
    fit_on: DeltaGenerator,
    more: DeltaGenerator,
    notes: DeltaGenerator,
    progress: DeltaGenerator,
    find: DeltaGenerator,
) -> Scene | None:
    """The controls of the treatments and their scene; None if there is nothing to draw.

    Parameters
    ----------
    corpus : Corpus or VectorSet
    spec : CloudSpec
    look : Look
    own : five of DeltaGenerator
        Beside the pictures: three treatments, strength, directions removed.
    fit_on : DeltaGenerator
        The box of the fit set.
    more : DeltaGenerator
        The box of the other controls.
    notes : DeltaGenerator
        The box of messages.
    progress : DeltaGenerator
        The box of a progress bar.
    find : DeltaGenerator
        The box of the search for a point.
    """
    names = choose_treatments(spec.unit, own[:3])
    with fit_on:
        code = choose_fit_set(corpus)
    try:
        with progress:
            points, fit = points_and_fit(corpus, spec, code)
    except ENCODER_ERRORS as error:
        with notes:
            show_error(error)
        return None
    if has_no_webgl2():
        points = points.sample(SAMPLE_ROWS)  # Plotly draws them; it is slow with many
    with notes:
        if warn_of_too_few(min(len(points.cloud), len(fit.cloud))):
            return None
    rows_box, knobs_box = more.columns(2)
    with rows_box:
        rows = choose_rows(len(fit.cloud))
        fit = choose_weights(fit)
    sets = choose_point_sets(points, fit, FitRows(code, rows))
    n, d = round(sets.fit_points.effective_n), fit.vectors.shape[1]
    knobs = choose_knobs(names, n, d, strength=own[3], removed=own[4], more=knobs_box)
    if not sets.has_spread:
        notes.info(prose(PAGE, "all-equal"))
        return None
    with progress:
        points.project_in_job(look.view, look.n_components)
    with find, st.container(horizontal=True):
        chosen = choose_point(points)
    return build_scene(sets, names, knobs, look, chosen)
