"""The cache of pages: answers by key, apart by name, and private ones apart from all others."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.common.cache import Cache


def refuse() -> int:
    raise ValueError("no answer")


def test_an_answer_is_made_once_for_each_key():
    cache: Cache[list[int]] = Cache("test-once", max_entries=4)
    assert cache.get("a") is None
    answer = cache.get_or_make("a", lambda: [1])
    assert cache.get_or_make("a", lambda: [2]) is answer
    assert cache.get("a") is answer
    assert cache.put("a", [3]) is answer  # the answer that is stored stays
    assert cache.put("b", [4]) == [4]
    assert cache.get("b") == [4]


def test_two_caches_of_one_size_share_no_answer():
    first: Cache[int] = Cache("test-first", max_entries=4)
    second: Cache[int] = Cache("test-second", max_entries=4)
    first.put("a", 1)
    assert second.get("a") is None


def test_a_failed_answer_is_not_stored():
    cache: Cache[int] = Cache("test-failed", max_entries=4)
    with pytest.raises(ValueError, match="no answer"):
        cache.get_or_make("a", refuse)
    assert cache.get_or_make("a", lambda: 1) == 1


def test_the_oldest_answer_is_dropped():
    cache: Cache[int] = Cache("test-full", max_entries=2)
    for key in "abc":
        cache.put(key, 1)
    assert [cache.get(key) for key in "abc"] == [None, 1, 1]


def page() -> None:
    import streamlit as st

    from pages.common.cache import Cache

    cache: Cache[int] = Cache("test-private", max_entries=4)
    first = cache.get("a", private=True)
    st.text(f"{first} {cache.put('a', 1, private=True)} {cache.get('a')}")


def test_a_private_answer_is_in_no_shared_cache():
    app = AppTest.from_function(page).run()
    assert not app.exception
    assert app.text[0].value == "None 1 None"
