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
    """The negative gradient of the mean loss along one token's vector, in two parts.

    Attributes
    ----------
    pull : (d,) array
        From the places where the token is the next one: towards their hidden states.
    push : (d,) array
        From all other places: away from their hidden states.
    n_pull : int
        Places where the token is the next one. For a token that never occurs it is 0, and so is
        the pull.
    """

    pull: np.ndarray
    push: np.ndarray
    n_pull: int


def token_gradient(
    hidden: np.ndarray, targets: np.ndarray, embeddings: np.ndarray, token: int
) -> TokenGradient:
    """How the mean loss -log softmax(h W')[target] moves the vector of one token.

    Parameters
    ----------
    hidden : (n, d) array
        Hidden states.
    targets : (n,) array of int
        The next token at each place.
    embeddings : (v, d) array
        The rows of the softmax.
    token : int

    References
    ----------
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
