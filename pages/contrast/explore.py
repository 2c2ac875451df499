"""The contrast page's interactive part: the recorded run, or the session's own training."""

from __future__ import annotations

from functools import partial

import streamlit as st

from geometry import read_bundled
from pages.common.address import is_presenting
from pages.common.escape import markdown
from pages.common.folded import folded
from pages.common.live_training import Training, follow, show_controls, started
from pages.common.messages import ENCODER_ERRORS, show_error
from pages.common.models import current_encoder
from pages.common.shell import show_question
from pages.common.uploads import chosen_corpus
from pages.common.verdict import show_verdict
from pages.common.words import Translate, prose

from .choices import choose_settings, read_material
from .numbers import offer_downloads, show_headlines, show_published, show_table
from .pictures import draw_cloud, draw_curves, draw_plane
from .recorded import recorded_run
from .run import Moment, Run, Settings, contrast_run
from .verdicts import contrast_verdict
from .words import run_words

PAGE = "contrast"
WANTED = "contrast-wanted"  # session state: the settings to train with, until the vectors are here


def explore(_: Translate) -> None:
    """Controls, the run that is shown, questions and further controls."""
    control_box, notes_box = st.container(key="cloud-controls"), st.container()
    run_box, question_box = st.container(), st.container()
    more = st.expander(_("More controls"), key="more-controls")
    with control_box:
        *boxes, button_box = st.columns(6)
        settings = choose_settings(current_encoder(), boxes, _, more=more)
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
        follow(PAGE, partial(_draw_training, settings=settings, _=_))
    if not is_presenting():
        with question_box:
            for question in ("plane", "dropout", "temperature", "centring"):
                show_question(PAGE, question)
    with notes_box:  # above the picture, but after it: the vectors may have to be encoded
        _start_if_wanted(settings, _)


def _want(settings: Settings) -> None:
    st.session_state[WANTED] = settings


def _start_if_wanted(settings: Settings, _: Translate) -> None:
    """Read the vectors, with progress, and start the training; not if a control was moved."""
    if st.session_state.get(WANTED) != settings:
        st.session_state.pop(WANTED, None)
        return
    try:
        material = read_material(settings, _)
    except ENCODER_ERRORS as error:
        show_error(error, _)
        return
    del st.session_state[WANTED]
    started(PAGE, contrast_run, material, settings)
    st.rerun()


def _draw_training(training: Training | None, settings: Settings, _: Translate) -> None:
    """The session's training; the recorded run before its first step."""
    if training is None:
        _draw(recorded_run(), settings, _)
        return
    show_controls(PAGE, training, _)
    run = Run.of(training.records)
    if run is None and training.is_active:
        st.caption(_("The training starts. The recorded run is shown until its first step."))
    _draw(run or recorded_run(), settings, _, is_active=training.is_active)


def _draw(run: Run, settings: Settings, _: Translate, *, is_active: bool = False) -> None:
    """Pictures, numbers, verdict, curves, tables.

    Parameters
    ----------
    run : Run
    settings : Settings
        Of the controls.
    _ : Translate
    is_active : bool
        True while it trains: the last recorded step is shown, and no step can be chosen.
    """
    plane_box, cloud_box = st.columns([3, 2])
    with plane_box:
        draw_plane(run, _)
    with cloud_box:
        cloud, slider = st.container(), st.container()
        with slider:
            moment = run.moments[-1] if is_active else _chosen_moment(run, _)
        with cloud:
            draw_cloud(run, moment, _)
    show_headlines(run, moment, _)
    if settings != run.header.settings and not is_active:
        st.markdown(
            _("The controls are at other settings than this run. Press **Train** to use them.")
        )
    st.caption(markdown(run_words(run, _)))
    if not is_presenting():
        show_verdict(contrast_verdict(run, _), _, key="contrast")
    draw_curves(run, moment, _)
    if is_presenting():
        return
    with folded(_("All measures"), key="all-measures", icon=":material/table:") as is_open:
        if is_open:
            show_table(run, _)
            st.markdown(prose(PAGE, "measures"))
            offer_downloads(run, _)
    with folded(
        _("What is small here, and what the paper did"), key="part-small", icon=":material/compare:"
    ) as is_open:
        if is_open:
            show_published(run, _)


def _chosen_moment(run: Run, _: Translate) -> Moment:
    """The recorded step of the cloud and of the numbers, on a slider."""
    steps = {moment.step: moment for moment in run.moments}
    if len(steps) < 2:
        return run.moments[0]
    step = st.select_slider(
        _("Step"),
        list(steps),
        value=max(steps),
        # one key for each list of steps: a value that is not in the list would be an error
        key=f"contrast-step-{len(steps)}-{max(steps)}-{run.is_recorded}",
    )
    return steps[step]
