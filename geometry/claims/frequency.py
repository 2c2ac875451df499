"""Claims on the frequency of words: lengths, sparseness, crowding, and biases by frequency."""

from __future__ import annotations

import numpy as np

from ..evaluate.bootstrap import interval
from ..evaluate.similarities import pair_similarities
from ..linalg.rows import UndefinedMeasure, directions
from ..measure.correlation import TieGroups, is_constant, spearman
from ..measure.frequency import by_rank, frequency_direction, neighbour_means, without_frequent
from ..measure.intervals import Estimate, jackknife_interval
from .claim import MissingEvidence, Number, State, Tested, clear
from .cone import _need
from .subject import ClaimSubject

NEAREST = 3
MOST_FREQUENT = 36  # as many static tokens as Jiang et al. (2022) leave out
DRAWS = 10
LEAST_USES = 3


def li2020_norms(subject: ClaimSubject) -> Tested:
    """Length of the input embeddings against the rank of their frequency."""
    cloud = subject.pieces
    _need(len(cloud))
    found = frequency_direction(cloud.vectors, cloud.counts, seed=subject.seed).spearman
    counts = np.random.default_rng(subject.seed).permutation(cloud.counts)
    control = frequency_direction(cloud.vectors, counts, seed=subject.seed).spearman
    values = {"spearman": Number.of(found, is_change=True)}
    return Tested(
        clear(found), len(cloud), values, {"shuffled": Number.of(control, is_change=True)}
    )


def li2020_sparse(subject: ClaimSubject) -> Tested:
    """Distance to the nearest words against the rank, of vectors and of unit vectors."""
    X, counts = subject.pieces.vectors, subject.pieces.counts
    _need(len(X))
    raw, unit = (_sparseness(Z, counts, subject.seed) for Z in (X, directions(X)))
    shuffled = np.random.default_rng(subject.seed).permutation(counts)
    control = _sparseness(X, shuffled, subject.seed)
    state = clear(raw)
    if state == "holds" and not unit.rises:
        state = "partly"
    values = {
        "distance": Number.of(raw, is_change=True),
        "unit": Number.of(unit, is_change=True),
    }
    return Tested(state, len(X), values, {"shuffled": Number.of(control, is_change=True)})


def _sparseness(X: np.ndarray, counts: np.ndarray, seed: int) -> Estimate:
    """Spearman of the mean distance to the nearest rows against rarity."""
    distances = neighbour_means(X, (NEAREST,))[0][:, 0]
    ends = jackknife_interval(spearman, distances, -counts, seed=seed)
    return Estimate(spearman(distances, -counts), *ends)


def li2020_crowd(subject: ClaimSubject) -> Tested:
    """Mean cosine of sentence means without frequent tokens, beside as many random ones."""
    ranks = np.empty(subject.types.max() + 1, dtype=np.int64)
    ranks[by_rank(np.bincount(subject.types))] = np.arange(len(ranks))
    found = without_frequent(
        subject.tokens(subject.middle),
        subject.sentences,
        ranks[subject.types],
        without=100,
        seed=subject.seed,
    )
    fall = found.difference
    low, high = (None, None) if fall.low is None else (-fall.high, -fall.low)  # type: ignore[operator]
    return Tested(
        clear(Estimate(-fall.value, low, high)),
        found.n,
        {"without": Number(found.value), "difference": Number.of(fall, is_change=True)},
        {"random": Number(found.control)},
        {"layer": str(subject.middle)},
    )


def jiang2022_static(subject: ClaimSubject) -> Tested:
    """Pairs by means of input embeddings, without frequent tokens or as many random ones."""
    table = subject.encoder.type_embeddings()
    row_of = {word: row for row, word in enumerate(table.words)}
    pieces = [
        np.array([row_of[piece] for piece in each if piece in row_of], dtype=np.int64)
        for each in subject.encoder.tokenize(subject.pairs.sentences)
    ]
    if not all(len(rows) for rows in pieces):
        raise MissingEvidence("rows")
    counts = np.bincount(np.concatenate(pieces), minlength=len(row_of))
    is_frequent = np.zeros(len(counts), dtype=bool)
    is_frequent[by_rank(counts)[:MOST_FREQUENT]] = True
    rng = np.random.default_rng(subject.seed)

    def scored(kept: list[np.ndarray]) -> np.ndarray:
        means = np.array([table.vectors[rows].mean(axis=0, dtype=np.float64) for rows in kept])
        left, right = subject.pairs.rows
        return pair_similarities(means[left], means[right])

    def few(rows: np.ndarray) -> np.ndarray:
        left = rows[~is_frequent[rows]]
        return left if len(left) else rows

    rest = [few(rows) for rows in pieces]
    random = [
        scored(
            [rng.permutation(rows)[: len(kept)] for rows, kept in zip(pieces, rest, strict=True)]
        )
        for _draw in range(DRAWS)
    ]
    bootstrap = subject.bootstrap
    similarities = np.array([scored(pieces), scored(rest), *random])
    scores = np.array([spearman(each, bootstrap.gold_scores) for each in similarities])
    replicates = np.array([bootstrap.spearmans(TieGroups.of(each)) for each in similarities])

    def difference(weights: np.ndarray) -> Estimate:
        return Estimate(float(weights @ scores), *interval(weights @ replicates))

    of_random = np.r_[0.0, 0.0, np.full(DRAWS, 1 / DRAWS)]
    every, without = np.eye(len(scores))[:2]
    gain, over = difference(without - every), difference(without - of_random)
    state = clear(gain)
    if state == "holds" and not over.rises:
        state = "partly"
    values, control = (
        {name: Number.of(each, is_change=True).times(100, 1) for name, each in estimates.items()}
        for estimates in ({"gain": gain, "over": over}, {"random": difference(of_random - every)})
    )
    return Tested(state, bootstrap.n, values, control, {"k": str(MOST_FREQUENT)})


def zhou2022_frequent(subject: ClaimSubject) -> Tested:
    """Mean cosine of a word's uses against its frequency."""
    types, X = subject.types, directions(subject.tokens(subject.last).astype(np.float64))
    cosines, counts = _uses(X, types)
    _need(len(counts))
    if is_constant(counts) or is_constant(cosines):
        raise UndefinedMeasure("no_spread")
    ends = jackknife_interval(spearman, cosines, counts, seed=subject.seed)
    found = Estimate(spearman(cosines, counts), *ends)
    shuffled = spearman(*_uses(X, np.random.default_rng(subject.seed).permutation(types)))
    state: State = "holds" if found.falls else "fails" if found.rises else "unknown"
    return Tested(
        state,
        len(counts),
        {"spearman": Number.of(found, is_change=True)},
        {"shuffled": Number(shuffled, is_change=True)},
        {"layer": str(subject.last), "least": str(LEAST_USES)},
    )


def _uses(U: np.ndarray, types: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean cosine of the uses of each type, and their number; U (n, d) unit rows."""
    counts = np.bincount(types)
    sums = np.zeros((len(counts), U.shape[1]))
    np.add.at(sums, types, U)
    has = counts >= LEAST_USES
    m = counts[has]
    return (np.einsum("gd,gd->g", sums[has], sums[has]) - m) / (m * (m - 1)), m.astype(float)
