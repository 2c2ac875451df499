"""The controls of the narrow_cone page, and the settings that they give."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from geometry.data.catalogues import corpus_of
from geometry.hub.bundled import BUNDLED, E5
from geometry.hub.catalogue import default_prefix
from geometry.projection.neighbour_maps import MOST_FITTED
from pages.common.address import is_presenting, put_in_url
from pages.common.cloud_choices import Look
from pages.common.controls import choose, pooling_names
from pages.common.models import bundled_names, chosen_model
from pages.common.page_state import forget_layers
from pages.common.seed import SEED
from pages.common.words import _, language

STEPS = 8  # steps of each slider in the animation without WebGL2
SLIDER_STEPS = 16  # steps of the sliders of centring and strength
FILM = ("centring", "strength")
HAS_PLAYED = "has-played"
MOST_MAPPED = 100_000  # points that a map is fitted to at most
PRESETS = {  # name: (model, layer, pooling)
    "needle": (BUNDLED, "5", "cls"),
    "max": (BUNDLED, "4", "max"),
    "mean": (BUNDLED, "4", "mean"),
    "last": (BUNDLED, "6", "mean"),
    "e5-last": (E5, "12", "mean"),
    "e5-inner": (E5, "9", "mean"),
}


def show_presets() -> None:
    """Clouds of bundled models, from an extremely narrow cone to hardly a cone.

    The preset of the current settings is marked. The presets are one control and not buttons,
    because Streamlit merges quick clicks on several buttons. With one control the last choice
    counts.
    """
    names = {
        "needle": _("MiniLM, [CLS], layer 5: extremely narrow"),
        "max": _("MiniLM, max, layer 4: narrow"),
        "mean": _("MiniLM, mean, layer 4: a typical cone"),
        "last": _("MiniLM, mean, last layer: hardly a cone"),
        "e5-last": _("E5, last layer: nearly every cosine above 0.7, and the best scores"),
        "e5-inner": _("E5, layer 9: whitening gains"),
    }
    here = bundled_names()
    names = {name: label for name, label in names.items() if PRESETS[name][0] in here}
    if corpus_of(language()) != "topics":  # first those of the model that knows the language
        names = dict(sorted(names.items(), key=lambda each: PRESETS[each[0]][0] != E5))
    st.session_state["preset"] = _current_preset()
    if is_presenting():  # in one row with the other controls
        words = pooling_names()
        names = {
            name: _(", ").join(
                [
                    *(["E5"] if model == E5 else ["MiniLM", words[pooling]]),
                    _("layer {layer}").format(layer=layer),
                ]
            )
            for name, (model, layer, pooling) in PRESETS.items()
            if name in names
        }
    st.pills(
        _("Examples"),
        list(names),
        key="preset",
        format_func=lambda name: names[name],
        on_change=_apply_preset,
        label_visibility="visible" if is_presenting() else "collapsed",
    )


def _current_preset() -> str | None:
    """The preset of the current settings. On a first visit the controls are not drawn yet."""
    state = st.session_state
    is_plain = state.get("unit", "sentences") == "sentences" and state.get("special", True)
    settings = (chosen_model().name, state.get("layer"), state.get("pooling"))
    return next((name for name, at in PRESETS.items() if is_plain and at == settings), None)


def e5_preset() -> str | None:
    """The preset of E5 whose scores on STS-B the page quotes; None at other settings."""
    name = _current_preset()
    is_quoted = name is not None and PRESETS[name][0] == E5
    return name if is_quoted and chosen_model().prefix == default_prefix(E5) else None


def _apply_preset() -> None:
    """Set the controls to the preset. A second click on it changes nothing."""
    name = st.session_state["preset"]
    if name is not None:
        model, layer, pooling = PRESETS[name]
        if model != chosen_model().name:
            forget_layers()
        st.session_state.update(
            model=model, unit="sentences", layer=layer, pooling=pooling, special=True
        )


def choose_fit() -> str:
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


def choose_map(look: Look, n: int) -> Look:
    """The look with a map's choices: seeded or not; of many points, all or a sample."""
    # t-SNE would use one core without a seed, too
    is_seeded = look.view != "umap" or st.toggle(
        _("Seeded map"),
        key="map-seeded",
        value=True,
        bind="query-params",
        help=_(
            "With a seed the map is the same each time, and one core lays it out. Without a seed "
            "all cores do, and another fit gives another map."
        ),
    )
    fits_all = MOST_FITTED < n <= MOST_MAPPED and st.toggle(
        _("Fit the map to all {n} points").format(n=f"{n:,}"),
        key="map-all",
        bind="query-params",
        help=_("This takes some minutes. Otherwise the map is fitted to a sample of {n}.").format(
            n=f"{MOST_FITTED:,}"
        ),
    )
    return replace(
        look,
        seed=SEED if is_seeded else None,
        most_fitted=None if fits_all else MOST_FITTED,
    )


def film_settings(*, can_play: bool) -> tuple[float, float]:
    """(centring, strength) of the session, else of the address, else 1 and 1.

    The address contains both settings, or none if both are 1. Without a film, 0 and 0 mean full
    whitening: otherwise both pictures would show the raw cloud.
    """
    _read_film_settings()
    centring, strength = (float(st.session_state[name]) for name in FILM)
    is_white = centring == strength == 1
    for name, value in zip(FILM, (centring, strength), strict=True):
        put_in_url(name, None if is_white else f"{value:g}")
    if not can_play and centring == strength == 0:
        return 1.0, 1.0
    return centring, strength


def _read_film_settings() -> None:
    """Store the settings in the session, unless they are there already."""
    for name in FILM:
        linked = _share_in_url(name)
        st.session_state.setdefault(name, 1.0 if linked is None else linked)


def store_film_settings(values: Sequence[float]) -> None:
    """Store the settings at which the reader stopped the film, rounded to a step."""
    st.session_state[HAS_PLAYED] = True
    for name, value in zip(FILM, values, strict=True):
        share = round(min(max(value, 0.0), 1.0) * SLIDER_STEPS) / SLIDER_STEPS
        st.session_state[name] = share


def _share_in_url(name: str) -> float | None:
    """A number from 0 to 1 in the address; None for anything else."""
    try:
        value = float(st.query_params.get(name, ""))
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 <= value <= 1 else None


def knob_names() -> tuple[str, str]:
    """Labels of centring and strength."""
    return (
        _("Centring s: share of the mean that is subtracted"),
        _("Strength t: how far the axes are made equal"),
    )


def play_bar(*, can_play: bool) -> tuple[float, float]:
    """Play button and two sliders, for a browser without WebGL2: (centring, strength)."""
    _read_film_settings()
    if not can_play:
        st.session_state["playing"] = False
    elif st.session_state.get("playing"):
        _advance()
    button, *boxes = st.columns([1, 3, 3], vertical_alignment="bottom")
    with button:
        _play_button(can_play=can_play)
    step = 1 / SLIDER_STEPS
    centring, strength = (
        float(box.slider(label, 0.0, 1.0, step=step, key=name, bind="query-params"))
        for box, label, name in zip(boxes, knob_names(), FILM, strict=True)
    )
    return centring, strength


def _play_button(*, can_play: bool) -> None:
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
    st.session_state[HAS_PLAYED] = True
    playing = not st.session_state.get("playing")
    st.session_state["playing"] = playing
    if playing:
        st.session_state["play-step"] = -1  # the next step sets both sliders to 0


def _advance() -> None:
    """One step of the film: centring 0 to 1, then strength 0 to 1, then it stops."""
    step = st.session_state["play-step"] + 1
    st.session_state["play-step"] = step
    st.session_state["centring"] = min(step, STEPS) / STEPS
    st.session_state["strength"] = max(step - STEPS, 0) / STEPS
    if step >= 2 * STEPS:
        st.session_state["playing"] = False
