"""All measures of one cloud, with intervals and isotropic baselines; where two tables disagree."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..data.frames import Framed
from ..linalg.rows import UndefinedMeasure
from .baselines import Baseline, baselines_with_errors
from .intervals import Estimate, around, jackknife_reach, subsampling_reach
from .sums import Shared, View
from .table_measures import LISTED, Listed, refuse_unlisted

MUCH = 0.1  # a smaller change of a measure in [0, 1] is not reported
LITTLE = 0.1  # share of another measure's change that counts as no change
MORE_HUBS = 1.0  # of hubness; draws of 300 rows have a standard deviation of 0.1 to 0.6
STILL_A_CONE = 0.2  # mean cosine from which on all pairs look alike


@dataclass(frozen=True)
class Measured:
    """One measure of n rows in d dimensions."""

    name: str
    value: float | None
    #: low, high: 95% interval, see ``intervals``; None below 40 rows or units, and for hubness and
    #: the shares of the leading dimensions
    low: float | None
    high: float | None
    baseline: float | None  #: the value for isotropic data of the same n and d
    n: int
    d: int
    #: why there is no value, as a code of ``UndefinedMeasure``; None where there is one
    undefined: str | None = None
    #: standard error of a simulated baseline, where it may be large enough to see
    baseline_error: float | None = None


def measured(
    name: str, n: int, d: int, of: Callable[[], Estimate], baseline: Callable[[], float]
) -> Measured:
    """A row from its estimate and baseline; without them where the measure is undefined."""
    try:
        found = of()
    except UndefinedMeasure as error:
        return Measured(name, None, None, None, None, n, d, error.code)
    return Measured(name, found.value, found.low, found.high, baseline(), n, d)


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
    names = set(LISTED) if names is None else set(names)
    refuse_unlisted(names)
    chosen = [name for name in LISTED if name in names]
    uses = frozenset(part for name in chosen for part in LISTED[name].uses)
    shared = Shared(X, seed=seed, uses=uses, units=units)
    view, (n, d) = View(shared), (shared.n, shared.d)
    values: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for name in chosen:
        try:
            values[name] = LISTED[name].of(view)
        except UndefinedMeasure as error:
            reasons[name] = error.code
    reaches = _reaches(shared, list(values)) if intervals else {}
    baselines = baselines_with_errors(values, n, d, seed=seed, simulate=simulate)
    rows = []
    for name in chosen:
        value, reach = values.get(name), reaches.get(name)
        low = high = None
        if value is not None and reach is not None:
            low, high = (LISTED[name].within(end, n, d) for end in around(value, reach))
            low, high = min(low, value), max(high, value)  # rounding may have put the value outside
        baseline = baselines.get(name, Baseline(None))
        row = (name, value, low, high, baseline.value, n, d, reasons.get(name), baseline.error)
        rows.append(Measured(*row))
    return MeasureRows(rows)


def measure_names() -> tuple[str, ...]:
    """The measures of a table, in its order."""
    return tuple(LISTED)


def _reaches(shared: Shared, names: list[str]) -> dict[str, float]:
    """Half-widths of the intervals, by name; a measure that some replicate lacks has none."""
    if not shared.n_groups:
        return {}
    found: dict[str, float] = {}
    replicates: dict[str, list[float]] = {}
    n_units = len(shared.cluster_sizes)
    for name in names:
        listed = LISTED[name]
        if listed.without_each:
            each = without_each(listed, shared)
            if each is not None:
                found[name] = jackknife_reach(list(each))
        elif listed.angle is not None:
            angles = shared.angle_replicates[:, listed.angle]
            found[name] = subsampling_reach(list(angles), n_units // 2, n_units)
        elif listed.reach is not None:
            replicates[name] = []
    for left_out in range(shared.n_groups):
        view = View(shared, left_out)
        for name in list(replicates):
            try:
                replicates[name].append(LISTED[name].of(view))
            except UndefinedMeasure:
                del replicates[name]
    for name, values in replicates.items():
        if (reach := LISTED[name].reach) is not None:
            found[name] = reach(values)
    for name in found:
        if (correction := LISTED[name].correction) is not None:
            found[name] *= correction(shared)
    return found


def without_each(listed: Listed, shared: Shared) -> np.ndarray | None:
    """(u,) values without each unit, in closed form; None where one of them is undefined."""
    if listed.without_each is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        values = listed.without_each(shared)
    return values if np.isfinite(values).all() else None


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
