"""Kept answers: by function and arguments, private ones in the session alone."""

import sys
import threading
import time
from dataclasses import dataclass, make_dataclass
from functools import partial

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from geometry.encode.cloud import Cloud
from geometry.evaluate.bootstrap import PairBootstrap
from pages.common.cache import kept, size_of, total_size
from tests.for_each import for_each


@dataclass(frozen=True)
class Settings:
    layer: int
    rows: tuple[int, ...] = ()


@dataclass(frozen=True)
class Named:
    """An object that names its content; its vectors are no part of the key."""

    content_key: str
    vectors: object = None
    private: bool = False
    n_slow: int = 0


OfLibrary = make_dataclass("Settings", ["layer", ("rows", tuple, ())])  # in another module


@pytest.fixture(autouse=True)
def empty() -> None:
    """No answer from another test: the functions of ``recorder`` have one name."""
    st.cache_resource.clear()


def square(x: float) -> float:
    return x * x


def cube(x: float) -> float:
    return x**3


def recorder(most: int = 99, **options):
    """A kept function that returns its arguments in a new list, and the calls that it got."""
    calls: list[tuple] = []

    @kept(most, **options)
    def record(first: object, second: object = 0, report: object = None) -> list[object]:
        calls.append((first, second))
        return [first, second]

    return record, calls


DIFFERENT = (
    *(None, "", "a", b"a", 1, 2.5, (1, "a"), ("a", 1), (1, ("a",)), {"a": 1}, {"a": 2}),
    *(Settings(1), Settings(2), Settings(1, (3,)), Named("a"), Named("b"), square, cube),
    *(np.zeros(3), np.zeros(3, dtype=np.float32), np.zeros((3, 1)), np.ones(3)),
    *(1.0, True, 0.0, -0.0, (("a", 1),), ["a", 1], {True: 1}, {1: 1}, OfLibrary(1)),
    *(np.zeros(1, dtype=[("x", "f4"), ("y", kind)]) for kind in ("f4", "i4")),
)


def test_each_argument_is_a_part_of_the_key():
    record, calls = recorder()
    answers = [record(value) for value in DIFFERENT] + [record(0, value) for value in DIFFERENT]
    assert len(calls) == 2 * len(DIFFERENT)
    again = [record(value) for value in DIFFERENT] + [record(0, value) for value in DIFFERENT]
    assert all(first is second for first, second in zip(answers, again, strict=True))


def test_an_argument_by_name_or_by_default_is_the_same_argument():
    record, calls = recorder()
    answer = record("a")
    assert record("a", 0) is record(second=0, first="a") is answer
    assert record("a", report=print) is answer  # the progress is no part of the key
    assert record.find("a") is answer
    assert record.find("b") is None
    assert record.put([], "a") is answer  # the first stored answer remains
    assert record.put(other := [], "b") is record("b") is other
    assert len(calls) == 1


def test_an_array_s_content_is_the_key():
    record, calls = recorder()
    row = np.arange(3.0)
    assert record(row) is record(np.arange(3.0)) is record(np.arange(6.0)[::2] / 2)
    row[1] = 9.0
    record(row)
    assert len(calls) == 2


REFUSED = (object(), {1, 2}, Named, (1, object()), lambda: 1, np.array([None]))


@for_each("value", REFUSED)
def test_what_names_no_content_is_refused(value):
    record, calls = recorder()
    with pytest.raises(TypeError, match="'first'"):
        record(value)
    assert calls == []


def test_a_failed_answer_is_not_stored():
    fails = iter((True, False))

    @kept(4)
    def refuse_once(x: int) -> int:
        if next(fails):
            raise ValueError("no answer")
        return x

    with pytest.raises(ValueError, match="no answer"):
        refuse_once(1)
    assert refuse_once(1) == 1


def test_the_oldest_answer_is_dropped():
    record, _calls = recorder(2)
    for key in "abc":
        record(key)
    assert [record.find(key) is None for key in "abc"] == [True, False, False]


def page() -> None:
    import streamlit as st

    from tests.pages.common.test_cache import Named, recorder

    record, _calls = recorder()
    of_session, _others = recorder(by_session=True)
    answers = record(Named("own", private=True)), record((1, Named("own", private=True)))
    st.session_state["found"] = (
        record.find(Named("own", private=True)) is answers[0],
        record.find((1, Named("own", private=True))) is answers[1],
        record.find(Named("own")) is None,
        of_session("a") is of_session("a"),
    )


def test_a_private_answer_is_in_no_shared_store():
    before = total_size()
    app = AppTest.from_function(page).run()
    assert not app.exception
    assert app.session_state["found"] == (True, True, True, True)
    record, calls = recorder()
    own = Named("own", private=True)
    for _time in range(2):  # without a session there is no place for it
        for value in (own, (1, own), [own], {"a": own}, Settings(1, (own,))):
            record(value)
    assert len(calls) == 10
    assert total_size() - before < 2_000


def page_of_many() -> None:
    import threading

    import streamlit as st

    from pages.common.cache import kept
    from tests.pages.common.test_cache import Named, recorder

    beside, _calls = recorder()

    @kept(9)
    def at_work(first: object, second: int = 0, third: int = 0) -> tuple[object, ...]:
        return second, third, threading.current_thread(), beside(first)

    @kept(9)
    def nothing(first: object) -> None:
        made.append(first)

    many, page = Named("own", private=True, n_slow=9), threading.current_thread()
    made: list[object] = []
    nothing(many)
    few, of_many = at_work(Named("few"), 5), at_work(many, 6)
    st.session_state["found"] = (
        few[:2] == (5, 0) and few[2] is page,
        of_many[:2] == (6, 0) and of_many[2] is not page,
        beside.find(many) is of_many[3],
        at_work(second=6, first=many) is of_many,
        at_work(many, third=7)[:2] == (0, 7),
        nothing(many) is None and len(made) == 1,
    )


def test_an_answer_about_many_rows_is_a_job_s_with_the_same_store_and_arguments():
    app = AppTest.from_function(page_of_many).run(timeout=30)
    assert not app.exception
    assert app.session_state["found"] == (True,) * 6


# ---- bytes ----

TENTH = np.zeros(100_000)  # 0.8 MB


def test_answers_beyond_the_limit_are_dropped_whose_use_is_oldest(operator):
    operator("[memory]\nresults_megabytes = 2")
    before = total_size()

    @kept(10)
    def some(key: str, n: int = 100_000) -> np.ndarray:
        return np.zeros(n)

    @kept(10)
    def others(key: str) -> np.ndarray:
        return TENTH.copy()

    some("a")
    others("b")
    assert some.find("a") is not None  # used again
    some("c")
    assert others.find("b") is None
    assert some.find("a") is not None
    assert some.find("c") is not None
    assert total_size() - before <= 2_000_000
    large = some("d", 1_000_000)  # above the limit by itself, but still needed
    assert some.find("d", 1_000_000) is large
    assert some.find("a") is some.find("c") is None


@for_each("n", [1, 2])  # as many of the answers fit
def test_a_session_s_own_answers_have_a_limit_and_end_with_it(operator, n):
    def page() -> None:
        import numpy as np
        import streamlit as st

        from pages.common.cache import kept

        @kept(10, by_session=True)
        def own(key: str) -> np.ndarray:
            return np.zeros(100_000)

        for key in "abc":
            own(key)
        st.text([own.find(key) is not None for key in "abc"])

    operator(f"[memory]\nsession_results_megabytes = {n}")
    before = total_size()
    app = AppTest.from_function(page).run()
    assert not app.exception
    assert app.text[0].value == f"[False, {n > 1}, True]"
    assert total_size() - before == pytest.approx(800_000 * n, abs=10_000)
    st.cache_resource.clear()  # simulates the end of a session
    assert total_size() <= before


def test_a_large_answer_for_one_run_is_dropped_when_the_run_ends():
    def page() -> None:
        import numpy as np
        import streamlit as st

        from pages.common.cache import LARGE, end_run, kept

        @kept(10, by_session=True, in_run=True)
        def passing(size: int) -> np.ndarray:
            return np.zeros(size, dtype=np.int8)

        @kept(10, by_session=True)
        def staying(size: int) -> np.ndarray:
            return np.zeros(size, dtype=np.int8)

        for make in (passing, staying):
            for size in (LARGE + 1, LARGE - 1000):
                assert make(size) is make(size)
        end_run()
        found = [make.find(LARGE + 1) is not None for make in (passing, staying)]
        st.text([*found, passing.find(LARGE - 1000) is not None])

    app = AppTest.from_function(page).run()
    assert not app.exception
    assert app.text[0].value == "[False, True, True]"


def test_the_size_counts_each_object_once_and_of_a_long_answer_some_items():
    cloud = Cloud("types", TENTH, ("text",) * 50, TENTH, None, TENTH, TENTH, 1)
    assert size_of(cloud) == pytest.approx(800_000, abs=2_000)
    assert size_of({"a": [TENTH, TENTH.copy()]}) == pytest.approx(1_600_000, abs=1_000)
    sets = [frozenset(range(start, start + 400)) for start in range(1000, 10**6, 400)]
    whole = sum(map(sys.getsizeof, sets)) + 10**6 * sys.getsizeof(10**4)
    assert size_of(sets) == pytest.approx(whole, rel=0.1)
    bootstrap = PairBootstrap(np.arange(1000.0), draws=100)
    assert size_of(partial(min, bootstrap, key=TENTH)) > 1_400_000
    texts = {i: "a" * i for i in range(5000)}
    whole = sum(sys.getsizeof(text) + sys.getsizeof(i) for i, text in texts.items())
    assert size_of(texts) == pytest.approx(whole + sys.getsizeof(texts), rel=0.1)


def test_sessions_that_need_an_answer_at_once_wait_for_the_first():
    made, start = [], threading.Barrier(4)

    @kept(4)
    def slow(key: str) -> int:
        made.append(1)
        time.sleep(0.05)
        return len(made)

    def read():
        start.wait()
        answers.append(slow("a"))

    answers: list[int] = []
    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [1] * 4
