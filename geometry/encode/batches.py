"""Texts of a kind together: batches by token budget, padded to a rectangle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..hub.model_errors import ModelFilesError

if TYPE_CHECKING:
    from torch import Tensor


class Pieces(Protocol):
    """One text as a model reads it: what a tokenizer's Encoding has too."""

    @property
    def ids(self) -> list[int]: ...

    @property
    def tokens(self) -> list[str]: ...

    @property
    def special_tokens_mask(self) -> list[int]: ...


def batches_by_tokens(lengths: Sequence[int], budget: int) -> Iterator[np.ndarray]:
    """Row indices, longest first, cut so that rows x longest stays within ``budget``.

    A single row longer than the budget is a batch of its own.
    """
    order = np.argsort(-np.asarray(lengths), kind="stable")
    start = 0
    while start < len(order):
        size = max(1, budget // max(1, lengths[order[start]]))
        yield order[start : start + size]
        start += size


def rectangle(texts: Sequence[Pieces], pad_id: int) -> tuple[Tensor, Tensor, Tensor]:
    """(ids, mask, ordinary), each (b, L): mask is 1 on tokens, ordinary on those not special.

    Always padded on the right, whichever side the tokenizer's settings name: there a token's
    position is its own, and a decoder's token never sees what stands after it, so that every
    architecture gives the vector that the text has alone. On the left, GPT-2 and BERT would
    count their positions through the padding.
    """
    import torch

    longest = max(len(text.ids) for text in texts)
    ids = np.full((len(texts), longest), pad_id, dtype=np.int64)
    mask = np.zeros_like(ids)
    ordinary = np.zeros_like(ids)
    for row, text in enumerate(texts):
        n = len(text.ids)
        ids[row, :n] = text.ids
        mask[row, :n] = 1
        ordinary[row, :n] = 1 - np.array(text.special_tokens_mask, dtype=np.int64)
    return torch.from_numpy(ids), torch.from_numpy(mask), torch.from_numpy(ordinary)


def need_known_ids(ids: Tensor, n_types: int, *, name: str) -> None:
    """Raise ModelFilesError where the tokenizer wrote an id that the model has no row for."""
    highest = int(ids.max())
    if highest >= n_types:
        raise ModelFilesError(
            "wrong_architecture",
            because="foreign_tokenizer",
            name=name,
            token=highest,
            tokens=n_types,
        )


def need_ordinary_tokens(texts: Sequence[Pieces]) -> None:
    """Raise ValueError naming the first text that has special tokens only."""
    for place, text in enumerate(texts):
        if all(text.special_tokens_mask):
            raise ValueError(
                f"text {place} has special tokens only, so without them there is nothing to "
                "encode; leave it out or pass special_tokens=True"
            )
