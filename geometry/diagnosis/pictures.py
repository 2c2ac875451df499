"""The numbers behind a report's pictures: cosines, shares of dimensions, points in a plane."""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from ..linalg.rows import UndefinedMeasure
from ..measure import cosine_contributions, pairwise_cosines
from ..measure.cosines import cosine_shares, isotropic_cosine_shares
from ..projection import project

BINS, COSINE_ROWS, TOP, POINTS = 50, 1200, 10, 800


@dataclass(frozen=True)
class Pictures:
    """The numbers behind the pictures, few enough to be stored; empty where they are undefined."""

    edges: np.ndarray  # (b + 1,) of the bins of cosines, from -1 to 1
    cosines: np.ndarray  # (b,) share of the pairs in each bin
    isotropic: np.ndarray  # (b,) the same of isotropic data, from d = 3 on
    dimensions: np.ndarray  # (t,) those with the largest shares of the mean cosine
    shares: np.ndarray  # (t,)
    points: np.ndarray  # (m, 2) along the mean and the main direction across it, the origin at 0


def make_pictures(X: np.ndarray, *, seed: int) -> Pictures:
    """The pictures of X (n, d), n >= 2, no zero row; large clouds are sampled."""
    n, d = X.shape
    edges = np.linspace(-1, 1, BINS + 1)
    cosines = cosine_shares(pairwise_cosines(X, max_rows=COSINE_ROWS, seed=seed), edges)
    isotropic = isotropic_cosine_shares(edges, d) if d >= 3 else np.empty(0)
    dimensions, shares = np.empty(0, dtype=np.int64), np.empty(0)
    with suppress(UndefinedMeasure):  # there is no mean cosine
        every = cosine_contributions(X)
        dimensions = np.argsort(-every)[:TOP]
        shares = every[dimensions]
    points = np.empty((0, 2))
    with suppress(UndefinedMeasure):  # there is no mean direction
        if min(n, d) > 2:
            rows = np.random.default_rng(seed).choice(n, min(n, POINTS), replace=False)
            points = project(X, "mean", n_components=2).around_origin[np.sort(rows)]
    return Pictures(edges, cosines, isotropic, dimensions, shares, points)
