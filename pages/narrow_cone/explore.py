"""narrow_cone's interactive part: one fragment, so that a control redraws only it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from geometry import Corpus
from geometry.data import VectorSet
from geometry.projection.umap_fit import MOST_FITTED
from pages.common.address import is_presenting
from pages.common.cloud_choices import choose_cloud, choose_look, warn_of_too_few
from pages.common.corpus_cloud import (
    MOST_DRAWN,
    OF_VECTORS,
    coverage_of,
    encode_corpus,
    warn_of_cache,
)
from pages.common.coverage_notes import warn_of_coverage
from pages.common.draw.find_point import choose_point
from pages.common.draw.twin_cloud import has_no_webgl2
from pages.common.fit_set import choose_weights
from pages.common.folded import folded
from pages.common.messages import ENCODER_ERRORS, encoder_errors_shown, show_error
from pages.common.models import chosen_model, current_encoder
from pages.common.shell import picture_place, show_question
from pages.common.verdict import show_verdict
from pages.common.words import _, prose

from . import PAGE
from .causes import show_causes
from .choices import choose_fit, film_settings, play_bar, show_presets
from .downloads import offer_downloads
from .first_visit import ask_for_guess, welcome
from .inspector import show_inspector
from .numbers import show_all_measures, show_headlines, warn_of_simplex
from .pictures import draw_pictures
from .scene import (
    SAMPLE_ROWS,
    Scene,
    build_scene,
    few_points_values,
    is_cone,
    is_hardly_a_cone,
    lesson_values,
    narrows_first,
)
from .umap import fit_umaps, warm_up
from .verdicts import cone_verdict, steps_of, whitening_verdict

PLAY_SECONDS = 0.4


def explore(corpus: Corpus | VectorSet) -> None:
    """Draw the fragment; while the film plays it reruns by itself."""
    has_clock = bool(st.session_state.get("playing"))
    st.fragment(_explore, run_every=PLAY_SECONDS if has_clock else None)(corpus, has_clock)


def _explore(corpus: Corpus | VectorSet, has_clock: bool) -> None:
    welcome_box = st.container(key="welcome")
    control_box, notes_box = st.container(key="cloud-controls"), st.container()
    # the progress bar has its own container: in another one it would shift the elements below it,
    # and the browser would build them again and lose the focus
    progress_box = st.container()
    look_box, found_box = picture_place(), st.container(key="inspector")
    numbers_box = st.container()
    guess_box, find_box = st.columns(2)
    answer_box = st.container()
    more_box = st.expander(_("More controls and downloads"), key="more-controls")
    with control_box:
        preset_box = st.container(key="presets")
        if isinstance(corpus, VectorSet):
            spec = OF_VECTORS
        else:
            spec = choose_cloud(current_encoder(), more=more_box.container())
            spec = replace(spec, max_points=MOST_DRAWN)
        if chosen_model().is_bundled and spec != OF_VECTORS:
            with preset_box:
                show_presets()
    try:
        with progress_box:
            points = encode_corpus(corpus, spec)
    except ENCODER_ERRORS as error:
        with notes_box:
            show_error(error)
        return
    if has_no_webgl2():
        points = points.sample(SAMPLE_ROWS)  # Plotly draws them; it is slow with many
    with notes_box:
        if warn_of_too_few(len(points.cloud)):
            return
    with control_box:
        look = choose_look(corpus, spec, dims="2D" if has_no_webgl2() else "3D")
    with more_box:
        fit = choose_fit()
        points = choose_weights(points)
    with find_box:
        chosen = choose_point(points)
    with look_box:
        can_play = look.view != "umap"
        if has_no_webgl2():
            centring, strength = play_bar(can_play=can_play)
        else:
            centring, strength = film_settings(can_play=can_play)
        umap_box = st.container()
    with progress_box:
        scene = build_scene(points, look, fit, chosen, centring=centring, strength=strength)
    if scene is None:
        notes_box.info(prose(PAGE, "all-equal"))
        return
    with look_box:
        draw_pictures(scene)
    with welcome_box:
        welcome(scene)
    with found_box:
        show_inspector(scene)
    with numbers_box:
        show_headlines(scene)
    with guess_box:
        ask_for_guess(scene)
    with notes_box:  # above the pictures, but computed after they were sent
        if isinstance(corpus, Corpus):
            with encoder_errors_shown():
                warn_of_coverage(coverage_of(corpus))
        warn_of_cache()
        if scene.has_few_points:
            st.warning(prose(PAGE, "few-points", few_points_values(scene)))
        warn_of_simplex(scene)
    if not is_presenting():
        with answer_box:
            _answer(scene)
    with more_box:
        offer_downloads(scene)
    if look.view == "umap":
        with umap_box:
            st.warning(prose(PAGE, "umap-caveat"))
            if len(points.cloud) > MOST_FITTED:
                placed = _(
                    "UMAP is fitted to a sample of {n} points. The others are placed by their "
                    "nearest neighbours in the sample."
                )
                st.caption(placed.format(n=f"{MOST_FITTED:,}"))
            if scene.waits_for_umap:
                st.info(_("SVD is shown while UMAP is being fitted."))
                fit_umaps((scene.raw, scene.white), look.n_components)
                st.rerun()
    warm_up()
    if bool(st.session_state.get("playing")) != has_clock:
        st.rerun()  # only a full run can start or stop the fragment's timer


def _answer(scene: Scene) -> None:
    """Below the pictures: the claims, the questions, all measures."""
    show_verdict(cone_verdict(scene), key="cone")
    show_verdict(whitening_verdict(scene), key="whitening")
    show_causes(scene)
    with folded(_("All measures"), key="all-measures", icon=":material/table:") as is_open:
        if is_open:
            show_all_measures(scene)
    steps = steps_of(scene)
    values = lesson_values(scene, steps.agreements if steps else None)
    for name, applies in {
        "median": is_cone(scene),
        "narrows-first": narrows_first(scene),
        "last-layer": is_hardly_a_cone(scene),
        "unit": True,
        "ledoit-wolf": True,
        "ninety": True,
        "worse-score": True,
        "not-mended": True,
        "umap": True,
    }.items():
        if applies:
            show_question(PAGE, name, values)
