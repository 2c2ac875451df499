"""A pooling sees tokens and nothing else: not the padding, its side, its length or its content."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from geometry.encode.pool import POOLINGS
from tests.clouds import seeds

fillers = st.sampled_from([0.0, -1e30, 1e30, float("inf"), float("-inf"), float("nan")])


def tokens(seed: int, length: int, d: int = 5) -> torch.Tensor:
    rng = np.random.default_rng(seed)
    return torch.from_numpy(rng.standard_normal((length, d)).astype(np.float32))


def pooled(name: str, H: torch.Tensor, before: int, after: int, filler: float) -> torch.Tensor:
    """One text with that much padding on each side, (d,)."""
    blank = torch.full((1, 1, H.shape[1]), filler)
    padded = torch.cat([blank.expand(1, before, -1), H[None], blank.expand(1, after, -1)], dim=1)
    mask = torch.tensor([[0] * before + [1] * len(H) + [0] * after])
    return POOLINGS[name](padded, mask)[0]


@pytest.mark.parametrize("name", POOLINGS)
@given(
    seed=seeds,
    length=st.integers(1, 9),
    before=st.integers(0, 6),
    after=st.integers(0, 6),
    filler=fillers,
)
def test_padding_changes_nothing(name, seed, length, before, after, filler):
    H = tokens(seed, length)
    alone = pooled(name, H, 0, 0, 0.0)
    # a longer sum may be added up in another order
    assert_close(pooled(name, H, before, after, filler), alone, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", POOLINGS)
@given(seed=seeds, lengths=st.lists(st.integers(1, 8), min_size=1, max_size=6), left=st.booleans())
def test_the_company_in_a_batch_changes_nothing(name, seed, lengths, left):
    widest = max(lengths)
    texts = [tokens(seed + row, length) for row, length in enumerate(lengths)]
    H = torch.zeros((len(lengths), widest, 5))
    mask = torch.zeros((len(lengths), widest), dtype=torch.long)
    for row, text in enumerate(texts):
        place = slice(widest - len(text), widest) if left else slice(0, len(text))
        H[row, place], mask[row, place] = text, 1
    together = POOLINGS[name](H, mask)
    for row, text in enumerate(texts):
        assert_close(together[row], pooled(name, text, 0, 0, 0.0), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["mean", "max", "min"])
@given(seed=seeds, length=st.integers(2, 9))
def test_order_of_tokens_does_not_matter(name, seed, length):
    H = tokens(seed, length)
    shuffled = H[torch.from_numpy(np.random.default_rng(seed).permutation(length))]
    assert_close(
        pooled(name, shuffled, 0, 0, 0.0), pooled(name, H, 0, 0, 0.0), rtol=1e-5, atol=1e-6
    )


@given(seed=seeds, length=st.integers(1, 9))
def test_mean_lies_between_min_and_max(seed, length):
    low, mean, high = (
        pooled(name, tokens(seed, length), 0, 2, 0.0) for name in ("min", "mean", "max")
    )
    assert bool((low <= mean + 1e-6).all() and (mean <= high + 1e-6).all())
