"""The corpora to choose from: the bundled ones and this session's uploads."""

import re
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import Any

import numpy as np
import streamlit as st

from geometry import Corpus, Pairs
from geometry.data import JudgedQueries, RowPairs, VectorSet
from geometry.data.corpus import BUNDLED_CORPORA, read_bundled
from geometry.data.limits import MAX_CORPORA, MAX_PAIR_SETS, MAX_VECTOR_SETS
from geometry.data.pairs import BUNDLED_PAIRS, read_bundled_pairs
from geometry.encode import ArrayStore

from .address import OWN_FILE, put_in_url
from .controls import act_button, choose
from .words import _, language, markdown, names, noted

# keys of the session's state
OWN_CORPORA, OWN_VECTORS, OWN_PAIRS = "uploads", "vector-uploads", "pair-uploads"
EVIDENCE = "evidence"  # pairs and queries for a reader's own vectors
NEXT = "next-corpus"  # code of the corpus that the sidebar chooses in the next run
FILE_NAMES = "file-names"  # by digest, with their endings
MOST_NAME = 80  # characters of a file's name in the address
USES = "uses"  # how often own data were used
BUNDLED = "bundled"  # code of the bundled pairs that are the default
BUNDLED_NAMES = dict(zip((BUNDLED, *BUNDLED_PAIRS[1:]), BUNDLED_PAIRS, strict=True))  # by code
# pages that can show vectors
FOR_VECTORS = ("narrow_cone", "whitening", "neighbours", "evidence", "your_corpus")


def remember(store: str, code: str, value: Any, most: int) -> str:
    """Store a value in the session's state, and drop the oldest beyond a number; its code."""
    others = {name: each for name, each in st.session_state.get(store, {}).items() if name != code}
    st.session_state[store] = dict([*others.items(), (code, value)][-most:])
    st.session_state[USES] = st.session_state.get(USES, 0) + 1
    return code


def own_labels(store: str) -> dict[str, str]:
    words = {
        OWN_CORPORA: _("Yours: {name} ({n})"),
        OWN_VECTORS: _("Yours: {name} ({n} vectors)"),
        OWN_PAIRS: _("Yours: {name} ({n} pairs)"),
    }
    return {
        code: words[store].format(name=own.name, n=f"{len(own):,}")
        for code, own in st.session_state.get(store, {}).items()
    }


def add_upload(own: Corpus | VectorSet) -> str:
    of_vectors = OWN_VECTORS, MAX_VECTOR_SETS
    store, most = of_vectors if isinstance(own, VectorSet) else (OWN_CORPORA, MAX_CORPORA)
    return remember(store, f"upload-{own.sha256[:12]}", own, most)


def add_pairs(pairs: Pairs) -> str:
    texts = Corpus(pairs.name, pairs.left + pairs.right)
    code = f"upload-{ArrayStore.key(texts.sha256, pairs.gold_scores.tobytes().hex())[:12]}"
    return remember(OWN_PAIRS, code, pairs, MAX_PAIR_SETS)


def corpus_labels() -> dict[str, str]:
    named = names("corpora")
    shipped = {code: noted(named[code], f"{len(read_bundled(code)):,}") for code in BUNDLED_CORPORA}
    return {**shipped, **own_labels(OWN_CORPORA)}


def short_pair_labels() -> dict[str, str]:
    """The bundled pairs' labels by code, short enough for a control, the default first."""
    return {
        code: noted(name, f"{len(read_bundled_pairs(BUNDLED_NAMES[code])):,}")
        for code, name in names("short_pairs").items()
    }


def is_own(corpus: Corpus) -> bool:
    if any(own.sha256 == corpus.sha256 for own in _own_corpora().values()):
        return True
    pairs = st.session_state.get(OWN_PAIRS, {})
    return any(own.sentences == corpus.texts for own in pairs.values())


def _own_corpora() -> dict[str, Corpus]:
    return st.session_state.get(OWN_CORPORA, {})


def own_vectors() -> dict[str, VectorSet]:
    return st.session_state.get(OWN_VECTORS, {})


def select_corpus(page: str) -> None:
    labels = corpus_labels() | own_labels(OWN_VECTORS)
    if NEXT in st.session_state:
        st.session_state["corpus"] = st.session_state.pop(NEXT)
    code = choose(st.selectbox, _("Corpus"), labels, key="corpus", default="topics")
    own = chosen_own()
    if own is not None:
        name = st.session_state.get(FILE_NAMES, {}).get(own.sha256, own.name)
        put_in_url(OWN_FILE, f"{link_digest(own)}~{name[:MOST_NAME]}")
    elif linked_file() is None:
        put_in_url(OWN_FILE, None)
    uses = {
        "sentence_similarity": _("This page uses the corpus only to fit treatments."),
        "contrast": _("This page trains on the corpus if you choose it there."),
        "cosine_basis": _("This page uses no corpus."),
        "evidence": _("This page uses the corpus where it judges the chosen model."),
        "degeneration": _("This page can train on the corpus."),
        "your_corpus": _("This page shows only your own texts and vectors."),
    }
    about = uses.get(page, _("This page shows the corpus."))
    if code in own_vectors() and page not in FOR_VECTORS:
        about = _("This page needs texts, and your file has vectors. It uses “{name}”.")
    st.caption(about.format(name=names("corpora")["topics"]))


def linked_file() -> tuple[str, str] | None:
    """Code and name of the file that the address is about, if this session does not have it."""
    meant = re.fullmatch(r"([0-9a-f]{12})~(.{0,80})", st.query_params.get(OWN_FILE, ""), re.DOTALL)
    if meant is None:
        return None
    code = f"upload-{meant[1]}"
    return None if own_code(code) else (code, meant[2])


def own_code(code: str) -> str:
    """The code of this session's file with the content of "upload-" and a digest; "" without it."""
    own: dict[str, Corpus | VectorSet] = {**_own_corpora(), **own_vectors()}
    digest = code.removeprefix("upload-")
    return next((each for each, file in own.items() if link_digest(file) == digest), "")


def link_digest(own: Corpus | VectorSet) -> str:
    """Of the content and of the names of the columns, which a link has by their places."""
    names = "".join(f"\n{column.name}" for column in own.columns)
    return sha256(f"{own.sha256}{names}".encode()).hexdigest()[:12] if names else own.sha256[:12]


def chosen_own() -> Corpus | VectorSet | None:
    code = st.session_state.get("corpus", "")
    return _own_corpora().get(code) or own_vectors().get(code)


def show_own(store: str) -> None:
    for code, label in own_labels(store).items():
        with st.container(horizontal=True, vertical_alignment="center", key=f"own-{code}"):
            st.markdown(markdown(label), width="stretch")
            act_button(_("Delete"), f"delete-{code}", "delete", _delete, store, code)


def _delete(store: str, code: str) -> None:
    st.session_state[store].pop(code, None)
    control, default = ("pairs", BUNDLED) if store == OWN_PAIRS else ("corpus", "topics")
    if st.session_state.get(control) == code:
        st.session_state[control] = default


def chosen_corpus(code: str | None = None) -> Corpus:
    """The corpus of that code, or the one chosen in the sidebar; "topics" in place of vectors."""
    code = code or st.session_state.get("corpus", "topics")
    if code in _own_corpora():
        return _own_corpora()[code]
    return _translated("topics" if code in own_vectors() else code, language())


def chosen_data(code: str | None = None) -> Corpus | VectorSet:
    """The corpus or the vectors of that code, or those chosen in the sidebar."""
    code = code or st.session_state.get("corpus", "topics")
    return own_vectors().get(code) or chosen_corpus(code)


@cache
def _translated(code: str, _language: str) -> Corpus:
    corpus = replace(read_bundled(code), name=names("corpora")[code])
    if corpus.labels is None:
        return corpus
    topics = names("topics")
    return replace(corpus, labels=tuple(topics.get(label, label) for label in corpus.labels))


@dataclass(frozen=True, eq=False)
class Evidence:
    """Pairs or queries, matched with vectors of that digest."""

    name: str
    sha256: str
    found: RowPairs | JudgedQueries
    content_key: str
    sides: np.ndarray | None = None  # vectors of the pairs' sides, where they are no rows

    @property
    def queries(self) -> JudgedQueries | None:
        return self.found if isinstance(self.found, JudgedQueries) else None

    @property
    def pairs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """The pairs as ``diagnose`` takes them; None for queries."""
        if isinstance(self.found, JudgedQueries):
            return None
        left, right, gold = self.found.left, self.found.right, self.found.gold_scores
        if self.sides is None:
            return left, right, gold
        return self.sides[left], self.sides[right], gold


def evidence_of(own: VectorSet) -> dict[str, Evidence]:
    found: dict[str, Evidence] = st.session_state.get(EVIDENCE, {})
    return {code: each for code, each in found.items() if each.sha256 == own.sha256}


def evidence_label(given: Pairs | Evidence) -> str:
    if isinstance(given, Pairs):
        words = _("pairs: {name}")
    else:
        words = _("pairs of rows: {name}") if given.queries is None else _("queries: {name}")
    return words.format(name=given.name)
