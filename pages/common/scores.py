"""Correlations × 100 in words, as tables of this field print them."""

from __future__ import annotations

import math

from geometry.data.number_text import signed

from .words import Translate

PUBLISHED_ON = "STS-B"  # the data set whose published scores are compared with the page's


def hundred(value: float | None, _: Translate) -> str:
    """A correlation × 100 with one decimal. None is "undefined"; "—" is for a missing one, NaN."""
    if value is None:
        return _("undefined")
    return "—" if math.isnan(value) else signed(100 * value, 1)


def with_interval(
    value: float | None, low: float | None, high: float | None, _: Translate, *, sign: bool = False
) -> str:
    """A correlation × 100 with its interval, such as 56.7 [51.2, 61.3], without a line break.

    Parameters
    ----------
    value : float or None
    low : float or None
        Lower end of the interval. None or NaN prints the value alone.
    high : float or None
        Upper end of the interval, with None as for ``low``.
    sign : bool
        True also prints a plus.
    """
    number = hundred(value, _)
    if value is None:
        return number
    plus = "+" if sign and value > 0 and number.strip("0.") else ""
    if low is None or high is None or math.isnan(low):
        return plus + number
    return f"{plus}{number} [{hundred(low, _)},\u00a0{hundred(high, _)}]"
