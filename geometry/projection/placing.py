"""Points placed into a picture of a sample: each beside the sample's points that it is close to.

UMAP and t-SNE take hours for a million rows. They are fitted on a sample, and each other row goes
where the density of its neighbours' places is largest; their mean would often lie between two
groups. Of 624 sentences beside a UMAP of 600, trustworthiness is 0.90 (layer 4) and 0.85 (last
layer), with ``UMAP.transform`` 0.88 and 0.82; of 612 beside a t-SNE of 612 it is 0.91 and 0.86,
with openTSNE's ``transform`` 0.88 and 0.83.

A row is compared with the sample rows that are closest to the nearest of some landmarks.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..linalg.rows import directions, float_rows
from ..linalg.threads import in_threads
from ..measure.neighbours import largest
from ..measure.search import THREADS

N_NEIGHBORS = 15  # as many as UMAP uses
SHORTLIST = 3_000  # sample rows that a row is compared with
LANDMARKS = 128
BLOCK_ROWS = 4_096
LEAST = 0.05  # weight of the farthest neighbour, where the nearest has 1
SAME = 1e-6  # cosine distance below which float32 rows differ by rounding alone
WIDTH_ROWS = 1_000  # rows of the sample that give the width of the density


def place(
    X: np.ndarray,
    sample: np.ndarray,
    coordinates: np.ndarray,
    *,
    n_neighbors: int = N_NEIGHBORS,
    shortlist: int = SHORTLIST,
    random_state: int = 0,
    threads: int = THREADS,
    progress: Callable[[int, int], None] | None = None,
) -> np.ndarray:
    """Places (n, k) float32 of rows in a picture of other rows.

    Parameters
    ----------
    X : (n, d) array of float, no zero row
    sample : (m, d) array of float
        The rows of the picture. No zero row.
    coordinates : (m, k) array, their places
    n_neighbors : int
        Sample rows that decide the place of a row; cut to m.
    shortlist : int
        Sample rows that a row is compared with. With m or more, the neighbours are exact.
    random_state : int, seed of the landmarks, which are rows of the sample
    threads : int, blocks at a time
    progress : callable, optional, called with (rows placed, rows in all)
    """
    if len(sample) != len(coordinates):
        raise ValueError(f"{len(sample)} sample rows and {len(coordinates)} places; one for each")
    X = float_rows(X, at_least=0)
    S = _unit(float_rows(sample, at_least=1))
    P = np.asarray(coordinates, dtype=np.float32)
    k = min(n_neighbors, len(S))
    width = _width(S, P, random_state)
    lists = _shortlists(S, max(shortlist, k), random_state)
    places = np.empty((len(X), P.shape[1]), dtype=np.float32)

    def work(start: int) -> int:
        rows = slice(start, min(start + _BLOCKS * BLOCK_ROWS, len(X)))
        U = _unit(X[rows])
        if lists is None:
            places[rows] = _densest(U, S, P, k, width)
            return rows.stop
        landmarks, members = lists
        nearest = np.argmax(U @ S[landmarks].T, axis=1)
        order = np.argsort(nearest, kind="stable")
        ends = np.searchsorted(nearest[order], np.arange(len(landmarks) + 1))
        for landmark, close in enumerate(members):
            own = order[ends[landmark] : ends[landmark + 1]]
            if len(own):
                places[rows.start + own] = _densest(U[own], S[close], P[close], k, width)
        return rows.stop

    for done in in_threads(work, range(0, len(X), _BLOCKS * BLOCK_ROWS), threads):
        if progress is not None:
            progress(done, len(X))
    return places


_BLOCKS = 16  # blocks in a batch: enough rows for each landmark


def _unit(X: np.ndarray) -> np.ndarray:
    return directions(X.astype(np.float64)).astype(np.float32)


def _shortlists(
    S: np.ndarray, size: int, random_state: int
) -> tuple[np.ndarray, list[np.ndarray]] | None:
    """(landmarks, the sample rows closest to each); None where every row is compared with all."""
    if size >= len(S):
        return None
    rng = np.random.default_rng(random_state)
    landmarks = rng.choice(len(S), min(LANDMARKS, len(S)), replace=False)
    cosines = S[landmarks] @ S.T
    members = np.argpartition(-cosines, size - 1, axis=1)[:, :size]
    return landmarks, [np.sort(each) for each in members]


def _width(S: np.ndarray, P: np.ndarray, random_state: int) -> float:
    """Twice the median distance in the picture from a row to the row nearest to it by cosine."""
    if len(S) < 2:
        return 1.0
    some = np.random.default_rng(random_state).permutation(len(S))[:WIDTH_ROWS]
    cosines = S[some] @ S.T
    cosines[np.arange(len(some)), some] = -np.inf
    distances = np.linalg.norm(P[some] - P[cosines.argmax(axis=1)], axis=1)
    return 2 * float(np.median(distances)) or 1.0


def _densest(U: np.ndarray, S: np.ndarray, P: np.ndarray, k: int, width: float) -> np.ndarray:
    """Where the places of the k rows of S nearest to the unit rows U (m, d) are densest (m, p)."""
    places = np.empty((len(U), P.shape[1]), dtype=np.float32)
    for start in range(0, len(U), BLOCK_ROWS):
        rows = slice(start, start + BLOCK_ROWS)
        cosines = U[rows] @ S.T
        near = largest(cosines, k)[0]
        values = np.take_along_axis(cosines, near, axis=1)  # (m, k), the largest first
        span = np.maximum(values[:, :1] - values[:, -1:], np.finfo(np.float32).tiny)
        weights = LEAST + (1 - LEAST) * (values - values[:, -1:]) / span
        Q = P[near]  # (m, k, p)
        lengths = np.einsum("mkp,mkp->mk", Q, Q)
        squared = lengths[:, :, None] + lengths[:, None] - 2 * Q @ Q.transpose(0, 2, 1)
        close = np.exp(-squared.clip(min=0) / (2 * width**2)) * weights[:, None]  # (m, k, k)
        densest = close[np.arange(len(Q)), close.sum(axis=2).argmax(axis=1)]  # (m, k)
        densest /= densest.sum(axis=1, keepdims=True)
        places[rows] = np.einsum("mk,mkp->mp", densest, Q)
        copies = values[:, 0] > 1 - SAME  # of a row of S: at its place
        places[rows][copies] = Q[copies, 0]
    return places
