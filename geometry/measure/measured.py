"""One row of a table of measures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    """One measure of n rows in d dimensions.

    low, high : 95% interval (see ``resample``); None below 40 rows.   baseline : what isotropic
    data of the same n and d give; baseline_error, its standard error where that is simulated and
    may be seen.   undefined : why there is no value, as a code: "zero_row",
    "all_zero", "centred", "no_spread", "no_mean_cosine", "one_dimension", "too_few_rows",
    "too_few_distinct", "equal_distances", "no_repeats"; None where there is one.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    baseline: float | None
    n: int
    d: int
    undefined: str | None = None
    baseline_error: float | None = None
