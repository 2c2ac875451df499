"""All recorded steps of a training together: curves, and a film in one fixed basis."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..data.write import write
from .runs import GROUPS, Force, Record, Run, TextFacts, Theory

PLAIN = ("steps", "loss", "cosine", "norm")  # arrays that a file has as they are
EARLY = 0.15  # share of all steps; by then the tokens that never occur have a common direction


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
        cls, runs: Sequence[Run], records: Sequence[Record], *, is_live: bool = False
    ) -> History:
        """The history of the records so far, at least one.

        Parameters
        ----------
        runs : sequence of Run
        records : sequence of Record
        is_live : bool
            If True, the basis is that of the first record after EARLY of all steps, so that it does
            not turn when more records come. If False, it is that of the last one.
        """
        steps = [record.step for record in records]
        early = [place for place, step in enumerate(steps) if step >= EARLY * records[-1].n_steps]
        at = early[0] if is_live and early else len(records) - 1
        shots = [record.snapshots for record in records]
        models = range(len(runs))
        return cls(
            tuple(runs),
            records[-1].text,
            np.array(steps),
            records[-1].n_steps,
            np.array([[each.loss for each in step] for step in shots]),
            np.array([[[each.mean_cosine[g] for g in GROUPS] for each in step] for step in shots]),
            np.array([[[each.norm[g] for g in GROUPS] for each in step] for step in shots]),
            np.array([[each.singular_values for each in step] for step in shots]),
            np.stack([film_of([step[model].rows for step in shots], at) for model in models]),
            tuple(tuple(step[model].theory for step in shots) for model in models),
        )


def fixed_basis(rows: np.ndarray) -> np.ndarray:
    """Orthonormal (d, 2): the mean direction; that of largest variance at right angles to it."""
    rows = rows.astype(np.float64)
    mean = rows.mean(axis=0)
    first = mean / np.linalg.norm(mean)
    rest = rows - mean
    rest -= np.outer(rest @ first, first)
    second = np.linalg.svd(rest, full_matrices=False)[2][0]
    return np.stack([first, second * np.sign(second[np.abs(second).argmax()])], axis=1)


def film_of(rows: Sequence[np.ndarray], at: int = -1) -> np.ndarray:
    """Places (steps, n, 2) of the same rows at every step, at length 1, in the basis of one."""
    doubles = [each.astype(np.float64) for each in rows]
    units = [each / np.linalg.norm(each, axis=1, keepdims=True) for each in doubles]
    basis = fixed_basis(units[at])
    return np.stack([each @ basis for each in units])


# ---- a file ----


def write_history(history: History, path: Path, about: Mapping[str, str]) -> None:
    """Write a history as npz: places as float16, and ``about`` as JSON."""
    text = history.text
    head = {
        "about": dict(about),
        "runs": [asdict(run) for run in history.runs],
        "n_steps": history.n_steps,
        "text": {
            name: getattr(text, name)
            for name in ("name", "n_tokens", "n_words", "n_unseen", "n_sections", "words")
        },
        "theory": [[each and asdict(each) for each in of_run] for of_run in history.theory],
    }
    out = io.BytesIO()
    np.savez_compressed(
        out,
        head=np.frombuffer(json.dumps(head).encode(), dtype=np.uint8),
        counts=text.counts,
        groups=text.groups.astype(np.uint8),
        singular_values=history.singular_values.astype(np.float32),
        places=history.places.astype(np.float16),
        **{name: getattr(history, name) for name in PLAIN},
    )
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
        text=TextFacts(
            **head["text"], words=words, counts=arrays["counts"], groups=arrays["groups"]
        ),
        n_steps=head["n_steps"],
        singular_values=arrays["singular_values"],
        places=arrays["places"].astype(np.float64),
        theory=tuple(tuple(_theory(each) for each in of_run) for of_run in head["theory"]),
        **{name: arrays[name] for name in PLAIN},
    )
    return history, head["about"]


def _theory(found: dict[str, Any] | None) -> Theory | None:
    if found is None:
        return None
    low, median, high = found["push_degrees"]
    forces = tuple(Force(**force) for force in found["forces"])
    return Theory(**found | {"push_degrees": (low, median, high), "forces": forces})
