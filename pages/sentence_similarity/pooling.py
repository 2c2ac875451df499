"""How much of "BERT ≪ GloVe" is pooling: published, and measured on the very same pairs."""

from __future__ import annotations

import numpy as np

from geometry.encode import ArrayStore
from geometry.evaluate.claims import PoolingShare
from geometry.evaluate.grid import Grid
from geometry.evaluate.published import published_scores
from geometry.evaluate.scores import PairBootstrap, PairScore, difference
from pages.common import cached
from pages.common.cached import SEED
from pages.common.words import Translate, prose, signed

from .scene import DRAWS, Asked, scored_column
from .static import Static
from .words import with_interval

PAGE = "sentence_similarity"
SBERT = "sbert_table_1"


def pooling_lines(asked: Asked, grid: Grid, static: Static, _: Translate) -> list[str]:
    """How much of the gap is pooling: published, then measured at the chosen layer; where that
    has no gap, also at the layer where it is widest."""
    told = {one.name: one.value for one in published_scores() if one.table == SBERT}
    known = PoolingShare(told["BERT CLS"], told["avg BERT"], told["avg GloVe"])
    lines = [prose(PAGE, "claim-published", share_values(known, scale=1.0))]
    found = {
        layer: share
        for layer in range(asked.last + 1)
        if (share := _share_at(asked, grid, layer, static)) is not None
    }
    widest = max(found, key=lambda layer: found[layer].gap, default=asked.layer)
    shown = [asked.layer]
    if asked.layer in found and found[asked.layer].share is None and found[widest].gap > 0:
        shown.append(widest)
    for layer in (layer for layer in shown if layer in found):
        moved = difference(*_cls_and_mean(asked, grid, layer, static))
        values = share_values(found[layer], scale=100.0)
        values |= {
            "layer": f"{layer}",
            "interval": with_interval(moved.value, moved.low, moved.high, _, sign=True),
            "name": static.name,
            "n": f"{static.raw.score.n:,}",
        }
        section = "claim-here" if found[layer].share is not None else "claim-no-gap"
        lines.append(prose(PAGE, section, values))
    return lines


def _share_at(asked: Asked, grid: Grid, layer: int, static: Static) -> PoolingShare | None:
    cls, mean = (one.spearman for one in _cls_and_mean(asked, grid, layer, static, draws=1))
    plain = static.raw.score.spearman
    if cls is None or mean is None or plain is None:
        return None
    return PoolingShare(cls, mean, plain)


def _cls_and_mean(
    asked: Asked, grid: Grid, layer: int, static: Static, *, draws: int = DRAWS
) -> tuple[PairScore, PairScore]:
    """Their scores on the pairs that the static average has words for, and on no others."""
    if static.is_whole:
        return grid.cell(layer, "cls").score, grid.cell(layer, "mean").score
    rows = np.flatnonzero(static.averages.known)
    key = ArrayStore.key(asked.key, "pooling", layer, draws, rows.tobytes().hex())

    def make() -> tuple[PairScore, PairScore]:
        bootstrap = PairBootstrap(asked.pairs.pairs.gold_scores[rows], draws, SEED)
        cls, mean = (
            scored_column(asked, layer, pooling, ("none",), bootstrap, rows).cells[0].score
            for pooling in ("cls", "mean")
        )
        return cls, mean

    made: tuple[PairScore, PairScore] = cached.lab_value(key, make)
    return made


def share_values(found: PoolingShare, *, scale: float) -> dict[str, str]:
    """What the sentences quote, on the scale × 100."""
    return {
        "cls": signed(scale * found.cls, 1),
        "mean": signed(scale * found.mean, 1),
        "static": signed(scale * found.static, 1),
        "gap": signed(scale * found.gap, 1),
        "pooling": signed(scale * found.pooling, 1),
        "share": "—" if found.share is None else f"{found.share:.0%}",
    }
