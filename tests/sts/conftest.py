"""STS-B through the bundled encoder, once for all tests that measure on it."""

import functools
from collections.abc import Callable

import numpy as np
import pytest

from geometry import load_encoder, read_pairs
from geometry.data.pairs import Pairs


@pytest.fixture(scope="session")
def sts(shared_data) -> Callable[[str], Pairs]:
    """sts("test"): the pairs of one part; "train" is the other."""
    return functools.cache(lambda part: read_pairs(shared_data(f"stsb/sts-{part}.csv")))


@pytest.fixture(scope="session")
def sts_layers(sts) -> Callable[[str], dict[str, np.ndarray]]:
    """sts_layers("test"): {pooling: (7, 2 * pairs, 384)}, the left sentences, then the right ones.

    Of "train", four times as many, cls and mean only.
    """

    @functools.cache
    def encode(part: str) -> dict[str, np.ndarray]:
        pairs = sts(part)
        poolings = ("cls", "mean") if part == "train" else ("cls", "mean", "max")
        return load_encoder().encode_layers([*pairs.left, *pairs.right], poolings=poolings)

    return encode
