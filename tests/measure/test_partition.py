"""Partition isotropy by hand and by brute force."""

import numpy as np
import pytest
from scipy.special import logsumexp

from geometry import partition_isotropy
from tests.clouds import cloud, unit
from tests.for_each import for_each

pytestmark = pytest.mark.filterwarnings("error")


CROSS = np.array([[2.0, 0], [-2, 0], [0, 1], [0, -1]])


def test_partition_isotropy_worked_by_hand():
    # X'X = diag(8, 2): c = +-e1, +-e2; Z = 2 cosh 2 + 2 along e1, 2 + 2 cosh 1 along e2
    assert partition_isotropy(CROSS) == pytest.approx((1 + np.cosh(1)) / (1 + np.cosh(2)))
    # one row: Z(c) = exp(+-5) along it, 1 across it
    assert partition_isotropy([[3.0, 4.0]]) == pytest.approx(np.exp(-10))
    # both signs: with c = +1 alone this would be 1
    assert partition_isotropy([[1.0]]) == pytest.approx(np.exp(-2))


@for_each("shift", [0, 0.5, 30])
def test_partition_isotropy_by_brute_force(shift):
    X = cloud(shift=shift)
    _, V = np.linalg.eigh(X.T @ X)
    log_sums = [logsumexp([sign * (x @ c) for x in X]) for c in V.T for sign in (1, -1)]
    assert partition_isotropy(X) == pytest.approx(np.exp(min(log_sums) - max(log_sums)), rel=1e-9)


def test_partition_isotropy_depends_on_scale():
    X = cloud()
    assert partition_isotropy(10 * X) < partition_isotropy(X) / 2
    for scale in ("rms", "unit"):
        assert partition_isotropy(10 * X, scale=scale) == pytest.approx(
            partition_isotropy(X, scale=scale)
        )
    rms = np.sqrt((X**2).sum(axis=1).mean())
    assert partition_isotropy(X, scale="rms") == pytest.approx(partition_isotropy(X / rms))
    assert partition_isotropy(X, scale="unit") == pytest.approx(partition_isotropy(unit(X)))
    assert partition_isotropy(1e5 * X) == 0  # below the smallest float, without a warning
    with pytest.raises(ValueError, match="raw, rms, unit; got 'std'"):
        partition_isotropy(X, scale="std")
