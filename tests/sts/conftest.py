"""STS-B through the bundled encoder, once for all tests that measure on it."""

import functools
from collections.abc import Callable

import numpy as np
import pytest

from geometry import load_encoder, read_pairs
from geometry.data.pairs import Pairs
from geometry.evaluate import Grid, evaluate_grid
from geometry.evaluate.bootstrap import resamples_of

TREATMENTS = ("none", "pca:128", "pca")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The training set has 10,518 sentences: what is fitted on it runs in `make test-long`."""
    for item in items:
        if "fit_on_train" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session")
def sts(shared_data) -> Callable[[str], Pairs]:
    """sts("test"): the pairs of one part; "train" is the other."""
    return functools.cache(lambda part: read_pairs(shared_data(f"stsb/sts-{part}.csv")))


@pytest.fixture(scope="session")
def pairs(sts) -> Pairs:
    return sts("test")


@pytest.fixture(scope="session")
def sts_layers(sts) -> Callable[[str], dict[str, np.ndarray]]:
    """sts_layers("test"): {pooling: (7, 2 * pairs, 384)}, the left sentences, then the right ones.

    For "train", which is four times as large, only cls and mean.
    """

    @functools.cache
    def encode(part: str) -> dict[str, np.ndarray]:
        pairs = sts(part)
        poolings = ("cls", "mean") if part == "train" else ("cls", "mean", "max")
        return load_encoder().encode_layers([*pairs.left, *pairs.right], poolings=poolings)

    return encode


@pytest.fixture(scope="session")
def fit_on_train(sts, sts_layers) -> dict[str, np.ndarray]:
    """{pooling: (7, 10518, 384)}: the distinct training sentences."""
    train = sts("train")
    _, distinct = np.unique([*train.left, *train.right], return_index=True)
    return {pooling: X[:, distinct] for pooling, X in sts_layers("train").items()}


@pytest.fixture(scope="session")
def grids(sts, sts_layers, fit_on_train) -> dict[str, Grid]:
    """Mean pooling with intervals from 1,000 draws, by the set that was fitted on."""
    gold, vectors = sts("test").gold_scores, {"mean": sts_layers("test")["mean"]}
    how = {"treatments": TREATMENTS, "bootstrap": resamples_of(sts("test"))}
    fit = {"mean": fit_on_train["mean"]}
    return {
        "test": evaluate_grid(vectors, gold, layers=[1, 4, 5, 6], **how),
        "train": evaluate_grid(
            vectors,
            gold,
            layers=[5, 6],
            fit_vectors=fit,
            fit_on="train",
            **how,
        ),
    }
