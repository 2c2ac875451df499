"""All measures of one table, with intervals and baselines, against scikit-learn's neighbours alone.

A cold table also draws and measures the Gaussian data of the baselines; a second cloud of the same
shape uses the cached values. The target is for one BLAS thread, as on the pages.
"""

from collections.abc import Callable
from statistics import median
from time import process_time

import numpy as np
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from bench.table import Row
from bench.timing import paired_medians
from geometry.measure import Annotations, annotated_table, measure_table
from geometry.measure.table import _simulate

ROWS, DIMENSIONS = 5000, 384
LIMIT = 2.0
NEIGHBOURS = 25
TYPES = 2000


def main() -> list[Row]:
    X = cloud()
    name = "all measures of one table, 5,000 × 384, with intervals and baselines"
    with threadpool_limits(limits=1, user_api="blas"):
        rows = [
            row(X, f"{name}, one BLAS thread", cold_table, promised=True),
            row(X, "the same, baselines kept", measure_table),
            row(X, "the same of tokens, with the contextual measures", tokens_table),
            row(X, "the same of types, with the Zipfian measures", types_table),
        ]
    return [*rows, row(X, f"{name}, all BLAS threads", cold_table)]


def cloud() -> np.ndarray:
    """A cone with unequal axes, in float32 like an encoder's vectors."""
    rng = np.random.default_rng(0)
    axes = np.geomspace(2, 0.2, DIMENSIONS)
    X = rng.standard_normal((ROWS, DIMENSIONS)) * axes + 0.3 * rng.standard_normal(DIMENSIONS)
    return X.astype(np.float32)


def cold_table(X: np.ndarray) -> None:
    _simulate.cache_clear()
    measure_table(X)


def tokens_table(X: np.ndarray) -> None:
    """Types with the frequencies of Zipf's law, sentences of 12 tokens."""
    p = 1 / np.arange(1, TYPES + 1)
    types = np.random.default_rng(0).choice(TYPES, len(X), p=p / p.sum())
    measure_table(X)
    annotated_table(X, Annotations(types=types, sentences=np.arange(len(X)) // 12))


def types_table(X: np.ndarray) -> None:
    """Each row is a word, with frequencies of Zipf's law."""
    measure_table(X)
    annotated_table(X, Annotations(frequencies=1 / np.arange(1, len(X) + 1)))


def row(
    X: np.ndarray, name: str, work: Callable[[np.ndarray], object], *, promised: bool = False
) -> Row:
    """One row of the table, with processor seconds, which depend less on other load.

    Parameters
    ----------
    X : (n, d) array of float
    name : str
    work : callable
        Called with X.
    promised : bool
        True compares the time with ``LIMIT``.
    """
    used: list[float] = []

    def ours() -> None:
        start = process_time()
        work(X)
        used.append(process_time() - start)

    seconds, peer = paired_medians(ours, lambda: neighbours(X))
    return Row(
        name,
        seconds,
        peer,
        peer / seconds,
        target=f"{LIMIT:g} s or less" if promised else "",
        met=seconds <= LIMIT if promised else None,
        note=f"processor: {median(used):.2g} s; peer: scikit-learn's {NEIGHBOURS} nearest "
        "neighbours by cosine, alone",
    )


def neighbours(X: np.ndarray) -> None:
    NearestNeighbors(n_neighbors=NEIGHBOURS + 1, metric="cosine").fit(X).kneighbors(X)
