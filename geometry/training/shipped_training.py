"""The recorded trainings that come with the project, so that pages show them without training.

    python -m geometry.training.shipped_training

trains the models (about fifteen minutes) and writes both files again. Run it after a change of
RUNS, VARIANTS, SEEDS or of a model; tests of ``tests/training`` fail until then. The models read
the reference manual of the Python that runs this module. So another version of Python gives other
numbers. VARIANTS are the control of degeneration: several optimisers of one model's softmax rows.
"""

import platform
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import need
from ..shipped import shipped_file
from .runs import GROUPS, History, Run, read_history, train_runs, write_arrays, write_history
from .text import training_text

FILE = shipped_file("training") / "degeneration.npz"
RUNS = (Run(), Run(gamma=1.0), Run("classifier"), Run("word2vec"))
OPTIMIZERS_FILE = shipped_file("training") / "optimizers.npz"
SEEDS = (0, 1, 2, 3, 4)
VARIANTS = {
    "adam": Run(),
    "coupled-adam": Run(optimizer="coupled-adam"),
    "sgd": Run(optimizer="sgd"),
    "cosreg": Run(gamma=1.0),
}


@cache
def recorded_run(path: Path = FILE) -> tuple[History, dict[str, str]]:
    """The recorded training, and the versions that it was made with."""
    return read_history(path)


def write_recorded(path: Path = FILE, runs: Sequence[Run] = RUNS) -> None:
    history = History.of(runs, list(train_runs(runs)))
    about = {"python": platform.python_version(), "torch": version("torch")}
    write_history(history, path, about)


@dataclass(frozen=True)
class OptimizerRuns:
    """The recorded trainings: V variants, R seeds, S recorded steps."""

    steps: np.ndarray  #: (S,)
    loss: np.ndarray  #: (V, R, S) mean loss since the recorded step before
    #: cosine, norm: (V, R, S, 3) mean cosine and mean length, by the order of GROUPS
    cosine: np.ndarray
    norm: np.ndarray

    @property
    def equal_loss(self) -> float:
        """The lowest loss that every training has reached."""
        return float(self.loss.min(axis=2).max())

    def at_loss(self, group: str, loss: float) -> np.ndarray:
        """The mean cosine (V, R) of a group of words where each training has this loss.

        Between two recorded steps it is interpolated in the loss. A training that has not reached
        the loss has NaN.
        """
        values = self.cosine[..., GROUPS.index(group)]
        found = np.full(self.loss.shape[:2], np.nan)
        for place in np.ndindex(found.shape):
            lowest = np.minimum.accumulate(self.loss[place])
            if lowest[-1] <= loss <= lowest[0]:
                # np.interp wants a rising x; of equal losses the first step counts
                falling = np.r_[True, np.diff(lowest) < 0]
                found[place] = np.interp(loss, lowest[falling][::-1], values[place][falling][::-1])
        return found


@cache
def recorded_optimizers(path: Path = OPTIMIZERS_FILE) -> OptimizerRuns:
    """The recorded trainings."""
    with np.load(path, allow_pickle=False) as found:
        return OptimizerRuns(**found)


def train_optimizers(seeds: Sequence[int] = SEEDS, **settings: Any) -> OptimizerRuns:
    """Train every variant with every seed, one after the other, on one thread."""
    need("encode", "torch")
    import torch

    torch.set_num_threads(1)
    text = training_text()
    runs = [replace(run, **settings) for run in VARIANTS.values()]
    trained = [[list(replace(run, seed=seed).train(text)) for seed in seeds] for run in runs]

    def values(name: str) -> np.ndarray:
        return np.array([[[getattr(s, name) for s in steps] for steps in each] for each in trained])

    return OptimizerRuns(
        np.array([step.step for step in trained[0][0]]),
        values("loss"),
        np.stack([values(f"mean_cosine_{name}") for name in GROUPS], axis=-1),
        np.stack([values(f"norm_{name}") for name in GROUPS], axis=-1),
    )


if __name__ == "__main__":
    write_recorded()
    write_arrays(OPTIMIZERS_FILE, **vars(train_optimizers()))
