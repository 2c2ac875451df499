"""How the page writes numbers, cells, treatments and similarities."""

from __future__ import annotations

from collections.abc import Sequence

from geometry.evaluate.grid import Cell
from pages.common.controls import pooling_names
from pages.common.words import _


def similarity_names() -> dict[str, str]:
    """Similarities by code."""
    return {
        "cosine": _("cosine"),
        "dot": _("dot product"),
        "euclidean": _("Euclidean distance"),
        "mahalanobis": _("Mahalanobis distance"),
        "rank": _("rank correlation of coordinates"),
    }


def cut_words(cell: Cell) -> str:
    """A note if the rank is smaller than the chosen k; else empty."""
    return (
        "" if not cell.is_clamped else _("k = {k}, the most possible").format(k=cell.n_directions)
    )


def rank_words(cells: Sequence[Cell], d: int) -> str:
    """The rank of the fits, or its range over the cells; empty if no fit has a rank."""
    ranks = sorted(
        {cell.rank for cell in cells if cell.rank is not None and not cell.score.undefined}
    )
    if not ranks:
        return ""
    shown = f"{ranks[0]}" if len(ranks) == 1 else f"{ranks[0]}–{ranks[-1]}"
    return _("rank of the fit {rank} of {d}").format(rank=shown, d=d)


def cell_words(layer: object, pooling: str) -> str:
    """The name of a cell."""
    return _("layer {layer}, {pooling}").format(layer=layer, pooling=pooling_names()[pooling])
