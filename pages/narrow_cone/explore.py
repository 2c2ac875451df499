"""narrow_cone's interactive part: one fragment, so that a control redraws only it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from geometry import Corpus, ModelFilesError
from geometry.figures.point_colours import MOST_LABELS
from pages.common.cloud_choices import FEWEST_POINTS, choose_cloud, choose_look
from pages.common.corpus_cloud import coverage_of, encode_corpus, warn_of_cache
from pages.common.coverage_notes import warn_of_coverage
from pages.common.draw.twin_cloud import has_no_webgl2
from pages.common.messages import show_error
from pages.common.models import chosen_model, current_encoder
from pages.common.shell import show_question
from pages.common.words import Translate, prose

from .choices import choose_fit, play_bar, show_presets
from .neighbours import choose_point, show_neighbours
from .numbers import show_numbers, take_away
from .pictures import draw_pictures
from .scene import (
    MAX_POINTS,
    build_scene,
    few_points_values,
    full_whitening,
    is_cone,
    is_hardly_a_cone,
    lesson_values,
    narrows_first,
)
from .umap import fit_umaps, warm_up

PAGE = "narrow_cone"
PLAY_SECONDS = 0.4


def explore(corpus: Corpus, _: Translate) -> None:
    """Draw the fragment; while the film plays it reruns by itself."""
    has_clock = bool(st.session_state.get("playing"))
    st.fragment(_explore, run_every=PLAY_SECONDS if has_clock else None)(corpus, has_clock, _)


def _explore(corpus: Corpus, has_clock: bool, _: Translate) -> None:
    look_box, measure_box, try_box = st.container(), st.container(), st.container()
    with try_box:
        st.subheader(_("Try"))
        spec = replace(choose_cloud(current_encoder(), _), max_points=MAX_POINTS)
    with look_box:
        st.subheader(_("Look"))
        if chosen_model().is_bundled:
            show_presets(_)
        notes_box = st.container()
        # a container of its own: a progress bar would shift the elements below it, and the
        # browser would build them again and lose the focus
        progress_box = st.container()
        try:
            with progress_box:
                points = encode_corpus(corpus, spec, _)
        except (ModelFilesError, ValueError, OSError, MemoryError, RuntimeError) as error:
            show_error(error, _)
            return
        if len(points.cloud) < FEWEST_POINTS:
            st.warning(_("A picture needs at least {n} points.").format(n=FEWEST_POINTS))
            return
    with try_box:
        has_labels = 0 < len(set(points.cloud.labels or ())) <= MOST_LABELS
        look = choose_look(_, has_labels=has_labels)
        fit = choose_fit(_)
    whitening = full_whitening(points, fit)
    if whitening.rank == 0:
        look_box.info(prose(PAGE, "all-equal"))
        return
    with try_box:
        chosen = choose_point(points, _)
    with look_box:
        as_charts = has_no_webgl2()
        can_play = look.view != "umap"
        centring, strength = play_bar(
            _, can_play=can_play, has_own_button=can_play and not as_charts
        )
        umap_box = st.container()
        scene = build_scene(
            points, look, fit, whitening, chosen, centring=centring, strength=strength
        )
        draw_pictures(scene, _)
    with notes_box:  # above the pictures, but computed after they were sent
        warn_of_coverage(coverage_of(corpus, _), _)
        warn_of_cache(_)
        if scene.has_few_points:
            st.warning(prose(PAGE, "few-points", few_points_values(scene)))
    values = lesson_values(scene)
    with look_box:
        if is_cone(scene):
            _ask("median", values=values)
        if narrows_first(scene):
            _ask("narrows-first", values=values)
        _ask(*(["last-layer"] if is_hardly_a_cone(scene) else []), "unit", values=values)
    with measure_box:
        st.subheader(_("Measure"))
        show_numbers(scene, _)
        show_neighbours(scene, _)
        _ask("ledoit-wolf", "ninety", "worse-score", "not-mended", values=values)
    with try_box:
        _ask("umap", values=values)
        take_away(scene, _)
    if look.view == "umap":
        with umap_box:
            st.warning(prose(PAGE, "umap-caveat"))
            if scene.waits_for_umap:
                st.info(_("SVD is shown while UMAP is being fitted."))
                fit_umaps(scene, _)
                st.rerun()
    warm_up()
    if bool(st.session_state.get("playing")) != has_clock:
        st.rerun()  # only a full run can start or stop the fragment's timer


def _ask(*names: str, values: dict[str, str]) -> None:
    for name in names:
        show_question(PAGE, name, values)
