"""Products by blocks of rows are those of whole arrays."""

import numpy as np
import pytest

from geometry.linalg import products
from geometry.linalg.products import centred_product


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 7, 8, 50])
def test_centred_product_by_blocks(monkeypatch, n, dtype):
    monkeypatch.setattr(products, "BLOCK_ROWS", 7)
    rng = np.random.default_rng(n)
    X, shift, W = (rng.standard_normal(s).astype(dtype) for s in ((n, 5), (5,), (5, 3)))
    Z = centred_product(X, shift, W)
    assert Z.dtype == dtype
    np.testing.assert_allclose(Z, (X - shift) @ W, atol=1e-6)
