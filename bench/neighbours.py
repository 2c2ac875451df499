"""Exact neighbours of a vocabulary, against scikit-learn's brute force; each in its own process.

As on the pages, BLAS has one thread, and two blocks are multiplied at a time. scikit-learn has all
threads.
"""

import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import numpy as np
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from bench.child import peak_bytes, printed_by
from bench.table import Row
from geometry.measure import neighbour_means

ROWS, DIMENSIONS, K = 30_000, 384, 7
REPEATS = 3
SECONDS, GIGABYTES = 10.0, 1.0
SAME = 1e-5  # of a distance: scikit-learn computes those of float32 rows in float32


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
    ]


def measured(who: str, file: Path) -> tuple[float, float, float]:
    """(seconds, processor seconds, bytes beyond the table) of a fresh process."""
    seconds, used, peak = map(float, printed_by("bench.neighbours", who, file))
    return seconds, used, peak


def search(who: str, file: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, DIMENSIONS), dtype=np.float32)
    X *= np.geomspace(2, 0.2, DIMENSIONS, dtype=np.float32)
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
    search(*sys.argv[1:])
