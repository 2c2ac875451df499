"""The labels of measures, how their values are printed, and why a measure has no value."""

from __future__ import annotations

from geometry.measure import Measured
from geometry.measure.annotated import ANNOTATED
from geometry.measure.listed import LISTED

from .words import Translate, signed

LABELS = {name: listed.label for name, listed in LISTED.items()} | ANNOTATED


def measure_label(name: str, _: Translate, *, with_unit: bool = False) -> str:
    """The label in the reader's language."""
    label = _(LABELS[name])
    if not (with_unit and unit_of(name)):
        return label
    return _("{measure} ({unit})").format(measure=label, unit=unit_of(name))


def unit_of(name: str) -> str:
    """ "°" for an angle, "" for a pure number."""
    return LISTED[name].unit if name in LISTED else ""


def decimals_of(name: str) -> int:
    """How many decimals of a measure to print."""
    return LISTED[name].decimals if name in LISTED else 3


def print_value(name: str, value: float | None, decimals: int | None = None) -> str:
    """The number without its unit, "" for None; without ``decimals``, those of the table."""
    if value is None:
        return ""
    return signed(value, decimals_of(name) if decimals is None else decimals)


def no_value(row: Measured, _: Translate) -> str:
    """The cell of a measure that the cloud does not have."""
    return _("— ({reason})").format(reason=reasons(_)[row.undefined or "all_zero"])


def reasons(_: Translate) -> dict[str, str]:
    """Why a measure has no value, by code."""
    return {
        "zero_row": _("a point is zero"),
        "all_zero": _("all zero"),
        "centred": _("mean 0"),
        "no_spread": _("no spread"),
        "no_mean_cosine": _("mean cosine ≈ 0"),
        "one_dimension": _("one dimension"),
        "too_few_rows": _("too few points"),
        "too_few_distinct": _("too few distinct points"),
        "equal_distances": _("equal distances"),
        "no_repeats": _("no repeats"),
    }
