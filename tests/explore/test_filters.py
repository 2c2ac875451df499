"""Filters by columns, against a plain loop."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from geometry.data.columns import FileColumn
from geometry.explore import Condition, rows_kept

NAMES = ("a", "b", "c")


@given(
    st.lists(st.tuples(st.integers(0, 2), st.floats(-9, 9) | st.just(np.nan)), min_size=1),
    st.sets(st.sampled_from(NAMES)),
    st.floats(-9, 9),
    st.floats(-9, 9),
)
def test_a_row_is_kept_if_every_filter_wants_it(rows, wanted, low, high):
    codes, numbers = map(np.array, zip(*rows, strict=True))
    columns = [FileColumn("name", codes, NAMES), FileColumn("number", numbers)]
    filters = {0: Condition(tuple(wanted)), 1: Condition(low=low, high=high)}
    is_named = np.array([NAMES[code] in wanted for code in codes])
    is_within = np.array([low <= number <= high for number in numbers])
    np.testing.assert_array_equal(rows_kept(columns, filters), is_named & is_within)
    np.testing.assert_array_equal(rows_kept(columns, filters, without=0), is_within)
    assert rows_kept(columns, {}).all()
