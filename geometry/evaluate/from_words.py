"""A grid from static word vectors: sentences are averages of their words, told with coverage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..data.embeddings import VectorReport, VectorTable
from ..data.pairs import Pairs
from ..vectors.word_averages import SentenceVectors, sentence_vectors, words_of
from .cells import Grid
from .grid import Progress, evaluate_grid
from .scores import LEAST_PAIRS
from .specs import LADDER
from .subsets import resamples_of

Tokenizer = Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class WordGrid:
    """A grid of averaged words, and what it stands on.

    grid : its poolings are the weightings, its only layer is 0.   coverage : share in [0, 1] of
    the pairs' words, as often as they occur, that the table has.   n_left_out : pairs left out of
    every cell, for a sentence without a known word has no vector.   unknown : the commonest words
    that the table lacks, with how often they occur.   n_fit_left_out : texts of the fit set left
    out likewise.
    """

    grid: Grid
    coverage: float
    n_left_out: int
    unknown: tuple[tuple[str, int], ...]
    n_fit_left_out: int = 0


@dataclass(frozen=True, eq=False)
class AveragedPairs:
    """Static averages of pairs and of a fit set, ready for a grid.

    vectors : {weighting: (2n, d)}, the left sentences, then the right ones.   known (n,) bool :
    pairs with a known word on both sides, the only ones that are scored.   fit : {weighting:
    (m, d)}, None where treatments are fitted on the scored pairs' own sentences.   coverage,
    unknown, n_fit_left_out : as in ``WordGrid``.   report : of the file of vectors.
    """

    pairs: Pairs
    vectors: Mapping[str, np.ndarray]
    known: np.ndarray
    fit: Mapping[str, np.ndarray] | None = None
    coverage: float = 1.0
    unknown: tuple[tuple[str, int], ...] = ()
    n_fit_left_out: int = 0
    report: VectorReport | None = None


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
    draws: int = 1000,
    seed: int = 0,
    aggregation: str | None = None,
    tokenizer: Tokenizer = words_of,
    progress: Progress | None = None,
) -> WordGrid:
    """The grid of a table of word vectors on pairs: weightings in place of layers and poolings.

    weightings : of "mean", "sif", "zipf", as in ``sentence_vectors``; the latter two need counts.
    SIF's second half is the treatment "svd:1", fitted like any other.
    fit_texts, fit_on : what treatments are fitted on, each distinct text once, and its name;
    without them the pairs' own sentences.   The rest as in ``evaluate_encoder``.
    Raises ValueError where fewer than 3 pairs have a known word in both sentences, and as
    ``sentence_vectors`` and ``evaluate_grid`` do.
    """
    if (fit_texts is None) != (fit_on is None):
        raise ValueError(
            "fit_texts and fit_on, its name, come together; leave out both to fit on the pairs' "
            "own sentences"
        )
    averages = average_pairs(
        table,
        pairs,
        weightings=weightings,
        counts=counts,
        fit_texts=fit_texts,
        tokenizer=tokenizer,
    )
    return evaluate_averages(
        averages,
        treatments=treatments,
        fit_on=fit_on,
        similarity=similarity,
        draws=draws,
        seed=seed,
        aggregation=aggregation,
        progress=progress,
    )


def average_pairs(
    table: VectorTable,
    pairs: Pairs,
    *,
    weightings: str | Sequence[str] = ("mean",),
    counts: Mapping[str, float] | None = None,
    fit_texts: Sequence[str] | None = None,
    tokenizer: Tokenizer = words_of,
) -> AveragedPairs:
    """The first half of ``evaluate_words``, whose arguments these are: no treatment is known yet.

    Raises ValueError as it does.
    """
    named = (weightings,) if isinstance(weightings, str) else tuple(dict.fromkeys(weightings))

    def averaged(texts: Sequence[str]) -> dict[str, SentenceVectors]:
        how = {"counts": counts, "tokenizer": tokenizer}
        return {
            each: sentence_vectors(texts, table, weighting=each, empty="zero", **how)  # type: ignore[arg-type]
            for each in named
        }

    found = averaged([*pairs.left, *pairs.right])
    if not found:
        raise ValueError("no weighting was named; choose from mean, sif, zipf")
    first = next(iter(found.values()))  # what is known depends on the words alone
    fit = None if fit_texts is None else averaged(list(dict.fromkeys(fit_texts)))
    return AveragedPairs(
        pairs=pairs,
        vectors={each: one.vectors for each, one in found.items()},
        known=np.logical_and(*first.has_words.reshape(2, len(pairs))),
        fit=None if fit is None else _rows(fit),
        coverage=first.coverage,
        unknown=first.unknown,
        n_fit_left_out=0 if fit is None else len(next(iter(fit.values())).missing),
        report=table.report,
    )


def evaluate_averages(
    averages: AveragedPairs,
    *,
    treatments: Sequence[str] = LADDER,
    fit_on: str | None = None,
    similarity: str = "cosine",
    draws: int = 1000,
    seed: int = 0,
    aggregation: str | None = None,
    progress: Progress | None = None,
) -> WordGrid:
    """The second half of ``evaluate_words``: averages treated and scored."""
    known, fit = averages.known, averages.fit
    scored = _taken(averages.pairs, known)
    grid = evaluate_grid(
        {each: X[np.tile(known, 2)][None] for each, X in averages.vectors.items()},
        scored.gold_scores,
        treatments=treatments,
        fit_vectors=None if fit is None else {each: rows[None] for each, rows in fit.items()},
        fit_on=fit_on,
        evaluated_on=averages.pairs.name,
        similarity=similarity,
        bootstrap=resamples_of(scored, aggregation, draws=draws, seed=seed),
        progress=progress,
    )
    return WordGrid(
        grid=grid,
        coverage=averages.coverage,
        n_left_out=int((~known).sum()),
        unknown=averages.unknown,
        n_fit_left_out=averages.n_fit_left_out,
    )


def _rows(fit: Mapping[str, SentenceVectors]) -> dict[str, np.ndarray]:
    """{weighting: (m, d)} of the texts that have a known word."""
    rows = {each: one.vectors[one.has_words] for each, one in fit.items()}
    if any(len(each) < 2 for each in rows.values()):
        raise ValueError(
            "fewer than 2 texts of the fit set have a word of the table, so nothing can be fitted "
            "on it; take texts of the vectors' language"
        )
    return rows


def _taken(pairs: Pairs, known: np.ndarray) -> Pairs:
    """The pairs that have a known word in both sentences."""
    if known.sum() < LEAST_PAIRS:
        raise ValueError(
            f"{int(known.sum())} of {len(pairs)} pairs have a word of the table in both sentences, "
            f"and a correlation needs at least {LEAST_PAIRS}; take vectors of the pairs' language"
        )
    rows = np.flatnonzero(known).tolist()
    subsets = pairs.subsets
    return replace(
        pairs,
        left=tuple(pairs.left[row] for row in rows),
        right=tuple(pairs.right[row] for row in rows),
        gold_scores=pairs.gold_scores[rows],
        subsets=None if subsets is None else tuple(subsets[row] for row in rows),
    )
