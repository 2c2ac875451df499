"""A reader's own static word vectors (GloVe, word2vec, fastText), averaged over the pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from geometry import VectorFileError, read_vectors, sentence_vectors, words_of
from geometry.evaluate.bootstrap import PairBootstrap
from geometry.evaluate.scores import PairScore
from geometry.evaluate.similarities import pair_similarities

from . import jobs
from .cached import SEED
from .corpus_errors import MEGABYTE
from .corpus_form import dress_uploader
from .sts_pairs import ScoredSet
from .sts_scene import DRAWS, Asked
from .words import Translate

UPLOADER = "vectors_file"
MOST_MEGABYTES = 200


@dataclass(frozen=True)
class Static:
    """A score of static averages: what they are averages of, and the share of words known."""

    name: str
    score: PairScore
    coverage: float = 1.0


def show_static_form(_: Translate) -> None:
    """The uploader; its file is read where the bars are drawn."""
    label = _(
        "Word vectors (GloVe’s, word2vec’s or fastText’s text, word2vec’s binary, .npz, "
        ".safetensors; also gzipped), at most {megabytes} MB"
    )
    st.file_uploader(
        label.format(megabytes=f"{MOST_MEGABYTES}"), key=UPLOADER, max_upload_size=MOST_MEGABYTES
    )
    dress_uploader(UPLOADER, MOST_MEGABYTES * MEGABYTE, _)


def uploaded_static(asked: Asked, _: Translate) -> Static | None:
    """The score of the uploaded vectors; None without a file, or after saying what is wrong."""
    file = st.session_state.get(UPLOADER)
    if file is None:
        return None
    try:
        return _kept(f"{file.file_id}/{asked.pairs.key}", file, asked.pairs, _)
    except VectorFileError as error:
        st.error(_vector_error(error, _))
    except ValueError as error:
        st.error(
            _("These word vectors can’t be scored on these pairs. {reason}.").format(
                reason=str(error).rstrip(".")
            )
        )
    return None


@st.cache_resource(max_entries=4, show_spinner=False, scope="session")
def _scored(key: str) -> dict[str, Static]:
    """Where the answer of that key is kept."""
    return {}


def _kept(key: str, file: Any, pairs: ScoredSet, _: Translate) -> Static:
    kept = _scored(key)
    if "static" not in kept:
        what = _("Reading {name}").format(name=file.name)

        def work(report: jobs.Report) -> Static:
            report(0, 1)
            return score_static(file.getvalue(), file.name, pairs)

        kept["static"] = jobs.wait_for(f"static-{key}", work, _, what, lane="measure")
    return kept["static"]


def score_static(content: bytes, name: str, pairs: ScoredSet) -> Static:
    """Averages of the words that the file has, scored on the pairs that have words on both sides.

    Raises VectorFileError for a file without vectors, ValueError where no pairs are left.
    """
    texts = pairs.corpus.texts
    words = {word for text in texts for word in words_of(text)}
    spelt = {form for word in words for form in (word, word.capitalize(), word.upper())}
    table = read_vectors(content, name=name, words=spelt)
    found = sentence_vectors(texts, table, empty="zero")
    n = len(pairs)
    known = found.has_words[:n] & found.has_words[n:]
    left, right = found.vectors[:n][known], found.vectors[n:][known]
    bootstrap = PairBootstrap(np.asarray(pairs.pairs.gold_scores)[known], DRAWS, SEED)
    return Static(name, bootstrap.score(pair_similarities(left, right)), found.coverage)


def _vector_error(error: VectorFileError, _: Translate) -> str:
    told = {
        "no_vectors": _(
            "There are no word vectors in this file. Take GloVe’s or word2vec’s text, word2vec’s "
            "binary form, fastText’s .vec, .npz or .safetensors."
        ),
        "no_words": _("This file has vectors and no words. Save the words with them."),
        "truncated": _("This file is cut off or damaged. Fetch it again."),
        "pickled": _("This file could run code when it is read. Export the vectors as text."),
    }
    return told.get(error.code) or _("These word vectors can’t be read. {reason}.").format(
        reason=str(error).rstrip(".")
    )
