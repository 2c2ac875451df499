"""A function in a separate process: its result, its errors, its limits and its end."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from geometry import CorpusError
from geometry.data.corpus import read_corpus
from geometry.encode.limited import NICENESS_VARIABLE
from pages.common.own_process import ProcessEnded, run_apart
from tests.pages.functions import (
    crash,
    fill,
    priority,
    raise_a_panic,
    raise_picky,
    raise_unpicklable,
    wait_after_writing_the_pid,
)


def nothing(done: int, total: int) -> None:
    assert (done, total) == (0, 0)


def is_alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def test_the_answer_comes_back():
    corpus = run_apart(read_corpus, b"the cat sat\ndogs ran\n", report=nothing)
    assert corpus.texts == ("the cat sat", "dogs ran")


def test_large_values_go_there_and_back():
    content = bytes(range(256)) * 80_000
    assert run_apart(bytes.upper, content, report=nothing) == content.upper()


def test_an_error_of_the_library_comes_back_whole():
    with pytest.raises(CorpusError) as caught:
        run_apart(read_corpus, b"one line", report=nothing)
    assert caught.value.code == "too_few_texts"
    assert "only one text" in str(caught.value)


@pytest.mark.parametrize(
    ("function", "message"),
    [(raise_unpicklable, "with a function"), (raise_picky, "too picky")],
)
def test_the_message_of_an_error_that_cannot_be_sent_is_sent(function, message):
    with pytest.raises(Exception, match=message):
        run_apart(function, report=nothing)


@pytest.mark.parametrize("function", [crash, raise_a_panic])
def test_an_end_without_an_answer_is_an_error(function: Callable[[], None]):
    with pytest.raises(ProcessEnded):
        run_apart(function, report=nothing)


def test_memory_is_limited():
    with pytest.raises(MemoryError):
        run_apart(fill, 3 * 10**9, report=nothing)


def test_the_process_has_a_low_priority(monkeypatch):
    monkeypatch.delenv(NICENESS_VARIABLE)
    assert run_apart(priority, report=nothing) >= min(19, os.nice(0) + 10)


def test_a_cancel_ends_the_process(tmp_path):
    path = tmp_path / "pid"

    def stop_once_it_runs(done: int, total: int) -> None:
        if path.exists() and path.read_text():
            assert is_alive(int(path.read_text()))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_apart(wait_after_writing_the_pid, str(path), report=stop_once_it_runs)
    assert not is_alive(int(path.read_text()))
