"""The controls of the narrow_cone page, and the settings that they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from geometry.data.translations import corpus_of
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
        for name in names:
            model, layer, pooling = PRESETS[name]
            words = ["E5"] if model == E5 else ["MiniLM", pooling_names()[pooling]]
            names[name] = _(", ").join([*words, _("layer {layer}").format(layer=layer)])
    st.pills(
        _("Examples"),
        list(names),
        key="preset",
        format_func=lambda name: names[name],
        on_change=_apply_preset,
        label_visibility="visible" if is_presenting() else "collapsed",
    )


def _current_preset() -> str | None:
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
    """Store the settings of the address in the session, unless it has some."""
    for name in FILM:
        try:
            linked = float(st.query_params.get(name, ""))
        except ValueError:
            linked = 1.0
        st.session_state.setdefault(name, linked if 0 <= linked <= 1 else 1.0)


def store_film_settings(values: Sequence[float]) -> None:
    """Store the settings at which the reader stopped the film, rounded to a step."""
    st.session_state[HAS_PLAYED] = True
    for name, value in zip(FILM, values, strict=True):
        st.session_state[name] = round(min(max(value, 0.0), 1.0) * SLIDER_STEPS) / SLIDER_STEPS


def knob_names() -> tuple[str, str]:
    return (
        _("Centring s: share of the mean that is subtracted"),
        _("Strength t: how far the axes are made equal"),
    )


def film_sliders() -> tuple[float, float]:
    """Two sliders, for a browser without WebGL2: (centring, strength)."""
    _read_film_settings()
    step = 1 / SLIDER_STEPS
    centring, strength = (
        float(box.slider(label, 0.0, 1.0, step=step, key=name, bind="query-params"))
        for box, label, name in zip(st.columns(2), knob_names(), FILM, strict=True)
    )
    return centring, strength
