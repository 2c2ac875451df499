"""Maps of neighbours: UMAP and t-SNE, both from the same exact neighbours.

So a seeded fit is reproducible, and nothing is compiled for an approximate search.
"""

import io
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import numpy as np

from ..errors import need
from ..linalg.rows import directions, float_rows, some_rows, unit_rows
from ..linalg.threads import in_threads
from ..measure.neighbours import largest
from ..measure.search import THREADS, Nearest, Search

SAME = 1e-12  # cosine distance below which rows differ by rounding alone, in float32 too
MOST_FITTED = 20_000  # rows, in about half a minute; ``place`` adds those of a larger cloud
TSNE_ROUNDS = (250, 500)  # with exaggeration and without, as openTSNE recommends
TSNE_PULSE = 10  # iterations between two reports
_LOCK = threading.Lock()  # umap and numba are not thread-safe

Progress = Callable[[str, int, int], None]  # stage, done, total
N_NEIGHBORS = 15  # as many as UMAP uses
SHORTLIST = 3_000  # sample rows that a row is compared with at most
LANDMARKS = 128
BLOCK_ROWS = 4_096
LEAST = 0.05  # weight of the farthest neighbour, where the nearest has 1
NEARLY_SAME = 1e-6  # the same of two float32 rows
WIDTH_ROWS = 1_000  # rows of the sample that give the width of the density
_BLOCKS = 16  # blocks in a batch: enough rows for each landmark


@dataclass(frozen=True)
class MapKind:
    title: str  # as it is printed
    extra: str  # what brings the package
    module: str  # the package's name in an import
    distribution: str  # its name in an index
    n_neighbors: int  # neighbours of each row that it uses
    # (unit rows (n, d), neighbours, dimensions, seed or None, progress) to coordinates
    layout: Callable[[np.ndarray, Nearest, int, int | None, Progress | None], np.ndarray]


def fit_map(
    X: np.ndarray,
    method: str,
    n_components: int = 2,
    *,
    random_state: int | None = 0,
    n_neighbors: int | None = None,
    most_fitted: int | None = MOST_FITTED,
    progress: Progress | None = None,
) -> np.ndarray:
    """Coordinates (n, n_components) float64 of a map by cosine; arguments as of ``project``.

    The stages of ``progress`` are "neighbours", "layout" and "placing". Rows of one direction are
    fitted once and have one place: among copies, the neighbours would be copies only.

    McInnes et al. 2018 (UMAP). van der Maaten & Hinton 2008 (t-SNE). Policar et al. 2024
    (openTSNE), whose defaults these are: PCA first, early exaggeration of 12.
    """
    kind = MAPS[method]
    need(kind.extra, kind.module)
    seed = random_state or 0
    rows = some_rows(len(X), len(X) if most_fitted is None else most_fitted, seed)
    with _LOCK:
        fitted = _fit(X[rows], kind, n_components, random_state, n_neighbors, progress)
    if len(rows) == len(X):
        return fitted
    report = _of_stage("placing", progress)
    places = place(X, X[rows], fitted, random_state=seed, progress=report).astype(np.float64)
    places[rows] = fitted
    return places


def _fit(
    X: np.ndarray,
    kind: MapKind,
    n_components: int,
    random_state: int | None,
    n_neighbors: int | None,
    progress: Progress | None,
) -> np.ndarray:
    report = _of_stage("neighbours", progress)
    found = Search(X).nearest_of_all(n_neighbors or kind.n_neighbors, progress=report)
    first, places = _of_one_direction(found)
    if len(first) <= n_components:  # too few for a fit: their own distances, as far as they go
        U = unit_rows(X[first])
        left, lengths, _ = np.linalg.svd(U - U.mean(axis=0), full_matrices=False)
        apart = np.zeros((len(U), n_components))
        apart[:, : len(lengths)] = (left * lengths)[:, :n_components]
        return apart[places]
    if len(first) < len(X):
        return _fit(X[first], kind, n_components, random_state, n_neighbors, progress)[places]
    return kind.layout(unit_rows(X), found, n_components, random_state, progress)


def _of_stage(stage: str, progress: Progress | None) -> Callable[[int, int], None] | None:
    return None if progress is None else lambda done, total: progress(stage, done, total)


def _of_one_direction(found: Nearest) -> tuple[np.ndarray, np.ndarray]:
    """(the first row of each direction, in order; the place of each row's among them (n,))."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(found.rows)
    rows, at = np.nonzero(1 - found.cosines < SAME)
    pairs = (np.ones(len(rows), dtype=bool), (rows, found.rows[rows, at]))
    labels = connected_components(coo_array(pairs, shape=(n, n)), directed=False)[1]
    _, first, place_ = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[place_]


def _umap(
    U: np.ndarray,
    found: Nearest,
    n_components: int,
    random_state: int | None,
    progress: Progress | None,
) -> np.ndarray:
    import umap  # 11 s of imports, for this method only

    n = len(U)
    itself = np.arange(n)[:, None]  # umap counts each row as its own first neighbour
    k = found.k
    indices = np.hstack([itself, found.rows])[:, :k].astype(np.int32)
    distances = np.hstack([np.zeros((n, 1)), 1 - found.cosines])[:, :k].astype(np.float32)
    bar: dict[str, object] | None = None  # settings that turn umap's own bar into reports
    if progress is not None:
        bar = {"file": _Reports(progress), "bar_format": "{n_fmt}/{total_fmt}"}
        bar |= {"mininterval": 0.3, "disable": False}
    fit = umap.UMAP(
        n_components=n_components,
        n_neighbors=k,
        metric="cosine",
        precomputed_knn=(indices, distances, None),
        random_state=random_state,
        n_jobs=-1 if random_state is None else 1,  # with a seed umap uses one thread
        init="pca" if n < 10 * n_components else "spectral",
        tqdm_kwds=bar,
    )
    with warnings.catch_warnings():
        # umap warns that a seed and given neighbours switch other settings off, as intended here
        warnings.simplefilter("ignore", UserWarning)
        return np.asarray(fit.fit_transform(U), dtype=np.float64)


class _Reports(io.StringIO):
    """A stream for tqdm whose lines "done/total" become reports."""

    def __init__(self, progress: Progress) -> None:
        super().__init__()
        self._progress = progress

    def write(self, text: str) -> int:
        done, _, total = text.strip().partition("/")
        if done.isdigit() and total.isdigit():
            self._progress("layout", int(done), int(total))
        return len(text)


def _tsne(
    U: np.ndarray,
    found: Nearest,
    n_components: int,
    random_state: int | None,
    progress: Progress | None,
) -> np.ndarray:
    from openTSNE import TSNE, affinity, initialization
    from openTSNE.nearest_neighbors import PrecomputedNeighbors

    # in one thread: on busy cores openTSNE's threads spin, and 180 rows took 19 s instead of 1 s
    distances = np.sqrt(2 * (1 - found.cosines))  # |u - v|^2 = 2 - 2 cos, of unit rows
    near = PrecomputedNeighbors(found.rows, distances)
    early, late = TSNE_ROUNDS
    done = count(TSNE_PULSE, TSNE_PULSE)  # openTSNE counts the iterations of each round anew

    def report(*_of_round: object) -> None:
        assert progress is not None
        progress("layout", next(done), early + late)

    fit = TSNE(
        n_components=n_components,
        early_exaggeration_iter=early,
        n_iter=late,
        # the faster method for many points lays out in a plane only
        negative_gradient_method="auto" if n_components == 2 else "bh",
        callbacks=None if progress is None else [report],
        callbacks_every_iters=TSNE_PULSE,
    ).fit(
        affinities=affinity.PerplexityBasedNN(perplexity=found.k / 3, knn_index=near),
        initialization=initialization.pca(U, n_components, random_state=random_state),
    )
    return np.array(fit, dtype=np.float64)


MAPS = {
    "umap": MapKind("UMAP", "umap", "umap", "umap-learn", 15, _umap),
    "tsne": MapKind("t-SNE", "tsne", "openTSNE", "openTSNE", 90, _tsne),
}


def place(
    X: np.ndarray,
    sample: np.ndarray,
    coordinates: np.ndarray,
    *,
    n_neighbors: int = N_NEIGHBORS,
    random_state: int = 0,
    threads: int = THREADS,
    progress: Callable[[int, int], None] | None = None,
) -> np.ndarray:
    """Places (n, k) float32 of rows in a picture of other rows, such as a map of a sample.

    A row goes where the density of its neighbours' places is largest; their mean would often lie
    between two groups. Of 624 sentences beside a UMAP of 600, trustworthiness is 0.90 (layer 4)
    and 0.85 (last layer), with ``UMAP.transform`` 0.88 and 0.82; of 612 beside a t-SNE of 612 it is
    0.91 and 0.86, with openTSNE's ``transform`` 0.88 and 0.83.

    Parameters
    ----------
    X : (n, d) array of float, no zero row
    sample : (m, d) array of float
        The rows of the picture. No zero row.
    coordinates : (m, k) array, their places
    n_neighbors : int
        Sample rows that decide the place of a row; cut to m.
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
    landmarks, members = _shortlists(S, max(SHORTLIST, k), random_state)
    places = np.empty((len(X), P.shape[1]), dtype=np.float32)

    def work(start: int) -> int:
        rows = slice(start, min(start + _BLOCKS * BLOCK_ROWS, len(X)))
        U = _unit(X[rows])
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


def _unit(X: np.ndarray) -> np.ndarray:
    return directions(X.astype(np.float64)).astype(np.float32)


def _shortlists(S: np.ndarray, size: int, random_state: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """(landmarks, the sample rows closest to each); one with all rows where these are few."""
    if size >= len(S):
        return np.zeros(1, dtype=np.int64), [np.arange(len(S))]
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
        copies = values[:, 0] > 1 - NEARLY_SAME  # of a row of S: at its place
        places[rows][copies] = Q[copies, 0]
    return places
