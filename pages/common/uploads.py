"""The corpora to choose from: the bundled ones and this session's uploads."""

from __future__ import annotations

from typing import Any

import streamlit as st

from geometry import Corpus
from geometry.data.corpus import bundled_corpora, read_bundled
from geometry.data.limits import MAX_CORPORA

from .controls import choose
from .words import Translate


def remember(store: str, code: str, value: Any, most: int) -> None:
    """Store a value in the session's state; the oldest values beyond a number are dropped.

    Parameters
    ----------
    store : str
        Key in ``session_state`` of the dict of values.
    code : str
        Key of the value in that dict.
    value : object
    most : int
        Values in the dict at most.
    """
    others = {name: each for name, each in st.session_state.get(store, {}).items() if name != code}
    st.session_state[store] = dict([*others.items(), (code, value)][-most:])


def own_labels(store: str, _: Translate) -> dict[str, str]:
    """Codes and labels of this session's uploads: corpora or pairs."""
    return {
        code: _("Yours: {name} ({n})").format(name=own.name, n=f"{len(own):,}")
        for code, own in st.session_state.get(store, {}).items()
    }


def add_upload(corpus: Corpus) -> str:
    """Store the corpus for this session; returns its code."""
    code = f"upload-{corpus.sha256[:12]}"
    remember("uploads", code, corpus, MAX_CORPORA)
    return code


def corpus_labels(_: Translate) -> dict[str, str]:
    """Labels by code, bundled corpora first."""
    shipped = {
        "topics": _("Topics (1,224 English sentences)"),
        "pairs": _("Pairs (1,870 English sentences)"),
        "topics-zh": _("Topics (240 Chinese sentences)"),
    }
    return {**{code: shipped[code] for code in bundled_corpora()}, **own_labels("uploads", _)}


def is_own(corpus: Corpus) -> bool:
    """True for a corpus that this session uploaded."""
    uploads: dict[str, Corpus] = st.session_state.get("uploads", {})
    return any(own.sha256 == corpus.sha256 for own in uploads.values())


def select_corpus(_: Translate) -> Corpus:
    """The shared control: the corpus of every page."""
    labels = corpus_labels(_)
    code = choose(
        st.selectbox,
        _("Corpus"),
        list(labels),
        key="corpus",
        default="topics",
        labels=labels,
        private=[code for code in labels if code.startswith("upload-")],
    )
    return chosen_corpus(code)


def chosen_corpus(code: str | None = None) -> Corpus:
    """The corpus of that code, or the one chosen in the sidebar."""
    code = code or st.session_state.get("corpus", "topics")
    uploads: dict[str, Corpus] = st.session_state.get("uploads", {})
    return uploads[code] if code in uploads else read_bundled(code)
