"""How a whitening falls apart when it is fitted on too few points, seen on others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..linalg.rows import float_rows
from ..measure import isoscore, isoscore_baseline
from ..transform.whitening_map import WhiteningMap

FEWEST = 10
LEAST_ROWS = 8  # four in the fit, four held out
WAYS = ("full", "ledoit-wolf")


@dataclass(frozen=True)
class SizedFit:
    """What a whitening fitted on ``n`` points does to ``held_out`` points that it has not seen.

    isoscore : of those points, by the way of fitting ("full", "ledoit-wolf").
    raw : of the same points before.   baseline : of as many isotropic ones.
    """

    n: int
    held_out: int
    isoscore: dict[str, float]
    raw: float
    baseline: float


def fit_sizes(available: int, d: int, *, count: int = 12, past_d: bool = True) -> tuple[int, ...]:
    """About ``count`` sizes from FEWEST up to ``available``, spaced by ratio.

    n = d is among them where there are as many rows; past_d : a little above it, too.
    """
    if available <= FEWEST:
        return (available,)
    sizes = np.geomspace(FEWEST, available, count).round().astype(int).tolist()
    about_d = (n for n in (d, d + d // 8 if past_d else d) if 2 <= n <= available)
    return tuple(sorted({*sizes, *about_d}))


def whitening_by_size(
    X: np.ndarray,
    *,
    sizes: Sequence[int] | None = None,
    random_state: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[SizedFit, ...]:
    """Whiten one half of X (n, d) by maps fitted on more and more rows of the other half.

    The halves and the order in which rows join the fit are drawn once, seeded: a larger fit holds
    the smaller ones' rows. n >= 8, d >= 2.   sizes : of the fits; by default ``fit_sizes``.
    progress : called with (fits done, fits).
    Raises ValueError for other shapes, NaN, infinity, and where the held-out rows are all equal.
    """
    if np.ndim(X) != 2 or np.shape(X)[0] < LEAST_ROWS or np.shape(X)[1] < 2:
        raise ValueError(
            f"needs at least {LEAST_ROWS} rows of 2 dimensions or more; got shape {np.shape(X)}"
        )
    X = float_rows(X, at_least=LEAST_ROWS)
    order = np.random.default_rng(random_state).permutation(len(X))
    fitted, held_out = X[order[: len(X) // 2]], X[order[len(X) // 2 :]]
    sizes = fit_sizes(len(fitted), X.shape[1]) if sizes is None else sizes
    wrong = [n for n in sizes if not 2 <= n <= len(fitted)]
    if wrong:
        raise ValueError(f"sizes must lie in [2, {len(fitted)}], half of the rows; got {wrong[0]}")
    raw, baseline = isoscore(held_out), isoscore_baseline(*held_out.shape)
    found: list[SizedFit] = []
    for n in sizes:
        if progress is not None:
            progress(len(found), len(sizes))
        found.append(SizedFit(n, len(held_out), _isoscores(fitted[:n], held_out), raw, baseline))
    if progress is not None:
        progress(len(found), len(sizes))
    return tuple(found)


def _isoscores(fitted: np.ndarray, held_out: np.ndarray) -> dict[str, float]:
    full = WhiteningMap.of(fitted, method="zca")
    maps = (full, full.adjust(shrinkage="ledoit-wolf"))
    return {way: isoscore(one.apply(held_out)) for way, one in zip(WAYS, maps, strict=True)}
