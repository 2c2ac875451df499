"""The control of degeneration: one model trained by several optimisers of its softmax rows.

    python -m geometry.training.optimizers

trains the models (about ten minutes of one core) and writes the file again. Run it after a change
of VARIANTS, SEEDS or of the model; ``tests/training/test_optimizers.py`` fails until then.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import need
from ..shipped import shipped_file
from .runs import GROUPS, Run, write_arrays
from .text import TrainingText, training_text

FILE = shipped_file("training") / "optimizers.npz"
SEEDS = (0, 1, 2, 3, 4)
VARIANTS = {
    "adam": Run(),
    "coupled-adam": Run(optimizer="coupled-adam"),
    "sgd": Run(optimizer="sgd"),
    "cosreg": Run(gamma=1.0),
}


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
def recorded_optimizers(path: Path = FILE) -> OptimizerRuns:
    """The recorded trainings."""
    with np.load(path, allow_pickle=False) as found:
        return OptimizerRuns(**found)


def train_optimizers(
    text: TrainingText | None = None, seeds: Sequence[int] = SEEDS, **settings: Any
) -> OptimizerRuns:
    """Train every variant with every seed, one after the other, on one thread."""
    need("encode", "torch")
    import torch

    torch.set_num_threads(1)
    text = training_text() if text is None else text
    how = [{**settings, "seed": seed} for seed in seeds]
    trained = [[list(replace(run, **e).train(text)) for e in how] for run in VARIANTS.values()]

    def values(name: str) -> np.ndarray:
        return np.array([[[getattr(s, name) for s in steps] for steps in each] for each in trained])

    return OptimizerRuns(
        np.array([step.step for step in trained[0][0]]),
        values("loss"),
        np.stack([values(f"mean_cosine_{name}") for name in GROUPS], axis=-1),
        np.stack([values(f"norm_{name}") for name in GROUPS], axis=-1),
    )


if __name__ == "__main__":
    write_arrays(FILE, **vars(train_optimizers()))
