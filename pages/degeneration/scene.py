"""What the page shows in one run: the recorded steps of a training."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry.training.models import OPTIMIZERS
from geometry.training.runs import GROUPS, History, Run
from geometry.training.shipped_training import recorded_run
from pages.common.address import number_in_url, put_in_url
from pages.common.controls import choose_in, choose_tokenizer, follow_default
from pages.common.live_training import Training
from pages.common.streamlit_internals import is_from_history
from pages.common.uploads import chosen_corpus
from pages.common.words import _, dotted, names

from .run import TrainingSettings

VOCABULARIES = (300, 1000, 3000, 10000, 30000)  # the most frequent words
RECORDED = 25  # recorded steps at most, beside the start: about one in two seconds
STEP = "step"  # address and session: the recorded step of the numbers
HISTORY = "degeneration-history"  # in the session: of its training, up to the last record


def choose_what(place: DeltaGenerator) -> tuple[str, float]:
    models = {
        "two": _("Language model without and with the penalty"),
        "optimizers": _("Language model with three optimisers"),
        "three": _("Three models"),
        "all": _("All four"),
        "one": _("Language model"),
    }
    about = _(
        "Two runs: the language model without and with the penalty, from one seed. Three "
        "optimisers: only that of the output embeddings differs. Three models: the language "
        "model, a classifier and word2vec, on one text."
    )
    what = choose_in(place, _("Models"), models, key="train", help=about)
    default = 1.0 if what in ("two", "all") else 0.0
    follow_default("gamma", default)
    about = _("CosReg of Gao et al. (2019). It lowers the mean cosine of all pairs of tokens.")
    gamma = place.slider(
        _("Weight γ of the cosine penalty"),
        *(0.0, 2.0, default, 0.1),
        key="gamma",
        bind="query-params",
        help=about,
    )
    return what, float(gamma)


def choose_more(what: str, gamma: float) -> TrainingSettings:
    upper, lower = st.columns(4), st.columns(4, vertical_alignment="bottom")
    texts = {"manual": _("Python’s reference manual"), "corpus": _("The corpus of the sidebar")}
    text = choose_in(upper[0], _("Text"), texts, key="text")
    sizes = {"all": _("all words"), **{f"{n}": f"{n:,}" for n in VOCABULARIES}}
    about = _("The most frequent words; all others become one token.")
    vocabulary = choose_in(upper[1], _("Vocabulary"), sizes, key="vocabulary", help=about)
    widths = ("16", "32", "64", "128")
    width = choose_in(upper[2], _("Dimensions"), widths, "64", key="width")
    rates = ("0.0003", "0.001", "0.003", "0.01", "0.03", "0.1", "1")
    about = _("Of the language model and the classifier. That of word2vec is 0.01.")
    rate = choose_in(upper[3], _("Learning rate"), rates, "0.003", key="rate", help=about)
    steps = int(lower[0].slider(_("Steps"), 20, 1000, 400, 20, key="steps", bind="query-params"))
    seed = lower[1].number_input(_("Seed"), 0, 9999, 0, key="seed", bind="query-params")
    tied = lower[2].toggle(_("Tied embeddings"), True, key="tied", bind="query-params")
    norm = lower[3].toggle("LayerNorm", True, key="norm", bind="query-params")
    language = Run(
        gamma=gamma,
        tied=bool(tied),
        layer_norm=bool(norm),
        width=int(width),
        learning_rate=float(rate),
        steps=steps,
        record_every=max(1, steps // RECORDED),
        seed=int(seed),
    )
    runs = runs_of(what, language)
    words = None if vocabulary == "all" else int(vocabulary)
    if text == "manual":
        return TrainingSettings(runs, None, None, words, "unicode")
    corpus = chosen_corpus()
    tokenizer = choose_tokenizer(corpus.texts)
    labels = None if corpus.labels is None else tuple(corpus.labels)
    return TrainingSettings(runs, tuple(corpus.texts), labels, words, tokenizer)


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


@dataclass(frozen=True)
class DegenerationScene:
    history: History
    at: int  # the place of the recorded step of the numbers
    versions: dict[str, str] | None = None  # of Python and torch, for the bundled training
    is_live: bool = False  # True while the training goes on
    tokenizer: str | None = None  # of the chosen corpus; None for the manual

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
    history, versions = recorded_run()
    return DegenerationScene(history, len(history.steps) - 1, versions)


def scene_of(training: Training, settings: TrainingSettings) -> DegenerationScene:
    is_live = training.is_active
    records = list(training.records)
    former: tuple[Training, int, History] | None = st.session_state.get(HISTORY)
    if former is None or former[:2] != (training, len(records)):
        former = (training, len(records), History.of(settings.runs, records, is_live=True))
        st.session_state[HISTORY] = former
    tokenizer = None if settings.texts is None else settings.tokenizer
    return DegenerationScene(former[2], len(records) - 1, None, is_live, tokenizer)


def run_name(run: Run) -> str:
    names = {"classifier": _("Classifier"), "word2vec": "word2vec"}
    if run.model in names:
        return names[run.model]
    name = _("Language model, γ = {gamma}").format(gamma=f"{run.gamma:g}")
    extra = [] if run.optimizer == "adam" else [optimizer_names()[run.optimizer]]
    extra += [] if run.tied else [_("untied")]
    extra += [] if run.layer_norm else [_("without LayerNorm")]
    words = _("{name}, {settings}") if extra else "{name}"
    return words.format(name=name, settings=_(", ").join(extra))


def optimizer_names() -> dict[str, str]:
    return {"adam": "Adam", "coupled-adam": "Coupled Adam", "sgd": _("SGD with momentum")}


def shown_word(word: str) -> str:
    """The word; a token that never occurs, in the reader's language."""
    never = re.fullmatch(r"\[unseen (\d+)\]", word)
    return _("[unseen {n}]").format(n=never[1]) if never else word


def group_names() -> dict[str, str]:
    return {"unseen": _("never seen"), "rare": _("rare"), "frequent": _("frequent")}


def provenance(scene: DegenerationScene) -> str:
    text = scene.history.text
    run = scene.history.runs[0]
    counts = {name: int(np.sum(text.groups == place)) for place, name in enumerate(GROUPS)}
    origin = _("trained here")
    if scene.versions:
        origin = _("recorded, Python {python}, torch {torch}").format(**scene.versions)
    of_text = [_("Python’s reference manual")]
    if scene.tokenizer is not None:
        how = names("tokenizers")[scene.tokenizer]
        of_text = [_("the chosen corpus"), _("words: {how}").format(how=how)]
    size = _("{tokens} words and signs, {words} different")
    return dotted(
        origin,
        *of_text,
        size.format(tokens=f"{text.n_tokens:,}", words=f"{text.n_words:,}"),
        _("drawn: {unseen} never seen, {rare} rare, {frequent} frequent").format(**counts),
        _("drawn at length 1"),
        _("{width} dimensions").format(width=run.width),
        _("seed {seed}").format(seed=run.seed),
        _("step {step} of {n}").format(step=scene.step, n=scene.history.n_steps),
    )
