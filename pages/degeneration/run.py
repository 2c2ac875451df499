"""A training of the page's models. Another process runs it, so it imports no Streamlit."""

from collections.abc import Iterator
from dataclasses import dataclass

from geometry.training.runs import Run, Snapshot, train_runs


@dataclass(frozen=True)
class TrainingSettings:
    runs: tuple[Run, ...]
    texts: tuple[str, ...] | None  # None is the manual that comes with Python
    labels: tuple[str, ...] | None  # the section of each text; None makes each a section
    vocabulary: int | None  # the most frequent words; None keeps all
    tokenizer: str


def train(settings: TrainingSettings) -> Iterator[tuple[Snapshot, ...]]:
    """The records of ``train_runs``, with a core for each of several models."""
    import torch

    if len(settings.runs) > 1:
        torch.set_num_threads(1)
    return train_runs(**vars(settings))
