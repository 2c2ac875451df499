"""Contrastive learning without labels, in small: a head on fixed sentence vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import need
from ..linalg.rows import UndefinedMeasure, count_distinct, float_rows, unit_rows
from ..measure.correlation import spearman
from ..measure.cosines import alignment, mean_cosine, uniformity
from .models import recorded
from .text import TrainingError, need_positive

if TYPE_CHECKING:
    import torch

POSITIVE = 4.0  # score out of 5; pairs above it are positive, as in Gao, Yao, Chen 2021
LEAST_SENTENCES = 32
HEADS = ("linear", "tanh")
# A loss of cosines is bounded, and may rise at first: a high rate shows after some steps.
DIVERGED = 1.1  # times the loss of the first batch
GRACE = 50  # steps before the loss is judged
RECENT = 20  # batches whose mean loss is compared


@dataclass(frozen=True, eq=False)
class ScoredVectors:
    """The vectors of sentence pairs that people scored."""

    #: left, right: (n, d) one pair a row
    left: np.ndarray
    right: np.ndarray
    gold_scores: np.ndarray  #: (n,) from 0 to 5

    @property
    def sentences(self) -> np.ndarray:
        """(2n, d) the left sentences, then the right ones."""
        return np.concatenate([self.left, self.right])


@dataclass(frozen=True, eq=False)
class ContrastiveStep:
    """The head after so many steps. Its outputs are those without dropout."""

    #: step, n_steps: Steps done, and all steps of this training. Step 0 is the start.
    step: int
    n_steps: int
    #: As in ``TrainingStep``. A head that gives all sentences one vector has log(batch size).
    loss: float
    alignment: float  #: over the test pairs with a score above 4
    #: uniformity, mean_cosine: of the sentences of the test pairs
    uniformity: float
    mean_cosine: float
    #: spearman_dev, spearman_test: Spearman of the pairs' cosines with their scores
    spearman_dev: float
    spearman_test: float
    #: (min(2n, d),) array. Of the rows of ``embeddings`` at length 1, uncentred, the largest first.
    singular_values: np.ndarray
    #: (2n, d) outputs for the sentences of the test pairs, the left ones first
    embeddings: np.ndarray
    #: weight, bias: (d, d) and (d,) of the head
    weight: np.ndarray
    bias: np.ndarray


def train_contrastive(
    X: np.ndarray,
    *,
    dev: ScoredVectors,
    test: ScoredVectors,
    head: str = "linear",
    centred: bool = False,
    temperature: float = 0.2,
    dropout: float = 0.1,
    batch_size: int = 64,
    learning_rate: float = 1e-3,
    steps: int = 400,
    record_every: int = 10,
    seed: int = 0,
) -> Iterator[ContrastiveStep]:
    """Train a head on fixed vectors, without labels, and yield what becomes of the test pairs.

    Each sentence of a batch goes through the head twice, with two dropout masks on its vector. The
    two outputs are a positive pair; the other sentences of the batch are negatives. The head starts
    as the identity.

    Parameters
    ----------
    X : (n, d) array of float, vectors of the sentences to train on
    dev : ScoredVectors
    test : ScoredVectors
        Pairs that are only measured. Of ``test`` one or more must score above 4.
    head : {"linear", "tanh"}, W x + b, or tanh(W x + b)
    centred : bool
        Whether the mean of X is subtracted first. Then the vectors are divided by the root mean
        square of the entries of X, which changes no cosine.
    temperature : float > 0, cosines are divided by it
    dropout : float in [0, 1), share of a vector's entries that are set to 0
    batch_size : int >= 2, at most n
    learning_rate : float > 0
    steps : int >= 1
    record_every : int >= 1
    seed : int; these four, and the errors, as in ``train_language_model``

    Gao, Yao, Chen 2021, "SimCSE: Simple Contrastive Learning of Sentence Embeddings", section 3
    and equation 4. There the whole encoder is trained, and dropout is in all of its layers.
    Wang, Isola 2020, for alignment and uniformity.
    """
    need("encode", "torch")
    import torch

    rows = float_rows(X, at_least=1).astype(np.float64)
    n = len(rows)
    if head not in HEADS:
        raise ValueError(f"head must be one of {HEADS}; got {head!r}")
    if not 0 <= dropout < 1:
        raise TrainingError("dropout", value=dropout)
    if n < LEAST_SENTENCES:
        raise TrainingError("few_sentences", n=n, limit=LEAST_SENTENCES)
    if not 2 <= batch_size <= n:
        raise TrainingError("batch", n=n, value=batch_size)
    if count_distinct(rows, most=2) < 2:
        raise TrainingError("equal_vectors")
    if not (test.gold_scores > POSITIVE).any():
        raise TrainingError("no_positive", limit=POSITIVE)
    need_positive(steps=steps, record_every=record_every)
    need_positive(learning_rate=learning_rate, temperature=temperature)
    mean = rows.mean(axis=0) if centred else np.zeros(rows.shape[1])
    scale = float(np.sqrt(((rows - mean) ** 2).mean()))

    def entered(vectors: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(((vectors - mean) / scale).astype(np.float32))

    weight = torch.eye(rows.shape[1], requires_grad=True)
    bias = torch.zeros(rows.shape[1], requires_grad=True)

    def outputs(x: torch.Tensor) -> torch.Tensor:
        z = x @ weight.T + bias  # (n, d)
        return torch.tanh(z) if head == "tanh" else z

    generator = torch.Generator().manual_seed(seed)

    def masked(x: torch.Tensor) -> torch.Tensor:
        return x * (torch.rand(x.shape, generator=generator) >= dropout) / (1 - dropout)

    sentences, dev_in, test_in = map(entered, (rows, dev.sentences, test.sentences))
    optimizer = torch.optim.Adam([weight, bias], lr=learning_rate)

    def loss_of() -> tuple[torch.Tensor, torch.Tensor]:
        batch = sentences[torch.randperm(len(sentences), generator=generator)[:batch_size]]
        loss = contrastive_loss(outputs(masked(batch)), outputs(masked(batch)), temperature)
        return loss, loss

    def has_grown(losses: Sequence[float]) -> bool:
        return len(losses) > GRACE and float(np.mean(losses[-RECENT:])) > DIVERGED * losses[0]

    is_positive = test.gold_scores > POSITIVE
    for step, loss in recorded(loss_of, [optimizer], has_grown, learning_rate, steps, record_every):
        with torch.no_grad():
            of_dev, of_test = outputs(dev_in).numpy(), outputs(test_in).numpy()
        left, right = np.split(of_test, 2)
        yield ContrastiveStep(
            step,
            steps,
            loss,
            alignment=alignment(left[is_positive], right[is_positive]),
            uniformity=uniformity(of_test),
            mean_cosine=mean_cosine(of_test),
            spearman_dev=_spearman(of_dev, dev.gold_scores),
            spearman_test=_spearman(of_test, test.gold_scores),
            singular_values=np.linalg.svd(unit_rows(of_test), compute_uv=False),
            embeddings=of_test,
            weight=weight.detach().numpy().copy(),
            bias=bias.detach().numpy().copy(),
        )


def contrastive_loss(first: torch.Tensor, second: torch.Tensor, temperature: float) -> torch.Tensor:
    """The mean of -log softmax_j(cos(first_i, second_j) / temperature) at j = i.

    Row i of both is the same sentence. Gao, Yao, Chen 2021, "SimCSE", equation 4.

    Parameters
    ----------
    first : (b, d) tensor
    second : (b, d) tensor
    temperature : float > 0
    """
    import torch
    from torch.nn.functional import cross_entropy, normalize

    cosines = normalize(first, dim=1) @ normalize(second, dim=1).T  # (b, b)
    return cross_entropy(cosines / temperature, torch.arange(len(first)))


def _spearman(outputs: np.ndarray, gold_scores: np.ndarray) -> float:
    """Spearman of the cosines of pairs with their scores; NaN if all cosines are equal."""
    left, right = np.split(unit_rows(outputs), 2)
    try:
        return spearman(np.einsum("nd,nd->n", left, right), gold_scores)
    except UndefinedMeasure:
        return float("nan")
