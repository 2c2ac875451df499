"""Sentence vectors as averages of word vectors that weigh frequent words down (SIF)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..data.embeddings import VectorTable
from .errors import MOST_NAMED, VectorFileError


def sif_average(
    sentences: Sequence[Sequence[str]],
    table: VectorTable,
    counts: Mapping[str, float],
    *,
    a: float = 1e-3,
) -> np.ndarray:
    """Smooth-inverse-frequency averages: mean over a sentence's known words of a/(a + p(w)) v_w.

    This is the first half. The second removes the first *uncentred* singular direction, fitted on
    a set that the caller names: ``CommonComponentRemoval(1, centred=False).fit(averages)``.

    Parameters
    ----------
    sentences : n sequences of str
        Words, tokenised as the table's words are.
    table : VectorTable
        Vectors (V, d).
    counts : {word: count}
        In some corpus; p(w) = count / sum of all. A word without a count has p = 0 and weight 1.
    a : float, > 0

    Returns
    -------
    (n, d) array
        In the table's precision, summed in float64. A word counts as often as it occurs; words
        that the table lacks count for nothing, not even in the mean.

    Raises
    ------
    ValueError
        Naming the sentences without any known word and how many there are, or the first word
        whose vector is not finite.

    References
    ----------
    Arora, Liang, Ma 2017, "A Simple but Tough-to-Beat Baseline for Sentence Embeddings",
    algorithm 1.
    """
    refuse_a(a)
    known = _known_words(sentences, table)
    refuse_unfinite_words(table)
    weights = sif_weights(_probabilities(table.words, counts), a)
    return weighted_means(known, table.vectors, weights)


def sif_weights(probabilities: np.ndarray, a: float) -> np.ndarray:
    """a / (a + p), (V,) in (0, 1]: 1 for a word that never occurs."""
    return a / (a + probabilities)


def weighted_means(
    known: Sequence[Sequence[int]], vectors: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Row i is the mean over ``known[i]`` of weight times vector; zeros where there is none.

    Summed in float64, in the precision of ``vectors``.
    """
    precision = vectors.dtype if np.issubdtype(vectors.dtype, np.floating) else np.float64
    means = np.zeros((len(known), vectors.shape[1]), dtype=precision)
    for i, ids in enumerate(known):
        if len(ids):
            means[i] = weights[ids] @ vectors[ids].astype(np.float64) / len(ids)
    return means


def refuse_a(a: float) -> None:
    """Raise ValueError for an a that is no finite number above 0."""
    if not 0 < a < np.inf:
        raise ValueError(f"a must be a finite number above 0; got {a!r}")


def refuse_unfinite_words(table: VectorTable) -> None:
    """Raise VectorFileError "unfinite_words" that names the first of these words."""
    bad = np.flatnonzero(~np.isfinite(table.vectors).all(axis=1))
    if len(bad):
        words = [table.words[row] for row in bad[:MOST_NAMED]]
        raise VectorFileError("unfinite_words", n=len(bad), words=words)


def refuse_unknown_sentences(n_known: Sequence[int] | np.ndarray, *, without: int = 0) -> None:
    """Raise VectorFileError "no_known_words" if a sentence has none of the table's words.

    n_known : known words of each sentence.
    without : the number of stop words, which are not among them.
    """
    rows = np.flatnonzero(np.equal(n_known, 0)) + 1
    if len(rows):
        n, total, named = len(rows), len(n_known), rows[:MOST_NAMED].tolist()
        if without:
            raise VectorFileError("only_stop_words", n=n, total=total, rows=named, limit=without)
        raise VectorFileError("no_known_words", n=n, total=total, rows=named)


def _known_words(sentences: Sequence[Sequence[str]], table: VectorTable) -> list[list[int]]:
    """Rows of the table for the words of each sentence that it has."""
    if isinstance(sentences, str) or any(isinstance(words, str) for words in sentences):
        raise ValueError("a sentence is a sequence of words, not a text; split the texts first")
    row_of: dict[str, int] = {}
    for row, word in enumerate(table.words):
        row_of.setdefault(word, row)
    known = [[row_of[word] for word in words if word in row_of] for words in sentences]
    refuse_unknown_sentences([len(ids) for ids in known])
    return known


def _probabilities(words: Sequence[str], counts: Mapping[str, float]) -> np.ndarray:
    """p(w) (V,) float64 of the table's words."""
    total = total_count(counts)
    return np.array([counts.get(word, 0.0) for word in words], dtype=np.float64) / total


def total_count(counts: Mapping[str, float]) -> float:
    """The sum of the counts, above 0; ValueError for anything but finite numbers >= 0."""
    values = np.fromiter(counts.values(), dtype=np.float64, count=len(counts))
    if not np.isfinite(values).all() or (values < 0).any() or values.sum() <= 0:
        raise ValueError("counts must be finite numbers >= 0, at least one of them above 0")
    return float(values.sum())
