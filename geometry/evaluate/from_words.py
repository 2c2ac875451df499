"""Scores of static word vectors: averaged into sentences, and on pairs of words."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from ..data.embeddings import VectorTable
from ..data.errors import CorpusError
from ..data.pairs import Pairs
from ..data.words import Tokenizer, tokenizer_for
from ..encode.cloud import type_averages as type_averages
from ..linalg.moments import Moments
from ..process import Progress
from ..transform.treatments import LADDER
from ..vectors.word_averages import SentenceVectors, sentence_vectors
from ..vectors.word_pairs import word_pair_vectors
from .bootstrap import DRAWS, LEAST_PAIRS, PairScore, evaluate_pairs, resamples_of
from .grid import Grid, evaluate_grid

LEAST_FITTED = 2  # texts of a fit; one has no variance


@dataclass(frozen=True, kw_only=True)
class WordCoverage:
    """How texts became words, and which of these a table contains."""

    #: share of the words of the pairs, counted with repeats, that the table contains
    coverage: float = 1.0
    #: the most frequent words that the table lacks, with their counts
    unknown: tuple[tuple[str, int], ...] = ()
    n_fit_left_out: int = 0  #: texts of the fit set without a known word, left out
    #: tokenizer, stop_words: as in ``SentenceVectors``
    tokenizer: str = ""
    stop_words: tuple[str, int] | None = None
    n_stopped: int = 0  #: pairs left out in which the only known words of a sentence are stop words


@dataclass(frozen=True)
class WordGrid(WordCoverage):
    """A grid of averaged words, with its coverage.

    The grid's poolings are the weightings; its only layer is 0. ``n_left_out`` pairs are left out
    of every cell, because a sentence without a known word has no vector.
    """

    grid: Grid
    n_left_out: int


@dataclass(frozen=True, eq=False)
class AveragedPairs(WordCoverage):
    """Static averages of pairs and of a fit set, ready for a grid."""

    pairs: Pairs
    vectors: Mapping[str, np.ndarray]  # (2n, d) by weighting, left sentences first
    known: np.ndarray  # (n,), pairs with a known word in both sentences; only they are scored
    fit: Mapping[str, np.ndarray] | None = None  # None fits on the scored pairs' sentences

    @cached_property
    def content_key(self) -> str:
        digest = hashlib.sha256(f"{self.pairs.name}/{self.pairs.content_key}".encode())
        digest.update(self.known.tobytes())
        for name, X in (*self.vectors.items(), *(self.fit or {}).items()):
            digest.update(f"{name}/{X.shape}".encode() + X.tobytes())
        return digest.hexdigest()


def evaluate_words(
    table: VectorTable,
    pairs: Pairs,
    *,
    weightings: str | Sequence[str] = ("mean",),
    counts: Mapping[str, float] | None = None,
    treatments: Sequence[str] = LADDER,
    fit_texts: Sequence[str] | None = None,
    fit_on: str | None = None,
    similarity: str = "cosine",
    draws: int = DRAWS,
    seed: int = 0,
    aggregation: str | None = None,
    tokenizer: Tokenizer | None = None,
    stop_words: str = "none",
    progress: Progress | None = None,
) -> WordGrid:
    """The grid of a table of word vectors on pairs: weightings in place of layers and poolings.

    CorpusError "too_few_known_pairs" if fewer than 3 pairs have a known word in both sentences,
    "too_few_known_texts" if fewer than 2 texts of the fit set have one. Parameters without a
    description are as in ``evaluate_encoder``.

    Parameters
    ----------
    table : VectorTable
    pairs : Pairs
    weightings : str or sequence of str
        Some of "mean", "sif", "zipf", as in ``sentence_vectors``. The second half of SIF is the
        treatment "svd:1", fitted like any other.
    counts : mapping of str to float, optional
        Word counts, needed by "sif" and "zipf".
    treatments : sequence of str
    fit_texts : sequence of str, optional
        Texts to fit treatments on, each distinct text once. By default the sentences of the
        pairs.
    fit_on : str, optional, name of ``fit_texts``
    similarity : str
    draws : int
    seed : int
    aggregation : str, optional
    tokenizer : str or callable, optional
        As in ``sentence_vectors``; None finds it from the texts of the pairs.
    stop_words : str
        As in ``sentence_vectors``. A pair in which a sentence has no other known word is left out.
    progress : callable, optional
    """
    if (fit_texts is None) != (fit_on is None):
        raise ValueError(
            "fit_texts and fit_on, its name, come together; leave out both to fit on the pairs' "
            "own sentences"
        )
    of_words: dict[str, Any] = {"tokenizer": tokenizer, "counts": counts, "stop_words": stop_words}
    averages = average_pairs(table, pairs, weightings=weightings, fit_texts=fit_texts, **of_words)
    how: dict[str, Any] = {"draws": draws, "seed": seed, "aggregation": aggregation}
    how |= {"treatments": treatments, "fit_on": fit_on, "similarity": similarity}
    return evaluate_averages(averages, progress=progress, **how)


def average_pairs(
    table: VectorTable,
    pairs: Pairs,
    *,
    weightings: str | Sequence[str] = ("mean",),
    fit_texts: Sequence[str] | None = None,
    tokenizer: Tokenizer | None = None,
    **how: Any,
) -> AveragedPairs:
    """The first half of ``evaluate_words``: averages of words, as ``sentence_vectors`` has them."""
    named: tuple[Any, ...]
    named = (weightings,) if isinstance(weightings, str) else tuple(dict.fromkeys(weightings))
    if not named:
        raise ValueError("no weighting was named; choose from mean, sif, zipf")
    both = [*pairs.left, *pairs.right]
    tokenizer = tokenizer or tokenizer_for(both)

    def averaged(texts: Sequence[str]) -> dict[str, SentenceVectors]:
        own = {"tokenizer": tokenizer, "empty": "zero", **how}
        return {name: sentence_vectors(texts, table, weighting=name, **own) for name in named}

    averages = averaged(both)
    first = averages[named[0]]  # coverage is the same for every weighting
    fit = {} if fit_texts is None else averaged(list(dict.fromkeys(fit_texts)))
    for average in fit.values():
        if (n := int(average.has_words.sum())) < LEAST_FITTED:
            counts = {"n": n, "total": len(average.has_words), "limit": LEAST_FITTED}
            raise CorpusError("too_few_known_texts", words=how_split(average), **counts)
    known = np.logical_and(*first.has_words.reshape(2, len(pairs)))
    stopped = np.logical_or(*first.has_stop_words_only.reshape(2, len(pairs)))
    return AveragedPairs(
        pairs=pairs,
        vectors={name: average.vectors for name, average in averages.items()},
        known=known,
        fit={name: each.vectors[each.has_words] for name, each in fit.items()} or None,
        coverage=first.coverage,
        unknown=first.unknown,
        n_fit_left_out=len(fit[named[0]].missing) if fit else 0,
        tokenizer=first.tokenizer,
        stop_words=first.stop_words,
        n_stopped=int(stopped.sum()),
    )


def evaluate_averages(
    averages: AveragedPairs,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    aggregation: str | None = None,
    **how: Any,
) -> WordGrid:
    """The second half of ``evaluate_words``: averages are scored as ``evaluate_grid`` does it."""
    known, fit, pairs = averages.known, averages.fit, averages.pairs
    if known.sum() < LEAST_PAIRS:
        counts = {"n": int(known.sum()), "total": len(pairs), "limit": LEAST_PAIRS}
        raise CorpusError("too_few_known_pairs", words=how_split(averages), **counts)
    scored = pairs.among(np.flatnonzero(known))
    grid = evaluate_grid(
        {name: X[np.tile(known, 2)][None] for name, X in averages.vectors.items()},
        scored.gold_scores,
        fit_vectors=None if fit is None else {name: rows[None] for name, rows in fit.items()},
        evaluated_on=pairs.name,
        bootstrap=resamples_of(scored, aggregation, draws=draws, seed=seed),
        **how,
    )
    coverage = {each.name: getattr(averages, each.name) for each in fields(WordCoverage)}
    return WordGrid(grid, int((~known).sum()), **coverage)


def how_split(found: SentenceVectors | WordCoverage) -> str:
    if found.stop_words is None:
        return found.tokenizer
    name, n = found.stop_words
    return f"{found.tokenizer}, without stop words ({name}, {n})"


@dataclass(frozen=True)
class WordPairScore:
    """The score of a table on a set of word pairs."""

    name: str  #: of the set
    score: PairScore  #: over the ``score.n`` pairs whose words are both in the table
    n_pairs: int  #: number of pairs of the set
    missing: tuple[str, ...]  #: the words that the table lacks, each once

    @property
    def coverage(self) -> float:
        """Share in [0, 1] of the pairs whose words are both in the table."""
        return self.score.n / self.n_pairs


def evaluate_word_pairs(
    table: VectorTable,
    pairs: Pairs,
    *,
    similarity: str = "cosine",
    draws: int = DRAWS,
    seed: int = 0,
) -> WordPairScore:
    """Spearman of the similarities of words against human scores; no treatment.

    A word is looked up as written, then in any case. Mahalanobis distances use the covariance of
    the table's own vectors. CorpusError "too_few_known_word_pairs" if fewer than 3 pairs have both
    words in the table.

    Parameters
    ----------
    table : VectorTable
    pairs : Pairs, word pairs, as ``read_word_pairs`` returns them
    similarity : str, as in ``pair_similarities``
    draws : int, resamples of the bootstrap
    seed : int, of the bootstrap
    """
    words = word_pair_vectors(pairs, table, at_least=LEAST_PAIRS)
    score = evaluate_pairs(
        words.left,
        words.right,
        words.gold_scores,
        similarity=similarity,
        precision=Moments.of(table.vectors) if similarity == "mahalanobis" else None,
        draws=draws,
        seed=seed,
        units=pairs.among(np.flatnonzero(words.has_both)).units,
    )
    return WordPairScore(pairs.name, score, len(pairs), words.missing)
