"""Uploaded files: a large one is read by a process of its own, each only once for a session."""

import pytest
from streamlit.testing.v1 import AppTest

from geometry.data.corpus import read_corpus
from pages.common import reading
from pages.common.own_process import ProcessEnded
from pages.common.upload_limits import upload_limits

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
    """An upload that counts how often it is read."""

    name = "own.txt"

    def __init__(self, content: bytes) -> None:
        self.content, self.n_read, self.file_id = content, 0, str(id(self))

    def getvalue(self) -> bytes:
        self.n_read += 1
        return self.content


def page_with(content: bytes) -> tuple[AppTest, File]:
    at, file = AppTest.from_function(page_of_a_file, default_timeout=60), File(content)
    at.session_state["file"] = file
    return at, file


@pytest.fixture
def apart(monkeypatch):
    """Every file counts as large; what its process was called with."""
    calls = []

    def noted(read, content, *, report, **options):
        report(0, 0)
        calls.append((read, len(content), options))
        return read(content, **options)

    monkeypatch.setattr(reading, "AT_ONCE", 0)
    monkeypatch.setattr(reading, "run_apart", noted)
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


def test_a_file_that_is_too_much_for_its_process_is_refused(apart, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise ProcessEnded("it takes more than 120 s or 2 GB")

    monkeypatch.setattr(reading, "run_apart", fail)
    at = page_with(TEXTS)[0].run()
    assert not at.exception
    assert "`own.txt` cannot be read (it takes more than 120 s or 2 GB)" in at.error[0].value


def test_a_process_reads_a_large_file(monkeypatch):
    monkeypatch.setattr(reading, "AT_ONCE", 0)
    assert page_with(TEXTS)[0].run().text[0].value == "the cat sat / dogs ran"
