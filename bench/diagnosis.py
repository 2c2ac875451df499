"""The diagnosis of labelled vectors, beside scikit-learn's search of all rows once.

The diagnosis compares 25 settings, fitted four times, on a sample of rows. The peer searches the
5 nearest of every raw row: what one setting alone would take.
"""

from statistics import median
from time import perf_counter

import numpy as np
from sklearn.neighbors import NearestNeighbors

from bench.table import Row
from geometry.diagnosis import diagnose

DIMENSIONS, LABELS, REPEATS = 384, 50, 3
SIZES = {20_000: 15.0, 100_000: 60.0}  # rows, and the seconds that are promised
FINDINGS_SECONDS = 2.0


def made_up(n: int) -> tuple[np.ndarray, list[str]]:
    """A cone of LABELS classes with variances that fall."""
    rng = np.random.default_rng(0)
    label = rng.integers(LABELS, size=n)
    centres = 0.35 * rng.standard_normal((LABELS, DIMENSIONS))
    X = (centres[label] + rng.standard_normal((n, DIMENSIONS))) * np.exp(
        -np.arange(DIMENSIONS) / 60
    )
    return (X + 0.8).astype(np.float32), label.astype(str).tolist()


def timed(X: np.ndarray, labels: list[str]) -> tuple[float, float]:
    """(seconds until the findings, seconds in all)."""
    found: list[float] = []
    start = perf_counter()
    diagnose(X, labels=labels, first=lambda _: found.append(perf_counter() - start))
    return found[0], perf_counter() - start


def main() -> list[Row]:
    rows = []
    for n, seconds in SIZES.items():
        X, labels = made_up(n)
        runs = [timed(X, labels) for _ in range(REPEATS if n < 50_000 else 1)]
        first, whole = (median(each) for each in zip(*runs, strict=True))
        peer = []
        if n < 50_000:
            start = perf_counter()
            U = X / np.linalg.norm(X, axis=1, keepdims=True)
            NearestNeighbors(n_neighbors=6, algorithm="brute").fit(U).kneighbors(U)
            peer.append(perf_counter() - start)
        name = f"diagnosis of {n:,} × {DIMENSIONS} labelled vectors"
        rows += [
            Row(
                name,
                whole,
                peer[0] if peer else None,
                target=f"{seconds:g} s or less",
                met=whole <= seconds,
                note="peer: scikit-learn's 5 nearest of every raw row, once" if peer else "",
            ),
            Row(
                f"{name}, until its findings",
                first,
                target=f"{FINDINGS_SECONDS:g} s or less" if n < 50_000 else "",
                met=first <= FINDINGS_SECONDS if n < 50_000 else None,
            ),
        ]
    return rows
