"""A text classifier that names the section of a passage, trained step by step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..errors import need
from .steps import EMPTY, TrainingStep, steps_of
from .text import TrainingError, TrainingText, need_positive, training_text

if TYPE_CHECKING:
    import torch


def train_classifier(
    text: TrainingText | None = None,
    *,
    width: int = 64,
    context: int = 32,
    batch_size: int = 64,
    learning_rate: float = 3e-3,
    steps: int = 400,
    record_every: int = 10,
    seed: int = 0,
) -> Iterator[TrainingStep]:
    """Train a classifier of passages: the mean of their words' vectors, then one linear layer.

    A passage is ``context`` tokens; its class is the section of its first token. The word vectors
    are recorded.

    Parameters
    ----------
    text : TrainingText, optional
        By default ``training_text()``. It needs two sections.
    width : int >= 1
        Width of the word vectors.
    context : int >= 1
    batch_size : int >= 1
        Passages in a step.
    learning_rate : float > 0
    steps : int >= 1
    record_every : int >= 1
    seed : int
        These four, and the errors, as in ``train_language_model``.

    References
    ----------
    Joulin et al. 2017, "Bag of Tricks for Efficient Text Classification", section 2.
    Gao et al. 2019, figure 1 (c), has a classifier of other data.
    """
    need("encode", "torch")
    import torch
    from torch.nn import functional as F

    if text is None:
        text = training_text()
    need_positive(width=width, context=context, batch_size=batch_size)
    if len(text.section_names) < 2:
        raise TrainingError("one_section")
    if len(text.tokens) < 2 * context:
        raise TrainingError("short_for_context", n=len(text.tokens), limit=2 * context)
    rng = np.random.default_rng(seed)
    normal = rng.standard_normal((len(text.words), width)) / np.sqrt(width)
    words = torch.from_numpy(normal.astype(np.float32)).requires_grad_()
    classes = torch.zeros(len(text.section_names), width, requires_grad=True)
    offsets = torch.zeros(len(text.section_names), requires_grad=True)
    tokens, sections = torch.from_numpy(text.tokens), torch.from_numpy(text.sections)
    span = torch.arange(context)

    def loss_of() -> tuple[torch.Tensor, torch.Tensor]:
        starts = torch.from_numpy(rng.integers(len(tokens) - context, size=batch_size))
        passage = F.embedding(tokens[starts[:, None] + span], words).mean(dim=1)
        loss = F.cross_entropy(passage @ classes.T + offsets, sections[starts])
        return loss, loss

    yield from steps_of(
        text,
        embeddings=words,
        parameters=[words, classes, offsets],
        loss_of=loss_of,
        hidden_of=lambda: (EMPTY, np.empty(0, dtype=int)),
        learning_rate=learning_rate,
        n_steps=steps,
        record_every=record_every,
    )
