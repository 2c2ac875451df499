"""The controls of the page ``degeneration``: what is trained, and on which text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from geometry.training.language_model import OPTIMIZERS
from geometry.training.runs import Run
from pages.common.address import number_in_url, put_in_url
from pages.common.controls import choose, choose_tokenizer, follow_default
from pages.common.streamlit_internals import is_from_history
from pages.common.uploads import chosen_corpus
from pages.common.words import _

WHAT = ("two", "optimizers", "three", "all", "one")
TEXTS = ("manual", "corpus")
WIDTHS = ("16", "32", "64", "128")
RATES = ("0.0003", "0.001", "0.003", "0.01", "0.03", "0.1", "1")
VOCABULARIES = ("all", "300", "1000", "3000", "10000", "30000")
RECORDED = 25  # recorded steps at most, beside the start: about one in two seconds
STEP = "step"  # address and session: the recorded step of the numbers


@dataclass(frozen=True)
class TrainingSettings:
    """What is trained, and on which text.

    texts : None for the manual.
    """

    runs: tuple[Run, ...]
    text: str
    texts: tuple[str, ...] | None
    labels: tuple[str, ...] | None
    vocabulary: int | None
    tokenizer: str


def choose_what() -> tuple[str, float]:
    """The models, and the weight of the penalty."""
    what = choose(
        st.selectbox,
        _("Models"),
        WHAT,
        key="train",
        default="two",
        labels={
            "two": _("Language model without and with the penalty"),
            "optimizers": _("Language model with three optimisers"),
            "three": _("Three models"),
            "all": _("All four"),
            "one": _("Language model"),
        },
        help=_(
            "Two runs: the language model without and with the penalty, from one seed. Three "
            "optimisers: only that of the output embeddings differs. Three models: the language "
            "model, a classifier and word2vec, on one text."
        ),
    )
    default = 1.0 if what in ("two", "all") else 0.0
    follow_default("gamma", default)
    gamma = st.slider(
        _("Weight γ of the cosine penalty"),
        0.0,
        2.0,
        default,
        0.1,
        key="gamma",
        bind="query-params",
        help=_("CosReg of Gao et al. (2019). It lowers the mean cosine of all pairs of tokens."),
    )
    return what, float(gamma)


def choose_more(what: str, gamma: float) -> TrainingSettings:
    """Text, vocabulary, model and steps."""
    upper, lower = st.columns(4), st.columns(4, vertical_alignment="bottom")
    with upper[0]:
        text = choose(
            st.selectbox,
            _("Text"),
            TEXTS,
            key="text",
            default="manual",
            labels={
                "manual": _("Python’s reference manual"),
                "corpus": _("The corpus of the sidebar"),
            },
        )
    with upper[1]:
        vocabulary = choose(
            st.selectbox,
            _("Vocabulary"),
            VOCABULARIES,
            key="vocabulary",
            default="all",
            labels={
                code: _("all words") if code == "all" else f"{int(code):,}" for code in VOCABULARIES
            },
            help=_("The most frequent words; all others become one token."),
        )
    with upper[2]:
        width = choose(st.selectbox, _("Dimensions"), WIDTHS, key="width", default="64")
    with upper[3]:
        rate = choose(
            st.selectbox,
            _("Learning rate"),
            RATES,
            key="rate",
            default="0.003",
            help=_("Of the language model and the classifier. That of word2vec is 0.01."),
        )
    with lower[0]:
        steps = st.slider(_("Steps"), 20, 1000, 400, 20, key="steps", bind="query-params")
    with lower[1]:
        seed = st.number_input(_("Seed"), 0, 9999, 0, key="seed", bind="query-params")
    with lower[2]:
        tied = st.toggle(_("Tied embeddings"), True, key="tied", bind="query-params")
    with lower[3]:
        norm = st.toggle("LayerNorm", True, key="norm", bind="query-params")
    language = Run(
        gamma=gamma,
        tied=bool(tied),
        layer_norm=bool(norm),
        width=int(width),
        learning_rate=float(rate),
        steps=int(steps),
        record_every=max(1, int(steps) // RECORDED),
        seed=int(seed),
    )
    corpus = chosen_corpus() if text == "corpus" else None
    tokenizer = choose_tokenizer(corpus.texts) if corpus is not None else "unicode"
    return TrainingSettings(
        runs_of(what, language),
        text,
        None if corpus is None else tuple(corpus.texts),
        None if corpus is None or corpus.labels is None else tuple(corpus.labels),
        None if vocabulary == "all" else int(vocabulary),
        tokenizer,
    )


def runs_of(what: str, language: Run) -> tuple[Run, ...]:
    """The models to train; all have the size, the steps and the seed of the language model."""
    plain = replace(language, gamma=0.0)
    classifier = replace(plain, model="classifier")
    word2vec = replace(plain, model="word2vec", learning_rate=None)
    return {
        "one": (language,),
        "two": (plain, language),
        "optimizers": tuple(replace(language, optimizer=each) for each in OPTIMIZERS),
        "three": (language, classifier, word2vec),
        "all": (plain, language, classifier, word2vec),
    }[what]


def chosen_step(n: int, default: int) -> int:
    """The recorded step of the numbers, 0 to n - 1: the session's, the address's, or a default."""
    stored = None if is_from_history() else st.session_state.get(STEP)
    place = number_in_url(STEP) if stored is None else int(stored)
    place = default if place is None or place >= n else place
    put_in_url(STEP, None if place == default else str(place))
    return place


def store_step(values: Sequence[float]) -> None:
    """Store the step at which the reader has stopped the animation."""
    st.session_state[STEP] = round(values[0])
