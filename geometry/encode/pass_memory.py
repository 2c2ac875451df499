"""How many tokens of one text a model can read within a limit of memory.

Attention has a number for every pair of tokens unless a fast kernel computes it, and 8,192 tokens
have 67 million pairs. Which kernel runs is not in the settings, so it is measured on short texts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

    from .architecture import TransformerStates
    from .word_table import WordStates

    Model = TransformerStates | WordStates

PASS_BYTES = 2_000_000_000  # bytes of one pass, besides the weights
SHORT = 512  # tokens, which take little memory in any model
STEP = 5  # tokens; the texts have one, two and three times as many
COPIES = 3  # copies of the largest array at the same time: scores, their mask, their softmax


def longest_text(model: Model) -> int:
    """The number of tokens whose pass takes PASS_BYTES, for a model that reads SHORT or more.

    An array of a + b L + c L^2 bytes at L tokens has c = (f(3 s) - 2 f(2 s) + f(s)) / (2 s^2).
    """
    import torch

    ids = torch.full((1, 3 * STEP), len(model.input_embeddings()) // 2)  # no special token
    sizes = [_array_bytes(model, ids[:, : n * STEP]) for n in (1, 2, 3)]
    if len(set(map(len, sizes))) > 1:  # Mamba reads one token after the other
        fixed = set.intersection(*map(set, sizes))
        sizes = [[max(set(each) - fixed, default=0)] for each in sizes]
    c = COPIES * max(
        (long - 2 * middle + short) / (2 * STEP**2)
        for short, middle, long in zip(*sizes, strict=True)
    )
    b = sum(state.nbytes for state in _pass(model, ids)) / ids.numel()
    return max(1, int(2 * PASS_BYTES / (b + math.sqrt(b * b + 4 * max(c, 0) * PASS_BYTES))))


def _pass(model: Model, ids: Tensor) -> tuple[Tensor, ...]:
    import torch

    with torch.no_grad():
        return model(ids, torch.ones_like(ids))


def _array_bytes(model: Model, ids: Tensor) -> list[int]:
    """The bytes of every array that a pass makes, in order."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    found: list[int] = []

    class Noting(TorchDispatchMode):
        def __torch_dispatch__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            made = function(*args, **(kwargs or {}))
            for each in made if isinstance(made, tuple | list) else (made,):
                if isinstance(each, torch.Tensor) and each.layout is torch.strided:
                    found.append(each.untyped_storage().nbytes())  # a view takes nothing more
            return made

    with Noting():
        _pass(model, ids)
    return found
