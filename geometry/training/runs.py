"""Several models trained side by side on one text, and what a page shows of each recorded step."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..data.write import write
from ..linalg.threads import in_threads
from .hull import separating_direction
from .models import TrainingStep, train_classifier, train_language_model, train_word2vec
from .softmax import token_gradients
from .text import TrainingText, training_text

TRAIN: dict[str, Callable[..., Iterator[TrainingStep]]] = {
    "language": train_language_model,
    "classifier": train_classifier,
    "word2vec": train_word2vec,
}
MOST_DRAWN = 500  # words of each frequency
GROUPS = ("unseen", "rare", "frequent")
SINGULAR_VALUES = 64
FORCE_QUANTILES = (0.0, 0.5, 0.9, 1.0)  # by frequency, of the next tokens at the fixed places
PLAIN = ("steps", "loss", "cosine", "norm", "singular_values")  # arrays that a file has as they are
TEXT_ARRAYS = ("counts", "groups")
EARLY = 0.15  # share of all steps; by then the tokens that never occur have a common direction


@dataclass(frozen=True)
class Run:
    """A model to train.

    ``gamma``, ``tied``, ``layer_norm`` and ``optimizer`` are those of the language model.
    """

    model: str = "language"  #: a key of TRAIN
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
        settings = vars(self).copy()
        train = TRAIN[settings.pop("model")]
        if self.learning_rate is None:
            del settings["learning_rate"]
        if train is not train_language_model:
            for name in ("gamma", "tied", "layer_norm", "optimizer"):
                del settings[name]
        return train(text, **settings)


@dataclass(frozen=True)
class TextFacts:
    """The text that was trained on, and the words that are drawn."""

    name: str  # a hash of the tokens
    n_tokens: int
    n_words: int  # without the tokens that never occur
    n_unseen: int
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

    text: TextFacts
    step: int
    n_steps: int
    loss: float
    cosine: list[float]  # cosine, norm: by the order of GROUPS
    norm: list[float]
    singular_values: np.ndarray
    rows: np.ndarray  # (n, width) of the words that are drawn
    theory: Theory | None  # of a language model; None for other models


def train_runs(
    runs: Sequence[Run],
    texts: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    *,
    vocabulary: int | None = None,
    tokenizer: str | None = None,
) -> Iterator[tuple[Snapshot, ...]]:
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
    rows, facts = drawn_words(text)
    trained = [run.train(text) for run in runs]

    def advance(steps: Iterator[TrainingStep]) -> Snapshot | None:
        step = next(steps, None)
        if step is None:
            return None
        return Snapshot(
            facts,
            step.step,
            step.n_steps,
            step.loss,
            [getattr(step, f"mean_cosine_{name}") for name in GROUPS],
            [getattr(step, f"norm_{name}") for name in GROUPS],
            step.singular_values[:SINGULAR_VALUES].astype(np.float32),
            step.embeddings[rows].astype(np.float16),
            theory_of(step, text) if len(step.hidden) else None,
        )

    # the models start one after the other, because each sets the seed of torch's only generator
    found = [advance(steps) for steps in trained]
    while all(found):
        yield tuple(shot for shot in found if shot is not None)
        found = list(in_threads(advance, trained, len(trained)))


def drawn_words(text: TrainingText) -> tuple[np.ndarray, TextFacts]:
    """The rows of the embeddings that are drawn: the same words at every step of every model."""
    # Tokens that never occur come last, so they are drawn above the others
    parts = [text.frequent(MOST_DRAWN), text.rare(MOST_DRAWN), text.unseen()]
    rows = np.concatenate(parts)
    facts = TextFacts(
        hashlib.sha256(text.tokens.astype("<i8").tobytes()).hexdigest()[:16],
        len(text.tokens),
        text.n_words,
        text.n_unseen,
        tuple(text.words[row] for row in rows),
        text.counts[rows],
        np.repeat(np.arange(len(GROUPS))[::-1], [len(part) for part in parts]),
    )
    return rows, facts


def theory_of(step: TrainingStep, text: TrainingText) -> Theory:
    """The hull of the hidden states, and how the loss moves tokens, at the fixed places."""
    away = -step.hidden.mean(axis=0, dtype=np.float64)
    # some next tokens of the fixed places, from frequent to rare; a smaller number is more frequent
    nexts = np.unique(step.targets)
    places = np.unique(np.round(np.array(FORCE_QUANTILES) * (len(nexts) - 1)).astype(int))
    examples = nexts[places].tolist()
    unseen = text.unseen().tolist()
    tokens = [*examples, *unseen]
    found = token_gradients(step.hidden, step.targets, step.embeddings, tokens)
    pushed = _degrees(np.stack([each.push for each in found[len(examples) :]]), away)
    hull = separating_direction(step.hidden)
    forces = []
    for token, gradient in zip(tokens, found[: len(examples) + 1], strict=False):
        count = int(text.counts[token])
        here = max(gradient.n_pull, 1) / len(step.hidden)
        pull = gradient.pull * (count / len(text.tokens) / here)
        lengths = float(np.linalg.norm(pull)), float(np.linalg.norm(gradient.push))
        degrees = float(_degrees((pull + gradient.push)[None], away)[0])
        forces.append(Force(text.words[token], count, gradient.n_pull, *lengths, degrees))
    return Theory(
        len(step.hidden),
        hull.is_outside,
        hull.margin,
        float(_degrees(hull.direction[None], -away)[0]) if hull.is_outside else None,
        (float(pushed.min()), float(np.median(pushed)), float(pushed.max())),
        float(np.median(_degrees(step.embeddings[unseen].astype(np.float64), away))),
        tuple(forces),
    )


def _degrees(rows: np.ndarray, direction: np.ndarray) -> np.ndarray:
    cosines = rows @ direction / np.linalg.norm(rows, axis=1) / np.linalg.norm(direction)
    return np.asarray(np.degrees(np.arccos(np.clip(cosines, -1, 1))))


@dataclass(frozen=True)
class History:
    """S recorded steps of R models."""

    runs: tuple[Run, ...]
    text: TextFacts
    steps: np.ndarray  #: (S,)
    n_steps: int  #: all steps of the training, recorded or still to come
    loss: np.ndarray  #: (S, R)
    #: cosine, norm: (S, R, 3) mean cosine and mean length, by the order of GROUPS
    cosine: np.ndarray
    norm: np.ndarray
    singular_values: np.ndarray  #: (S, R, k)
    #: (R, S, n, 2) the drawn words at length 1, in one basis for all steps of a model (``film_of``)
    places: np.ndarray
    theory: tuple[tuple[Theory | None, ...], ...]

    @classmethod
    def of(
        cls, runs: Sequence[Run], records: Sequence[tuple[Snapshot, ...]], *, is_live: bool = False
    ) -> History:
        """The history of the records so far, at least one.

        Parameters
        ----------
        runs : sequence of Run
        records : sequence of tuple of Snapshot, one for each model
        is_live : bool
            If True, the basis is that of the first record after EARLY of all steps, so that it does
            not turn when more records come. If False, it is that of the last one.
        """
        last = records[-1][0]
        steps = [shots[0].step for shots in records]
        early = [place for place, step in enumerate(steps) if step >= EARLY * last.n_steps]
        at = early[0] if is_live and early else len(records) - 1
        models = list(zip(*records, strict=True))
        return cls(
            tuple(runs),
            last.text,
            np.array(steps),
            last.n_steps,
            np.array([[each.loss for each in shots] for shots in records]),
            np.array([[each.cosine for each in shots] for shots in records]),
            np.array([[each.norm for each in shots] for shots in records]),
            np.array([[each.singular_values for each in shots] for shots in records]),
            np.stack([film_of([each.rows for each in of_model], at) for of_model in models]),
            tuple(tuple(each.theory for each in of_model) for of_model in models),
        )


def film_of(rows: Sequence[np.ndarray], at: int) -> np.ndarray:
    """Places (steps, n, 2) of the same rows at every step, at length 1, in the basis of one.

    It is the mean direction, and that of largest variance at right angles to it.
    """
    doubles = [each.astype(np.float64) for each in rows]
    units = [each / np.linalg.norm(each, axis=1, keepdims=True) for each in doubles]
    first, second = mean_plane(units[at])
    second *= np.sign(second[np.abs(second).argmax()])
    basis = np.stack([first, second], axis=1)
    return np.stack([each @ basis for each in units])


def mean_plane(U: np.ndarray) -> np.ndarray:
    """(2, d) the mean direction of unit rows U (n, d), and the principal direction of the rest."""
    mean = U.mean(axis=0)
    first = mean / np.linalg.norm(mean)
    rest = U - mean
    rest -= np.outer(rest @ first, first)
    return np.stack([first, np.linalg.svd(rest, full_matrices=False)[2][0]])


def write_history(history: History, path: Path, about: Mapping[str, str]) -> None:
    """Write a history as npz: places as float16, and ``about`` as JSON."""
    text = history.text
    head = {
        "about": dict(about),
        "runs": [asdict(run) for run in history.runs],
        "n_steps": history.n_steps,
        "text": {name: each for name, each in vars(text).items() if name not in TEXT_ARRAYS},
        "theory": [[each and asdict(each) for each in of_run] for of_run in history.theory],
    }
    write_arrays(
        path,
        head=np.frombuffer(json.dumps(head).encode(), dtype=np.uint8),
        **{name: getattr(text, name) for name in TEXT_ARRAYS},
        places=history.places.astype(np.float16),
        **{name: getattr(history, name) for name in PLAIN},
    )


def write_arrays(path: Path, **arrays: Any) -> None:
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, out.getvalue())


def read_history(path: Path) -> tuple[History, dict[str, str]]:
    """The history in a file of ``write_history``, and what it was made with."""
    with np.load(path, allow_pickle=False) as found:
        arrays = dict(found)
    head = json.loads(arrays["head"].tobytes())
    words = tuple(head["text"].pop("words"))
    history = History(
        runs=tuple(Run(**run) for run in head["runs"]),
        text=TextFacts(**head["text"], words=words, **{n: arrays[n] for n in TEXT_ARRAYS}),
        n_steps=head["n_steps"],
        places=arrays["places"].astype(np.float64),
        theory=tuple(tuple(map(_theory, of_run)) for of_run in head["theory"]),
        **{name: arrays[name] for name in PLAIN},
    )
    return history, head["about"]


def _theory(found: dict[str, Any] | None) -> Theory | None:
    if found is None:
        return None
    forces = tuple(Force(**force) for force in found["forces"])
    return Theory(**found | {"push_degrees": tuple(found["push_degrees"]), "forces": forces})
