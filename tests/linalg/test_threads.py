"""Blocks over threads: each done once, parts in a fixed order, one thread where two are no help."""

import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from geometry.linalg.moments import Moments
from geometry.linalg.threads import LEAST_BLOCKS, MOST, by_threads, even_blocks

STARTS = range(0, 100, 10)


def parts_of(starts=STARTS, limit: int = 2):
    """What each part did, and in which thread."""
    with threadpool_limits(limit, user_api="blas"):
        return by_threads(lambda some: (list(some), threading.get_ident()), starts)


def test_every_block_is_done_once_and_the_parts_keep_their_order():
    parts = parts_of()
    assert [some for some, _ in parts] == [list(STARTS[k::2]) for k in range(2)]
    assert threading.get_ident() not in {thread for _, thread in parts}


@pytest.mark.parametrize(
    ("starts", "limit"), [(STARTS, 1), (STARTS[: LEAST_BLOCKS - 1], 2), (range(0), 2)]
)
def test_one_part_in_this_thread_where_more_would_not_help(starts, limit):
    assert parts_of(starts, limit) == [(list(starts), threading.get_ident())]


def test_no_more_threads_than_most():
    assert len(parts_of(limit=MOST + 3)) <= MOST


def test_a_caller_within_another_has_one_part_and_the_next_has_two_again():
    with threadpool_limits(2, user_api="blas"):
        outer = by_threads(lambda _: len(by_threads(list, STARTS)), STARTS)
        assert outer == [1, 1]
        assert len(by_threads(list, STARTS)) == 2


def test_an_error_in_a_block_reaches_the_caller_and_leaves_the_threads_free():
    with threadpool_limits(2, user_api="blas"):
        with pytest.raises(ZeroDivisionError):
            by_threads(lambda _: 1 // 0, STARTS)
        assert len(by_threads(list, STARTS)) == 2


@pytest.mark.parametrize("n", [0, 1, 5, 10, 69, 70, 71, 999, 1000, 1001])
def test_blocks_hold_every_row_once_and_are_no_larger_than_asked(n):
    blocks = even_blocks(n, 10)
    rows = [row for start in blocks for row in range(n)[start : start + blocks.step]]
    assert rows == list(range(n))
    assert 1 <= blocks.step <= 10


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
@pytest.mark.parametrize("n", [33_000, 98_464, 1_000_001])
def test_each_thread_has_as_many_rows(n, threads):
    with threadpool_limits(threads, user_api="blas"):
        blocks = even_blocks(n, 4096)
    shares = [
        sum(min(blocks.step, n - start) for start in blocks[k::threads]) for k in range(threads)
    ]
    assert max(shares) < 1.01 * n / threads


def test_few_blocks_are_as_large_as_asked():
    assert even_blocks(8192, 4096) == range(0, 8192, 4096)


def test_sums_by_threads_are_those_of_one():
    X = np.random.default_rng(0).standard_normal((50_000, 16)).astype(np.float32) + 3
    found = []
    for limit in (1, 2):
        with threadpool_limits(limit, user_api="blas"):
            found.append(Moments.of(X))
    one, two = found
    np.testing.assert_allclose(two.mean, one.mean, rtol=1e-9)
    np.testing.assert_allclose(two.scatter, one.scatter, rtol=1e-5, atol=1e-5 * len(X))
    reference = np.cov(X.astype(np.float64).T, bias=True)
    np.testing.assert_allclose(two.covariance, reference, rtol=1e-4, atol=1e-5)
