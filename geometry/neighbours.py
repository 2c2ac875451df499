"""Nearest neighbours by cosine, and whether they share a label."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .measure import unit_rows


def nearest(X: np.ndarray, row: int, *, k: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest other rows of row ``row`` by cosine: (indices (k,), cosines (k,)).

    X : (n, d), no zero row.   k is cut to n - 1. Ties keep the lower index first.
    """
    U = unit_rows(X)
    if not 0 <= row < len(U):
        raise IndexError(f"row {row} is not one of the {len(U)} rows")
    cosines = U @ U[row]
    cosines[row] = -np.inf
    order = np.argsort(-cosines, kind="stable")[: min(k, len(U) - 1)]
    return order, cosines[order].clip(-1.0, 1.0)


def nearest_of_all(X: np.ndarray, *, k: int = 5, block_rows: int = 1024) -> np.ndarray:
    """Indices (n, k) of each row's k nearest other rows by cosine, nearest first."""
    U = unit_rows(X)
    n = len(U)
    k = min(k, n - 1)
    found = np.empty((n, k), dtype=np.int64)
    for start in range(0, n, block_rows):
        cosines = U[start : start + block_rows] @ U.T
        rows = np.arange(len(cosines))
        cosines[rows, start + rows] = -np.inf
        top = np.argpartition(cosines, n - k, axis=1)[:, n - k :]
        order = np.argsort(-np.take_along_axis(cosines, top, axis=1), axis=1, kind="stable")
        found[start : start + block_rows] = np.take_along_axis(top, order, axis=1)
    return found


def chance_agreement(labels: Sequence[object]) -> float:
    """``label_agreement`` of neighbours drawn at random: the mean share of *other* rows alike."""
    counts = np.unique(np.asarray(labels, dtype=str), return_counts=True)[1]
    n = int(counts.sum())
    return float((counts * (counts - 1)).sum()) / (n * (n - 1))


def label_agreement(X: np.ndarray, labels: Sequence[object], *, k: int = 5) -> float:
    """Mean share of a row's k nearest neighbours that carry its label, in [0, 1].

    For 12 equal topics chance is about 1/12.
    """
    if len(labels) != len(X):
        raise ValueError(f"{len(labels)} labels for {len(X)} rows")
    _, codes = np.unique(np.asarray(labels, dtype=str), return_inverse=True)
    return float((codes[nearest_of_all(X, k=k)] == codes[:, None]).mean())
