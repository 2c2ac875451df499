"""Items in threads: results in order, few items started ahead, errors unchanged."""

import threading

import pytest

from geometry.linalg.threads import in_threads
from tests.for_each import for_each


@for_each("threads", [1, 2, 3])
def test_results_are_in_order_and_few_are_begun_ahead(threads):
    begun = []

    def square(item: int) -> int:
        begun.append(item)
        return item * item

    results = in_threads(square, range(10), threads)
    assert [next(results), next(results)] == [0, 1]
    results.close()
    assert len(begun) <= 2 + threads
    assert list(in_threads(square, range(10), threads)) == [i * i for i in range(10)]


def test_two_items_are_worked_on_at_a_time():
    meeting = threading.Barrier(2, timeout=10)  # each waits for the other
    assert len(list(in_threads(lambda _: meeting.wait(), range(4), 2))) == 4


def test_an_error_ends_the_work():
    with pytest.raises(ZeroDivisionError):
        list(in_threads(lambda item: 1 / item, [1, 0, 2, 3], 2))
