"""The corpora to choose from: the bundled ones and this session's uploads."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import streamlit as st

from geometry import Corpus
from geometry.data.corpus import bundled_corpora, read_bundled
from geometry.data.limits import MAX_CORPORA

from .controls import choose
from .escape import markdown
from .words import Translate, language, translator

OWN_CORPORA, OWN_PAIRS = "uploads", "pair-uploads"  # keys of the session's state
USES = "uses"  # how often own data were used
CHOSEN_BY = {OWN_CORPORA: ("corpus", "topics"), OWN_PAIRS: ("pairs", "bundled")}  # control, default


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
    st.session_state[USES] = st.session_state.get(USES, 0) + 1


def own_labels(store: str, _: Translate) -> dict[str, str]:
    """Codes and labels of this session's uploads: corpora or pairs."""
    words = _("Yours: {name} ({n})") if store == OWN_CORPORA else _("Yours: {name} ({n} pairs)")
    return {
        code: words.format(name=own.name, n=f"{len(own):,}")
        for code, own in st.session_state.get(store, {}).items()
    }


def add_upload(corpus: Corpus) -> str:
    """Store the corpus for this session; returns its code."""
    code = f"upload-{corpus.sha256[:12]}"
    remember(OWN_CORPORA, code, corpus, MAX_CORPORA)
    return code


def corpus_labels(_: Translate) -> dict[str, str]:
    """Labels by code, bundled corpora first."""
    names, counted = corpus_names(_), _("{name} ({n})")
    shipped = {
        code: counted.format(name=names[code], n=f"{len(read_bundled(code)):,}")
        for code in bundled_corpora()
    }
    return {**shipped, **own_labels(OWN_CORPORA, _)}


def corpus_names(_: Translate) -> dict[str, str]:
    """The names of the bundled corpora."""
    return {
        "topics": _("Topics, English"),
        "pairs": _("Pairs, English"),
        "topics-zh": _("Topics, Chinese"),
    }


def is_own(corpus: Corpus) -> bool:
    """True for a corpus that this session uploaded."""
    uploads: dict[str, Corpus] = st.session_state.get(OWN_CORPORA, {})
    return any(own.sha256 == corpus.sha256 for own in uploads.values())


def select_corpus(page: str, _: Translate) -> None:
    """The shared control: the corpus, and below it what the page uses it for."""
    labels = corpus_labels(_)
    choose(
        st.selectbox,
        _("Corpus"),
        list(labels),
        key="corpus",
        default="topics",
        labels=labels,
        private=[code for code in labels if code.startswith("upload-")],
    )
    uses = {
        "sentence_similarity": _("This page uses the corpus only to fit treatments."),
        "contrast": _("This page trains on the corpus if you choose it there."),
        "cosine_basis": _("This page uses no corpus."),
        "degeneration": _("This page can train on the corpus."),
        "your_corpus": _("This page shows only your own texts."),
    }
    st.caption(uses.get(page, _("This page shows the corpus.")))


def chosen_own() -> Corpus | None:
    """The corpus chosen in the sidebar if it is one of this session's own, else None."""
    uploads: dict[str, Corpus] = st.session_state.get(OWN_CORPORA, {})
    return uploads.get(st.session_state.get("corpus", ""))


def show_own(store: str, _: Translate) -> None:
    """The session's own data of a store, each with a button that deletes it."""
    for code, label in own_labels(store, _).items():
        with st.container(horizontal=True, vertical_alignment="center", key=f"own-{code}"):
            st.markdown(markdown(label), width="stretch")
            st.button(
                _("Delete"),
                key=f"delete-{code}",
                icon=":material/delete:",
                on_click=_delete,
                args=(store, code),
            )


def _delete(store: str, code: str) -> None:
    st.session_state[store].pop(code, None)
    control, default = CHOSEN_BY[store]
    if st.session_state.get(control) == code:
        st.session_state[control] = default


def chosen_corpus(code: str | None = None) -> Corpus:
    """The corpus of that code, or the one chosen in the sidebar."""
    code = code or st.session_state.get("corpus", "topics")
    uploads: dict[str, Corpus] = st.session_state.get(OWN_CORPORA, {})
    return uploads[code] if code in uploads else _translated(code, language())


@cache
def _translated(code: str, _language: str) -> Corpus:
    """A bundled corpus with its name and topics in the reader's language."""
    _ = translator()
    corpus = replace(read_bundled(code), name=corpus_names(_)[code])
    if corpus.labels is None:
        return corpus
    names = topic_names(_)
    return replace(corpus, labels=tuple(names[label] for label in corpus.labels))


def topic_names(_: Translate) -> dict[str, str]:
    """The names of the bundled corpora's topics."""
    return {
        "cooking": _("cooking"),
        "everyday": _("everyday"),
        "finance": _("finance"),
        "history": _("history"),
        "law": _("law"),
        "medicine": _("medicine"),
        "music": _("music"),
        "science": _("science"),
        "sport": _("sport"),
        "technology": _("technology"),
        "travel": _("travel"),
        "weather": _("weather"),
    }
