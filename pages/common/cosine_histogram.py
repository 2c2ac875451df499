"""The histogram of pairwise cosines, the same on every page."""

from __future__ import annotations

import numpy as np

from geometry.measure import pairwise_cosines
from geometry.measure.cosines import cosine_shares

from .seed import SEED

EDGES = np.linspace(-1.0, 1.0, 161)
HISTOGRAM_ROWS = 1500  # rows at most, a sample of a larger cloud; they have 1.1 million pairs


def cosine_histogram(X: np.ndarray) -> tuple[np.ndarray, int]:
    """The share of pairs in each bin of EDGES, and the number of pairs. Raises UndefinedMeasure."""
    cosines = pairwise_cosines(X, max_rows=HISTOGRAM_ROWS, seed=SEED)
    return cosine_shares(cosines, EDGES), len(cosines)
