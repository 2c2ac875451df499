"""How the page writes numbers, cells, treatments and similarities."""

from __future__ import annotations

from collections.abc import Sequence

from geometry.evaluate.grid import Cell
from pages.common.controls import pooling_names
from pages.common.words import Translate, signed


def hundred(value: float | None, _: Translate) -> str:
    """A correlation × 100 with one decimal, as tables of this field print it."""
    return _("undefined") if value is None else signed(100 * value, 1)


def with_interval(
    value: float | None, low: float | None, high: float | None, _: Translate, *, sign: bool = False
) -> str:
    """A score with its interval, such as 56.7 [51.2, 61.3], without a line break.

    Parameters
    ----------
    value : float or None
    low : float or None
        Lower end of the interval. None prints the value alone.
    high : float or None
        Upper end of the interval, likewise.
    sign : bool
        Also print a plus.
    """
    number = hundred(value, _)
    if value is None:
        return number
    plus = "+" if sign and value > 0 and number.strip("0.") else ""
    if low is None or high is None:
        return plus + number
    return f"{plus}{number} [{hundred(low, _)},\u00a0{hundred(high, _)}]"


def similarity_names(_: Translate) -> dict[str, str]:
    """Similarities by code."""
    return {
        "cosine": _("cosine"),
        "dot": _("dot product"),
        "euclidean": _("Euclidean distance"),
        "mahalanobis": _("Mahalanobis distance"),
        "rank": _("rank correlation of coordinates"),
    }


def cut_words(cell: Cell, _: Translate) -> str:
    """A note if the rank is smaller than the chosen k; else empty."""
    return (
        "" if not cell.is_clamped else _("k = {k}, the most possible").format(k=cell.n_directions)
    )


def rank_words(cells: Sequence[Cell], d: int, _: Translate) -> str:
    """The rank of the fits, or its range over the cells; empty if no fit has a rank."""
    ranks = sorted(
        {cell.rank for cell in cells if cell.rank is not None and not cell.score.undefined}
    )
    if not ranks:
        return ""
    shown = f"{ranks[0]}" if len(ranks) == 1 else f"{ranks[0]}–{ranks[-1]}"
    return _("rank of the fit {rank} of {d}").format(rank=shown, d=d)


def cell_words(layer: object, pooling: str, _: Translate) -> str:
    """The name of a cell."""
    return _("layer {layer}, {pooling}").format(layer=layer, pooling=pooling_names(_)[pooling])
