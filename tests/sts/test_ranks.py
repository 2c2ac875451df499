"""Ranks of real clouds: null directions from LayerNorm, pooling and few sentences."""

import numpy as np
import pytest

from geometry.transform.whiten import Whitening
from geometry.transform.whitening_map import METHODS

pytestmark = [pytest.mark.model, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def layers(sts, sts_layers):
    """{pooling: (7, n, d)} of the distinct sentences of STS-B test."""
    pairs = sts("test")
    _, distinct = np.unique([*pairs.left, *pairs.right], return_index=True)
    return {pooling: X[:, distinct] for pooling, X in sts_layers("test").items()}


@pytest.mark.parametrize("method", METHODS)
def test_a_layer_norm_takes_a_direction(layers, method):
    assert Whitening(method).fit(layers["mean"][4]).rank_ == 383
