"""The cache of pages: answers by key and cache name, private ones in the session alone."""

import threading
import time

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from geometry.encode.cloud import Cloud
from geometry.hub.operator_limits import VARIABLE
from pages.common.cache import Cache, size_of, total_size


def refuse() -> int:
    raise ValueError("no answer")


def test_an_answer_is_made_once_for_each_key():
    cache: Cache[list[int]] = Cache("test-once", max_entries=4)
    assert cache.get("a") is None
    answer = cache.get_or_make("a", lambda: [1])
    assert cache.get_or_make("a", lambda: [2]) is answer
    assert cache.get("a") is answer
    assert cache.put("a", [3]) is answer  # the first stored answer remains
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


# ---- bytes ----

TENTH = np.zeros(100_000)  # 0.8 MB


@pytest.fixture
def limits(monkeypatch, tmp_path):
    """limits(text): set the operator's table [memory] and empty all caches."""

    def write(text):
        file = tmp_path / "own.toml"
        file.write_text(f"[memory]\n{text}\n", encoding="utf-8")
        monkeypatch.setenv(VARIABLE, str(file))
        st.cache_resource.clear()

    yield write
    monkeypatch.undo()
    st.cache_resource.clear()


def test_answers_beyond_the_limit_are_dropped_whose_use_is_oldest(limits):
    limits("results_megabytes = 2")
    before = total_size()
    some: Cache[np.ndarray] = Cache("test-some", max_entries=10)
    others: Cache[np.ndarray] = Cache("test-others", max_entries=10)
    some.put("a", TENTH.copy())
    others.put("b", TENTH.copy())
    assert some.get("a") is not None  # used again
    some.put("c", TENTH.copy())
    assert others.get("b") is None
    assert some.get("a") is not None
    assert some.get("c") is not None
    assert total_size() - before <= 2_000_000
    large = some.put("d", np.zeros(1_000_000))  # above the limit by itself, but still needed
    assert some.get("d") is large
    assert some.get("a") is some.get("c") is None


def test_a_session_s_own_answers_have_a_limit_and_end_with_it(limits):
    def page() -> None:
        import numpy as np
        import streamlit as st

        from pages.common.cache import Cache

        cache: Cache[np.ndarray] = Cache("test-own", max_entries=10)
        for key in "abc":
            cache.put(key, np.zeros(100_000), private=True)
        st.text([cache.get(key, private=True) is not None for key in "abc"])

    limits("session_results_megabytes = 2")
    before = total_size()
    app = AppTest.from_function(page).run()
    assert not app.exception
    assert app.text[0].value == "[False, True, True]"
    assert total_size() - before == pytest.approx(1_600_000, abs=10_000)
    st.cache_resource.clear()  # simulates the end of a session
    assert total_size() <= before


def test_the_size_of_an_answer_counts_each_object_once():
    cloud = Cloud("types", TENTH, ("text",) * 50, TENTH, None, TENTH, TENTH, 1)
    assert size_of(cloud) == pytest.approx(800_000, abs=2_000)
    assert size_of({"a": [TENTH, TENTH.copy()]}) == pytest.approx(1_600_000, abs=1_000)


def test_sessions_that_need_an_answer_at_once_wait_for_the_first():
    cache: Cache[int] = Cache("test-at-once", max_entries=4)
    made = []
    start = threading.Barrier(4)

    def make():
        made.append(1)
        time.sleep(0.05)
        return len(made)

    def read():
        start.wait()
        answers.append(cache.get_or_make("a", make))

    answers: list[int] = []
    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [1] * 4
