"""Claims on the frequency of words: lengths, sparseness, crowding, and biases by frequency."""

import numpy as np
from scipy.sparse import csr_array

from ..evaluate.bootstrap import interval
from ..evaluate.similarities import pair_similarities
from ..linalg.rows import UndefinedMeasure, directions
from ..measure.correlation import TieGroups, is_constant, spearman
from ..measure.frequency import by_rank, frequency_direction, neighbour_means, without_frequent
from ..measure.intervals import jackknife_interval
from .claim import MissingEvidence, Number, State, Tested, beside, clear, draws, need, or_partly
from .subject import ClaimSubject

NEAREST = 3
MOST_FREQUENT = 36  # as many static tokens as Jiang et al. (2022) leave out
DRAWS, SHUFFLES = 10, 100
LARGE = 0.05  # of a mean cosine
LEAST_USES = 3


def li2020_norms(subject: ClaimSubject) -> Tested:
    """Length of the input embeddings against the rank of their frequency."""
    cloud = subject.pieces
    need(len(cloud))
    shuffled = np.random.default_rng(subject.seed).permutation(cloud.counts)
    found, control = (
        Number.of(
            frequency_direction(cloud.vectors, counts, seed=subject.seed).spearman, is_change=True
        )
        for counts in (cloud.counts, shuffled)
    )
    return Tested(clear(found), len(cloud), {"spearman": found}, {"shuffled": control})


def li2020_sparse(subject: ClaimSubject) -> Tested:
    """Distance to the nearest words against the rank, of vectors and of unit vectors."""
    X = subject.pieces.vectors
    counts = subject.pieces.counts
    need(len(X))
    raw, unit = (_sparseness(Z, counts, subject.seed) for Z in (X, directions(X)))
    shuffled = np.random.default_rng(subject.seed).permutation(counts)
    state = or_partly(clear(raw), whole=clear(unit) == "holds")
    control = {"shuffled": _sparseness(X, shuffled, subject.seed)}
    return Tested(state, len(X), {"distance": raw, "unit": unit}, control)


def _sparseness(X: np.ndarray, counts: np.ndarray, seed: int) -> Number:
    """Spearman of the mean distance to the nearest rows against rarity."""
    distances = neighbour_means(X, (NEAREST,))[0][:, 0]
    ends = jackknife_interval(spearman, distances, -counts, seed=seed)
    return Number(spearman(distances, -counts), *ends, is_change=True)


def yan2021_frequent(subject: ClaimSubject) -> Tested:
    """Mean cosine of sentence means without frequent tokens, beside as many random ones."""
    ranks = np.empty(subject.types.max() + 1, dtype=np.int64)
    ranks[by_rank(np.bincount(subject.types))] = np.arange(len(ranks))
    values: dict[str, Number] = {}
    control: dict[str, Number] = {}
    for name, layer in (("middle", subject.middle), ("last", subject.last)):
        tokens = subject.tokens(layer), subject.sentences, ranks[subject.types]
        found = without_frequent(*tokens, without=100, seed=subject.seed)
        difference = Number.of(found.difference, is_change=True)
        values |= {f"{name}_without": Number(found.value), f"{name}_difference": difference}
        control[f"{name}_random"] = Number(found.control)
    differences = [values["middle_difference"], values["last_difference"]]
    states = [clear(each) for each in differences]
    state: State = "unknown"
    if set(states) == {"fails"} and all(each.value < -LARGE for each in differences):
        state = "holds"
    elif "fails" in states:
        state = "partly"
    elif "holds" in states:
        state = "fails"
    n = len(np.unique(subject.sentences))
    settings = {"middle": str(subject.middle), **subject.at_last}
    return Tested(state, n, values, control, settings)


def jiang2022_static(subject: ClaimSubject) -> Tested:
    """Pairs by means of input embeddings without frequent tokens.

    Leaving out frequent words helps a bag of any vectors, so the control has a random vector for
    each word piece.
    """
    table = subject.encoder.type_embeddings()
    row_of = {word: row for row, word in enumerate(table.words)}
    texts = subject.encoder.tokenize(subject.pairs.sentences)
    pieces = [[row_of[piece] for piece in each if piece in row_of] for each in texts]
    if not all(pieces):
        raise MissingEvidence("rows")
    used, columns = np.unique(np.concatenate(pieces), return_inverse=True)
    rows = np.repeat(np.arange(len(pieces)), list(map(len, pieces)))
    n_used = np.bincount(columns)
    is_frequent = np.zeros(len(used), dtype=bool)
    is_frequent[by_rank(n_used)[:MOST_FREQUENT]] = True
    kept = ~is_frequent[columns]
    kept |= np.bincount(rows, kept)[rows] == 0  # a text of frequent pieces alone stays as it is

    def averages(kept: np.ndarray) -> csr_array:
        """(texts, pieces) weights of the mean over those pieces."""
        weights = 1 / np.bincount(rows[kept])[rows[kept]]
        shape = (len(pieces), len(used))
        return csr_array((weights, (rows[kept], columns[kept])), shape=shape)

    left, right = subject.pairs.rows

    def scored(vectors: np.ndarray, mean: csr_array) -> np.ndarray:
        means = mean @ vectors.astype(np.float64)
        similarities = pair_similarities(means[left], means[right])
        gold = subject.bootstrap.gold_scores
        resampled = subject.bootstrap.spearmans(TieGroups.of(similarities))
        return np.append(spearman(similarities, gold), resampled)

    rng = np.random.default_rng(subject.seed)
    own_vectors = table.vectors[used]
    tables = [own_vectors, *(rng.standard_normal(own_vectors.shape) for _draw in range(DRAWS))]
    both = averages(np.ones(len(rows), dtype=bool)), averages(kept)
    # (1 + DRAWS, 1 + resamples): the score of each table, and its scores in resamples
    before, after = (np.array([scored(each, mean) for each in tables]) for mean in both)

    def estimate(weights: np.ndarray) -> Number:
        gain, *resampled = weights @ (after - before)
        ends = interval(np.array(resampled))
        return Number(float(gain), *ends, is_change=True).times(100, 1)

    own = np.eye(1 + DRAWS)[0]
    of_random = np.r_[0.0, np.full(DRAWS, 1 / DRAWS)]
    values = {"gain": estimate(own), "over": estimate(own - of_random)}
    state = or_partly(clear(values["gain"]), whole=clear(values["over"]) == "holds")
    control = {"random": estimate(of_random)}
    return Tested(state, subject.bootstrap.n, values, control, {"k": str(MOST_FREQUENT)})


def zhou2022_frequent(subject: ClaimSubject) -> Tested:
    """Mean cosine of a word's uses against its frequency."""
    types = subject.types
    X = directions(subject.tokens(subject.last).astype(np.float64))
    cosines, counts = _uses(X, types)
    need(len(counts))
    if is_constant(counts) or is_constant(cosines):
        raise UndefinedMeasure("no_spread")
    ends = jackknife_interval(spearman, cosines, counts, seed=subject.seed)
    found = Number(spearman(cosines, counts), *ends, is_change=True)

    def by_chance(rng: np.random.Generator) -> float:
        return spearman(*_uses(X, rng.permutation(types)))

    control = draws(by_chance, SHUFFLES, subject.seed, is_change=True)
    state: State = "fails" if clear(found) == "holds" else "unknown"
    if clear(found) == "fails" and beside(found.value, control) == "fails":
        state = "partly"  # people's ratings are not measured
    settings = {**subject.at_last, "least": str(LEAST_USES)}
    return Tested(state, len(counts), {"spearman": found}, {"shuffled": control}, settings)


def _uses(U: np.ndarray, types: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean cosine of the uses of each type, and their number; U (n, d) unit rows."""
    counts = np.bincount(types)
    sums = np.zeros((len(counts), U.shape[1]))
    np.add.at(sums, types, U)
    has = counts >= LEAST_USES
    m = counts[has]
    return (np.einsum("gd,gd->g", sums[has], sums[has]) - m) / (m * (m - 1)), m.astype(float)
