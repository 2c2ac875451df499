"""Pairs of words: their uploader, and their score by the uploaded word vectors."""

from __future__ import annotations

import streamlit as st

from geometry import CorpusError
from geometry.errors import GeometryError
from geometry.evaluate.bootstrap import DRAWS
from geometry.evaluate.from_words import WordPairScore
from geometry.vectors import VectorFileError
from pages.common.messages import error_text
from pages.common.reading import read_upload
from pages.common.scores import score_words
from pages.common.seed import SEED
from pages.common.table_form import refused_files_leave, upload_table, uploaded
from pages.common.words import _, markdown, prose

from . import PAGE
from .choices import similarity_names
from .scene import UPLOADER, SimilarityScene
from .vector_files import score_of_files

WORDS_UPLOADER = "word_pairs_file"


def show_word_pair_form() -> None:
    label = _("Pairs of words with scores, such as SimLex-999, at most {megabytes} MB")
    upload_table(label, WORDS_UPLOADER)


def show_word_pairs(scene: SimilarityScene) -> None:
    """The score of the uploaded word pairs by the uploaded vectors, or an error message."""
    vectors, words = uploaded(UPLOADER), uploaded(WORDS_UPLOADER)
    if words is None:
        return
    if vectors is None:
        st.info(prose(PAGE, "word-pairs-alone"))
        return
    try:
        with refused_files_leave(words, CorpusError):
            score: WordPairScore = read_upload(
                score_of_files,
                vectors,
                beside={"words": words.getvalue(), "words_name": words.name},
                named=words.file_id,
                similarity=scene.choice.similarity,
                draws=DRAWS,
                seed=SEED,
            )
    except VectorFileError:
        return  # the error is shown below the uploader of the vectors
    except GeometryError as error:
        st.error(error_text(error))
    else:
        st.markdown(prose(PAGE, "word-pairs", word_values(score, vectors.name)))


def word_values(words: WordPairScore, vectors: str) -> dict[str, str]:
    score = words.score
    name = similarity_names()[score.similarity]
    if score.similarity == "mahalanobis":
        name = _("{name} (covariance of the file’s own vectors)").format(name=name)
    return {
        "set": markdown(words.name),
        "vectors": markdown(vectors),
        "similarity": name,
        "score": score_words(score),
        "n": f"{score.n:,}",
        "pairs": f"{words.n_pairs:,}",
        "share": f"{words.coverage:.1%}",
        "missing": markdown(_(", ").join(words.missing[:5])) or "—",
        "draws": f"{DRAWS:,}",
        "seed": f"{SEED}",
    }
