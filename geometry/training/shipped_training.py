"""A recorded training that comes with the project, so that a page shows it without training.

    python -m geometry.training.shipped_training

trains the models (some minutes) and writes the file again. Run it after a change of RUNS or of a
model; ``tests/training/test_shipped_training.py`` fails until then. The models read the reference
manual of the Python that runs this module. So another version of Python gives other numbers.
"""

import platform
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

from ..shipped import shipped_file
from .runs import History, Run, read_history, train_runs, write_history

FILE = shipped_file("training") / "degeneration.npz"
RUNS = (Run(), Run(gamma=1.0), Run("classifier"), Run("word2vec"))


@cache
def recorded_run(path: Path = FILE) -> tuple[History, dict[str, str]]:
    """The recorded training, and the versions that it was made with."""
    return read_history(path)


def write_recorded(path: Path = FILE, runs: Sequence[Run] = RUNS) -> None:
    history = History.of(runs, list(train_runs(runs)))
    about = {"python": platform.python_version(), "torch": version("torch")}
    write_history(history, path, about)


if __name__ == "__main__":
    write_recorded()
