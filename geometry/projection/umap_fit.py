"""UMAP with exact neighbours from one blocked matrix product.

With exact cosine neighbours, umap needs no approximate search and no compilation of it, and the
fit is reproducible. At 10,000 x 384 this is faster, too.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable

import numpy as np

from ..errors import need
from ..linalg.rows import unit_rows

UMAP_NEIGHBOURS = 15
BLOCK_ROWS = 1024
SAME = 1e-12  # cosine distance below which rows differ by rounding alone, in float32 too
MOST_FITTED = 20_000  # rows, in about half a minute; ``place`` adds those of a larger cloud


def fit_umap(
    X: np.ndarray,
    n_components: int,
    random_state: int,
    n_neighbors: int,
    progress: Callable[[str, int, int], None] | None = None,  # stage, done, total
) -> np.ndarray:
    """Coordinates (n, n_components) float64 on cosine distance; one seed, one result.

    Rows of one direction are fitted once and have one place: among copies, UMAP's neighbours would
    be copies only, and it would spread them.
    """
    U = unit_rows(X)
    knn = _exact_neighbours(U, min(n_neighbors, len(X) - 1))
    first, place = _of_one_direction(*knn)
    if len(first) < len(X):
        if len(first) <= n_components:  # too few for a fit: their own distances, as far as they go
            return _by_distance(U[first], n_components)[place]
        return fit_umap(X[first], n_components, random_state, n_neighbors, progress)[place]
    need("umap", "umap")
    import umap  # 11 s of imports, for this method only

    k = knn[0].shape[1]
    fit = umap.UMAP(
        n_components=n_components,
        n_neighbors=k,
        metric="cosine",
        precomputed_knn=(*knn, None),
        random_state=random_state,
        n_jobs=1,  # with a seed umap uses one thread
        init="pca" if len(X) < 10 * n_components else "spectral",
        tqdm_kwds=_epoch_reports(progress),
    )
    with warnings.catch_warnings():
        # umap warns that a seed and given neighbours switch other settings off, as intended here
        warnings.simplefilter("ignore", UserWarning)
        return np.asarray(fit.fit_transform(X), dtype=np.float64)


def _of_one_direction(indices: np.ndarray, distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(the first row of each direction, in order; the place of each row's among them (n,))."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, at = np.nonzero(distances < SAME)
    pairs = (np.ones(len(rows), dtype=bool), (rows, indices[rows, at]))
    labels = connected_components(coo_array(pairs, shape=(len(indices),) * 2), directed=False)[1]
    _, first, place = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[place]


def _by_distance(U: np.ndarray, n_components: int) -> np.ndarray:
    """Two or three rows at most, at their distances."""
    Z = U - U.mean(axis=0)
    left, lengths, _ = np.linalg.svd(Z, full_matrices=False)
    places = np.zeros((len(U), n_components))
    places[:, : len(lengths)] = (left * lengths)[:, :n_components]
    return places


def _exact_neighbours(U: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(indices (n, k), cosine distances (n, k)), each row itself first, as umap requires."""
    n = len(U)
    U = U.astype(np.float64)  # in float32 the last bits, and so the layout, differ by processor
    indices = np.empty((n, k), dtype=np.int32)
    distances = np.empty((n, k), dtype=np.float32)
    for start in range(0, n, BLOCK_ROWS):
        cosines = U[start : start + BLOCK_ROWS] @ U.T
        rows = np.arange(len(cosines))
        cosines[rows, start + rows] = 2.0  # above any cosine: the row itself comes first
        top = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
        order = np.argsort(-np.take_along_axis(cosines, top, axis=1), axis=1, kind="stable")
        top = np.take_along_axis(top, order, axis=1)
        indices[start : start + BLOCK_ROWS] = top
        near = 1.0 - np.take_along_axis(cosines, top, axis=1)
        near[:, 0] = 0.0
        distances[start : start + BLOCK_ROWS] = near.clip(min=0.0)
    return indices, distances


def _epoch_reports(progress: Callable[[str, int, int], None] | None) -> dict[str, object] | None:
    """tqdm settings that turn umap's own epoch bar into calls of ``progress``."""
    if progress is None:
        return None
    return {
        "file": _Reports(progress),
        "bar_format": "{n_fmt}/{total_fmt}",
        "mininterval": 0.3,
        "disable": False,
    }


class _Reports(io.StringIO):
    """A stream for tqdm whose lines "done/total" become reports."""

    def __init__(self, progress: Callable[[str, int, int], None]) -> None:
        super().__init__()
        self._progress = progress

    def write(self, text: str) -> int:
        """Report the bar's numbers; other text is dropped."""
        done, _, total = text.strip().partition("/")
        if done.isdigit() and total.isdigit():
            self._progress("epochs", int(done), int(total))
        return len(text)
