"""Corpora on offer: those the project ships, and this session's own."""

from __future__ import annotations

import streamlit as st

from geometry import Corpus
from geometry.corpus import bundled_corpora, read_bundled

from .controls import choose
from .words import Translate

MAX_UPLOADS = 5  # kept in a session; the oldest goes first


def add_upload(corpus: Corpus) -> str:
    """Keep the corpus for this session, choose it, and return its code."""
    code = f"upload-{corpus.sha256[:12]}"
    uploads = dict(st.session_state.get("uploads", {}))
    uploads.pop(code, None)
    uploads[code] = corpus
    while len(uploads) > MAX_UPLOADS:
        uploads.pop(next(iter(uploads)))
    st.session_state["uploads"] = uploads
    return code


def corpus_labels(_: Translate) -> dict[str, str]:
    """Code to label, shipped corpora first."""
    shipped = {
        "topics": _("Topics (1,224 English sentences)"),
        "pairs": _("Pairs (650 English sentences)"),
        "topics-zh": _("Topics (240 Chinese sentences)"),
    }
    uploads: dict[str, Corpus] = st.session_state.get("uploads", {})
    own = {
        code: _("Yours: {name} ({n})").format(name=corpus.name, n=f"{len(corpus):,}")
        for code, corpus in uploads.items()
    }
    return {**{code: shipped[code] for code in bundled_corpora()}, **own}


def is_own(corpus: Corpus) -> bool:
    """True for a corpus this session brought itself."""
    uploads: dict[str, Corpus] = st.session_state.get("uploads", {})
    return any(own.sha256 == corpus.sha256 for own in uploads.values())


def select_corpus(_: Translate) -> Corpus:
    """The shared control: which corpus every page is about."""
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
