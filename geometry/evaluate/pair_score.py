"""One set of vectors against one set of human scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..linalg.moments import Moments
from ..transform.whitening_map import WhiteningMap
from .bootstrap import PairBootstrap
from .scores import PairScore
from .similarities import pair_similarities

if TYPE_CHECKING:
    from ..transform.whiten import Whitening


def evaluate_pairs(
    left: np.ndarray,
    right: np.ndarray,
    gold_scores: np.ndarray,
    *,
    similarity: str = "cosine",
    precision: Whitening | WhiteningMap | Moments | None = None,
    draws: int = 1000,
    seed: int = 0,
) -> PairScore:
    """Spearman and Pearson of the pairs' similarities against human scores, with intervals.

    left, right : (n, d), one pair a row, n >= 3.   gold_scores : (n,), in any range.
    similarity, precision : as in ``pair_similarities``.   draws, seed : of the bootstrap.
    Equal similarities share the mean of their ranks; where all are equal the score is
    ``undefined``.
    Raises ValueError for unequal lengths, NaN, infinity, constant gold scores, fewer than 3 pairs,
    and (UndefinedMeasure) a row that has no such similarity, naming it.
    """
    sizes = [len(np.atleast_1d(each)) for each in (left, right, gold_scores)]
    if len(set(sizes)) != 1:
        raise ValueError(
            f"{sizes[0]} left vectors, {sizes[1]} right ones and {sizes[2]} gold scores; every "
            "pair needs one of each"
        )
    bootstrap = PairBootstrap(gold_scores, draws, seed)
    similarities = pair_similarities(left, right, similarity, precision=precision)
    return bootstrap.score(similarities, similarity=similarity)
