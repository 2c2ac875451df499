"""From token vectors to one vector a text. No pooling reads the padding.

H (b, L, d) are hidden states. mask (b, L) is 1 on tokens and 0 on padding, on either side; the
caller decides whether special tokens count. Every pooling returns (b, d).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

DEFAULT_POOLING = "mean"


def pool_cls(H: Tensor, mask: Tensor) -> Tensor:
    """The first real token: position 0, or the first after padding on the left."""
    return _at(H, mask.argmax(dim=1))


def pool_last(H: Tensor, mask: Tensor) -> Tensor:
    """The last real token ([SEP] for BERT, the end of the text for a decoder)."""
    from_right = mask.flip(1).argmax(dim=1)
    return _at(H, mask.shape[1] - 1 - from_right)


def pool_mean(H: Tensor, mask: Tensor) -> Tensor:
    # filled, not multiplied by 0: the padding may contain NaN
    tokens = H.masked_fill(mask.unsqueeze(-1) == 0, 0.0)
    return tokens.sum(dim=1) / mask.sum(dim=1, keepdim=True)


def pool_max(H: Tensor, mask: Tensor) -> Tensor:
    return H.masked_fill(mask.unsqueeze(-1) == 0, float("-inf")).amax(dim=1)


def pool_min(H: Tensor, mask: Tensor) -> Tensor:
    return H.masked_fill(mask.unsqueeze(-1) == 0, float("inf")).amin(dim=1)


def pool_weighted(H: Tensor, mask: Tensor) -> Tensor:
    """Mean over tokens with weights i / sum of i, i = 1, 2, …; Muennighoff (2022, SGPT)."""
    places = mask.cumsum(1) * mask  # (b, L): 1, 2, … on tokens, 0 on padding
    tokens = H.masked_fill(mask.unsqueeze(-1) == 0, 0.0)
    return (tokens * places.unsqueeze(-1)).sum(dim=1) / places.sum(dim=1, keepdim=True)


def pool_mean_sqrt_len(H: Tensor, mask: Tensor) -> Tensor:
    """Sum over tokens divided by the square root of their number."""
    return pool_mean(H, mask) * mask.sum(dim=1, keepdim=True).sqrt()


def _at(H: Tensor, places: Tensor) -> Tensor:
    return H.take_along_dim(places[:, None, None], dim=1)[:, 0]


POOLINGS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "cls": pool_cls,
    "mean": pool_mean,
    "max": pool_max,
    "min": pool_min,
    "last": pool_last,
    "weighted": pool_weighted,
}
OWN = "own"  # the output that a sentence-transformers folder defines: see own_output.py
POOLING_NAMES = {  # for readers; pages translate them
    "cls": "[CLS]",
    "mean": "mean",
    "max": "max",
    "min": "min",
    "last": "last token",
    "weighted": "weighted by position (decoders)",
    OWN: "the model's own output",
}


def as_poolings(names: str | Sequence[str]) -> tuple[str, ...]:
    """The names, checked and without repeats; one string is one name. ValueError for none."""
    listed = (names,) if isinstance(names, str) else tuple(names)
    if not listed:
        raise ValueError(f"no pooling is named; choose from {', '.join(POOLINGS)}")
    return tuple(dict.fromkeys(map(check_pooling, listed)))


def check_pooling(name: str) -> str:
    """The name itself. ValueError if it is unknown, or "own", which pools the last layer only."""
    if name == OWN:
        raise ValueError(
            f'pooling "{OWN}" is what a model makes of its last layer, and this pools every '
            f'layer. Choose from {", ".join(POOLINGS)}, or call encode(texts, pooling="{OWN}")'
        )
    if name not in POOLINGS:
        raise ValueError(f"pooling must be one of {', '.join(POOLINGS)}; got {name!r}")
    return name
