"""Three small models trained step by step: a causal transformer, a text classifier, word2vec."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import need
from ..measure.cosines import mean_cosine
from .softmax import cosine_penalty
from .text import TrainingError, TrainingText, need_positive, training_text

if TYPE_CHECKING:
    import torch

    LossOf = Callable[[], tuple[torch.Tensor, torch.Tensor]]  # to report, to minimise

HEADS = 4
OPTIMIZERS = ("adam", "coupled-adam", "sgd")
PROBE_ROWS = 32  # sequences of the fixed places where hidden states are recorded
NEGATIVES = 5  # of word2vec
WINDOW = 5
POWER = 0.75  # exponent of the counts in the distribution of the negatives
DIVERGED = 3.0  # times the loss of the start at which a training has diverged
BETAS, EPSILON = (0.9, 0.999), 1e-8  # of Adam, as in torch
SGD_RATE, SGD_MOMENTUM = 0.3, 0.9  # of the rates 0.3, 1 and 3 the only one that trains


def train_language_model(
    text: TrainingText | None = None,
    *,
    gamma: float = 0.0,
    tied: bool = True,
    layer_norm: bool = True,
    width: int = 64,
    n_layers: int = 2,
    context: int = 32,
    batch_size: int = 32,
    optimizer: str = "adam",
    learning_rate: float = 3e-3,
    steps: int = 400,
    record_every: int = 10,
    seed: int = 0,
) -> Iterator[TrainingStep]:
    """Train a causal transformer and yield what becomes of its embeddings.

    for step in train_language_model():
        print(step.step, step.loss, step.mean_cosine_unseen)

    TrainingError for a setting out of range, a short text, or a loss that grows.

    Parameters
    ----------
    text : TrainingText, optional, by default ``training_text()``
    gamma : float >= 0
        Weight of the cosine penalty (CosReg) on the rows of the softmax.
    tied : bool
        Whether the rows of the softmax are the input embeddings. The softmax rows are recorded.
    layer_norm : bool
        Whether hidden states are normalised, before each part of a layer and at the end.
    width : int, a multiple of 4
    n_layers : int >= 1
    context : int >= 1, tokens of a sequence
    batch_size : int >= 1, sequences in a step
    optimizer : str
        One of OPTIMIZERS: the optimiser of the rows of the softmax. All other parameters are
        trained with Adam. "coupled-adam" divides every row by one second moment, the mean over
        the rows. "sgd" is gradient descent with momentum 0.9 and learning rate 0.3.
    learning_rate : float > 0, learning rate of Adam and of Coupled Adam
    steps : int >= 1
    record_every : int >= 1, steps between two records
    seed : int, one seed gives one result on one machine

    Gao et al. 2019, "Representation Degeneration Problem in Training Natural Language Generation
    Models": section 3 and figure 1 (a); section 5 for the penalty. Stollenwerk & Stollenwerk 2025,
    "Better Embeddings with Coupled Adam", section 4.
    """
    need("encode", "torch")
    import torch
    from torch.nn import functional as F

    text = text or training_text()
    need_positive(n_layers=n_layers, context=context, batch_size=batch_size)
    if width < HEADS or width % HEADS:
        raise TrainingError("width", value=width, factor=HEADS)
    if not gamma >= 0:
        raise TrainingError("negative", setting="gamma", value=gamma)
    if optimizer not in OPTIMIZERS:
        raise TrainingError("optimizer", value=optimizer, names=", ".join(OPTIMIZERS))
    tokens = torch.from_numpy(text.tokens)
    if len(tokens) < 2 * context:
        raise TrainingError("short_for_context", n=len(tokens), limit=2 * context)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = _transformer(len(text.words), width, n_layers, context, tied, layer_norm)
    rng = np.random.default_rng(seed)
    span = torch.arange(context + 1)

    def sequences(starts: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        rows = tokens[torch.from_numpy(starts)[:, None] + span]
        return rows[:, :-1], rows[:, 1:]

    def loss_of() -> tuple[torch.Tensor, torch.Tensor]:
        before, after = sequences(rng.integers(len(tokens) - context, size=batch_size))
        logits = model(before) @ model.softmax.T
        loss = F.cross_entropy(logits.flatten(0, 1), after.flatten())
        return loss, loss + gamma * cosine_penalty(model.softmax) if gamma else loss

    probe = np.linspace(0, len(tokens) - context - 1, PROBE_ROWS).astype(int)

    def hidden_of() -> tuple[np.ndarray, np.ndarray]:
        before, after = sequences(probe)
        with torch.no_grad():
            return model(before).flatten(0, 1).numpy(), after.flatten().numpy()

    trained = list(model.parameters())
    plan = (learning_rate, steps, record_every)
    yield from steps_of(text, model.softmax, trained, loss_of, *plan, optimizer, hidden_of)


def _transformer(
    n_words: int, width: int, n_layers: int, context: int, tied: bool, layer_norm: bool
) -> Any:
    """A causal transformer without dropout: (b, t) token numbers to (b, t, width) hidden states."""
    import torch
    from torch import nn
    from torch.nn import functional as F

    def normed() -> nn.Module:
        return nn.LayerNorm(width) if layer_norm else nn.Identity()

    class TransformerLayer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.before_attention, self.before_network = normed(), normed()
            self.queries_keys_values = nn.Linear(width, 3 * width)
            self.mixed = nn.Linear(width, width)
            self.network = nn.Sequential(
                nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
            )

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            b, t, _ = x.shape
            parts = self.queries_keys_values(self.before_attention(x))
            q, k, v = parts.view(b, t, 3, HEADS, width // HEADS).permute(2, 0, 3, 1, 4)
            attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.mixed(attended.transpose(1, 2).reshape(b, t, width))
            return x + self.network(self.before_network(x))

    class Transformer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Parameter(torch.randn(n_words, width) / width**0.5)
            self.places = nn.Parameter(torch.randn(context, width) / width**0.5)
            self.layers = nn.ModuleList(TransformerLayer() for _ in range(n_layers))
            self.last = normed()
            self.softmax = self.words
            if not tied:
                self.softmax = nn.Parameter(torch.randn(n_words, width) / width**0.5)

        def forward(self, tokens: torch.Tensor) -> torch.Tensor:
            x = F.embedding(tokens, self.words) + self.places[: tokens.shape[1]]
            for layer in self.layers:
                x = layer(x)
            return self.last(x)

    return Transformer()


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
    width : int >= 1, width of the word vectors
    context : int >= 1
    batch_size : int >= 1, passages in a step
    learning_rate : float > 0
    steps : int >= 1
    record_every : int >= 1
    seed : int; these four, and the errors, as in ``train_language_model``

    Joulin et al. 2017, "Bag of Tricks for Efficient Text Classification", section 2.
    Gao et al. 2019, figure 1 (c), has a classifier of other data.
    """
    need("encode", "torch")
    import torch
    from torch.nn import functional as F

    text = text or training_text()
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

    plan = (learning_rate, steps, record_every)
    yield from steps_of(text, words, [words, classes, offsets], loss_of, *plan)


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
    batch_size : int >= 1, pairs in a step
    learning_rate : float > 0
    steps : int >= 1
    record_every : int >= 1
    seed : int; these four, and the errors, as in ``train_language_model``

    Mikolov et al. 2013, "Distributed Representations of Words and Phrases and their
    Compositionality", equation 4. Gao et al. 2019, figure 1 (b).
    """
    need("encode", "torch")
    import torch
    from torch.nn import functional as F

    text = text or training_text()
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

    plan = (learning_rate, steps, record_every)
    yield from steps_of(text, centres, [centres, contexts], loss_of, *plan)


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
    #: (m, d) last hidden states at m fixed places of the text; m = 0 for a model that has none
    hidden: np.ndarray
    targets: np.ndarray  #: (m,) the next token at these places


def steps_of(
    text: TrainingText,
    embeddings: torch.Tensor,
    parameters: list[Any],
    loss_of: LossOf,
    learning_rate: float,
    n_steps: int,
    record_every: int,
    optimizer: str = "adam",
    hidden_of: Callable[[], tuple[np.ndarray, np.ndarray]] | None = None,
) -> Iterator[TrainingStep]:
    """Train with Adam, but ``embeddings`` with ``optimizer``; records states at fixed places."""
    import torch

    need_positive(steps=n_steps, record_every=record_every, learning_rate=learning_rate)
    others = [each for each in parameters if optimizer == "adam" or each is not embeddings]
    optimizers: list[torch.optim.Optimizer] = [torch.optim.Adam(others, lr=learning_rate)]
    if optimizer == "coupled-adam":
        optimizers.append(coupled_adam(embeddings, learning_rate))
    elif optimizer == "sgd":
        optimizers.append(torch.optim.SGD([embeddings], lr=SGD_RATE, momentum=SGD_MOMENTUM))

    def has_grown(losses: Sequence[float]) -> bool:
        return losses[-1] > DIVERGED * losses[0]

    plan = learning_rate, n_steps, record_every
    for step, loss in recorded(loss_of, optimizers, has_grown, *plan):
        E = embeddings.detach().numpy().copy()
        rows = {"unseen": text.unseen(), "rare": text.rare(), "frequent": text.frequent()}
        measured: dict[str, Any] = {}
        for name, part in rows.items():
            measured[f"mean_cosine_{name}"] = mean_cosine(E[part])
            measured[f"norm_{name}"] = float(np.linalg.norm(E[part], axis=1).mean())
        sizes = np.linalg.svd(E.astype(np.float64), compute_uv=False)
        hidden = np.empty((0, 0), dtype=np.float32)
        targets = np.empty(0, dtype=int)
        if hidden_of is not None:
            hidden, targets = hidden_of()
        measured |= {"singular_values": sizes, "hidden": hidden, "targets": targets}
        yield TrainingStep(step, n_steps, loss, E, **measured)


def recorded(
    loss_of: LossOf,
    optimizers: Sequence[torch.optim.Optimizer],
    has_grown: Callable[[Sequence[float]], bool],
    learning_rate: float,
    n_steps: int,
    record_every: int,
) -> Iterator[tuple[int, float]]:
    """Train; at the start, every ``record_every``-th step and the last: (step, mean loss since)."""
    losses: list[float] = []
    start = 0
    for step in range(n_steps + 1):
        reported, minimised = loss_of()
        losses.append(float(reported.detach()))
        if not math.isfinite(losses[-1]) or has_grown(losses):
            raise TrainingError("diverged", step=step, learning_rate=learning_rate)
        if step % record_every == 0 or step == n_steps:
            yield step, float(np.mean(losses[start:]))
            start = len(losses)
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
            self.n = 0
            self.first = torch.zeros_like(rows)
            self.second = torch.zeros(rows.shape[1])

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
