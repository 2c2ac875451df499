"""Every pooling against loops over real tokens, with the padding on either side."""

import numpy as np
import pytest
import torch

from geometry.encode.pool import POOLINGS, check_pooling

LENGTHS = (5, 1, 3, 4)
WIDEST, DIMENSION = 5, 7


def padded(side: str, *, filler: float = 1e6) -> tuple[torch.Tensor, torch.Tensor]:
    """(H (b, L, d), mask (b, L)): the same tokens whichever side the filler lies on."""
    rng = np.random.default_rng(0)
    H = torch.full((len(LENGTHS), WIDEST, DIMENSION), filler)
    mask = torch.zeros((len(LENGTHS), WIDEST), dtype=torch.long)
    for row, length in enumerate(LENGTHS):
        start = WIDEST - length if side == "left" else 0
        tokens = rng.standard_normal((length, DIMENSION)).astype(np.float32)
        H[row, start : start + length] = torch.from_numpy(tokens)
        mask[row, start : start + length] = 1
    return H, mask


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


def test_there_are_six():
    assert set(POOLINGS) == {"cls", "mean", "max", "min", "last", "weighted"}


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("name", POOLINGS)
def test_a_pooling_is_its_loop(name, side):
    H, mask = padded(side)
    pooled = POOLINGS[name](H, mask)
    assert pooled.shape == (len(LENGTHS), DIMENSION)
    assert pooled.dtype == torch.float32
    # the loop adds in another order: a few float32 roundings
    np.testing.assert_allclose(pooled.numpy(), by_loop(name, H, mask), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", POOLINGS)
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


@pytest.mark.parametrize("name", POOLINGS)
def test_the_side_of_the_padding_does_not_matter(name):
    right, left = (POOLINGS[name](*padded(side)) for side in ("right", "left"))
    torch.testing.assert_close(right, left, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", POOLINGS)
def test_one_token_is_its_own_pooling(name):
    H, mask = padded("left")
    torch.testing.assert_close(POOLINGS[name](H, mask)[1], H[1, -1])


@pytest.mark.parametrize("name", ["median", "", "MEAN", "masked"])
def test_an_unknown_name_lists_those_that_exist(name):
    with pytest.raises(ValueError, match="cls, mean, max, min, last, weighted"):
        check_pooling(name)


def test_a_known_name_is_given_back():
    assert [check_pooling(name) for name in POOLINGS] == list(POOLINGS)
