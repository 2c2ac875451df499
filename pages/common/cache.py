"""One way to cache an answer by its key: for all sessions, or for one session alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import streamlit as st

Answer = TypeVar("Answer")


class _Missing(Exception):
    """Raised instead of computing an answer."""


class Cache(Generic[Answer]):
    """Answers of one kind, by key; beyond ``max_entries`` the oldest is dropped.

    A key is a text that names all that the answer depends on. Arrays are no part of it:
    ``st.cache_data`` samples large arrays when it hashes them, so most edits of one value would
    return the old answer. Answers are shared and not copied, so they must not be changed.

    A private answer comes from a reader's own texts. It belongs to the session and is freed
    with it. It can be read only while the page runs, not in a job or in a download's callback.

    Parameters
    ----------
    name : str
        Names the cache; no two caches share one.
    max_entries : int
        For all sessions together, and again for each session's private answers.
    """

    def __init__(self, name: str, max_entries: int) -> None:
        def for_all(key: str, _make: Callable[[], Any]) -> Any:
            return _make()

        def for_session(key: str, _make: Callable[[], Any]) -> Any:
            return _make()

        # Streamlit distinguishes functions by module, name and source.
        for_all.__qualname__ = f"{name}.for_all"
        for_session.__qualname__ = f"{name}.for_session"
        options: dict[str, Any] = {"max_entries": max_entries, "show_spinner": False}
        self._for_all = st.cache_resource(**options)(for_all)
        self._for_session = st.cache_resource(**options, scope="session")(for_session)

    def get_or_make(self, key: str, make: Callable[[], Answer], *, private: bool = False) -> Answer:
        """The answer of that key; ``make`` computes it where there is none.

        Parameters
        ----------
        key : str
            Names all that the answer depends on.
        make : callable
        private : bool
            True for an answer from a reader's own texts; it ends with the session.
        """
        answer: Answer = (self._for_session if private else self._for_all)(key, make)
        return answer

    def get(self, key: str, *, private: bool = False) -> Answer | None:
        """The answer of that key, or None where there is none."""
        try:
            return self.get_or_make(key, _raise_missing, private=private)
        except _Missing:
            return None

    def put(self, key: str, answer: Answer, *, private: bool = False) -> Answer:
        """Store an answer if the key has none. Returns the answer that is stored.

        Parameters
        ----------
        key : str
        answer : object
        private : bool
            As in ``get_or_make``.
        """
        return self.get_or_make(key, lambda: answer, private=private)


def _raise_missing() -> Any:
    raise _Missing
