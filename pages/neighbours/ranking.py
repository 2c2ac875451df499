"""The two ranked lists of a query: before and after the treatment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .query import Query
from .scene import Scene


@dataclass(frozen=True)
class Ranked:
    """One list.

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
    before: Ranked
    after: Ranked

    @property
    def left(self) -> tuple[int, ...]:
        """Rows of the first list only."""
        return tuple(row for row in self.before.rows if row not in self.after.rows)

    @property
    def entered(self) -> tuple[int, ...]:
        """Rows of the second list only."""
        return tuple(row for row in self.after.rows if row not in self.before.rows)

    @property
    def jaccard(self) -> float:
        """Neighbours in both lists over neighbours in at least one."""
        both = len(self.before.rows) - len(self.left)
        return both / (len(self.after.rows) + len(self.left))


def rank(scene: Scene, query: Query) -> Rankings:
    """The k nearest points before and after, and their ranks on the other side."""
    k = min(scene.k, scene.n_searched - 1)
    vectors = (query.vector, scene.apply(query.vector))
    searches = (scene.treated.before, scene.treated.after)
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
        place[near.rows[0]] = np.arange(1, k + 1)  # exact, where float32 has another order
        ranks.append(place)
    lists = [
        Ranked(tuple(map(int, rows)), tuple(map(float, cosines)), tuple(map(int, there[rows])))
        for (rows, cosines), there in zip(found, ranks[::-1], strict=True)
    ]
    return Rankings(query, *lists)
