"""Pairs in two halves: one to choose on, one to be scored after."""

from __future__ import annotations

import numpy as np

from .evaluate.scores import LEAST_PAIRS


def halves(gold_scores: np.ndarray, *, random_state: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """(dev, test): rows of the pairs, sorted, drawn once; of an odd number test has one more.

    gold_scores (n,) : of the pairs, in any range.
    Raises ValueError where a half would have fewer than 3 pairs, or scores that are all equal.
    """
    gold = np.asarray(gold_scores)
    order = np.random.default_rng(random_state).permutation(len(gold))
    dev, test = np.sort(order[: len(gold) // 2]), np.sort(order[len(gold) // 2 :])
    if len(dev) < LEAST_PAIRS or any(len(np.unique(gold[half])) < 2 for half in (dev, test)):
        raise ValueError(
            f"{len(gold)} pairs can't be cut into halves of at least {LEAST_PAIRS} with scores "
            "that are not all the same; choose on other pairs"
        )
    return dev, test
