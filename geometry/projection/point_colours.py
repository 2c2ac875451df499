"""From labels or values to marker colours, the same for all compared panels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..palette import SYMBOLS, Theme

MOST_LABELS = 24  # with more labels the colour shows the length
MOST_COLOURED = 8  # groups with a colour of their own; the smaller ones are drawn as "other"


@dataclass(frozen=True)
class PointColours:
    """Labels or values of n points, from which their colours follow."""

    codes: np.ndarray  # (n,) of categories, or values
    names: tuple[str, ...] | None  # by code; None for values
    title: str  # what the colour means
    n_named: int = MOST_COLOURED  # of the names, written at the centre of their points
    ends: tuple[str, str] = ("", "")  # "≤ " and "≥ " where values beyond an end are drawn as it
    missing: np.ndarray | None = None  # (n,) of bool, values that are missing

    @classmethod
    def by_label(cls, labels: Sequence[str], title: str) -> PointColours:
        """One code a label: the most frequent first, of equals the first to appear."""
        names = tuple(name for name, _count in Counter(labels).most_common())
        place = {name: code for code, name in enumerate(names)}
        return cls(np.array([place[label] for label in labels]), names, title)

    @classmethod
    def by_value(cls, values: np.ndarray, title: str) -> PointColours:
        return cls(np.asarray(values, dtype=float), None, title)


def legend_entries(
    colours: PointColours, theme: Theme, other: str = "other"
) -> list[tuple[str, str, str]]:
    """(name, colour, symbol) of each group with a name, and one of all others; empty for values."""
    names = colours.names or ()
    several = len(names) > MOST_COLOURED + 1
    shown = (*names[:MOST_COLOURED], other) if several else names
    return [(name, *look_of(code, theme)) for code, name in enumerate(shown) if name]


def look_of(code: int, theme: Theme) -> tuple[str, str]:
    """Colour and symbol: six hues, then these with another symbol; "other" from MOST_COLOURED."""
    if code >= MOST_COLOURED:
        return theme.other, SYMBOLS[0]
    hues = len(theme.categories)
    return theme.categories[code % hues], SYMBOLS[code // hues % len(SYMBOLS)]
