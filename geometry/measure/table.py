"""All measures of one cloud, with intervals and isotropic baselines; where two tables disagree.

A baseline is the value for n Gaussian rows around the origin with covariance I. It is from a closed
form where there is one, else from seeded draws, which are cached. Hubness and intrinsic dimension
vary between draws, so they have a standard error.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ..data.frames import Framed
from ..linalg.rows import UndefinedMeasure, need_rows, need_whole
from .cosines import mean_cosine_of_sum
from .intervals import Estimate, around, jackknife_reach, subsampling_reach
from .neighbours import distinct_distances, nearest_of_all, occurrence_skewness, occurrences, twonn
from .sums import OCCURRENCE_K, Shared, View
from .table_measures import TABLE_MEASURES, TOP_SHARES, refuse_unlisted

MUCH = 0.1  # a smaller change of a measure in [0, 1] is not reported
LITTLE = 0.1  # share of another measure's change that counts as no change
MORE_HUBS = 1.0  # of hubness; draws of 300 rows have a standard deviation of 0.1 to 0.6
STILL_A_CONE = 0.2  # mean cosine from which on all pairs look alike
# A large draw varies little. Small draws are repeated until they have this many numbers
NUMBERS, MOST_DRAWS = 200_000, 20
# Measures of neighbours vary with the number of rows. Their draws are repeated until the products
# of all pairs take this many multiplications, about 0.2 s
MULTIPLICATIONS = 4e9
GROUPS = 20  # groups of the rows of a draw, for the standard error


@dataclass(frozen=True)
class Measured:
    """One measure of n rows in d dimensions."""

    name: str
    value: float | None
    #: low, high: 95% interval, see ``intervals``; None below 40 rows or units, and for hubness and
    #: the shares of the leading dimensions
    low: float | None
    high: float | None
    baseline: float | None  #: that of isotropic data of that n and d (shares: and mean cosine)
    n: int
    d: int
    #: why there is no value, as a code of ``UndefinedMeasure``; None where there is one
    undefined: str | None = None
    #: standard error of a simulated baseline, where it may be large enough to see
    baseline_error: float | None = None


def measured(name: str, n: int, d: int, of: Callable[[], Estimate], baseline: float) -> Measured:
    """A row from its estimate and baseline; without them where the measure is undefined."""
    try:
        found = of()
    except UndefinedMeasure as error:
        return Measured(name, None, None, None, None, n, d, error.code)
    return Measured(name, found.value, found.low, found.high, baseline, n, d)


class MeasureRows(Framed, tuple[Measured, ...]):
    """The rows of a table of measures, as a tuple; a notebook shows them."""

    __slots__ = ()

    def _records(self) -> list[dict[str, Any]]:
        return [asdict(row) for row in self]


def measure_table(
    X: np.ndarray,
    *,
    names: Iterable[str] | None = None,
    seed: int = 0,
    intervals: bool = True,
    simulate: bool = True,
    units: np.ndarray | None = None,
) -> MeasureRows:
    """Every measure of X, in the order of ``measure_names()``.

    A measure that the cloud does not have comes back with ``undefined`` and without a value; what
    is no cloud (a shape, NaN) raises ValueError. One float32 product of all pairs serves cosines,
    uniformity and hubness, so the cost is O(n^2 d): sample rows of a cloud far above 10,000 first.

    Parameters
    ----------
    X : (n, d) array of float
    names : iterable of str, optional
        Some of ``measure_names()``; None takes all.
    seed : int, of the groups, subsamples and simulated baselines
    intervals : bool; False leaves out the intervals, which take most of the time
    simulate : bool; False leaves out the baselines that have no closed form
    units : (n,) ids, optional
        Intervals leave out rows of one unit together, such as the tokens of one sentence, which
        resemble each other. None takes each row as a unit.
    """
    names = set(TABLE_MEASURES) if names is None else set(names)
    refuse_unlisted(names)
    chosen = [name for name in TABLE_MEASURES if name in names]
    uses = frozenset(part for name in chosen for part in TABLE_MEASURES[name].uses)
    shared = Shared(X, seed=seed, uses=uses, units=units)
    view = View(shared)
    n, d = shared.X.shape
    values: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for name in chosen:
        try:
            values[name] = TABLE_MEASURES[name].of(view)
        except UndefinedMeasure as error:
            reasons[name] = error.code
    reaches = _reaches(shared, list(values)) if intervals else {}
    baselines = baselines_with_errors(values, n, d, seed=seed, simulate=simulate)
    rows = []
    for name in chosen:
        value, reach = values.get(name), reaches.get(name)
        low = high = None
        if value is not None and reach is not None:
            low, high = (TABLE_MEASURES[name].within(end, n, d) for end in around(value, reach))
            low, high = min(low, value), max(high, value)  # rounding may have put the value outside
        baseline = baselines.get(name, Baseline(None))
        if name in TOP_SHARES and baseline.value is not None:
            signal = (n - 1) * mean_cosine_of_sum(shared.unit_sum, n)
            noise = (baseline.value - min(1, TOP_SHARES[name] / d)) / signal
            baseline = Baseline(baseline.value + noise)  # mean of ``rotated_top_contributions``
        row = (name, value, low, high, baseline.value, n, d, reasons.get(name), baseline.error)
        rows.append(Measured(*row))
    return MeasureRows(rows)


def measure_names() -> tuple[str, ...]:
    """The measures of a table, in its order."""
    return tuple(TABLE_MEASURES)


def _reaches(shared: Shared, names: list[str]) -> dict[str, float]:
    """Half-widths of the intervals, by name; a measure that some replicate lacks has none."""
    if not shared.n_groups:
        return {}
    found: dict[str, float] = {}
    replicates: dict[str, list[float]] = {}
    n_units = len(shared.cluster_sizes)
    for name in names:
        measure = TABLE_MEASURES[name]
        if measure.without_each is not None:
            with np.errstate(divide="ignore", invalid="ignore"):
                each = measure.without_each(shared)
            if np.isfinite(each).all():
                found[name] = jackknife_reach(each)
        elif measure.angle is not None:
            angles = shared.angle_replicates[:, measure.angle]
            found[name] = subsampling_reach(angles, n_units // 2, n_units)
        elif measure.reach is not None:
            replicates[name] = []
    for left_out in range(shared.n_groups):
        view = View(shared, left_out)
        for name in list(replicates):
            try:
                replicates[name].append(TABLE_MEASURES[name].of(view))
            except UndefinedMeasure:
                del replicates[name]
    for name, values in replicates.items():
        if (reach := TABLE_MEASURES[name].reach) is not None:
            found[name] = reach(values)
    return {name: reach * TABLE_MEASURES[name].correction(shared) for name, reach in found.items()}


def _occurrences(X: np.ndarray) -> np.ndarray:
    need_rows(len(X), OCCURRENCE_K + 2)
    return occurrences(nearest_of_all(X, k=OCCURRENCE_K), OCCURRENCE_K)


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
    drawn = tuple(name for name in names if TABLE_MEASURES[name].baseline is None)
    found = dict.fromkeys(names, Baseline(None))
    if drawn and simulate:
        found |= _simulate(drawn, n, d, seed)
    for name in names:
        formula = TABLE_MEASURES[name].baseline
        with suppress(ValueError):  # fewer rows or dimensions than the measure needs
            if formula is not None:
                found[name] = Baseline(formula(n, d))
    return found


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
                    values[name].append(TABLE_MEASURES[name].of(view))
                    continue
                rows_of, of = OF_NEIGHBOURS[name]
                rows = rows_of(X)
                values[name].append(of(rows))
                group = np.arange(len(rows)) % GROUPS
                without = [of(rows[group != left_out]) for left_out in range(GROUPS)]
                variances[name].append((GROUPS - 1) * float(np.var(without)))
    found = {}
    for name, drawn in values.items():
        errors = variances.get(name)
        error = float(np.sqrt(np.mean(errors) / len(drawn))) if errors else None
        found[name] = Baseline(float(np.mean(drawn)) if drawn else None, error)
    return found


def disagreements(raw: Iterable[Measured], transformed: Iterable[Measured]) -> tuple[str, ...]:
    """Codes of what holds between the tables of a cloud and of the same cloud transformed.

    "isoscore_is_participation_ratio" : the table has both; each is an affine function of the other.
    "mean_shift_invisible_to_isoscore" : the mean cosine fell by MUCH, and IsoScore changed by less
    than a tenth of that, and not beyond both intervals.
    "axes_equal_cone_remains" : IsoScore rose by MUCH, and the mean cosine is still STILL_A_CONE.
    "more_even_than_chance" : the transformed IsoScore lies nearer to 1 than to its isotropic
    baseline. The transform was fitted on these rows, so the value is no evidence about others.
    "hubs_grew" : IsoScore rose by MUCH while hubness rose by MORE_HUBS.
    A code is given only where both tables have the measures that it compares.
    """
    before = {row.name: row for row in raw}
    after = {row.name: row for row in transformed}
    isoscore = _change(before, after, "isoscore")
    fell = -(_change(before, after, "mean_cosine") or 0.0)
    rose = isoscore is not None and isoscore >= MUCH
    cosine, score = after.get("mean_cosine"), after.get("isoscore")
    found = {
        "isoscore_is_participation_ratio": {"isoscore", "participation_ratio"} <= set(after),
        "mean_shift_invisible_to_isoscore": isoscore is not None
        and fell >= MUCH
        and abs(isoscore) < LITTLE * fell
        and not _are_apart(before["isoscore"], after["isoscore"]),
        "axes_equal_cone_remains": rose
        and cosine is not None
        and (cosine.value or 0.0) >= STILL_A_CONE,
        "more_even_than_chance": score is not None
        and score.value is not None
        and score.baseline is not None
        and score.value > (1 + score.baseline) / 2,
        "hubs_grew": rose and (_change(before, after, "hubness") or 0.0) >= MORE_HUBS,
    }
    return tuple(code for code, holds in found.items() if holds)


def _change(before: dict[str, Measured], after: dict[str, Measured], name: str) -> float | None:
    old, new = (table[name].value if name in table else None for table in (before, after))
    return None if old is None or new is None else new - old


def _are_apart(old: Measured, new: Measured) -> bool:
    if old.low is None or old.high is None or new.low is None or new.high is None:
        return False
    return max(old.low, new.low) > min(old.high, new.high)
