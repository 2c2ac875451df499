"""The value of a measure for isotropic data: n Gaussian rows around the origin with covariance I.

It is from a closed form where there is one, else from seeded draws, cached by (n, d, seed,
measure). Hubness and intrinsic dimension vary between draws, so they have a standard error.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from threading import Lock

import numpy as np

from ..linalg.rows import UndefinedMeasure, need_whole
from .neighbours import closest_both_ways, occurrence_skewness, two_distances, twonn
from .sums import OCCURRENCE_K, Shared, View
from .table_measures import LISTED, refuse_unlisted

# A large draw varies little. Small draws are repeated until they have this many numbers
NUMBERS, MOST_DRAWS = 200_000, 20
# Measures of neighbours vary with the number of rows. Their draws are repeated until the products
# of all pairs take this many multiplications, about 0.2 s
MULTIPLICATIONS = 4e9
GROUPS = 20  # groups of the rows of a draw, for the standard error
# The standard errors take rows as independent. Against the spread between draws they are right to a
# tenth for 300 × 50 and 1,000 × 384, and a quarter too large for 3,000 × 128
OF_NEIGHBOURS: dict[str, tuple[Callable[[View], np.ndarray], Callable[[np.ndarray], float]]] = {
    "hubness": (lambda view: view.shared.occurrences, occurrence_skewness),
    "intrinsic_dimension": (lambda view: view.two_distances, partial(twonn, equal=0.0)),
}
WIDE = 32  # from this many dimensions on, float32 distinguishes all distances of Gaussian rows
_MOST_CACHED = 4096
_lock = Lock()


@dataclass(frozen=True)
class Baseline:
    value: float | None  # None where isotropic data of that size have none
    error: float | None = None  # None where it is a formula's, or below what is printed


_cached: dict[tuple[int, int, int, str], Baseline] = {}


def isotropic_baselines(
    names: Iterable[str], n: int, d: int, *, seed: int = 0
) -> dict[str, float | None]:
    """{name: its value for isotropic data}; None where isotropic data of that size have none.

    Parameters
    ----------
    names : iterable of str, some of ``measure_names``
    n : int, rows
    d : int, dimensions
    seed : int, of the simulated baselines
    """
    found = baselines_with_errors(names, n, d, seed=seed)
    return {name: baseline.value for name, baseline in found.items()}


def baselines_with_errors(
    names: Iterable[str], n: int, d: int, *, seed: int = 0, simulate: bool = True
) -> dict[str, Baseline]:
    """``isotropic_baselines`` with standard errors; without ``simulate`` the closed forms alone."""
    need_whole("n", n, at_least=1)
    need_whole("d", d, at_least=1)
    names = list(names)
    refuse_unlisted(names)
    found: dict[str, Baseline] = {}
    wanted = []
    for name in names:
        formula, cached = LISTED[name].baseline, _cached.get((n, d, seed, name))
        if formula is not None:
            try:
                found[name] = Baseline(formula(n, d))
            except ValueError:  # fewer rows or dimensions than the measure needs
                found[name] = Baseline(None)
        elif not simulate:
            found[name] = Baseline(None)
        elif cached is not None:
            found[name] = cached
        else:
            wanted.append(name)
    if wanted:
        drawn = _simulate(wanted, n, d, seed)
        with _lock:
            if len(_cached) > _MOST_CACHED:
                _cached.clear()
            _cached.update({(n, d, seed, name): value for name, value in drawn.items()})
        found |= drawn
    return {name: found[name] for name in names}


def forget_baselines() -> None:
    with _lock:
        _cached.clear()


def _simulate(names: list[str], n: int, d: int, seed: int) -> dict[str, Baseline]:
    rng = np.random.default_rng([seed, n, d])
    draws = int(np.clip(NUMBERS // (n * d), 1, MOST_DRAWS))
    of_neighbours = [name for name in names if name in OF_NEIGHBOURS]
    more = max(draws, int(min(MULTIPLICATIONS // (n * n * d), MOST_DRAWS))) if of_neighbours else 0
    values: dict[str, list[float]] = {name: [] for name in names}
    variances: dict[str, list[float]] = {name: [] for name in of_neighbours}
    for draw in range(max(draws, more)):
        X = rng.standard_normal((n, d))
        wide = d >= WIDE and n > OCCURRENCE_K + 1
        view = View(_WideGaussian(X, seed=seed) if wide else Shared(X, seed=seed))
        for name in names if draw < draws else of_neighbours:
            with suppress(UndefinedMeasure):
                values[name].append(LISTED[name].of(view))
                if name in OF_NEIGHBOURS:
                    variances[name].append(_variance(name, view))
    found = {}
    for name, drawn in values.items():
        errors = variances.get(name)
        error = float(np.sqrt(np.mean(errors) / len(drawn))) if errors else None
        found[name] = Baseline(float(np.mean(drawn)) if drawn else None, error)
    return found


def _variance(name: str, view: View) -> float:
    """Variance of one draw's value, from leaving out each of GROUPS groups of its rows."""
    rows_of, of = OF_NEIGHBOURS[name]
    rows = rows_of(view)
    group = np.arange(len(rows)) % GROUPS
    values = np.array([of(rows[group != left_out]) for left_out in range(GROUPS)])
    return (GROUPS - 1) * float(values.var())


class _WideGaussian(Shared):
    """Gaussian rows: one product gives their neighbours by cosine and by distance."""

    @cached_property
    def _neighbours(self) -> tuple[np.ndarray, np.ndarray]:
        return closest_both_ways(self.X, OCCURRENCE_K)

    @cached_property
    def near(self) -> np.ndarray:
        return self._neighbours[0]

    @cached_property
    def distances(self) -> tuple[np.ndarray, np.ndarray]:
        return two_distances(self.X, self._neighbours[1]), self.group_of
