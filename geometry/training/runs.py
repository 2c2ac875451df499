"""Several models trained side by side on one text, and what a page shows of each recorded step."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..linalg.threads import in_threads
from .hull import separating_direction
from .models import train_classifier, train_language_model, train_word2vec
from .softmax import TokenGradient, token_gradients
from .steps import TrainingStep
from .text import TrainingText, training_text

MODELS = ("language", "classifier", "word2vec")
MOST_DRAWN = 500  # words of each frequency
GROUPS = ("unseen", "rare", "frequent")
SINGULAR_VALUES = 64
# Quantiles, by frequency, of the next tokens at the fixed places
FORCE_QUANTILES = (0.0, 0.5, 0.9, 1.0)


@dataclass(frozen=True)
class Run:
    """A model to train.

    ``gamma``, ``tied``, ``layer_norm`` and ``optimizer`` are those of the language model.
    """

    model: str = "language"  #: one of MODELS
    gamma: float = 0.0
    tied: bool = True
    layer_norm: bool = True
    optimizer: str = "adam"
    width: int = 64
    learning_rate: float | None = None  #: None for the default of the model
    steps: int = 400
    record_every: int = 10
    seed: int = 0

    def train(self, text: TrainingText) -> Iterator[TrainingStep]:
        """The steps of this training."""
        settings: dict[str, Any] = {
            "width": self.width,
            "steps": self.steps,
            "record_every": self.record_every,
            "seed": self.seed,
        }
        if self.learning_rate is not None:
            settings["learning_rate"] = self.learning_rate
        if self.model == "language":
            names = ("gamma", "tied", "layer_norm", "optimizer")
            settings |= {name: getattr(self, name) for name in names}
            return train_language_model(text, **settings)
        train = {"classifier": train_classifier, "word2vec": train_word2vec}[self.model]
        return train(text, **settings)


@dataclass(frozen=True)
class TextFacts:
    """The text that was trained on, and the words that are drawn."""

    name: str  # a hash of the tokens
    n_tokens: int
    n_words: int  # without the tokens that never occur
    n_unseen: int
    n_sections: int
    words: tuple[str, ...]  # those that are drawn
    counts: np.ndarray  # (n,)
    groups: np.ndarray  # (n,) places in GROUPS


@dataclass(frozen=True)
class Force:
    """The two parts of the negative gradient of one token, as lengths.

    The pull comes from ``n_pull`` of the fixed places, weighted by how often the token occurs in
    the whole text. ``degrees`` is the angle between the sum of both and minus the mean hidden
    state.
    """

    word: str
    count: int
    n_pull: int
    pull: float
    push: float
    degrees: float


@dataclass(frozen=True)
class Theory:
    """What is true of the n hidden states and the softmax at one step."""

    n: int
    is_outside: bool  # whether the origin is outside of the hull of the hidden states
    margin: float  # as in ``Separation``
    direction_degrees: float | None  # between the separating direction and the mean hidden state
    # Angles to minus the mean hidden state: of the pushes of the tokens that never occur (smallest,
    # median, largest), and the median of their vectors
    push_degrees: tuple[float, float, float]
    place_degrees: float
    forces: tuple[Force, ...]  # from the most frequent token to one that never occurs


@dataclass(frozen=True)
class Snapshot:
    """A model after so many steps; the fields of ``TrainingStep`` that a page shows."""

    loss: float
    mean_cosine: dict[str, float]
    norm: dict[str, float]
    singular_values: np.ndarray
    rows: np.ndarray  # (n, width) of the words that are drawn
    theory: Theory | None  # of a language model; None for other models


@dataclass(frozen=True)
class Record:
    step: int
    n_steps: int
    text: TextFacts
    snapshots: tuple[Snapshot, ...]


def train_runs(
    runs: Sequence[Run],
    texts: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    *,
    vocabulary: int | None = None,
    tokenizer: str | None = None,
) -> Iterator[Record]:
    """Train several models side by side on one text, each in a thread of its own.

    Parameters
    ----------
    runs : sequence of Run, with the same numbers of steps
    texts : sequence of str, optional
    labels : sequence of str, optional
    vocabulary : int, optional
    tokenizer : str, optional; these four as in ``training_text``
    """
    text = training_text(texts, labels, vocabulary=vocabulary, tokenizer=tokenizer)
    drawn = DrawnWords(text)
    trained = [run.train(text) for run in runs]

    def advance(steps: Iterator[TrainingStep]) -> tuple[int, int, Snapshot] | None:
        step = next(steps, None)
        return None if step is None else (step.step, step.n_steps, _snapshot(step, drawn))

    # the models start one after the other, because each sets the seed of torch's only generator
    found = [advance(steps) for steps in trained]
    while all(found):
        places, n_steps, snapshots = zip(*found, strict=True)
        yield Record(places[0], n_steps[0], drawn.facts, snapshots)
        found = list(in_threads(advance, trained, len(trained)))


class DrawnWords:
    """Which rows of the embeddings are drawn: the same words at every step of every model."""

    def __init__(self, text: TrainingText) -> None:
        self.text = text
        parts = [text.unseen(), text.rare(MOST_DRAWN), text.frequent(MOST_DRAWN)][::-1]
        # Tokens that never occur come last, so they are drawn above the others
        self.rows = np.concatenate(parts)
        self._groups = np.repeat(np.arange(len(GROUPS))[::-1], [len(part) for part in parts])

    @cached_property
    def facts(self) -> TextFacts:
        text = self.text
        return TextFacts(
            hashlib.sha256(text.tokens.astype("<i8").tobytes()).hexdigest()[:16],
            len(text.tokens),
            text.n_words,
            text.n_unseen,
            len(text.section_names),
            tuple(text.words[row] for row in self.rows),
            text.counts[self.rows],
            self._groups,
        )


def _snapshot(step: TrainingStep, drawn: DrawnWords) -> Snapshot:
    return Snapshot(
        step.loss,
        {name: getattr(step, f"mean_cosine_{name}") for name in GROUPS},
        {name: getattr(step, f"norm_{name}") for name in GROUPS},
        step.singular_values[:SINGULAR_VALUES].astype(np.float32),
        step.embeddings[drawn.rows].astype(np.float16),
        theory_of(step, drawn.text) if len(step.hidden) else None,
    )


def theory_of(step: TrainingStep, text: TrainingText) -> Theory:
    """The hull of the hidden states, and how the loss moves tokens, at the fixed places."""
    away = -step.hidden.mean(axis=0, dtype=np.float64)
    # some next tokens of the fixed places, from frequent to rare; a smaller number is more frequent
    nexts = np.unique(step.targets)
    places = np.unique(np.round(np.array(FORCE_QUANTILES) * (len(nexts) - 1)).astype(int))
    examples, unseen = nexts[places].tolist(), text.unseen().tolist()
    tokens = [*examples, *unseen]
    found = token_gradients(step.hidden, step.targets, step.embeddings, tokens)
    pushed = _degrees(np.stack([each.push for each in found[len(examples) :]]), away)
    hull = separating_direction(step.hidden)
    return Theory(
        len(step.hidden),
        hull.is_outside,
        hull.margin,
        float(_degrees(hull.direction[None], -away)[0]) if hull.is_outside else None,
        (float(pushed.min()), float(np.median(pushed)), float(pushed.max())),
        float(np.median(_degrees(step.embeddings[unseen].astype(np.float64), away))),
        tuple(
            _force(step, text, token, gradient, away)
            for token, gradient in zip(tokens, found[: len(examples) + 1], strict=False)
        ),
    )


def _force(
    step: TrainingStep, text: TrainingText, token: int, found: TokenGradient, away: np.ndarray
) -> Force:
    count = int(text.counts[token])
    here = max(found.n_pull, 1) / len(step.hidden)
    pull = found.pull * (count / len(text.tokens) / here)
    return Force(
        text.words[token],
        count,
        found.n_pull,
        float(np.linalg.norm(pull)),
        float(np.linalg.norm(found.push)),
        float(_degrees((pull + found.push)[None], away)[0]),
    )


def _degrees(rows: np.ndarray, direction: np.ndarray) -> np.ndarray:
    cosines = rows @ direction / np.linalg.norm(rows, axis=1) / np.linalg.norm(direction)
    angles: np.ndarray = np.degrees(np.arccos(np.clip(cosines, -1, 1)))
    return angles
