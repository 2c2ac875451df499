"""How a whitening falls apart when it is fitted on too few points, seen on others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .measure import isoscore, isoscore_baseline
from .moments import Moments
from .whitening_map import WhiteningMap

FEWEST = 10
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


def fit_sizes(available: int, d: int) -> tuple[int, ...]:
    """About a dozen sizes up to ``available``, spaced by ratio, with n = d among them."""
    if available <= FEWEST:
        return (available,)
    sizes = np.geomspace(FEWEST, available, 12).round().astype(int).tolist()
    return tuple(sorted({*sizes, *([d, d + d // 8] if d + d // 8 < available else [])}))


def whitening_by_size(
    X: np.ndarray,
    *,
    sizes: Sequence[int] | None = None,
    random_state: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[SizedFit, ...]:
    """Whiten one half of X (n, d) by maps fitted on more and more rows of the other half.

    The halves and the order in which rows join the fit are drawn once, seeded: a larger fit holds
    the smaller ones' rows. n >= 8.   sizes : of the fits; by default ``fit_sizes``.
    """
    X = np.asarray(X)
    if X.ndim != 2 or len(X) < 8 or X.shape[1] < 2:
        raise ValueError(f"needs at least 8 rows of 2 dimensions; got shape {X.shape}")
    order = np.random.default_rng(random_state).permutation(len(X))
    fitted, held_out = X[order[: len(X) // 2]], X[order[len(X) // 2 :]]
    sizes = fit_sizes(len(fitted), X.shape[1]) if sizes is None else sizes
    wrong = [n for n in sizes if not 2 <= n <= len(fitted)]
    if wrong:
        raise ValueError(f"sizes must lie in [2, {len(fitted)}], half of the rows; got {wrong[0]}")
    raw, baseline = isoscore(held_out), isoscore_baseline(*held_out.shape)
    found = []
    for done, n in enumerate(sizes):
        if progress is not None:
            progress(done, len(sizes))
        found.append(SizedFit(n, len(held_out), _isoscores(fitted[:n], held_out), raw, baseline))
    return tuple(found)


def _isoscores(fitted: np.ndarray, held_out: np.ndarray) -> dict[str, float]:
    moments = Moments.of(fitted)
    eps = float(np.finfo(fitted.dtype).eps)
    ways = {"full": None, "ledoit-wolf": "ledoit-wolf"}
    return {
        way: isoscore(
            WhiteningMap.solve(moments, eps=eps, method="zca", shrinkage=shrinkage).apply(held_out)
        )
        for way, shrinkage in ways.items()
    }
