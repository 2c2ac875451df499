"""The points before and after a treatment, and the two ranked lists of a query."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from geometry.measure import Search
from geometry.transform.treatments import Treatment

from .query import Query


@dataclass(frozen=True)
class SearchedClouds:
    """A fitted treatment, and the points before and after it, ready to be searched.

    Attributes
    ----------
    treatment : Treatment
    before, after : Search
    content_key : str
        Names the points, the fit and the treatment.
    private : bool
        True if a reader's own data are among the points or the fit.
    """

    treatment: Treatment
    before: Search
    after: Search
    content_key: str
    private: bool

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Other rows (m, d), such as queries, after the treatment."""
        return self.treatment.apply(X).retained


@dataclass(frozen=True)
class NeighbourList:
    """The nearest points of a query in one cloud.

    Attributes
    ----------
    rows : tuple of k int
        Nearest first.
    cosines : tuple of k float
    ranks_there : tuple of k int
        The rank of each in the other list, from 1.
    """

    rows: tuple[int, ...]
    cosines: tuple[float, ...]
    ranks_there: tuple[int, ...]


@dataclass(frozen=True)
class Rankings:
    """Both lists of a query."""

    query: Query
    before: NeighbourList
    after: NeighbourList

    @property
    def left(self) -> tuple[int, ...]:
        """Rows that only the first list has."""
        return tuple(row for row in self.before.rows if row not in self.after.rows)

    @property
    def entered(self) -> tuple[int, ...]:
        """Rows that only the second list has."""
        return tuple(row for row in self.after.rows if row not in self.before.rows)

    @property
    def jaccard(self) -> float:
        """Neighbours in both lists over neighbours in at least one."""
        both = len(self.before.rows) - len(self.left)
        return both / (len(self.after.rows) + len(self.left))


def rank(clouds: SearchedClouds, query: Query, k: int) -> Rankings:
    """The k nearest points before and after, and their ranks on the other side.

    Parameters
    ----------
    clouds : SearchedClouds
        Of more than k points beside the query.
    query : Query
    k : int
    """
    vectors = (query.vector, clouds.apply(query.vector))
    searches = (clouds.before, clouds.after)
    found, ranks = [], []
    for search, vector in zip(searches, vectors, strict=True):
        if query.row is None:
            near = search.nearest(vector, k)
        else:
            near = search.nearest_to_row(query.row, k)
        found.append((near.rows[0], near.cosines[0]))
        cosines = search.cosines(vector)[0]
        if query.row is not None:
            cosines[query.row] = -np.inf
        place = np.empty(len(cosines), dtype=np.int64)
        place[np.argsort(-cosines, kind="stable")] = np.arange(1, len(cosines) + 1)
        place[near.rows[0]] = np.arange(1, k + 1)  # the exact order; that of float32 may differ
        ranks.append(place)
    lists = [
        NeighbourList(
            tuple(map(int, rows)), tuple(map(float, cosines)), tuple(map(int, there[rows]))
        )
        for (rows, cosines), there in zip(found, ranks[::-1], strict=True)
    ]
    return Rankings(query, *lists)
