"""Every pooling by hand and as a property: padding never changes a result."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from geometry.encode.pool import POOLINGS
from tests.clouds import seeds
from tests.for_each import for_each


def by_loop(name: str, H: torch.Tensor, mask: torch.Tensor) -> list[list[float]]:
    pooled = []
    for row in range(len(H)):
        tokens = [H[row, i].tolist() for i in range(H.shape[1]) if mask[row, i] == 1]
        columns = list(zip(*tokens, strict=True))
        pooled.append(
            {
                "cls": tokens[0],
                "last": tokens[-1],
                "mean": [sum(column) / len(column) for column in columns],
                "max": [max(column) for column in columns],
                "min": [min(column) for column in columns],
                "weighted": [
                    sum(i * value for i, value in enumerate(column, start=1))
                    / sum(range(1, len(column) + 1))
                    for column in columns
                ],
            }[name]
        )
    return pooled


@for_each("name", POOLINGS)
def test_worked_by_hand(name):
    H = torch.tensor([[[1.0, -2], [3, 4], [5, -9], [99, 99]]])
    mask = torch.tensor([[1, 1, 1, 0]])
    expected = {
        "cls": [1, -2],
        "last": [5, -9],
        "mean": [3, -7 / 3],
        "max": [5, 4],
        "min": [1, -9],
        "weighted": [22 / 6, -21 / 6],  # (1 + 2 · 3 + 3 · 5) / 6, (-2 + 2 · 4 - 3 · 9) / 6
    }
    np.testing.assert_allclose(POOLINGS[name](H, mask)[0], expected[name], rtol=1e-6)


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
    # A longer sum may be computed in another order.
    assert_close(pooled(name, H, before, after, filler), alone, rtol=1e-5, atol=1e-6)
