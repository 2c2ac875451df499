"""The controls of the layers page, and the settings that they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Corpus, Encoder
from geometry.encode.pool import POOLINGS
from pages.common.address import number_in_url, put_in_url
from pages.common.cloud_choices import (
    DEFAULT_LAYER,
    Look,
    choose_look,
    choose_pooling,
    choose_special,
    choose_unit,
)
from pages.common.controls import choose
from pages.common.corpus_cloud import CloudSpec
from pages.common.measures import measure_label
from pages.common.page_state import note_choice
from pages.common.words import _

from .sweep import CONTEXTUAL, MEASURES

VIEWS = ("mean", "svd", "cone", "pca")
LAYER = "layer"


@dataclass(frozen=True)
class CloudChoice:
    """What is drawn: unit, pooling and special tokens of a cloud, and its look."""

    unit: str
    pooling: str
    special_tokens: bool
    look: Look

    @property
    def name(self) -> str:
        """The name of the cloud that is drawn."""
        return self.unit if self.unit == "tokens" else self.pooling


def choose_cloud_and_look(corpus: Corpus, encoder: Encoder, *, more: DeltaGenerator) -> CloudChoice:
    """The controls above the pictures.

    Parameters
    ----------
    corpus : Corpus
    encoder : Encoder
    more : DeltaGenerator
        Where the toggle of special tokens is drawn.
    """
    unit_box, pooling_box = st.columns(2)
    with unit_box:
        unit = choose_unit(("sentences", "tokens"))
    with pooling_box:
        pooling = choose_pooling(tuple(POOLINGS), unit)
    with more:
        special = choose_special(encoder, unit, pooling)
    spec = CloudSpec(unit=unit, layer=0, pooling=pooling, special_tokens=special)
    return CloudChoice(unit, pooling, special, choose_look(corpus, spec, views=VIEWS))


def chosen_layer(last: int) -> int:
    """The layer of the numbers, from the session, else from the address."""
    stored = str(st.session_state.get(LAYER, ""))
    layer = int(stored) if stored.isdecimal() else number_in_url(LAYER)
    default = min(DEFAULT_LAYER, last)
    layer = default if layer is None or layer > last else layer
    note_choice(LAYER, str(layer))
    put_in_url(LAYER, None if layer == default else str(layer))
    return layer


def store_layer(values: Sequence[float]) -> None:
    """Store the layer at which the reader stopped the animation."""
    st.session_state[LAYER] = str(round(values[0]))


def slide_to_layer(layer: int, last: int) -> None:
    """A slider, for a browser without WebGL2."""
    if last > 0:
        st.session_state["layer-slider"] = layer
        st.slider(_("Layer"), 0, last, key="layer-slider", on_change=_store_slider)


def _store_slider() -> None:
    st.session_state[LAYER] = str(st.session_state["layer-slider"])


def choose_measure() -> str:
    """Which measure the curves show."""
    return choose(
        st.selectbox,
        _("Measure by layer"),
        [*MEASURES, *CONTEXTUAL],
        key="measure",
        default=MEASURES[0],
        labels={name: measure_label(name, with_unit=True) for name in (*MEASURES, *CONTEXTUAL)},
    )
