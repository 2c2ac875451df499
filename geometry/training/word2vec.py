"""word2vec: skip-gram with negative sampling, trained step by step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..errors import need
from .steps import EMPTY, TrainingStep, steps_of
from .text import TrainingText, need_positive, training_text

if TYPE_CHECKING:
    import torch

NEGATIVES = 5
WINDOW = 5
POWER = 0.75  # exponent of the counts in the distribution of the negatives


def train_word2vec(
    text: TrainingText | None = None,
    *,
    width: int = 64,
    batch_size: int = 4096,
    learning_rate: float = 1e-2,
    steps: int = 400,
    record_every: int = 10,
    seed: int = 0,
) -> Iterator[TrainingStep]:
    """Train word vectors by skip-gram with negative sampling.

    Each word predicts one word at most WINDOW places away, against NEGATIVES words drawn by their
    counts to the power POWER. The vectors of centre words are recorded.

    Parameters
    ----------
    text : TrainingText, optional
        By default ``training_text()``. Pairs do not cross from section to section.
    width : int >= 1
    batch_size : int >= 1
        Pairs in a step.
    learning_rate : float > 0
    steps : int >= 1
    record_every : int >= 1
    seed : int
        These four, and the errors, as in ``train_language_model``.

    References
    ----------
    Mikolov et al. 2013, "Distributed Representations of Words and Phrases and their
    Compositionality", equation 4. Gao et al. 2019, figure 1 (b).
    """
    need("encode", "torch")
    import torch
    from torch.nn import functional as F

    if text is None:
        text = training_text()
    need_positive(width=width, batch_size=batch_size)
    rng = np.random.default_rng(seed)
    n_words, n = len(text.words), len(text.tokens)
    centres = torch.from_numpy(
        ((rng.random((n_words, width)) - 0.5) / width).astype(np.float32)
    ).requires_grad_()
    contexts = torch.zeros(n_words, width, requires_grad=True)
    weights = text.counts**POWER
    likelihood = np.cumsum(weights / weights.sum())

    def loss_of() -> tuple[torch.Tensor, torch.Tensor]:
        at = rng.integers(n, size=batch_size)
        step = rng.integers(1, WINDOW + 1, size=batch_size) * rng.choice((-1, 1), batch_size)
        beside = at + step
        inside = (beside >= 0) & (beside < n)
        at, beside = at[inside], beside[inside]
        same = text.sections[at] == text.sections[beside]
        word = torch.from_numpy(text.tokens[at[same]])
        near = torch.from_numpy(text.tokens[beside[same]])
        found = np.searchsorted(likelihood, rng.random((len(word), NEGATIVES)), side="right")
        far = torch.from_numpy(np.minimum(found, text.n_words - 1))
        centre = F.embedding(word, centres)  # unlike an index, it adds gradients in one order
        positive = F.logsigmoid((centre * F.embedding(near, contexts)).sum(dim=1))
        drawn = F.embedding(far, contexts)
        negative = F.logsigmoid(-torch.einsum("nd,nkd->nk", centre, drawn)).sum(dim=1)
        loss = -(positive + negative).mean()
        return loss, loss

    yield from steps_of(
        text,
        embeddings=centres,
        parameters=[centres, contexts],
        loss_of=loss_of,
        hidden_of=lambda: (EMPTY, np.empty(0, dtype=int)),
        learning_rate=learning_rate,
        n_steps=steps,
        record_every=record_every,
    )
