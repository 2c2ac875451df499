"""Ranks of real clouds: null directions from LayerNorm, pooling and few sentences."""

import numpy as np
import pytest

from geometry.linalg.products import sums_in_float32
from geometry.transform.whiten import Whitening
from geometry.transform.whitening_map import METHODS

pytestmark = [pytest.mark.model, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def layers(sts, sts_layers):
    """{pooling: (7, n, d)} of the distinct sentences of STS-B test."""
    pairs = sts("test")
    _, distinct = np.unique([*pairs.left, *pairs.right], return_index=True)
    return {pooling: X[:, distinct] for pooling, X in sts_layers("test").items()}


@pytest.fixture(scope="module")
def many(layers):
    """15 times as many rows of layer 4, so that float32 products are tried.

    Each row is the mean of two random sentences, so every null direction remains.
    """
    X = layers["mean"][4]
    rng = np.random.default_rng(0)
    left, right = rng.integers(0, len(X), (2, 15 * len(X)))
    return (X[left] + X[right]) / np.float32(2)


@pytest.mark.parametrize("method", METHODS)
def test_a_layer_norm_takes_a_direction(layers, method):
    assert Whitening(method).fit(layers["mean"][4]).rank_ == 383


def test_float32_products_keep_the_rank(many):
    assert sums_in_float32(many) is not None
    fitted = Whitening("zca").fit(many)
    assert fitted.rank_ == 383
    exact = Whitening("zca").fit(many.astype(np.float64))
    np.testing.assert_allclose(fitted.eigenvalues_[:383], exact.eigenvalues_[:383], rtol=1e-4)
    stream = Whitening("zca")
    for start in range(0, len(many), 8192):
        stream.partial_fit(many[start : start + 8192])
    assert stream.rank_ == 383
    np.testing.assert_allclose(stream.eigenvalues_[:383], exact.eigenvalues_[:383], rtol=1e-4)
