"""Whether the origin is in the convex hull: by hand, by linear program, by combinations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from geometry.training import separating_direction
from tests.for_each import for_each


def in_hull(rows: np.ndarray) -> bool:
    """Whether weights >= 0 with sum 1 exist that average the rows to the origin."""
    system = np.vstack([rows.T, np.ones(len(rows))])
    target = np.append(np.zeros(rows.shape[1]), 1)
    return linprog(np.zeros(len(rows)), A_eq=system, b_eq=target, method="highs").status == 0


def test_three_points_by_hand():
    around = np.array([[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]])
    assert not separating_direction(around).is_outside
    beside = around + np.array([1.5, 0])
    found = separating_direction(beside)
    assert found.is_outside
    assert found.margin == pytest.approx((beside @ found.direction).min())
    assert found.margin > 0
    assert np.linalg.norm(found.direction) == pytest.approx(1)
    # an origin on the edge is inside
    assert not separating_direction(np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])).is_outside
    assert not separating_direction(np.array([[1.0, 0.0], [0.0, 0.0]])).is_outside


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 12),
    d=st.integers(1, 4),
    shift=st.floats(0, 2),
)
def test_it_is_the_program_of_convex_combinations(seed, n, d, shift):
    rows = np.random.default_rng(seed).standard_normal((n, d)) + shift
    found = separating_direction(rows)
    assert found.is_outside is not in_hull(rows)
    if found.is_outside:
        assert (rows @ found.direction > 0).all()


@for_each("is_outside", [True, False])
def test_rows_that_the_first_program_lacks_are_cut_in(is_outside):
    """Nearly all rows have a large first entry. The few decisive rows are the last."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((6000, 8))
    rows[:, 0] = np.abs(rows[:, 0]) + 1
    rows[-7:-1] = rng.standard_normal((6, 8)) * 0.01
    rows[-7:-1, 0] = 0.001 if is_outside else -0.001
    rows[-7:-1, 1] = np.abs(rows[-7:-1, 1]) + 0.1
    if not is_outside:
        rows[-8] = -rows[:6000:3].mean(axis=0)
    found = separating_direction(rows)
    assert found.is_outside is is_outside
    assert found.n_rows < 6000
    if is_outside:
        assert (rows @ found.direction).min() == pytest.approx(found.margin)
        assert found.margin > 0
