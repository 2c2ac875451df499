"""The page's interactive part: the recorded training, or the reader's own."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.common.address import is_presenting, put_in_url
from pages.common.folded import folded
from pages.common.live_training import (
    Training,
    follow,
    show_controls,
    show_progress,
    started,
)
from pages.common.verdict import show_verdict
from pages.common.words import _

from . import PAGE
from .choices import STEP, TrainingSettings, choose_more, choose_what, chosen_step
from .numbers import offer_downloads, show_all_measures, show_headlines
from .pictures import draw_pictures, show_curves
from .run import train
from .scene import Scene, recorded_scene, scene_of
from .theory import show_theory
from .verdicts import verdicts

SETTINGS = "degeneration-settings"  # in the session: the settings of its training


def explore() -> None:
    """The pictures with their controls, then numbers, verdicts, curves and theory."""

    def draw(training: Training | None) -> None:
        picture_box, control_box = st.columns([4, 1], gap="medium")
        more_box = st.expander(_("More settings and downloads"), key="more-controls")
        answer_box = st.container()
        with control_box, st.container(key="degeneration-controls", gap="small"):
            what, gamma = choose_what()
            button = st.container()
        with more_box, st.container(key="degeneration-more"):
            settings = choose_more(what, gamma)
        with button:
            st.button(
                _("Train again") if training else _("Train"),
                key="train-button",
                type="primary",
                icon=":material/model_training:",
                on_click=_start,
                args=(settings,),
                width="stretch",
            )
            if training is not None:
                show_controls(PAGE, training)
        with picture_box:
            scene = _scene(training)
            if scene.versions is None:
                _show_progress(scene)
            else:
                if scene.has_no_record:
                    show_progress(0, st.session_state[SETTINGS].runs[0].steps)
                st.caption(_note_of_recording(scene))
            draw_pictures(scene)
        with answer_box:
            _answer(scene)
        with more_box, st.container(horizontal=True, key="degeneration-downloads"):
            offer_downloads(scene)

    follow(PAGE, draw)


def _start(settings: TrainingSettings) -> None:
    st.session_state.pop(STEP, None)
    put_in_url(STEP, None)
    st.session_state[SETTINGS] = settings
    started(PAGE, train, settings.runs, settings.texts, settings.labels, settings.vocabulary)


def _scene(training: Training | None) -> Scene:
    """The reader's own training; before its first record, the recorded training."""
    is_active = training is not None and training.is_active
    if training is None or not training.records:
        scene = replace(recorded_scene(), has_no_record=is_active)
    else:
        scene = scene_of(training, st.session_state[SETTINGS])
    if scene.is_live:
        return scene
    n = len(scene.history.steps)
    # a reader starts the recording with Play; an own training rests where it has ended
    return replace(scene, at=chosen_step(n, 0 if scene.versions else n - 1))


def _note_of_recording(scene: Scene) -> str:
    if scene.has_no_record:
        return _("Recorded run. Your own training appears here after its first step.")
    return _(
        "Recorded run of {n} steps with the default settings: press Play. *Train* trains the "
        "models on this server while you watch."
    ).format(n=scene.history.n_steps)


def _show_progress(scene: Scene) -> None:
    if scene.is_live:
        show_progress(scene.step, scene.history.n_steps)
    else:
        st.caption(
            _("Your training, {step} of {n} steps.").format(
                step=int(scene.history.steps[-1]), n=scene.history.n_steps
            )
        )


def _answer(scene: Scene) -> None:
    """Below the pictures: numbers, verdicts, curves, theory."""
    show_headlines(scene)
    if not is_presenting():
        for name, verdict in verdicts(scene).items():
            show_verdict(verdict, key=name)
    show_curves(scene)
    if is_presenting():
        return
    show_theory(scene)
    with folded(_("All measures"), key="all-measures", icon=":material/table:") as is_open:
        if is_open:
            show_all_measures(scene)
