"""What a measure gives for isotropic data: n Gaussian rows with covariance I around the origin.

In closed form where one is right (``listed``); else from seeded draws of the same n and d. One
draw serves all measures, and values are kept by (n, d, seed, measure).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from threading import Lock

import numpy as np

from ..neighbours import closest_both_ways
from ..rows import UndefinedMeasure
from .listed import LISTED, refuse_unlisted
from .popularity import two_distances
from .shared import OCCURRENCE_K, Shared
from .view import View

# A large draw averages itself; small ones are repeated until they hold this many numbers
NUMBERS, MOST_DRAWS = 200_000, 20
WIDE = 32  # dimensions from which on no two Gaussian rows are nearer than float32 can tell
_KEPT = 4096
_lock = Lock()
_kept: dict[tuple[int, int, int, str], float | None] = {}


def isotropic_baselines(
    names: Iterable[str], n: int, d: int, *, seed: int = 0
) -> dict[str, float | None]:
    """{name: its value for isotropic data}; None where isotropic data of that size have none."""
    names = list(names)
    refuse_unlisted(names)
    closed = {name: LISTED[name].baseline for name in names}
    wanted = [name for name in names if closed[name] is None and (n, d, seed, name) not in _kept]
    if wanted:
        drawn = _simulate(wanted, n, d, seed)
        with _lock:
            if len(_kept) > _KEPT:
                _kept.clear()
            _kept.update({(n, d, seed, name): value for name, value in drawn.items()})
    else:
        drawn = {}
    found: dict[str, float | None] = {}
    for name in names:
        formula = closed[name]
        if formula is not None:
            found[name] = formula(n, d)
        else:
            found[name] = drawn[name] if name in drawn else _kept.get((n, d, seed, name))
    return found


def forget_baselines() -> None:
    """Drop what was simulated, so that it is simulated again."""
    with _lock:
        _kept.clear()


def _simulate(names: list[str], n: int, d: int, seed: int) -> dict[str, float | None]:
    rng = np.random.default_rng([seed, n, d])
    draws = int(np.clip(NUMBERS // (n * d), 1, MOST_DRAWS))
    values: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(draws):
        X = rng.standard_normal((n, d))
        wide = d >= WIDE and n > OCCURRENCE_K + 1
        view = View(_WideGaussian(X, seed=seed) if wide else Shared(X, seed=seed))
        for name in names:
            try:
                values[name].append(LISTED[name].of(view))
            except UndefinedMeasure:
                continue
    return {name: float(np.mean(found)) if found else None for name, found in values.items()}


class _WideGaussian(Shared):
    """Gaussian rows, whose neighbours by cosine and by distance come from one product."""

    @cached_property
    def _neighbours(self) -> tuple[np.ndarray, np.ndarray]:
        return closest_both_ways(self.X, OCCURRENCE_K)

    @cached_property
    def near(self) -> np.ndarray:
        """See Shared."""
        return self._neighbours[0]

    @cached_property
    def distances(self) -> tuple[np.ndarray, np.ndarray]:
        """See Shared; Gaussian rows are distinct."""
        return two_distances(self.X, self._neighbours[1]), self.group_of
