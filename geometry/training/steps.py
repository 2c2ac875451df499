"""The recorded step of a training, and the loop that trains."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..measure.cosines import mean_cosine
from .text import TrainingError, TrainingText, need_positive

if TYPE_CHECKING:
    import torch

DIVERGED = 3.0  # times the loss of the start at which a training has diverged
BETAS, EPSILON = (0.9, 0.999), 1e-8  # of Adam, as in torch
SGD_RATE, SGD_MOMENTUM = 0.3, 0.9  # of the rates 0.3, 1 and 3 the only one that trains


@dataclass(frozen=True)
class TrainingStep:
    """The model after so many steps."""

    #: step, n_steps: Steps done, and all steps of this training. Step 0 is the start.
    step: int
    n_steps: int
    #: Mean loss of the batches since the last recorded step, in nats for each prediction, without
    #: the penalty. At step 0 of the first batch.
    loss: float
    #: (v, d) one row for each word of the text's vocabulary, then for each token that never occurs
    embeddings: np.ndarray
    #: mean_cosine_unseen, mean_cosine_rare, mean_cosine_frequent: of the tokens that never occur,
    #: of the rarest and of the most frequent words (500 each, or half)
    mean_cosine_unseen: float
    mean_cosine_rare: float
    mean_cosine_frequent: float
    #: norm_unseen, norm_rare, norm_frequent: mean lengths of the same rows
    norm_unseen: float
    norm_rare: float
    norm_frequent: float
    #: (min(v, d),) array. Singular values of the embeddings, uncentred, the largest first.
    singular_values: np.ndarray
    #: (m, d) last hidden states at m fixed places of the text; without rows for a model that has
    #: none
    hidden: np.ndarray
    targets: np.ndarray  #: (m,) the next token at these places


def steps_of(
    text: TrainingText,
    *,
    embeddings: torch.Tensor,
    parameters: list[Any],
    loss_of: Callable[[], tuple[torch.Tensor, torch.Tensor]],  # to report, to minimise
    learning_rate: float,
    n_steps: int,
    record_every: int,
    optimizer: str = "adam",
    # states and targets at fixed places
    hidden_of: Callable[[], tuple[np.ndarray, np.ndarray]] | None = None,
) -> Iterator[TrainingStep]:
    """Train with Adam; yield the start, then every ``record_every``-th step and the last.

    ``optimizer`` is that of ``embeddings`` alone: "adam", "coupled-adam" or "sgd".
    """
    import torch

    need_positive(steps=n_steps, record_every=record_every, learning_rate=learning_rate)
    others = [each for each in parameters if optimizer == "adam" or each is not embeddings]
    optimizers: list[torch.optim.Optimizer] = [torch.optim.Adam(others, lr=learning_rate)]
    if optimizer == "coupled-adam":
        optimizers.append(coupled_adam(embeddings, learning_rate))
    elif optimizer == "sgd":
        optimizers.append(torch.optim.SGD([embeddings], lr=SGD_RATE, momentum=SGD_MOMENTUM))
    losses: list[float] = []
    first = math.inf
    for step in range(n_steps + 1):
        reported, minimised = loss_of()
        loss = float(reported.detach())
        first = min(first, loss) if step == 0 else first
        if not math.isfinite(loss) or loss > DIVERGED * first:
            raise TrainingError("diverged", step=step, learning_rate=learning_rate)
        losses.append(loss)
        if step % record_every == 0 or step == n_steps:
            E = embeddings.detach().numpy().copy()
            rows = {"unseen": text.unseen(), "rare": text.rare(), "frequent": text.frequent()}
            measured = {f"mean_cosine_{name}": mean_cosine(E[part]) for name, part in rows.items()}
            for name, part in rows.items():
                measured[f"norm_{name}"] = float(np.linalg.norm(E[part], axis=1).mean())
            hidden, targets = np.empty((0, 0), dtype=np.float32), np.empty(0, dtype=int)
            if hidden_of is not None:
                hidden, targets = hidden_of()
            yield TrainingStep(
                step,
                n_steps,
                float(np.mean(losses)),
                E,
                **measured,
                singular_values=np.linalg.svd(E.astype(np.float64), compute_uv=False),
                hidden=hidden,
                targets=targets,
            )
            losses = []
        if step < n_steps:
            for each in optimizers:
                each.zero_grad(set_to_none=True)
            minimised.backward()
            for each in optimizers:
                each.step()


def coupled_adam(rows: torch.Tensor, learning_rate: float) -> torch.optim.Optimizer:
    """Adam, but all rows of a matrix share one second moment: the mean of theirs.

    Stollenwerk & Stollenwerk 2025, "Better Embeddings with Coupled Adam", section 4.
    """
    import torch

    class CoupledAdam(torch.optim.Optimizer):
        def __init__(self) -> None:
            super().__init__([rows], {})
            self.n, self.first, self.second = 0, torch.zeros_like(rows), torch.zeros(rows.shape[1])

        @torch.no_grad()
        def step(self, closure: Any = None) -> None:
            gradient = rows.grad
            self.n += 1
            self.first.lerp_(gradient, 1 - BETAS[0])  # (v, d)
            self.second.lerp_((gradient**2).mean(dim=0), 1 - BETAS[1])  # (d,)
            first = self.first / (1 - BETAS[0] ** self.n)
            second = self.second / (1 - BETAS[1] ** self.n)
            rows.sub_(learning_rate * first / (second.sqrt() + EPSILON))

    return CoupledAdam()
