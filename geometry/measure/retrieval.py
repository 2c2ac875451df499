"""Queries with known answers: recall, nDCG and MRR of the k nearest, before and after."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .intervals import Estimate

DRAWS = 1000
MIN_QUERIES = 10  # with fewer, an interval is not reliable for other queries
BOOTSTRAPPED = 50  # queries from which a bootstrap gives the interval of a change
ENUMERATED = 12  # units up to which every flip of signs counts; of more, FLIPS random ones
FLIPS = 4000

Grades = Mapping[int, float]  # grades of the relevant rows of one query, each above 0


@dataclass(frozen=True)
class RetrievalScore:
    """A score before and after a treatment, as means over queries.

    The 95% intervals are by a bootstrap over queries, that of ``change`` as in ``paired_change``;
    there are none below MIN_QUERIES queries.
    """

    before: Estimate
    after: Estimate
    change: Estimate


def recall_at_k(found: np.ndarray, relevant: Sequence[Grades]) -> np.ndarray:
    """Share (q,) of each query's relevant rows that are among its k nearest.

    ``found`` (q, k) are rows, nearest first; ``relevant`` has q mappings from relevant rows to
    their grades, at least one row each.
    """
    return (_gains(found, relevant) > 0).sum(axis=1) / np.array([len(each) for each in relevant])


def ndcg_at_k(found: np.ndarray, relevant: Sequence[Grades]) -> np.ndarray:
    """Normalised discounted cumulative gain (q,) of the k nearest.

    The sum of grade / log2(1 + rank) over the k nearest, divided by its largest possible value.
    The gain is the grade itself, as in scikit-learn's ``ndcg_score``.
    Parameters are as in ``recall_at_k``.

    Järvelin, Kekäläinen 2002, sections 2.2 and 2.3: discounted gain and its normalisation, without
    a discount at the first ranks. This discount: Burges et al. 2005, and ``ndcg_score``.
    """
    gains = _gains(found, relevant)
    discount = 1 / np.log2(np.arange(found.shape[1]) + 2)
    best = (np.sort([*each.values()])[::-1][: len(discount)] for each in relevant)
    return gains @ discount / np.array([each @ discount[: len(each)] for each in best])


def mrr_at_k(found: np.ndarray, relevant: Sequence[Grades]) -> np.ndarray:
    """Reciprocal rank (q,) of the first relevant row among the k nearest; 0 where there is none.

    Their mean is the mean reciprocal rank (Voorhees 1999, the score of TREC-8's question answering
    track). Parameters are as in ``recall_at_k``.
    """
    is_found = _gains(found, relevant) > 0
    return np.where(is_found.any(axis=1), 1 / (is_found.argmax(axis=1) + 1), 0.0)


def retrieval_score(
    before: np.ndarray, after: np.ndarray, *, units: np.ndarray | None = None, seed: int = 0
) -> RetrievalScore:
    """Means of the scores (q,) of the same queries, with intervals.

    Parameters
    ----------
    before : (q,) array
        The result of ``recall_at_k``, ``ndcg_at_k`` or ``mrr_at_k``.
    after : (q,) array, the result of the same function
    units : (q,) array of ids, optional
        Queries of one unit are drawn together. By default each is a unit.
    seed : int, of the resamples
    """
    if len(before) != len(after) or not len(before):
        raise ValueError(f"{len(before)} scores before and {len(after)} after; give q of each")
    return RetrievalScore(
        _bootstrapped(before, units, seed),
        _bootstrapped(after, units, seed),
        paired_change(after - before, units=units, seed=seed),
    )


def paired_change(
    change: np.ndarray, *, units: np.ndarray | None = None, seed: int = 0, error: float = 0.05
) -> Estimate:
    """Mean of the changes of queries, with its interval at 1 - ``error``, 95% by default.

    From BOOTSTRAPPED units on, a bootstrap over units. With fewer, the interval has every mean that
    a two-sided test by random signs keeps: its ends are quantiles of the means of random subsets of
    the units (Hartigan 1969). Two units with the largest change, up and down, are added, because
    few queries may have no example of a rare change. There is no interval below MIN_QUERIES units,
    or if no query changes.

    Parameters
    ----------
    change : (q,) array, the score of each query after a treatment, less that before
    units : (q,) array of ids, optional
        Queries of one unit get one sign. By default each is a unit.
    seed : int, of the resamples and of the signs
    error : float
        Probability that the interval misses; only below BOOTSTRAPPED units another than .05.

    Hartigan 1969: means of random subsets as ends of intervals for a centre of symmetry.
    """
    sums, counts = _by_unit(change, units)
    if len(sums) < MIN_QUERIES or not sums.any():
        return Estimate(float(np.mean(change)), None, None)
    if len(sums) >= BOOTSTRAPPED:
        return _bootstrapped(change, units, seed)
    largest = np.abs(sums).max()
    sums = np.concatenate([sums, [largest, -largest]])
    counts = np.concatenate([counts, np.full(2, counts.mean())])
    n = len(sums)
    if n <= ENUMERATED:
        subsets = (np.arange(1, 2**n)[:, None] >> np.arange(n)) & 1
    else:
        subsets = np.random.default_rng(seed).integers(2, size=(FLIPS, n))
        subsets = subsets[subsets.any(axis=1)]
    means = np.sort((subsets @ sums) / (subsets @ counts))
    # With m means below it and the signs as they are, a value's one-sided p is (m + 1) / (N + 1)
    place = max(1, int(error / 2 * (len(means) + 1)))
    return Estimate(float(np.mean(change)), float(means[place - 1]), float(means[-place]))


def _bootstrapped(values: np.ndarray, units: np.ndarray | None, seed: int) -> Estimate:
    """The mean, with an interval by a bootstrap over units; none below MIN_QUERIES units."""
    sums, counts = _by_unit(values, units)
    mean = float(np.mean(values))
    n = len(sums)
    if n < MIN_QUERIES:
        return Estimate(mean, None, None)
    drawn = np.random.default_rng(seed).integers(n, size=(DRAWS, n))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    return Estimate(mean, *map(float, np.quantile(means, [0.025, 0.975])))


def _by_unit(values: np.ndarray, units: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """(sums, counts) of the values of each unit."""
    place = np.arange(len(values)) if units is None else np.unique(units, return_inverse=True)[1]
    return np.bincount(place, weights=values), np.bincount(place).astype(np.float64)


def _gains(found: np.ndarray, relevant: Sequence[Grades]) -> np.ndarray:
    """Grades (q, k) of the rows that are found, 0 for those that are not relevant."""
    if len(found) != len(relevant):
        raise ValueError(f"{len(found)} lists of rows for {len(relevant)} queries")
    for query, each in enumerate(relevant):
        if not each or min(each.values()) <= 0:
            raise ValueError(f"query {query} needs a relevant row, each with a grade above 0")
    queries = zip(found.tolist(), relevant, strict=True)
    grades = [[each.get(row, 0.0) for row in rows] for rows, each in queries]
    return np.array(grades, dtype=np.float64).reshape(found.shape)
