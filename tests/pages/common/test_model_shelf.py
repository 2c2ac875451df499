"""The shelf of encoders: one copy of each; the least recently used is removed first."""

import threading
from dataclasses import dataclass

import pytest

from pages.common.model_shelf import ModelShelf


@dataclass(eq=False)
class Weighing:
    """A substitute for an encoder of this size."""

    memory_bytes: int


@pytest.fixture
def shelf():
    return ModelShelf(100)


def test_what_fits_stays(shelf):
    first, second = Weighing(60), Weighing(40)
    assert shelf.put("one", first) is first
    assert shelf.put("other", second) is second
    assert shelf.get("one") is first
    assert shelf.get("other") is second
    assert shelf.used_bytes == 100
    assert shelf.get("third") is None


def test_the_least_used_goes_beyond_the_budget(shelf):
    for name in ("a", "b", "c"):
        shelf.put(name, Weighing(33))
    shelf.get("a")  # now b was used longest ago
    shelf.put("d", Weighing(2))
    assert "b" not in shelf
    assert all(name in shelf for name in ("a", "c", "d"))
    shelf.put("e", Weighing(90))
    assert all(name not in shelf for name in ("a", "b", "c"))
    assert "e" in shelf
    assert shelf.used_bytes <= 100


def test_a_model_larger_than_the_budget_is_alone_on_the_shelf(shelf):
    shelf.put("small", Weighing(5))
    shelf.put("huge", Weighing(500))
    assert "huge" in shelf
    assert "small" not in shelf


def test_two_visitors_at_once_get_one_copy(shelf):
    copies = []
    start = threading.Barrier(8)

    def visit():
        mine = Weighing(10)
        start.wait()
        copies.append(shelf.put("same", mine))

    threads = [threading.Thread(target=visit) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(encoder) for encoder in copies}) == 1
    assert shelf.used_bytes == 10
