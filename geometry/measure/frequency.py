"""Length, neighbours and cosines of word vectors by the frequency of the words.

The rows are vectors of *types*, one a word. Rank 0 is the most frequent word; of equal counts the
earlier row comes first. Li et al. 2020 (BERT-flow), section 2.2 and Table 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..linalg.rows import UndefinedMeasure, directions, finite_rows, need_rows, need_whole
from ..process import no_report
from .correlation import is_constant, spearman
from .cosines import mean_cosine_of_sum
from .intervals import Estimate, estimated
from .neighbours import BLOCK_ROWS, closest, largest, squared_distances
from .search import THREADS
from .table import measure_table

EDGES = (100, 500, 5000)  # ranks where bins begin, as in the paper's Table 1
NEIGHBOURS = (3, 5, 7)
CONTROL_DRAWS = 10
SHUFFLES = 200


@dataclass(frozen=True)
class FrequencyDirection:
    """How length goes with frequency."""

    #: Spearman of the norm against the rank. Above 0 rare words are longer, so frequent words are
    #: nearer to the origin.
    spearman: Estimate
    n: int
    #: the mean norm of each bin, from the most frequent words to the rarest
    norms: tuple[Estimate, ...]
    starts: tuple[int, ...]  #: the first rank of each bin
    #: "rising" or "falling" if the means do so from each bin to the next, else "neither"
    order: str


@dataclass(frozen=True)
class FrequencyBin:
    """The words of some ranks."""

    #: start, stop: Ranks, from 0; ``stop`` is not among them
    start: int
    stop: int
    #: norm, cosine: mean norm; mean cosine of two words of the bin, None for a single word
    norm: Estimate
    cosine: Estimate | None
    #: distances, dots: for each k, the mean distance to the k nearest words, and the mean dot
    #: product with the k words of largest dot product, among all words. Of 300 and 1,000 words,
    #: intervals without some words covered 0.83 to 0.96, so they have none.
    distances: tuple[float, ...]
    dots: tuple[float, ...]

    @property
    def n(self) -> int:
        """Words in the bin."""
        return self.stop - self.start


def by_rank(counts: np.ndarray) -> np.ndarray:
    """The rows (n,) in the order of their ranks, the most frequent first."""
    counts = np.asarray(counts, dtype=np.float64)
    if counts.ndim != 1 or not np.isfinite(counts).all() or (counts < 0).any():
        raise ValueError("counts must be finite numbers of at least 0, one for each row")
    return np.argsort(-counts, kind="stable")


def frequency_direction(
    vectors: np.ndarray, counts: np.ndarray, *, edges: Sequence[int] = EDGES, seed: int = 0
) -> FrequencyDirection:
    """Whether frequent words are nearer to the origin than rare ones, or farther.

    Parameters
    ----------
    vectors : (n, d) array of float, n >= 3, one row a word
    counts : (n,) array, >= 0
        How often each word occurs; only their order matters.
    edges : sequence of int, ranks at which a new bin begins
    seed : int, of the groups that the interval leaves out

    Li et al. 2020, Table 1.
    """
    X, order = _checked(vectors, counts)
    norms = np.linalg.norm(X, axis=1)
    given = np.asarray(counts, dtype=np.float64)
    if is_constant(norms) or is_constant(given):
        raise UndefinedMeasure("no_spread")
    rho = estimated(spearman, norms, -given, low=-1.0, high=1.0, seed=seed)
    bounds = _bounds(len(X), edges)
    means = tuple(_mean(norms[order[a:b]], seed) for a, b in bounds)
    steps = np.diff([each.value for each in means])
    rises, falls = (steps > 0).all(), (steps < 0).all()
    trend = "neither"
    if rises != falls:  # both hold for a single bin
        trend = "rising" if rises else "falling"
    return FrequencyDirection(rho, len(X), means, tuple(a for a, _ in bounds), trend)


def neighbour_means(
    vectors: np.ndarray,
    k: Sequence[int] = NEIGHBOURS,
    *,
    block_rows: int = BLOCK_ROWS,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Each row's mean distance to its k nearest rows, and mean dot product with the k largest.

    Exact: found by blocks of products in float32 and computed in float64. Returns two (n, len(k))
    arrays.

    Parameters
    ----------
    vectors : (n, d) array of float, n > max(k)
    k : sequence of int
    block_rows : int, rows whose products with all others are in memory at once
    progress : callable, optional
        Called with (rows done, rows in all). An exception raised in it ends the work.

    Li et al. 2020, Table 1.
    """
    for each in k:
        need_whole("k", each, at_least=1)
    X = finite_rows(vectors, at_least=2)
    most = max(k)
    need_rows(len(X), most + 1)
    unit = float(np.abs(X).max()) or 1.0  # squared distances must fit into float32
    X = X / unit
    mean = X.mean(axis=0)
    Z = X - mean
    # a_i'a_j = z_i'z_j + z_j'm + a part that is the same for every j
    shift = (np.einsum("nd,nd->n", Z, Z) / 2 + Z @ mean).astype(np.float32)
    dots = np.empty((len(X), len(k)))

    def watch(rows: slice, scores: np.ndarray) -> None:
        """scores : z_i'z_j - |z_j|^2 / 2 of a block of rows, -inf for a row with itself."""
        scores += shift
        near = largest(scores, most)[0]  # (m, k)
        products = np.einsum("md,mkd->mk", X[rows], X[near])
        dots[rows] = _means_of_first(products, k)

    report = progress or no_report
    nearest = closest(X, most, block_rows=block_rows, watch=watch, progress=report, threads=THREADS)
    distances = np.sqrt(squared_distances(X, X, nearest))
    return _means_of_first(distances, k) * unit, dots * unit**2


def frequency_bins(
    vectors: np.ndarray,
    counts: np.ndarray,
    neighbours: tuple[np.ndarray, np.ndarray],
    *,
    edges: Sequence[int] = EDGES,
    seed: int = 0,
) -> tuple[FrequencyBin, ...]:
    """The table of BERT-flow: norms, neighbours and cosines of the words by rank.

    Intervals leave out words of the bin.

    Parameters
    ----------
    vectors : (n, d) array of float
    counts : (n,) array, >= 0
    neighbours : two (n, m) arrays, the result of ``neighbour_means``
    edges : sequence of int, ranks at which a new bin begins
    seed : int, of the groups that an interval leaves out
    """
    X, order = _checked(vectors, counts)
    norms = np.linalg.norm(X, axis=1)
    found = []
    for start, stop in _bounds(len(X), edges):
        rows = order[start:stop]
        distances, dots = (tuple(map(float, each[rows].mean(axis=0))) for each in neighbours)
        [row] = measure_table(X[rows], names=["mean_cosine"], seed=seed)
        cosine = None if row.value is None else Estimate(row.value, row.low, row.high)
        norm = _mean(norms[rows], seed)
        found.append(FrequencyBin(start, stop, norm, cosine, distances, dots))
    return tuple(found)


def shuffled_difference(
    values: np.ndarray, first: int, last: int, *, draws: int = SHUFFLES, seed: int = 0
) -> tuple[float, float]:
    """The range of 95% of the differences of two bins' means where the ranks are shuffled."""
    rng = np.random.default_rng(seed)
    shuffled = (rng.permutation(values) for _draw in range(draws))
    found = [each[-last:].mean() - each[:first].mean() for each in shuffled]
    low, high = np.percentile(found, [2.5, 97.5])
    return float(low), float(high)


def sentence_means(
    vectors: np.ndarray, sentences: np.ndarray, ranks: np.ndarray, *, without: int
) -> np.ndarray:
    """The mean of each sentence's tokens, without those of the most frequent types, (m, d).

    Sentences that have no other tokens are left out.

    Parameters
    ----------
    vectors : (n, d) array of float, of tokens
    sentences : (n,) ids
    ranks : (n,) array of int, the rank of each token's type, from 0
    without : int
        How many types are left out; 0 leaves out none.
    """
    retained = np.asarray(ranks) >= without
    X = finite_rows(vectors, at_least=1)[retained]
    ids = np.asarray(sentences)[retained]
    names, place = np.unique(ids, return_inverse=True)
    sums = np.zeros((len(names), X.shape[1]))
    np.add.at(sums, place, X)
    return np.asarray(sums / np.bincount(place, minlength=len(names))[:, None])


@dataclass(frozen=True)
class WithoutFrequent:
    """Mean cosine of sentence means without the most frequent types, beside its control."""

    n: int  #: sentences that have other tokens
    #: value, control: mean cosine without the types; the same without as many random tokens of each
    #: sentence
    value: float
    control: float
    #: value - control. Below 0 the frequent types make sentences alike by more than the shorter
    #: means explain. No interval below MIN_ROWS sentences.
    difference: Estimate


def without_frequent(
    vectors: np.ndarray,
    sentences: np.ndarray,
    ranks: np.ndarray,
    *,
    without: int,
    draws: int = CONTROL_DRAWS,
    seed: int = 0,
) -> WithoutFrequent:
    """What frequent types add to the mean cosine of sentence means, paired with its control.

    A mean of fewer tokens has a smaller cosine to others, whichever tokens are left out. So the
    control leaves out as many random tokens of the same sentences.

    Parameters
    ----------
    vectors : (n, d) array of float, of tokens
    sentences : (n,) ids
    ranks : (n,) array of int, the rank of each token's type, from 0
    without : int, types that are left out
    draws : int, of the control, whose mean is taken
    seed : int, of the draws, and of the groups of sentences that the interval leaves out
    """
    X = finite_rows(vectors, at_least=1)
    ids = np.unique(np.asarray(sentences), return_inverse=True)[1]
    rng = np.random.default_rng(seed)
    kept = np.bincount(ids, weights=np.asarray(ranks) >= without)  # tokens left of each sentence
    starts = np.cumsum(np.r_[0, np.bincount(ids)[:-1]])
    units = [directions(sentence_means(X, ids, ranks, without=without))]
    for _draw in range(draws):
        order = np.lexsort((rng.random(len(ids)), ids))  # a random order within each sentence
        place = np.empty(len(ids), dtype=np.int64)
        place[order] = np.arange(len(ids)) - starts[ids[order]]
        left = (place < kept[ids]).astype(int)  # 1 is left in
        units.append(directions(sentence_means(X, ids, left, without=1)))
    n = len(units[0])
    need_rows(n, 2)

    def cosines(rows: np.ndarray) -> tuple[float, float]:
        """Of these sentences without the types, and the mean over the draws."""
        value, *drawn = (mean_cosine_of_sum(U[rows].sum(axis=0), len(rows)) for U in units)
        return value, float(np.mean(drawn))

    def difference(rows: np.ndarray) -> float:
        value, control = cosines(rows)
        return value - control

    value, control = cosines(np.arange(n))
    return WithoutFrequent(n, value, control, estimated(difference, np.arange(n), seed=seed))


def _checked(vectors: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    X = finite_rows(vectors, at_least=3)
    order = by_rank(counts)
    if len(order) != len(X):
        raise ValueError(f"expected one count for each of the {len(X)} rows; got {len(order)}")
    return X, order


def _bounds(n: int, edges: Sequence[int]) -> list[tuple[int, int]]:
    cuts = [0, *(edge for edge in sorted(edges) if 0 < edge < n), n]
    return list(pairwise(cuts))


def _mean(values: np.ndarray, seed: int) -> Estimate:
    return estimated(lambda v: float(v.mean()), values, seed=seed)


def _means_of_first(values: np.ndarray, k: Sequence[int]) -> np.ndarray:
    return np.stack([values[:, :each].mean(axis=1) for each in k], axis=1)


def nearest_distances(points: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """The distance from each point (m, d) to the nearest of the vectors (n, d), (m,).

    None of the vectors is one of the points; for those use ``neighbour_means``.
    """
    from sklearn.metrics import pairwise_distances_argmin

    Y, X = finite_rows(points, at_least=1), finite_rows(vectors, at_least=1)
    return np.linalg.norm(Y - X[pairwise_distances_argmin(Y, X)], axis=1)
