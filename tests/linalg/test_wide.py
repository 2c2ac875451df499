"""Large products by oneDNN: the same numbers, and only where they are faster and as exact."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from threadpoolctl import threadpool_limits

from geometry.linalg import wide
from geometry.linalg.linear import can_pack
from geometry.transform.whitening_map import WIDE_ROWS, WhiteningMap

N, D = 2 * WIDE_ROWS + 300, 48


@pytest.fixture
def narrowed(monkeypatch):
    """A processor that numpy's BLAS takes for an older one, and no product too small."""
    if not (torch.backends.mkldnn.is_available() and can_pack()):
        pytest.skip("this torch has no oneDNN")
    monkeypatch.setattr(wide, "LEAST_WORK", 0)
    monkeypatch.setattr(wide, "blas_kernels", lambda: {"Haswell"})
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX512")
    with threadpool_limits(max(2, torch.get_num_threads()), user_api="blas"):
        yield monkeypatch


def cloud(dtype: type = np.float32) -> np.ndarray:
    rng = np.random.default_rng(0)
    return (rng.standard_normal((N, D)) * np.geomspace(1, 0.1, D) + 3).astype(dtype)


W = np.random.default_rng(1).standard_normal((D, 5)).astype(np.float32)


def test_rows_times_a_matrix(narrowed):
    rows = cloud()[:100]
    out = np.empty((100, 5), dtype=np.float32)
    wide.wide_product(W, N)(rows, out)
    exact = rows.astype(np.float64) @ W
    np.testing.assert_allclose(out, exact, atol=1e-6 * np.abs(rows).max() * D)


@pytest.mark.parametrize("method", ["pca", "zca", "cholesky", "pca-cor", "zca-cor"])
def test_whitened_rows_are_those_of_numpys_products(narrowed, method):
    X = cloud()
    fitted = WhiteningMap.of(X, method=method, n_components=D // 2)
    taken = []
    narrowed.setattr(
        "geometry.transform.whitening_map.wide_product",
        lambda W, n: taken.append(n) or wide.wide_product(W, n),
    )
    ours = fitted.apply(X)
    narrowed.setattr("geometry.transform.whitening_map.wide_product", lambda W, n: None)
    np.testing.assert_allclose(ours, fitted.apply(X), atol=1e-4)
    assert ours.dtype == np.float32
    assert taken == [N]


def test_whatever_holds_the_rows(narrowed, recwarn):
    X = cloud()
    fitted = WhiteningMap.of(X)
    expected = fitted.apply(X)
    only_read = X.copy()
    only_read.flags.writeable = False
    for other in (only_read, np.asfortranarray(X), X[::-1][::-1], np.repeat(X, 2, axis=1)[:, ::2]):
        np.testing.assert_array_equal(fitted.apply(other), expected)
    assert not recwarn.list


def test_nan_in_any_block_is_refused_and_large_numbers_are_not(narrowed):
    X = cloud()
    fitted = WhiteningMap.of(X)
    for row in (0, WIDE_ROWS - 1, N - 1):
        broken = X.copy()
        broken[row, 2] = np.nan
        with pytest.raises(ValueError, match=f"row {row} holds NaN"):
            fitted.apply(broken)
    large = X.copy()
    large[5] = 1e25  # its square is no float32
    assert np.isfinite(fitted.apply(large)).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("geometry.linalg.wide.LEAST_WORK", 1e10),
        ("geometry.linalg.wide.blas_kernels", lambda: {"Haswell", "SkylakeX"}),
        ("geometry.linalg.wide.blas_kernels", set),
        ("geometry.linalg.wide.can_pack", lambda: False),
        ("torch.backends.cpu.get_cpu_capability", lambda: "AVX2"),
        ("torch.backends.mkldnn.is_available", lambda: False),
    ],
)
def test_numpy_multiplies_where_that_is_as_fast(narrowed, name, value):
    assert wide.wide_product(W, N) is not None
    narrowed.setattr(name, value)
    assert wide.wide_product(W, N) is None


def test_numpy_multiplies_float64_and_where_torch_would_take_more_threads(narrowed):
    assert wide.wide_product(W.astype(np.float64), N) is None
    narrowed.setattr(torch, "get_num_threads", lambda: 2)
    with threadpool_limits(1, user_api="blas"):
        assert wide.wide_product(W, N) is None


def test_numpy_multiplies_where_torch_was_told_to_round(narrowed):
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        assert wide.wide_product(W, N) is None
    finally:
        torch.set_float32_matmul_precision(before)
    assert wide.wide_product(W, N) is not None


def test_numpy_multiplies_where_torch_may_not_be_loaded(narrowed):
    narrowed.setitem(sys.modules, "torch", None)
    assert wide.wide_product(W, N) is None


def test_torch_is_not_loaded_for_it():
    code = (
        "import sys, numpy as np\n"
        "from geometry.linalg import wide\nfrom geometry.transform import WhiteningMap\n"
        "wide.LEAST_WORK = 0\n"
        "X = np.random.default_rng(0).standard_normal((5000, 8)).astype('f4')\n"
        "WhiteningMap.of(X).apply(X)\n"
        "print('torch' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"
