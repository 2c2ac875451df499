"""What the page shows in one run: the recorded steps of a training."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from geometry.training.models import OPTIMIZERS
from geometry.training.runs import GROUPS, History, Run
from geometry.training.shipped_training import recorded_run
from pages.common.address import number_in_url, put_in_url
from pages.common.controls import choose, choose_tokenizer, follow_default, tokenizer_names
from pages.common.live_training import Training
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
    runs: tuple[Run, ...]
    text: str
    texts: tuple[str, ...] | None  # None for the manual
    labels: tuple[str, ...] | None
    vocabulary: int | None
    tokenizer: str


def choose_what() -> tuple[str, float]:
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
    st.session_state[STEP] = round(values[0])


HISTORY = "degeneration-history"  # in the session: of its training, up to the last record


@dataclass(frozen=True)
class DegenerationScene:
    """Recorded steps, and the step of the numbers."""

    history: History
    at: int  # the place of the recorded step of the numbers
    versions: dict[str, str] | None = None  # of Python and torch, for the bundled training
    is_live: bool = False  # True while the training goes on
    text: str = "manual"  # "manual" or "corpus"
    tokenizer: str = "unicode"
    has_no_record: bool = False  # the reader's training goes on and has no record yet

    @property
    def step(self) -> int:
        return int(self.history.steps[self.at])

    def cosine(self, run: int, group: str, at: int | None = None) -> float:
        """The mean cosine of a group of words, by default at the step of the numbers."""
        place = self.at if at is None else at
        return float(self.history.cosine[place, run, GROUPS.index(group)])

    def find(self, model: str, *, penalty: bool | None = None) -> int | None:
        """The place of the first model of that kind, with or without the penalty; None if none."""
        for place, run in enumerate(self.history.runs):
            if run.model == model and penalty in (None, run.gamma > 0):
                return place
        return None


def recorded_scene() -> DegenerationScene:
    """The training that comes with the project, at its last step."""
    history, versions = recorded_run()
    return DegenerationScene(history, len(history.steps) - 1, versions)


def scene_of(training: Training, settings: TrainingSettings) -> DegenerationScene:
    """The reader's own training, which has a record."""
    is_live, records = training.is_active, list(training.records)
    former: tuple[Training, int, History] | None = st.session_state.get(HISTORY)
    if former is None or former[:2] != (training, len(records)):
        former = (training, len(records), History.of(settings.runs, records, is_live=True))
        st.session_state[HISTORY] = former
    place = len(records) - 1
    return DegenerationScene(former[2], place, None, is_live, settings.text, settings.tokenizer)


def run_name(run: Run) -> str:
    names = {"classifier": _("Classifier"), "word2vec": "word2vec"}
    if run.model in names:
        return names[run.model]
    name = _("Language model, γ = {gamma}").format(gamma=f"{run.gamma:g}")
    extra = [] if run.optimizer == "adam" else [optimizer_names()[run.optimizer]]
    extra += [] if run.tied else [_("untied")]
    extra += [] if run.layer_norm else [_("without LayerNorm")]
    return (
        _("{name}, {settings}").format(name=name, settings=_(", ").join(extra)) if extra else name
    )


def optimizer_names() -> dict[str, str]:
    return {"adam": "Adam", "coupled-adam": "Coupled Adam", "sgd": _("SGD with momentum")}


def shown_word(word: str) -> str:
    """The word; a token that never occurs, in the reader's language."""
    never = re.fullmatch(r"\[unseen (\d+)\]", word)
    return _("[unseen {n}]").format(n=never[1]) if never else word


def group_names() -> dict[str, str]:
    return {
        "unseen": _("never seen"),
        "rare": _("rare"),
        "frequent": _("frequent"),
    }


def provenance(scene: DegenerationScene) -> str:
    history, text = scene.history, scene.history.text
    run = history.runs[0]
    counts = {name: int(np.sum(text.groups == place)) for place, name in enumerate(GROUPS)}
    versions: dict[str, Any] = scene.versions or {}
    by_words = scene.text == "corpus"
    parts = [
        _("recorded, Python {python}, torch {torch}").format(**versions)
        if versions
        else _("trained here"),
        _("Python’s reference manual") if scene.text == "manual" else _("the chosen corpus"),
        *([_("words: {how}").format(how=tokenizer_names()[scene.tokenizer])] if by_words else []),
        _("{tokens} words and signs, {words} different").format(
            tokens=f"{text.n_tokens:,}", words=f"{text.n_words:,}"
        ),
        _("drawn: {unseen} never seen, {rare} rare, {frequent} frequent").format(**counts),
        _("drawn at length 1"),
        _("{width} dimensions").format(width=run.width),
        _("seed {seed}").format(seed=run.seed),
        _("step {step} of {n}").format(step=scene.step, n=history.n_steps),
    ]
    return " · ".join(parts)
