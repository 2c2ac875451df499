"""Sentence vectors from word vectors, and how much of the sentences the words cover."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..data.embeddings import VectorTable
from ..transform.whitening_map import WhiteningMap
from .errors import VectorFileError
from .sif import (
    refuse_a,
    refuse_unfinite_words,
    refuse_unknown_sentences,
    sif_weights,
    total_count,
    weighted_means,
)

Weighting = Literal["mean", "sif", "zipf"]
WEIGHTINGS = ("mean", "sif", "zipf")
_WORD = re.compile(r"[a-z0-9']+")
_LISTED = 20  # unknown words that the result lists


@dataclass(frozen=True, eq=False)
class SentenceVectors:
    """Averages of word vectors, and how many words they average.

    Attributes
    ----------
    vectors : (n, d) array
    n_words : (n,) array of int
        Words of each sentence.
    n_known : (n,) array of int
        Those of them that the table has.
    unknown : tuple of (str, int)
        The commonest words that the table lacks, each with its number of occurrences.
    weighting : str
        As in ``sentence_vectors``.
    """

    vectors: np.ndarray
    n_words: np.ndarray
    n_known: np.ndarray
    unknown: tuple[tuple[str, int], ...]
    weighting: str

    @property
    def coverage(self) -> float:
        """Share in [0, 1] of all words, as often as they occur, that the table has."""
        total = int(self.n_words.sum())
        return int(self.n_known.sum()) / total if total else 0.0

    @property
    def has_words(self) -> np.ndarray:
        """(n,) bool, False for the sentences without a known word, whose vector is zero."""
        return self.n_known > 0

    @property
    def missing(self) -> np.ndarray:
        """Numbers of the sentences without a known word."""
        return np.flatnonzero(self.n_known == 0)


def words_of(text: str) -> list[str]:
    """The words of an English text: lower case, runs of a-z, 0-9 and the apostrophe.

    Other scripts have no word by this rule: give ``sentence_vectors`` a tokenizer of their own.
    """
    return _WORD.findall(text.lower())


def sentence_vectors(
    sentences: Sequence[str] | Sequence[Sequence[str]],
    table: VectorTable,
    *,
    weighting: Weighting = "mean",
    counts: Mapping[str, float] | None = None,
    a: float = 1e-3,
    tokenizer: Callable[[str], Sequence[str]] = words_of,
    empty: Literal["error", "zero"] = "error",
) -> SentenceVectors:
    """The mean over each sentence's known words of their vectors, in the table's precision.

    A word's vector is its exact entry in the table, else the first entry whose lower case matches.
    Words without a vector are left out, also of the mean.

    Parameters
    ----------
    sentences : n texts, or n sequences of words
        ``tokenizer`` splits texts.
    table : VectorTable
    weighting : str
        "mean"; "sif", each word by a/(a + p(w)) (Arora et al. 2017; its second half, the common
        direction, is ``CommonComponentRemoval(1, centred=False)``, fitted on a named set); "zipf",
        the words' vectors whitened under p(w) first, then the mean (Yokoi et al. 2024).
    counts : {word: count}, optional
        Needed for "sif" and "zipf"; p(w) is the share of all counts of the words that have w's
        row. See ``read_counts`` and ``rank_counts``.
    a : float, > 0
        For "sif".
    tokenizer : callable
        Takes a text, returns its words.
    empty : str
        What happens if a sentence has no known word. "error" raises a VectorFileError
        that names it. "zero" gives a row of zeros, which ``has_words`` marks. Such a row has no
        direction and must be left out of any score.
    """
    _check(weighting, counts, a, empty)
    refuse_unfinite_words(table)
    split = [tokenizer(each) if isinstance(each, str) else each for each in sentences]
    rows = [[table.row_of(word) for word in words] for words in split]
    known = [[row for row in found if row is not None] for found in rows]
    n_known = np.array([len(ids) for ids in known], dtype=np.int64)
    if empty == "error":
        refuse_unknown_sentences(n_known)
    lacking = Counter(
        word
        for words, found in zip(split, rows, strict=True)
        for word, row in zip(words, found, strict=True)
        if row is None
    )
    vectors, weights = _weighed(table, weighting, counts, a)
    return SentenceVectors(
        vectors=weighted_means(known, vectors, weights),
        n_words=np.array([len(words) for words in split], dtype=np.int64),
        n_known=n_known,
        unknown=tuple(lacking.most_common(_LISTED)),
        weighting=weighting,
    )


def row_probabilities(table: VectorTable, counts: Mapping[str, float]) -> np.ndarray:
    """p (V,) of the table's rows: each counted word's share goes to the row that it would take.

    Sums to at most 1, the rest being words that the table lacks.
    """
    total = total_count(counts)
    p = np.zeros(len(table.words))
    for word, count in counts.items():
        row = table.row_of(word)
        if row is not None:
            p[row] += count / total
    return p


def _weighed(
    table: VectorTable, weighting: Weighting, counts: Mapping[str, float] | None, a: float
) -> tuple[np.ndarray, np.ndarray]:
    """Vectors (V, d) and weights (V,) whose products are averaged."""
    ones = np.ones(len(table.words))
    if weighting == "mean" or counts is None:
        return table.vectors, ones
    p = row_probabilities(table, counts)
    if not p.any():
        raise VectorFileError("no_counted_words")
    if weighting == "sif":
        return table.vectors, sif_weights(p, a)
    return WhiteningMap.of(table.vectors, p).apply(table.vectors), ones


def _check(weighting: str, counts: Mapping[str, float] | None, a: float, empty: str) -> None:
    if weighting not in WEIGHTINGS:
        raise ValueError(f"weighting must be one of {', '.join(WEIGHTINGS)}; got {weighting!r}")
    if empty not in ("error", "zero"):
        raise ValueError(f'empty must be "error" or "zero"; got {empty!r}')
    refuse_a(a)
    if weighting != "mean" and counts is None:
        raise ValueError(
            f"weighting {weighting!r} needs counts of the words: read_counts of a file, or "
            "rank_counts(table) where the most frequent words come first"
        )
