"""Scores of uploaded word vectors, for a separate process: this module imports no Streamlit."""

from collections.abc import Sequence
from typing import Any

from geometry import Pairs, read_vectors
from geometry.data.limits import Limits
from geometry.evaluate.from_words import (
    AveragedPairs,
    WordPairScore,
    average_pairs,
    evaluate_word_pairs,
)
from geometry.vectors import rank_counts, read_word_pairs


def averages_of_file(
    content: bytes,
    *,
    pairs: Pairs,
    name: str,
    limits: Limits,
    weighting: str,
    tokenizer: str | None,
    stop_words: str,
    fit_texts: Sequence[str] | None,
) -> AveragedPairs:
    """Averages of words in a file, read as a whole: case varies, frequencies are its order."""
    table = read_vectors(content, name=name, limits=limits)
    return average_pairs(
        table,
        pairs,
        weightings=weighting,
        counts=None if weighting == "mean" else rank_counts(table),
        fit_texts=fit_texts,
        tokenizer=tokenizer,
        stop_words=stop_words,
    )


def score_of_files(
    vectors: bytes, *, name: str, words: bytes, words_name: str, limits: Limits, **how: Any
) -> WordPairScore:
    pairs = read_word_pairs(words, name=words_name, limits=limits)
    table = read_vectors(vectors, name=name, limits=limits)
    return evaluate_word_pairs(table, pairs, **how)
