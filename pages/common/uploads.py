"""Corpora on offer: those the project ships, and this session's own."""

from __future__ import annotations

from typing import Any

import streamlit as st

from geometry import Corpus
from geometry.data.corpus import bundled_corpora, read_bundled

from .controls import choose
from .words import Translate

MAX_UPLOADS = 5  # kept in a session; the oldest goes first


def remember(store: str, code: str, value: Any, most: int) -> None:
    """Keep a value of this session in ``session_state[store]``; beyond ``most`` the oldest goes."""
    kept = {old: each for old, each in st.session_state.get(store, {}).items() if old != code}
    st.session_state[store] = dict([*kept.items(), (code, value)][-most:])


def own_labels(store: str, _: Translate) -> dict[str, str]:
    """Code to label of what this session brought: corpora or pairs."""
    return {
        code: _("Yours: {name} ({n})").format(name=own.name, n=f"{len(own):,}")
        for code, own in st.session_state.get(store, {}).items()
    }


def add_upload(corpus: Corpus) -> str:
    """Keep the corpus for this session, choose it, and return its code."""
    code = f"upload-{corpus.sha256[:12]}"
    remember("uploads", code, corpus, MAX_UPLOADS)
    return code


def corpus_labels(_: Translate) -> dict[str, str]:
    """Code to label, shipped corpora first."""
    shipped = {
        "topics": _("Topics (1,224 English sentences)"),
        "pairs": _("Pairs (650 English sentences)"),
        "topics-zh": _("Topics (240 Chinese sentences)"),
    }
    return {**{code: shipped[code] for code in bundled_corpora()}, **own_labels("uploads", _)}


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
