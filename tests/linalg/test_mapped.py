"""Memory maps are unloaded only where that loses nothing."""

import numpy as np
import pytest

from geometry.linalg.mapped import _map_of, let_go
from geometry.transform.whiten import Whitening


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "rows.f32"
    np.random.default_rng(0).standard_normal((4000, 8)).astype(np.float32).tofile(path)
    return path


def rows(path, mode: str) -> np.memmap:
    return np.memmap(path, dtype=np.float32, mode=mode, shape=(4000, 8))


def test_a_map_that_is_only_read_is_found_through_its_views(path):
    X = rows(path, "r")
    for part in (X, X[100:200], X.T, np.asarray(X)[5:], X[:, 3]):
        assert _map_of(part) is X._mmap


@pytest.mark.parametrize("mode", ["c", "r+"])
def test_changes_to_a_map_are_kept(path, mode):
    X = rows(path, mode)
    X[7] = 5
    assert _map_of(X[:10]) is None
    Whitening().partial_fit(X[:10])
    let_go(X)
    assert (X[7] == 5).all()


def test_arrays_in_memory_are_left_alone(path):
    X = np.array(rows(path, "r"))
    X.flags.writeable = False
    assert _map_of(X) is None
    let_go(X[3:])


def test_values_come_back(path):
    X = rows(path, "r")
    before = np.array(X)
    whole = Whitening("zca").fit(before)
    parts = Whitening("zca")
    for start in range(0, 4000, 500):
        parts.partial_fit(X[start : start + 500])
    np.testing.assert_array_equal(X, before)
    np.testing.assert_allclose(parts.transform(X), whole.transform(before), atol=1e-4)
