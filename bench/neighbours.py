"""Exact neighbours, against scikit-learn's brute force; each in its own process.

As on the pages, BLAS has one thread, and two blocks are multiplied at a time. scikit-learn has all
threads.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import numpy as np
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from bench.child import peak_bytes, printed_by
from bench.table import Row
from geometry.measure import Search, neighbour_means

ROWS, DIMENSIONS, K = 30_000, 384, 7
REPEATS = 3
SECONDS, GIGABYTES = 10.0, 1.0
ALL_ROWS, ALL_K, QUERIES = 100_000, 10, 30
ALL_SECONDS, QUERY_SECONDS = 60.0, 0.05
SAME = 1e-5  # difference of distances: scikit-learn computes those of float32 rows in float32


def main() -> list[Row]:
    ours, peer = [], []
    with tempfile.TemporaryDirectory() as folder:
        files = {who: Path(folder) / f"{who}.npy" for who in ("ours", "peer")}
        for _ in range(REPEATS):
            ours.append(measured("ours", files["ours"]))
            peer.append(measured("peer", files["peer"]))
        found, expected = (np.load(file) for file in files.values())
    difference = float(np.abs(found / expected - 1).max())
    seconds, used, peak = (median(values) for values in zip(*ours, strict=True))
    peer_seconds = median(each for each, *_ in peer)
    name = f"mean distance and dot product of {ROWS:,} × {DIMENSIONS} to {K} neighbours"
    return [
        Row(
            name,
            seconds,
            peer_seconds,
            peer_seconds / seconds,
            target=f"{SECONDS:g} s or less, distances equal to {SAME:g}",
            met=seconds <= SECONDS and difference <= SAME,
            note=f"processor: {used:.3g} s; peer: scikit-learn's brute force, distances alone; "
            f"mean distances differ by {difference:.1e}",
        ),
        Row(
            f"{name}, memory beyond the table",
            peak / 1e9,
            unit="GB",
            target=f"{GIGABYTES:g} GB or less",
            met=peak <= GIGABYTES * 1e9,
        ),
        *all_pairs(),
    ]


def all_pairs() -> list[Row]:
    """All rows by cosine, and one query."""
    printed: dict[str, list[list[float]]] = {"all": [], "all-peer": []}
    with tempfile.TemporaryDirectory() as folder:
        files = {who: Path(folder) / f"{who}.npy" for who in printed}
        for _ in range(REPEATS):
            for who, file in files.items():
                printed[who].append([*map(float, printed_by("bench.neighbours", who, file))])
        found, expected = (np.load(file) for file in files.values())
    equal = float((np.sort(found) == np.sort(expected)).mean())
    (seconds, query, peak), (peer, peer_query, _) = (
        [median(values) for values in zip(*lines, strict=True)] for lines in printed.values()
    )
    name = f"{ALL_ROWS:,} × {DIMENSIONS} by cosine, k = {ALL_K}"
    return [
        Row(
            f"exact neighbours of all rows of {name}",
            seconds,
            peer,
            peer / seconds,
            target=f"{ALL_SECONDS:g} s or less",
            met=seconds <= ALL_SECONDS and equal > 0.9999,
            note=f"peer: scikit-learn's brute force; {equal:.5%} of the neighbours are equal; "
            f"{peak / 1e9:.2g} GB beyond the table",
        ),
        Row(
            f"one query of {name}",
            query,
            peer_query,
            peer_query / query,
            target=f"{QUERY_SECONDS:g} s or less",
            met=query <= QUERY_SECONDS,
        ),
    ]


def search_all(who: str, file: str) -> None:
    X = made(ALL_ROWS)
    before, start = peak_bytes(), perf_counter()
    if who == "all":
        with threadpool_limits(limits=1, user_api="blas"):
            search = Search(X)
            found = search.nearest_of_all(ALL_K).rows
            seconds = perf_counter() - start
            query = median(timed(lambda row: search.nearest(X[[row]], ALL_K)))
    else:
        # distances of unit rows give the same neighbours, and are much faster than metric="cosine"
        U = X / np.linalg.norm(X, axis=1, keepdims=True)
        index = NearestNeighbors(n_neighbors=ALL_K, algorithm="brute").fit(U)
        found = index.kneighbors(return_distance=False)
        seconds = perf_counter() - start
        query = median(timed(lambda row: index.kneighbors(U[[row]])))
    np.save(file, found)
    print(seconds, query, peak_bytes() - before)


def timed(work: Callable[[int], object]) -> list[float]:
    times = []
    for row in range(QUERIES):
        start = perf_counter()
        work(row)
        times.append(perf_counter() - start)
    return times


def made(rows: int) -> np.ndarray:
    X = np.random.default_rng(0).standard_normal((rows, DIMENSIONS), dtype=np.float32)
    X *= np.geomspace(2, 0.2, DIMENSIONS, dtype=np.float32)
    return X


def measured(who: str, file: Path) -> tuple[float, float, float]:
    """(seconds, processor seconds, bytes beyond the table) of a fresh process."""
    seconds, used, peak = map(float, printed_by("bench.neighbours", who, file))
    return seconds, used, peak


def search(who: str, file: str) -> None:
    X = made(ROWS)
    before, start, processor = peak_bytes(), perf_counter(), process_time()
    if who == "ours":
        with threadpool_limits(limits=1, user_api="blas"):
            distances = neighbour_means(X, (K,))[0][:, 0]
    else:
        index = NearestNeighbors(n_neighbors=K, algorithm="brute").fit(X)
        distances = index.kneighbors()[0].mean(axis=1)
    seconds, used = perf_counter() - start, process_time() - processor
    np.save(file, distances)
    print(seconds, used, peak_bytes() - before)


if __name__ == "__main__":
    (search_all if sys.argv[1].startswith("all") else search)(*sys.argv[1:])
