"""Cases that share a test are all run, and a failure names its case."""

import inspect

import pytest

from tests.for_each import for_each


def test_a_failure_ends_the_cases_and_names_its_own():
    seen = []

    @for_each(("low", "high"), [(1, 5), (7, 5), (2, 9)])
    @for_each("step", [0, 1])
    def check(low, high, step, tmp_path):
        seen.append((low, step))
        assert low + step < high

    assert list(inspect.signature(check).parameters) == ["tmp_path"]  # pytest gives the rest
    with pytest.raises(AssertionError) as caught:
        check(tmp_path=None)
    assert seen == [(1, 0), (1, 1), (7, 0)]
    assert caught.value.__notes__ == ["step = 0", "('low', 'high') = (7, 5)"]
    with pytest.raises(ValueError, match="no case of n"):
        for_each("n", ())
