"""The softmax over a vocabulary: the cosine penalty, and the two parts of a token's gradient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch


def cosine_penalty(embeddings: torch.Tensor) -> torch.Tensor:
    """The mean of the cosines of all pairs of different rows (n, d), times (n - 1)/n.

    It is computed as (|sum of unit rows|^2 - n) / n^2, without an n x n matrix.
    Gao et al. 2019, "Representation Degeneration Problem in Training Natural Language Generation
    Models", section 5 (CosReg).
    """
    from torch.nn.functional import normalize

    n = len(embeddings)
    total = normalize(embeddings, dim=1).sum(dim=0)
    return (total @ total - n) / n**2


@dataclass(frozen=True)
class TokenGradient:
    """The negative gradient of the mean loss along one token's vector, in two parts."""

    #: (d,) from the places where the token is the next one: towards their hidden states
    pull: np.ndarray
    push: np.ndarray  #: (d,) from all other places: away from their hidden states
    n_pull: int  #: places where the token is the next one; 0, as the pull, if it never occurs


def token_gradient(
    hidden: np.ndarray, targets: np.ndarray, embeddings: np.ndarray, token: int
) -> TokenGradient:
    """How the mean loss -log softmax(h W')[target] moves the vector of one token.

    Parameters
    ----------
    hidden : (n, d) array, hidden states
    targets : (n,) array of int, the next token at each place
    embeddings : (v, d) array, the rows of the softmax
    token : int

    Gao et al. 2019, section 4: tokens that never occur have the push alone, rare ones both.
    """
    [found] = token_gradients(hidden, targets, embeddings, [token])
    return found


def token_gradients(
    hidden: np.ndarray, targets: np.ndarray, embeddings: np.ndarray, tokens: Sequence[int]
) -> list[TokenGradient]:
    """``token_gradient`` of several tokens, with one softmax for all."""
    hidden, embeddings = (np.asarray(each, dtype=np.float64) for each in (hidden, embeddings))
    logits = hidden @ embeddings.T
    logits -= logits.max(axis=1, keepdims=True)
    np.exp(logits, out=logits)
    shares = logits[:, tokens] / logits.sum(axis=1, keepdims=True)  # (n, tokens)
    found = []
    for token, share in zip(tokens, shares.T, strict=True):
        is_next = np.asarray(targets) == token
        pull = (1 - share[is_next]) @ hidden[is_next] / len(hidden)
        push = -share[~is_next] @ hidden[~is_next] / len(hidden)
        found.append(TokenGradient(pull, push, int(is_next.sum())))
    return found


# ---- a softmax in two dimensions: twelve hidden states, four tokens, and what moves them ----

# angles, by side, and lengths of the hidden states, and the tokens at the start
DEGREES = {
    "one-sided": [5, 12, 20, 28, 35, 42, 58, 66, 74, 82, 90, 50],
    "around": [-30, -10, 10, 30, 50, 70, 130, 150, 170, 190, 210, 270],
}
LENGTHS = np.array([1.2, 0.9, 1.4, 1.1, 0.8, 1.3, 1.2, 0.9, 1.4, 1.0, 1.2, 1.1])
TOKENS = 0.8 * np.array([[1.0, 0.2], [-0.2, 1.0], [-1.0, -0.2], [0.2, -1.0]])
NAMES = ("a", "b", "c", "d")  # d never occurs
TARGETS = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2])  # c occurs once
RATE = 1.0
MOST_STEPS = 100


@dataclass(frozen=True)
class SoftmaxToy:
    """The state after some steps of gradient descent on the tokens; hidden states stay."""

    hidden: np.ndarray  # (12, 2)
    tokens: np.ndarray  # (4, 2)
    pull: np.ndarray  # (4, 2), and the push: the two parts of the negative gradient, by token
    push: np.ndarray  # (4, 2)
    path: np.ndarray  # (steps + 1, 4, 2), the tokens so far

    @classmethod
    def after(cls, steps: int, side: str = "one-sided") -> SoftmaxToy:
        """The state after so many steps; with "around" the hull of hidden states has the origin."""
        angles = np.radians(DEGREES[side])
        hidden = LENGTHS[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        tokens, path = TOKENS, []
        for _ in range(steps + 1):
            path.append(tokens)
            found = token_gradients(hidden, TARGETS, tokens, range(len(tokens)))
            pull = np.stack([each.pull for each in found])
            push = np.stack([each.push for each in found])
            tokens = tokens + RATE * (pull + push)
        return cls(hidden, path[-1], pull, push, np.stack(path))
