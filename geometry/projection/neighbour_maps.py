"""Maps of neighbours: UMAP and t-SNE, both from the same exact neighbours.

So a seeded fit is reproducible, and nothing is compiled for an approximate search.
"""

from __future__ import annotations

import io
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..errors import need
from ..linalg.rows import unit_rows
from ..measure.search import Nearest, Search
from .placing import place

SAME = 1e-12  # cosine distance below which rows differ by rounding alone, in float32 too
MOST_FITTED = 20_000  # rows, in about half a minute; ``place`` adds those of a larger cloud
TSNE_ROUNDS = (250, 500)  # with exaggeration and without, as openTSNE recommends
TSNE_PULSE = 10  # iterations between two reports
_LOCK = threading.Lock()  # umap and numba are not thread-safe

Progress = Callable[[str, int, int], None]  # stage, done, total


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
    if most_fitted is None or len(X) <= most_fitted:
        with _LOCK:
            return _fit(X, kind, n_components, random_state, n_neighbors, progress)
    seed = random_state or 0
    rows = np.sort(np.random.default_rng(seed).choice(len(X), most_fitted, replace=False))
    with _LOCK:
        fitted = _fit(X[rows], kind, n_components, random_state, n_neighbors, progress)
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
    wanted, report = n_neighbors or kind.n_neighbors, _of_stage("neighbours", progress)
    found = Search(X).nearest_of_all(wanted, progress=report)
    first, places = _of_one_direction(found)
    if len(first) <= n_components:  # too few for a fit: their own distances, as far as they go
        return _by_distance(unit_rows(X[first]), n_components)[places]
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


def _by_distance(U: np.ndarray, n_components: int) -> np.ndarray:
    Z = U - U.mean(axis=0)
    left, lengths, _ = np.linalg.svd(Z, full_matrices=False)
    places = np.zeros((len(U), n_components))
    places[:, : len(lengths)] = (left * lengths)[:, :n_components]
    return places


# ---- UMAP ----


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


# ---- t-SNE ----


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
    fit = TSNE(
        n_components=n_components,
        early_exaggeration_iter=early,
        n_iter=late,
        # the faster method for many points lays out in a plane only
        negative_gradient_method="auto" if n_components == 2 else "bh",
        callbacks=None if progress is None else [_iteration_reports(progress)],
        callbacks_every_iters=TSNE_PULSE,
    ).fit(
        affinities=affinity.PerplexityBasedNN(perplexity=found.k / 3, knn_index=near),
        initialization=initialization.pca(U, n_components, random_state=random_state),
    )
    return np.array(fit, dtype=np.float64)


def _iteration_reports(progress: Progress) -> Callable[..., None]:
    """A callback of openTSNE, which counts the iterations of each round anew."""
    done = 0

    def report(_iteration: int, _error: float, _embedding: np.ndarray) -> None:
        nonlocal done
        done += TSNE_PULSE
        progress("layout", done, sum(TSNE_ROUNDS))

    return report


MAPS = {
    "umap": MapKind("UMAP", "umap", "umap", "umap-learn", 15, _umap),
    "tsne": MapKind("t-SNE", "tsne", "openTSNE", "openTSNE", 90, _tsne),
}
