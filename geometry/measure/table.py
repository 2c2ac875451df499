"""All measures of one cloud at once, each with its interval and its isotropic baseline."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..linalg.rows import UndefinedMeasure
from .isotropic import Baseline, baselines_with_errors
from .leave_one_out import WITHOUT_EACH, without_each
from .listed import LISTED, refuse_unlisted
from .measured import Measured
from .resample import around, jackknife_reach, subsampling_reach
from .shared import Shared
from .view import View


def measure_table(
    X: np.ndarray,
    *,
    names: Iterable[str] | None = None,
    seed: int = 0,
    intervals: bool = True,
    simulate: bool = True,
) -> tuple[Measured, ...]:
    """Every measure of X (n, d), in the order of ``measure_names()``.

    Parameters
    ----------
    X : (n, d) array of float
    names : some of ``measure_names()``; None takes all.
    seed : of the groups, subsamples and simulated baselines.
    intervals : False leaves out the intervals, which cost most of the time.
    simulate : False leaves out the baselines that have no closed form.

    A measure that the cloud does not have comes back with ``undefined`` and without a value; what
    is no cloud (a shape, NaN) raises ValueError. Work is shared and one product of all pairs, in
    float32, serves cosines, uniformity and hubness, so the cost is O(n^2 d): sample rows of a
    cloud far above 10,000 first.
    """
    chosen = _check(names)
    uses = frozenset(part for name in chosen for part in LISTED[name].uses)
    shared = Shared(X, seed=seed, uses=uses)
    view = View(shared)
    values: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for name in chosen:
        try:
            values[name] = LISTED[name].of(view)
        except UndefinedMeasure as error:
            reasons[name] = error.code
    reaches = _reaches(shared, list(values)) if intervals else {}
    baselines = baselines_with_errors(values, shared.n, shared.d, seed=seed, simulate=simulate)
    return tuple(
        _row(
            name,
            shared,
            values.get(name),
            reaches.get(name),
            baselines.get(name, Baseline(None)),
            reasons.get(name),
        )
        for name in chosen
    )


def measure_names() -> tuple[str, ...]:
    """The measures of a table, in its order."""
    return tuple(LISTED)


def _check(names: Iterable[str] | None) -> list[str]:
    if names is None:
        return list(LISTED)
    asked = set(names)
    refuse_unlisted(asked)
    return [name for name in LISTED if name in asked]


def _reaches(shared: Shared, names: list[str]) -> dict[str, float]:
    """Half-widths of the intervals, by name; a measure that some replicate lacks has none."""
    if not shared.n_groups:
        return {}
    found: dict[str, float] = {}
    replicates: dict[str, list[float]] = {}
    for name in names:
        place = LISTED[name].angle
        if name in WITHOUT_EACH:
            each = without_each(name, shared)
            if each is not None:
                found[name] = jackknife_reach(list(each))
        elif place is None:
            replicates[name] = []
        else:
            angles = shared.angle_replicates[:, place]
            found[name] = subsampling_reach(list(angles), shared.n // 2, shared.n)
    for left_out in range(shared.n_groups):
        view = View(shared, left_out)
        for name in list(replicates):
            try:
                replicates[name].append(LISTED[name].of(view))
            except UndefinedMeasure:
                del replicates[name]
    return found | {name: jackknife_reach(values) for name, values in replicates.items()}


def _row(
    name: str,
    shared: Shared,
    value: float | None,
    reach: float | None,
    baseline: Baseline,
    reason: str | None,
) -> Measured:
    low = high = None
    if value is not None and reach is not None:
        low, high = around(value, reach)
        low, high = max(low, LISTED[name].low), min(high, LISTED[name].high)
    n, d = shared.n, shared.d
    return Measured(name, value, low, high, baseline.value, n, d, reason, baseline.error)
