"""The controls of the narrow_cone page, and the settings that they give."""

from __future__ import annotations

import streamlit as st

from pages.common.controls import choose
from pages.common.words import Translate

STEPS = 8  # of each slider while it plays
PRESETS = {  # name: (layer, pooling); the layers are the bundled model's
    "needle": ("5", "cls"),
    "max": ("4", "max"),
    "mean": ("4", "mean"),
    "last": ("6", "mean"),
}


def show_presets(_: Translate) -> None:
    """The bundled model's range of cones, one button each."""
    names = {
        "needle": _("[CLS], layer 5: a needle"),
        "max": _("max, layer 4: narrow"),
        "mean": _("mean, layer 4: the usual cone"),
        "last": _("mean, last layer: hardly a cone"),
    }
    with st.container(horizontal=True, key="presets"):
        for name, label in names.items():
            st.button(label, key=f"preset-{name}", on_click=_apply_preset, args=(name,))


def _apply_preset(name: str) -> None:
    layer, pooling = PRESETS[name]
    st.session_state.update(unit="sentences", layer=layer, pooling=pooling, special=True)


def choose_fit(_: Translate) -> str:
    """Which whitening: the recommended, Ledoit-Wolf, or in full."""
    return choose(
        st.selectbox,
        _("Whitening"),
        ["recommended", "ledoit-wolf", "full"],
        key="fit",
        default="recommended",
        labels={
            "recommended": _("recommended for this n/d"),
            "ledoit-wolf": _("Ledoit-Wolf, all directions"),
            "full": _("in full, no shrinkage"),
        },
    )


def play_bar(_: Translate, *, can_play: bool, has_own_button: bool = False) -> tuple[float, float]:
    """Play button and the two sliders: (centring, strength). Centring moves first.

    has_own_button : True if the pictures have a play button of their own.
    """
    if not can_play or has_own_button:
        st.session_state["playing"] = False
    elif st.session_state.get("playing"):
        _advance()
    if has_own_button:
        left, right = st.columns(2)
    else:
        button, left, right = st.columns([1, 3, 3], vertical_alignment="bottom")
        with button:
            _play_button(_, can_play=can_play)
    with left:
        centring = st.slider(
            _("Centring s: share of the mean taken away"),
            0.0,
            1.0,
            1.0,
            0.125 / 2,
            key="centring",
            bind="query-params",
        )
    with right:
        strength = st.slider(
            _("Strength t: how far the axes are made equal"),
            0.0,
            1.0,
            1.0,
            0.125 / 2,
            key="strength",
            bind="query-params",
        )
    return centring, strength


def _play_button(_: Translate, *, can_play: bool) -> None:
    playing = bool(st.session_state.get("playing"))
    st.button(
        _("Stop") if playing else _("Play"),
        key="play",
        icon=":material/stop:" if playing else ":material/play_arrow:",
        on_click=_toggle_play,
        disabled=not can_play,
        width="stretch",
    )


def _toggle_play() -> None:
    playing = not st.session_state.get("playing")
    st.session_state["playing"] = playing
    if playing:
        st.session_state["play-step"] = -1  # the film's first picture is both sliders at 0


def _advance() -> None:
    """One step of the film: centring 0 to 1, then strength 0 to 1, then it stops."""
    step = st.session_state["play-step"] + 1
    st.session_state["play-step"] = step
    st.session_state["centring"] = min(step, STEPS) / STEPS
    st.session_state["strength"] = max(step - STEPS, 0) / STEPS
    if step >= 2 * STEPS:
        st.session_state["playing"] = False
