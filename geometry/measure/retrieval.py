"""Queries with known answers: recall and nDCG among the k nearest, before and after a treatment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .intervals import Estimate

DRAWS = 1000
MIN_QUERIES = 10  # with fewer, an interval is not reliable for other queries

Grades = Mapping[int, float]  # grades of the relevant rows of one query, each above 0


@dataclass(frozen=True)
class RetrievalScore:
    """A score before and after a treatment, as means over queries.

    Attributes
    ----------
    before, after, change : Estimate
        95% intervals by a bootstrap over queries, the same resamples for all three; none below
        MIN_QUERIES queries.
    """

    before: Estimate
    after: Estimate
    change: Estimate


def recall_at_k(found: np.ndarray, relevant: Sequence[Grades]) -> np.ndarray:
    """Share (q,) of each query's relevant rows that are among its k nearest.

    Parameters
    ----------
    found : (q, k) array of int
        Rows, nearest first.
    relevant : sequence of q mappings
        From relevant rows to their grades; at least one row each.
    """
    return np.array(
        [len(set(rows) & each.keys()) / len(each) for rows, each in _by_query(found, relevant)]
    )


def ndcg_at_k(found: np.ndarray, relevant: Sequence[Grades]) -> np.ndarray:
    """Normalised discounted cumulative gain (q,) of the k nearest.

    The sum of grade / log2(1 + rank) over the k nearest, divided by its largest possible value.
    The gain is the grade itself, as in scikit-learn's ``ndcg_score``.

    Parameters
    ----------
    found : (q, k) array of int
        As in ``recall_at_k``.
    relevant : sequence of q mappings
        As in ``recall_at_k``.

    References
    ----------
    Järvelin, Kekäläinen 2002, section 2.2 (discount) and 2.3 (normalisation).
    """
    k = found.shape[1]
    discount = 1 / np.log2(np.arange(k) + 2)
    scores = []
    for rows, each in _by_query(found, relevant):
        gains = np.array([each.get(row, 0.0) for row in rows])
        best = np.sort(np.array(list(each.values())))[::-1][:k]
        scores.append(float(gains @ discount) / float(best @ discount[: len(best)]))
    return np.array(scores)


def mrr_at_k(found: np.ndarray, relevant: Sequence[Grades]) -> np.ndarray:
    """Reciprocal rank (q,) of the first relevant row among the k nearest; 0 if none is.

    Parameters are as in ``recall_at_k``. Its mean is the mean reciprocal rank, MRR@k.
    """
    firsts = (
        next((rank for rank, row in enumerate(rows, start=1) if row in each), None)
        for rows, each in _by_query(found, relevant)
    )
    return np.array([0.0 if rank is None else 1 / rank for rank in firsts])


def retrieval_score(before: np.ndarray, after: np.ndarray, *, seed: int = 0) -> RetrievalScore:
    """Means of the scores (q,) of the same queries, with intervals.

    Parameters
    ----------
    before : (q,) array
        The result of ``recall_at_k`` or ``ndcg_at_k``.
    after : (q,) array
        The result of the same function.
    seed : int
        Seed of the resamples.
    """
    if len(before) != len(after) or not len(before):
        raise ValueError(f"{len(before)} scores before and {len(after)} after; give q of each")
    values = np.column_stack([before, after, after - before])
    means = values.mean(axis=0)
    if len(before) < MIN_QUERIES:
        return RetrievalScore(*(Estimate(float(mean), None, None) for mean in means))
    drawn = np.random.default_rng(seed).integers(len(before), size=(DRAWS, len(before)))
    resampled = np.array([values[rows].mean(axis=0) for rows in drawn])  # (DRAWS, 3)
    low, high = np.quantile(resampled, [0.025, 0.975], axis=0)
    return RetrievalScore(
        *(Estimate(*map(float, ends)) for ends in zip(means, low, high, strict=True))
    )


def _by_query(found: np.ndarray, relevant: Sequence[Grades]) -> list[tuple[list[int], Grades]]:
    if len(found) != len(relevant):
        raise ValueError(f"{len(found)} lists of rows for {len(relevant)} queries")
    for query, each in enumerate(relevant):
        if not each or min(each.values()) <= 0:
            raise ValueError(f"query {query} needs a relevant row, each with a grade above 0")
    return list(zip(found.tolist(), relevant, strict=True))
