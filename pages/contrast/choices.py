"""The controls of the page, and the settings and vectors that they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Corpus, Encoder, Pairs
from geometry.data import read_bundled_pairs
from geometry.encode.pool import DEFAULT_POOLING
from pages.common.controls import choose, layer_labels, pooling_names
from pages.common.corpus_cloud import CloudSpec, encode_corpus
from pages.common.uploads import BUNDLED, BUNDLED_NAMES, chosen_corpus, short_pair_labels
from pages.common.words import _

from .recorded import DEFAULTS
from .run import HeadSettings, PairVectors

DEV, CORPUS = "dev", "corpus"
MOST_SENTENCES = 3000  # sentences of a corpus at most; a larger one is sampled
NUMBERS = {  # the numbers that each control offers, by its key
    "contrast-temperature": ("0.02", "0.05", "0.1", "0.2", "0.5", "1"),
    "contrast-dropout": ("0", "0.05", "0.1", "0.2", "0.3", "0.5"),
    "contrast-rate": ("0.0001", "0.0003", "0.001", "0.003", "0.01", "0.1", "1", "10"),
    "contrast-batch": ("16", "32", "64", "128", "256"),
    "contrast-steps": ("50", "100", "200", "400", "800"),
}


def choose_settings(
    encoder: Encoder, boxes: Sequence[DeltaGenerator], *, more: DeltaGenerator
) -> HeadSettings:
    """The controls above the picture."""
    last = encoder.n_layers
    text_box, layer_box, pooling_box, temperature_box, dropout_box = boxes
    with text_box:
        text = choose(
            st.selectbox,
            _("Sentences to train on"),
            [DEV, CORPUS],
            key="contrast-text",
            default=DEV,
            labels={DEV: _("the dev pairs’"), CORPUS: _("the corpus of the sidebar")},
            help=_("Human scores are never used in training."),
        )
    with layer_box:
        layer = choose(
            st.selectbox,
            _("Layer"),
            list(map(str, range(last + 1))),
            key="contrast-layer",
            default=str(min(DEFAULTS.layer, last)),
            labels=layer_labels(last),
        )
    with pooling_box:
        pooling = choose(
            st.selectbox,
            _("Pooling"),
            [name for name in ("mean", "cls", "max") if name in encoder.poolings],
            key="contrast-pooling",
            default=DEFAULT_POOLING,
            labels=pooling_names(encoder),
        )
    with temperature_box:
        temperature = _number(
            _("Temperature τ"),
            "contrast-temperature",
            DEFAULTS.temperature,
            help=_("Cosines are divided by it. Gao et al. (2021) use 0.05."),
        )
    with dropout_box:
        dropout = _number(
            "Dropout",
            "contrast-dropout",
            DEFAULTS.dropout,
            help=_(
                "Share of a vector’s entries that are set to 0. Two such masks make a positive "
                "pair."
            ),
        )
    with more:
        others = _more()
    return replace(
        others,
        model=encoder.name,
        text=None if text == DEV else chosen_corpus().name,
        layer=int(layer),
        last_layer=last,
        pooling=pooling,
        temperature=temperature,
        dropout=dropout,
    )


def _more() -> HeadSettings:
    """Pairs, head, centring, batch, steps, learning rate and seed."""
    first, second, third = st.columns(3)
    with first:
        pairs = choose(
            st.selectbox,
            _("Scored pairs"),
            list(BUNDLED_NAMES),
            key="pairs",
            default=BUNDLED,
            labels=short_pair_labels(),
            help=_("Half of them choose the step (dev), and half measure (test)."),
        )
        head = choose(
            st.selectbox,
            _("Head"),
            ["linear", "tanh"],
            key="contrast-head",
            default=DEFAULTS.head,
            labels={"linear": _("linear: Wx + b"), "tanh": "tanh(Wx + b)"},
        )
        batch = _number(_("Sentences in a batch"), "contrast-batch", DEFAULTS.batch_size)
    with second:
        rate = _number(_("Learning rate (Adam)"), "contrast-rate", DEFAULTS.learning_rate)
        steps = _number(_("Steps"), "contrast-steps", DEFAULTS.steps)
    with third:
        seed = st.number_input(
            _("Seed"),
            0,
            9999,
            DEFAULTS.seed,
            key="contrast-seed",
            bind="query-params",
        )
        centred = st.toggle(
            _("Subtract the mean first"),
            key="contrast-centred",
            value=DEFAULTS.centred,
            bind="query-params",
            help=_("Needed where all vectors are nearly equal, such as [CLS] of most layers."),
        )
    return replace(
        DEFAULTS,
        head=head,
        batch_size=int(batch),
        learning_rate=rate,
        steps=int(steps),
        seed=int(seed),
        centred=bool(centred),
        pairs=pairs,
    )


def _number(label: str, key: str, default: float, **settings: Any) -> float:
    """A choice among a few numbers."""
    options = NUMBERS[key]
    return float(choose(st.selectbox, label, options, key=key, default=f"{default:g}", **settings))


def scored_pairs(settings: HeadSettings) -> Pairs:
    """The pairs that are scored."""
    return read_bundled_pairs(BUNDLED_NAMES[settings.pairs])


def pair_sentences(settings: HeadSettings) -> Corpus:
    """All sentences of the scored pairs, the left ones, then the right ones."""
    pairs = scored_pairs(settings)
    return Corpus(pairs.name, pairs.left + pairs.right)


def read_vectors(settings: HeadSettings) -> PairVectors:
    """The vectors of the pairs and of the corpus, from memory, from the disk or encoded."""
    pairs, corpus = pair_sentences(settings), None

    def vectors(texts: Corpus, layer: int, pooling: str, most: int) -> np.ndarray:
        spec = CloudSpec(unit="sentences", layer=layer, pooling=pooling, max_points=most)
        return encode_corpus(texts, spec).vectors

    every = len(pairs)
    if settings.text is not None:
        corpus = vectors(chosen_corpus(), settings.layer, settings.pooling, MOST_SENTENCES)
    return PairVectors(
        vectors(pairs, settings.layer, settings.pooling, every),
        vectors(pairs, settings.last_layer, DEFAULT_POOLING, every),
        scored_pairs(settings).gold_scores,
        corpus,
    )
