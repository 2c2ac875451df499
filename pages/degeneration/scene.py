"""What the page shows in one run: the recorded steps of a training."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from geometry.training.history import History
from geometry.training.runs import GROUPS, Run
from geometry.training.shipped_training import recorded_run
from pages.common.controls import tokenizer_names
from pages.common.live_training import Training
from pages.common.words import _

from .choices import TrainingSettings

HISTORY = "degeneration-history"  # in the session: of its training, up to the last record


@dataclass(frozen=True)
class Scene:
    """Recorded steps, and the step of the numbers."""

    history: History
    at: int  # the place of the recorded step of the numbers
    versions: dict[str, str] | None = None  # of Python and torch, for the bundled training
    is_live: bool = False  # True while the training goes on
    vocabulary: int | None = None
    text: str = "manual"  # "manual" or "corpus"
    tokenizer: str = "unicode"
    has_no_record: bool = False  # the reader's training goes on and has no record yet

    @property
    def step(self) -> int:
        """The step of the numbers."""
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


def recorded_scene() -> Scene:
    """The training that comes with the project, at its last step."""
    history, versions = recorded_run()
    return Scene(history, len(history.steps) - 1, versions)


def scene_of(training: Training, settings: TrainingSettings) -> Scene:
    """The reader's own training, which has a record."""
    is_live, records = training.is_active, list(training.records)
    former: tuple[Training, int, History] | None = st.session_state.get(HISTORY)
    if former is None or former[:2] != (training, len(records)):
        former = (training, len(records), History.of(settings.runs, records, is_live=True))
        st.session_state[HISTORY] = former
    return Scene(
        former[2],
        len(records) - 1,
        None,
        is_live,
        settings.vocabulary,
        settings.text,
        settings.tokenizer,
    )


def run_name(run: Run) -> str:
    """A model in words."""
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
    """Names of the optimisers of the output embeddings."""
    return {"adam": "Adam", "coupled-adam": "Coupled Adam", "sgd": _("SGD with momentum")}


def shown_word(word: str) -> str:
    """The word; a token that never occurs, in the reader's language."""
    never = re.fullmatch(r"\[unseen (\d+)\]", word)
    return _("[unseen {n}]").format(n=never[1]) if never else word


def group_names() -> dict[str, str]:
    """Labels of the groups of words, which differ in how often they occur."""
    return {
        "unseen": _("never seen"),
        "rare": _("rare"),
        "frequent": _("frequent"),
    }


def provenance(scene: Scene) -> str:
    """The text, the sizes, the settings and the seed, in one line."""
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
