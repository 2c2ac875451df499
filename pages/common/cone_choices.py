"""The controls of the narrow_cone page, and what they amount to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from geometry import Encoder
from geometry.layers import LAYER_SETS

from .cached import CloudSpec
from .controls import choose, follow_default, layer_labels
from .words import Translate

VIEWS = ("mean", "svd", "pca", "cone", "umap")
STEPS = 8  # of each slider while it plays
PRESETS = {  # name: (layer, pooling); the layers are the bundled model's
    "needle": ("5", "cls"),
    "max": ("4", "max"),
    "mean": ("4", "mean"),
    "last": ("6", "mean"),
}


@dataclass(frozen=True)
class Look:
    """How the clouds are drawn."""

    view: str
    n_components: int
    colour: str


def choose_cloud(encoder: Encoder, _: Translate) -> CloudSpec:
    """Unit, layer and pooling."""
    unit_box, layer_box, pooling_box = st.columns(3)
    with unit_box:
        unit = choose(
            st.selectbox,
            _("Unit"),
            ["sentences", "tokens", "types"],
            key="unit",
            default="sentences",
            labels={
                "sentences": _("sentences (pooled)"),
                "tokens": _("contextual tokens"),
                "types": _("types (input embeddings)"),
            },
        )
    with pooling_box:
        pooling = choose(
            st.selectbox,
            _("Pooling"),
            list(encoder.poolings),
            key="pooling",
            default="mean",
            labels={
                "weighted": _("weighted by position (decoders)"),
                "own": _("the model's own output"),
            },
            disabled=unit != "sentences",
        )
    is_own = unit == "sentences" and pooling == "own"
    with layer_box:
        layer = _choose_layer(encoder, unit, _, disabled=unit == "types" or is_own)
    if is_own:
        layer = str(encoder.n_layers)
    with pooling_box:
        special = _choose_special(encoder, unit, pooling, _)
    return CloudSpec(
        unit=unit,
        layer=int(layer) if layer.isdigit() else layer,
        pooling=pooling,
        special_tokens=special,
    )


def _choose_special(encoder: Encoder, unit: str, pooling: str, _: Translate) -> bool:
    """Whether special tokens take part, under the model's own names; no choice without any."""
    names = ", ".join(f"`{token}`" for token in encoder.special_tokens)
    if not names:
        return True
    fixed = pooling in ("cls", "own")
    chosen = st.toggle(
        _("special tokens take part: {names}").format(names=names),
        key="special",
        value=True,
        bind="query-params",
        disabled=unit != "sentences" or fixed,
    )
    return bool(chosen) or fixed


def _choose_layer(encoder: Encoder, unit: str, _: Translate, *, disabled: bool) -> str:
    """A layer by number; for sentences also an average of layers by its name."""
    last = encoder.n_layers
    labels = layer_labels(last, _)
    if last == 0:
        labels = {"0": _("0 (static vectors)")}
    sets = {
        "first-last": _("mean of the first and the last"),
        "last-2": _("mean of the last 2"),
        "last-3": _("mean of the last 3"),
        "last-4": _("mean of the last 4"),
    }
    fitting = [name for name in sets if encoder.n_layers >= max(map(abs, LAYER_SETS[name]))]
    return choose(
        st.selectbox,
        _("Layer"),
        [*map(str, range(last + 1)), *(fitting if unit == "sentences" else [])],
        key="layer",
        default=str(min(4, last)),
        labels=sets | labels,
        disabled=disabled,
    )


def show_presets(_: Translate) -> None:
    """The bundled model's range of cones, one button each."""
    names = {
        "needle": _("[CLS], layer 5: a needle"),
        "max": _("max, layer 4: narrow"),
        "mean": _("mean, layer 4: the usual cone"),
        "last": _("mean, last layer: no cone"),
    }
    with st.container(horizontal=True, key="presets"):
        for name, label in names.items():
            st.button(label, key=f"preset-{name}", on_click=_apply_preset, args=(name,))


def _apply_preset(name: str) -> None:
    layer, pooling = PRESETS[name]
    st.session_state.update(unit="sentences", layer=layer, pooling=pooling, special=True)


def choose_look(_: Translate, *, has_labels: bool, views: Sequence[str] = VIEWS) -> Look:
    """View (one of ``views``), dimensions and colour."""
    view_box, size_box, colour_box = st.columns([3, 1, 2])
    with view_box:
        view = choose(
            st.selectbox,
            _("View"),
            list(views),
            key="view",
            default="mean",
            labels={
                "mean": _("mean direction + principal directions"),
                "svd": _("SVD (uncentred)"),
                "pca": _("PCA (centred)"),
                "cone": _("angle-true"),
                "umap": _("UMAP (neighbours only)"),
            },
        )
    with size_box:
        size = choose(
            st.segmented_control,
            _("Dimensions"),
            ["2D", "3D"],
            key="dims",
            default="2D",
            required=True,
        )
    colours = {
        "topic": _("topic"),
        "length": _("length"),
        "frequency": _("frequency in this corpus"),
    }
    if not has_labels:
        del colours["topic"]
    default = next(iter(colours))
    follow_default("colour", default)
    with colour_box:
        colour = choose(
            st.selectbox,
            _("Colour"),
            list(colours),
            key="colour",
            default=default,
            labels=colours,
        )
    return Look(view=view, n_components=int(size[0]), colour=colour)


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

    has_own_button : the pictures play by themselves.
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
