"""The contrast page's interactive part: the recorded run, or the session's own training."""

from __future__ import annotations

from functools import partial

import streamlit as st

from geometry import read_bundled
from pages.common.address import is_presenting
from pages.common.folded import folded
from pages.common.live_training import (
    Training,
    follow,
    show_controls,
    show_progress,
    started,
)
from pages.common.messages import ENCODER_ERRORS, show_error
from pages.common.models import current_encoder
from pages.common.shell import picture_place, show_question
from pages.common.uploads import chosen_corpus
from pages.common.verdict import show_verdict
from pages.common.words import _, prose

from . import PAGE
from .choices import choose_settings, read_vectors
from .numbers import offer_downloads, show_headlines, show_published, show_settings, show_table
from .pictures import draw_cloud, draw_curves, draw_plane
from .recorded import recorded_run
from .run import ContrastRun, HeadSettings, contrast_run
from .scene import Scene
from .verdicts import contrast_verdict

PLAYING = "contrast-playing"  # in the session: the recorded steps run by themselves
PLAY_SECONDS = 0.5  # between two of them
WANTED = "contrast-wanted"  # in the session: the settings of a training that has not started


def explore() -> None:
    """Controls, the run that is shown, questions and further controls."""
    control_box, notes_box = st.container(key="cloud-controls"), st.container()
    run_box, question_box = picture_place(), st.container()
    more = st.expander(_("More controls"), key="more-controls")
    with control_box:
        *boxes, button_box = st.columns(6)
        settings = choose_settings(current_encoder(), boxes, more=more)
        with button_box:
            st.button(
                _("Train"),
                key="contrast-train",
                type="primary",
                icon=":material/play_arrow:",
                width="stretch",
                on_click=_want,
                args=(settings,),
            )
    if settings.text is not None and chosen_corpus().sha256 == read_bundled("pairs").sha256:
        notes_box.warning(
            _("This corpus has the test sentences. So head, whitening and flow are fitted on them.")
        )
    with run_box:
        draw = partial(_draw_training, settings=settings)
        follow(PAGE, draw, playing=PLAYING, every=PLAY_SECONDS)
    if not is_presenting():
        with question_box:
            for question in ("plane", "dropout", "temperature", "centring"):
                show_question(PAGE, question)
    with notes_box:  # above the picture, but computed later, because encoding may take long
        _start_if_wanted(settings)


def _want(settings: HeadSettings) -> None:
    st.session_state[WANTED] = settings


def _start_if_wanted(settings: HeadSettings) -> None:
    """Read the vectors, with progress, and start the training, unless a control has moved."""
    if st.session_state.get(WANTED) != settings:
        st.session_state.pop(WANTED, None)
        return
    try:
        vectors = read_vectors(settings)
    except ENCODER_ERRORS as error:
        show_error(error)
        return
    del st.session_state[WANTED]
    started(PAGE, contrast_run, vectors, settings)
    st.rerun()


def _draw_training(training: Training | None, settings: HeadSettings) -> None:
    """The session's training; the recorded run before its first step."""
    run = None
    if training is not None:
        show_controls(PAGE, training)
        run = ContrastRun.of(training.records)
        if training.is_active:
            n = (run.header.settings if run else settings).steps
            show_progress(run.moments[-1].step if run else 0, n)
        if run is None and training.is_active:
            st.caption(_("The recorded run is shown until the first step of yours."))
    is_active = training is not None and training.is_active
    plane_box, cloud_box = st.columns([3, 2])
    with cloud_box:
        cloud, slider = st.container(), st.container()
    with slider:
        scene = _choose_scene(run or recorded_run(), settings, is_active=is_active)
    with plane_box:
        draw_plane(scene)
    with cloud:
        draw_cloud(scene)
    _show_numbers(scene)


def _show_numbers(scene: Scene) -> None:
    """Below the pictures: numbers, verdict, curves, tables."""
    show_headlines(scene)
    show_settings(scene)
    if not is_presenting():
        show_verdict(contrast_verdict(scene), key="contrast")
    draw_curves(scene)
    if is_presenting():
        return
    with folded(_("All measures"), key="all-measures", icon=":material/table:") as is_open:
        if is_open:
            show_table(scene)
            st.markdown(prose(PAGE, "measures"))
            offer_downloads(scene)
    with folded(
        _("What is small here, and what the paper did"), key="part-small", icon=":material/compare:"
    ) as is_open:
        if is_open:
            show_published(scene)


def _choose_scene(run: ContrastRun, settings: HeadSettings, *, is_active: bool) -> Scene:
    """The run and one of its recorded steps, on a slider; the last step while it trains.

    Parameters
    ----------
    run : ContrastRun
    settings : HeadSettings
        The settings of the controls.
    is_active : bool
        True while the run is being trained.
    """
    steps = {moment.step: moment for moment in run.moments}
    step = max(steps)
    if len(steps) > 1 and not is_active:
        # one key for each list of steps: a value that is not in the list would be an error
        key = f"contrast-step-{len(steps)}-{max(steps)}-{run.is_recorded}"
        _advance(key, list(steps))
        is_playing = bool(st.session_state.get(PLAYING))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.button(
                _("Stop") if is_playing else _("Play"),
                key="play",
                icon=":material/stop:" if is_playing else ":material/play_arrow:",
                on_click=_toggle_play,
                args=(key, min(steps)),
            )
            step = st.select_slider(
                _("Step"), list(steps), value=step, key=key, persist_state="session"
            )
    return Scene(run, steps[step], settings, is_active)


def _toggle_play(key: str, first: int) -> None:
    """Start at the first step, or stop."""
    st.session_state[PLAYING] = not st.session_state.get(PLAYING)
    if st.session_state[PLAYING]:
        st.session_state[key] = first


def _advance(key: str, steps: list[int]) -> None:
    """While playing: go to the next step; after the last one it stops."""
    if not st.session_state.get(PLAYING) or key not in st.session_state:
        return
    place = steps.index(st.session_state[key]) + 1
    if place < len(steps):
        st.session_state[key] = steps[place]
    else:
        st.session_state[PLAYING] = False
