"""How the sentence-similarity page writes its numbers, cells, and what they were measured on."""

from __future__ import annotations

from collections.abc import Sequence

from geometry.evaluate.grid import Cell
from pages.common.cached import SEED
from pages.common.messages.model_errors import model_line
from pages.common.words import Translate, signed

from .choices import similarity_names, treatment_words
from .scene import DRAWS, Asked


def hundred(value: float | None, _: Translate) -> str:
    """A correlation as the tables of this field write it: × 100, one decimal."""
    return _("undefined") if value is None else signed(100 * value, 1)


def with_interval(
    value: float | None, low: float | None, high: float | None, _: Translate, *, sign: bool = False
) -> str:
    """56.7 [51.2, 61.3], unbroken; ``sign`` writes a plus too."""
    told = hundred(value, _)
    if value is None:
        return told
    plus = "+" if sign and value > 0 and told.strip("0.") else ""
    if low is None or high is None:
        return plus + told
    return f"{plus}{told} [{hundred(low, _)},\u00a0{hundred(high, _)}]"


def measured_on(asked: Asked, _: Translate) -> str:
    """n, pairs, model, resamples, seed: what every number of the page shares."""
    told = [
        _("n = {n} pairs, {name}").format(n=f"{len(asked.pairs):,}", name=asked.pairs.name(_)),
        model_line(asked.encoder, _),
        score_title(asked, _),
        _("95% intervals from {n} resamples of the pairs").format(n=f"{DRAWS:,}"),
        _("seed {seed}").format(seed=SEED),
    ]
    if asked.pairs.subsets:
        told.insert(1, _("all subsets as one set (all)"))
    if asked.similarity == "mahalanobis":
        told.insert(-2, _("its covariance is that of {name}").format(name=asked.fit.name))
    return " · ".join(told)


def score_title(asked: Asked, _: Translate) -> str:
    """What the numbers are: of an axis, and beside them."""
    return _("Spearman × 100 on {similarity}").format(
        similarity=similarity_names(_)[asked.similarity]
    )


def fitted_on(asked: Asked, _: Translate) -> str:
    """The treatment and the set it was fitted on."""
    n, d = len(asked.fit.corpus), asked.encoder.dimension
    return _("{treatment}, fitted on {name} ({n} sentences, n/d = {ratio})").format(
        treatment=treatment_words(asked.after, _),
        name=asked.fit.name,
        n=f"{n:,}",
        ratio=f"{n / d:.2f}",
    )


def cut_words(cell: Cell, _: Translate) -> str:
    """That fewer directions were there than asked for; empty where all were."""
    return "" if not cell.is_clamped else _("k = {k}, all there are").format(k=cell.n_kept)


def rank_words(cells: Sequence[Cell], d: int, _: Translate) -> str:
    """The rank of the fits, or its range over the cells; empty where nothing was fitted."""
    ranks = sorted({c.rank for c in cells if c.rank is not None and not c.score.undefined})
    if not ranks:
        return ""
    shown = f"{ranks[0]}" if len(ranks) == 1 else f"{ranks[0]}–{ranks[-1]}"
    return _("rank of the fit {rank} of {d}").format(rank=shown, d=d)


def cell_words(layer: object, pooling: str, _: Translate) -> str:
    """A cell's name."""
    return _("layer {layer}, {pooling}").format(layer=layer, pooling=pooling_words(pooling))


def pooling_words(pooling: str) -> str:
    """A pooling as it is written."""
    return "[CLS]" if pooling == "cls" else pooling
