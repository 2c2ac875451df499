"""Uploaded files: a separate process reads large ones; each is read once for a session."""

import gzip
from uuid import uuid4

import pytest
from streamlit.testing.v1 import AppTest

from geometry.data.corpus import read_corpus
from geometry.process import ProcessEnded
from pages.common import reading
from pages.common.reading import upload_limits
from pages.common.words import markdown
from tests.for_each import for_each

TEXTS = b"the cat sat\ndogs ran\n"


def page_of_a_file() -> None:
    import streamlit as st

    from geometry import CorpusError
    from geometry.data.corpus import read_corpus
    from pages.common.reading import read_upload

    try:
        corpus = read_upload(read_corpus, st.session_state["file"], text_column=None)
        st.text(" / ".join(corpus.texts))
    except CorpusError as error:
        st.error(str(error))


class File:
    name = "own.txt"

    def __init__(self, content: bytes) -> None:
        self.content, self.n_read = content, 0
        # All AppTests share one session, so a repeated id would be found in its cache of files.
        self.file_id = uuid4().hex

    def getvalue(self) -> bytes:
        self.n_read += 1
        return self.content


def page_with(content: bytes) -> tuple[AppTest, File]:
    at, file = AppTest.from_function(page_of_a_file, default_timeout=200), File(content)
    at.session_state["file"] = file
    return at, file


@pytest.fixture
def apart(monkeypatch):
    """Treat every file as large; record the arguments of its process."""
    calls = []

    def noted(limits, call, report):
        report(0, 0)
        assert limits is reading.READING
        calls.append((call.func, len(call.args[0]), call.keywords))
        return call()

    monkeypatch.setattr(reading, "AT_ONCE", 0)
    monkeypatch.setattr(reading, "run", noted)
    return calls


def test_a_large_file_is_read_apart_and_a_small_one_at_once(apart, monkeypatch):
    options = {"name": "own.txt", "text_column": None, "limits": upload_limits()}
    assert page_with(TEXTS)[0].run().text[0].value == "the cat sat / dogs ran"
    assert apart == [(read_corpus, len(TEXTS), options)]
    monkeypatch.setattr(reading, "AT_ONCE", len(TEXTS))
    assert page_with(TEXTS)[0].run().text[0].value == "the cat sat / dogs ran"
    assert len(apart) == 1


@pytest.mark.parametrize("content", [TEXTS, b"only one"])
def test_a_rerun_does_not_read_the_file_again(apart, content):
    at, file = page_with(content)
    for _ in range(3):
        at.run()
        assert len(at.text) + len(at.error) == 1
        assert not at.exception
    assert (file.n_read, len(apart)) == (1, 1)


@for_each(("place", "ended"), [("info", ProcessEnded("killed")), ("error", MemoryError())])
def test_a_file_that_ends_its_process_is_refused_and_read_again_if_wanted(place, ended):
    def fail(*given: object) -> None:
        runs.append(given)
        raise ended

    at, runs = page_with(TEXTS)[0], []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "AT_ONCE", 0)
        patch.setattr(reading, "run", fail)
        for _ in range(2):
            assert not at.run().exception
            said = getattr(at, place)[0].value
            assert "takes more than the limit of 120 seconds or 2,000 MB of memory" in said
    assert len(runs) == 1
    for button in at.button:
        assert button.click().run().text[0].value == "the cat sat / dogs ran"


@pytest.mark.parametrize(
    "content", [gzip.compress(TEXTS), b"PAR1" + TEXTS], ids=["gzip", "parquet"]
)
def test_a_packed_file_is_read_apart_however_small_it_is(apart, monkeypatch, content):
    monkeypatch.setattr(reading, "AT_ONCE", 10**6)
    assert not page_with(content)[0].run().exception
    assert len(apart) == 1


def test_the_name_of_a_file_is_escaped_in_the_line_of_progress_and_long_files_come_last(
    apart, monkeypatch
):
    lines = []

    def wait_for(key, work, what, *, is_long, **options):
        lines.append((what, is_long))
        return work(lambda *_: None)

    monkeypatch.setattr(reading.jobs, "wait_for", wait_for)
    monkeypatch.setattr(reading, "SHORT", len(TEXTS))
    for content, is_long in ((TEXTS, False), (TEXTS * 2, True)):
        at, file = page_with(content)
        file.name = "![](http://h.example/p).txt"
        at.run()
        assert lines.pop() == ("Reading " + markdown(file.name), is_long)
