"""The whitening page's interactive part: one fragment, so that a control redraws only it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from geometry import Corpus, ModelFilesError
from pages.common.cloud_choices import FEWEST_POINTS, Look, choose_cloud, choose_look
from pages.common.corpus_cloud import CloudSpec, coverage_of, warn_of_cache
from pages.common.coverage_notes import coverage_line, warn_of_coverage
from pages.common.draw.selected import chosen_row, show_selection
from pages.common.escape import markdown
from pages.common.messages import show_error
from pages.common.models import current_encoder
from pages.common.shell import show_question
from pages.common.words import Translate, prose

from .charts import show_charts
from .choices import (
    FitSet,
    choose_fit_set,
    choose_knobs,
    choose_rows,
    choose_treatments,
)
from .flow import train_flow
from .numbers import show_table, take_away
from .pictures import draw_pictures
from .provenance import provenance
from .scene import MAX_POINTS, Scene, build_scene, material_of, points_and_fit

PAGE = "whitening"


@st.fragment
def explore(corpus: Corpus, _: Translate) -> None:
    """Look, measure, try."""
    look_box, measure_box, try_box = st.container(), st.container(), st.container()
    with try_box:
        st.subheader(_("Try"))
        spec = replace(choose_cloud(current_encoder(), _), max_points=MAX_POINTS)
        look = choose_look(_, has_labels=corpus.labels is not None, views=("mean", "svd", "pca"))
    with look_box:
        st.subheader(_("Look"))
        scene = _choose_scene(corpus, spec, look, _)
        if scene is None:
            return
        points = scene.material.points
        waiting = draw_pictures(scene, _)
        st.caption(markdown(provenance(scene, _)))  # the table below may come later
        show_selection(points.cloud, points.key, _)
        warn_of_coverage(coverage_of(corpus, _), _)
        warn_of_cache(_)
    with measure_box:
        st.subheader(_("Measure"))
        show_table(scene, _)
        st.caption(coverage_line(coverage_of(corpus, _), _))
        show_charts(scene, _)
        for question in ("disagree", "same-cosines", "fit", "flow"):
            show_question(PAGE, question)
    with try_box:
        take_away(scene, _)
    if "flow" in waiting:
        with waiting["flow"]:
            train_flow(scene, _)
        st.rerun()  # of the whole page: on a first visit there is no fragment yet to run again


def _choose_scene(corpus: Corpus, spec: CloudSpec, look: Look, _: Translate) -> Scene | None:
    """The controls of the pictures and their scene; None where there is nothing to draw."""
    names = choose_treatments(spec.unit, _)
    set_box, rows_box = st.columns(2)
    with set_box:
        code = choose_fit_set(st.session_state.get("corpus", "topics"), len(corpus), _)
    # a container of its own: a progress bar would shift the elements below it,
    # and the browser would build them again and lose the focus
    progress_box = st.container()
    try:
        with progress_box:
            points, fit = points_and_fit(corpus, spec, code, _)
    except (ModelFilesError, ValueError, OSError, MemoryError, RuntimeError) as error:
        show_error(error, _)
        return None
    if min(len(points.cloud), len(fit.cloud)) < FEWEST_POINTS:
        st.warning(_("A picture needs at least {n} points.").format(n=FEWEST_POINTS))
        return None
    with rows_box:
        rows = choose_rows(len(fit.cloud), _)
    knobs = choose_knobs(names, rows, fit.vectors.shape[1], _)
    material = material_of(points, fit, FitSet(code, rows))
    if not material.has_spread:
        st.info(prose(PAGE, "all-equal"))
        return None
    return build_scene(material, names, knobs, look, chosen_row(points), _)
