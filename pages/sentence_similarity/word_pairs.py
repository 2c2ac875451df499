"""An uploaded word-similarity set, scored by the uploaded word vectors: one line under the bars."""

from __future__ import annotations

import streamlit as st

from geometry import CorpusError, VectorFileError, read_vectors
from geometry.data.corpus import MAX_BYTES
from geometry.encode import ArrayStore
from geometry.evaluate.word_similarity import WordPairScore, evaluate_word_pairs
from geometry.vectors import read_word_pairs
from pages.common import cached, jobs
from pages.common.cached import SEED
from pages.common.messages.corpus_errors import MEGABYTE, error_text
from pages.common.table_form import label_uploader
from pages.common.words import Translate, prose

from .choices import similarity_names
from .scene import DRAWS, Asked
from .static import MOST_TABLE, UPLOADER
from .words import with_interval

PAGE = "sentence_similarity"
WORDS_UPLOADER = "word_pairs_file"
NAMED = 5  # words that are not there


def show_word_pair_form(_: Translate) -> None:
    """The uploader; its file is scored where the bars are drawn."""
    label = _("Pairs of words with scores, such as SimLex-999, at most {megabytes} MB")
    st.file_uploader(label.format(megabytes=f"{MAX_BYTES / MEGABYTE:g}"), key=WORDS_UPLOADER)
    label_uploader(WORDS_UPLOADER, MAX_BYTES, _)


def show_word_pairs(asked: Asked, _: Translate) -> None:
    """The line, or what is wrong with the file; nothing until both files are there."""
    vectors, words = (st.session_state.get(key) for key in (UPLOADER, WORDS_UPLOADER))
    if words is None:
        return
    if vectors is None:
        st.info(prose(PAGE, "word-pairs-alone"))
        return
    key = ArrayStore.key(vectors.file_id, words.file_id, asked.similarity, SEED)

    def work(report: jobs.Report) -> WordPairScore:
        report(0, 1)
        pairs = read_word_pairs(words.getvalue(), name=words.name)
        table = read_vectors(vectors.getvalue(), name=vectors.name, max_bytes=MOST_TABLE)
        how = {"draws": DRAWS, "seed": SEED}
        return evaluate_word_pairs(table, pairs, similarity=asked.similarity, **how)

    kept: WordPairScore | None = cached.measures_if_ready(f"words/{key}")
    try:
        if kept is None:
            what = _("Reading {name}").format(name=words.name)
            kept = jobs.wait_for(f"words-{key}", work, _, what, lane="measure")
            cached.keep_measures(f"words/{key}", kept)
    except VectorFileError:
        return  # told beside the bars
    except CorpusError as error:
        own = error.code == "no_pair_columns"  # its words are of sentences
        st.error(prose(PAGE, "word-pairs-unfit") if own else error_text(error, _))
    except ValueError:
        st.error(prose(PAGE, "word-pairs-unfit"))
    else:
        st.markdown(prose(PAGE, "word-pairs", word_values(kept, vectors.name, _)))


def word_values(found: WordPairScore, vectors: str, _: Translate) -> dict[str, str]:
    """What the line quotes."""
    score = found.score
    name = similarity_names(_)[score.similarity]
    if score.similarity == "mahalanobis":
        name = _("{name} (covariance of the file’s own vectors)").format(name=name)
    return {
        "set": found.name,
        "vectors": vectors,
        "similarity": name,
        "score": with_interval(score.spearman, score.low, score.high, _),
        "n": f"{score.n:,}",
        "pairs": f"{found.n_pairs:,}",
        "share": f"{found.coverage:.1%}",
        "missing": ", ".join(found.missing[:NAMED]) or "—",
        "draws": f"{DRAWS:,}",
        "seed": f"{SEED}",
    }
