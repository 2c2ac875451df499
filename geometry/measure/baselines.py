"""The value of a measure for isotropic data: n Gaussian rows around the origin with covariance I.

It is from a closed form where there is one, else from seeded draws, which are cached. Hubness and
intrinsic dimension vary between draws, so they have a standard error.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from ..linalg.rows import UndefinedMeasure, need_rows, need_whole
from .neighbours import distinct_distances, nearest_of_all, occurrence_skewness, twonn
from .sums import OCCURRENCE_K, Shared, View
from .table_measures import LISTED, refuse_unlisted

# A large draw varies little. Small draws are repeated until they have this many numbers
NUMBERS, MOST_DRAWS = 200_000, 20
# Measures of neighbours vary with the number of rows. Their draws are repeated until the products
# of all pairs take this many multiplications, about 0.2 s
MULTIPLICATIONS = 4e9
GROUPS = 20  # groups of the rows of a draw, for the standard error


def _occurrences(X: np.ndarray) -> np.ndarray:
    need_rows(len(X), OCCURRENCE_K + 2)
    return np.bincount(nearest_of_all(X, k=OCCURRENCE_K).ravel(), minlength=len(X))


# The standard errors take rows as independent. Against the spread between draws they are right to a
# tenth for 300 × 50 and 1,000 × 384, and a quarter too large for 3,000 × 128
OF_NEIGHBOURS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], Callable[..., float]]] = {
    "hubness": (_occurrences, occurrence_skewness),
    "intrinsic_dimension": (lambda X: distinct_distances(X)[0], partial(twonn, equal=0.0)),
}


@dataclass(frozen=True)
class Baseline:
    value: float | None  # None where isotropic data of that size have none
    error: float | None = None  # None where it is a formula's, or below what is printed


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
    drawn = tuple(name for name in names if LISTED[name].baseline is None)
    found = _simulate(drawn, n, d, seed) if drawn and simulate else {}
    return {name: found.get(name) or _by_formula(name, n, d) for name in names}


def _by_formula(name: str, n: int, d: int) -> Baseline:
    formula = LISTED[name].baseline
    try:
        return Baseline(None if formula is None else formula(n, d))
    except ValueError:  # fewer rows or dimensions than the measure needs
        return Baseline(None)


@lru_cache(maxsize=1024)
def _simulate(names: tuple[str, ...], n: int, d: int, seed: int) -> dict[str, Baseline]:
    rng = np.random.default_rng([seed, n, d])
    draws = int(np.clip(NUMBERS // (n * d), 1, MOST_DRAWS))
    of_neighbours = [name for name in names if name in OF_NEIGHBOURS]
    more = max(draws, int(min(MULTIPLICATIONS // (n * n * d), MOST_DRAWS))) if of_neighbours else 0
    values: dict[str, list[float]] = {name: [] for name in names}
    variances: dict[str, list[float]] = {name: [] for name in of_neighbours}
    for draw in range(max(draws, more)):
        X = rng.standard_normal((n, d))
        view = View(Shared(X, seed=seed))
        for name in names if draw < draws else of_neighbours:
            with suppress(UndefinedMeasure):
                if name not in OF_NEIGHBOURS:
                    values[name].append(LISTED[name].of(view))
                    continue
                rows_of, of = OF_NEIGHBOURS[name]
                rows = rows_of(X)
                values[name].append(of(rows))
                variances[name].append(_variance(rows, of))
    found = {}
    for name, drawn in values.items():
        errors = variances.get(name)
        error = float(np.sqrt(np.mean(errors) / len(drawn))) if errors else None
        found[name] = Baseline(float(np.mean(drawn)) if drawn else None, error)
    return found


def _variance(rows: np.ndarray, of: Callable[..., float]) -> float:
    """Variance of one draw's value, from leaving out each of GROUPS groups of its rows."""
    group = np.arange(len(rows)) % GROUPS
    values = np.array([of(rows[group != left_out]) for left_out in range(GROUPS)])
    return (GROUPS - 1) * float(values.var())
