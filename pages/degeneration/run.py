"""A training of the page's models. Another process runs it, so it imports no Streamlit."""

from __future__ import annotations

from collections.abc import Iterator

from geometry.training.runs import Record, Run, train_runs


def train(
    runs: tuple[Run, ...],
    texts: tuple[str, ...] | None,
    labels: tuple[str, ...] | None,
    vocabulary: int | None,
) -> Iterator[Record]:
    """The records of ``train_runs``, with a core for each of several models."""
    import torch

    if len(runs) > 1:
        torch.set_num_threads(1)
    return train_runs(runs, texts, labels, vocabulary=vocabulary)
