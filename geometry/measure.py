"""Measures of isotropy: arrays in, one float out.

Three different things make a cloud anisotropic and no measure sees all of them: a shift of
the mean (a cone), unequal axes (a low IsoScore), and correlated dimensions.
"""

from __future__ import annotations

import numpy as np

# |mean| / rms length at or below which a cloud counts as centred: the mean is then rounding
# noise (float32, whitened from a needle, leaves about 1e-4), and noise has no direction
ZERO_MEAN = 1e-3


def unit_rows(X: np.ndarray) -> np.ndarray:
    """Rows of X (n, d) divided by their lengths, float64.

    Raises ValueError naming the first row whose length is 0 (a direction it does not have).
    """
    X = _finite_rows(X, at_least=1)
    norms = np.linalg.norm(X, axis=1)
    zero = np.flatnonzero(norms == 0)
    if len(zero):
        raise ValueError(
            f"row {zero[0]} is zero and has no direction ({len(zero)} of {len(X)} rows are); "
            "drop these rows first"
        )
    return X / norms[:, None]


def mean_cosine(X: np.ndarray) -> float:
    """Mean cosine over all pairs i != j; near 1 means a narrow cone.

    X : (n, d) float, n >= 2, no zero row.   Returns a float in [-1/(n - 1), 1].
    Raises ValueError naming the first zero row.
    (|sum of unit rows|^2 - n) / (n (n - 1)): O(nd), no n x n matrix.
    Ethayarajh 2019, section 3.
    """
    U = unit_rows(X)
    n = len(U)
    _need_rows(n, 2)
    total = U.sum(axis=0)
    return float((total @ total - n) / (n * (n - 1)))


def pairwise_cosines(X: np.ndarray, *, max_rows: int | None = None, seed: int = 0) -> np.ndarray:
    """Cosines of all pairs i < j, (m (m - 1) / 2,) float32, in [-1, 1].

    X : (n, d).   ``max_rows`` : draw that many rows without replacement (a pair is never a
    row with itself); None takes all. 1,200 rows are 719,400 pairs.
    """
    U = unit_rows(X)
    _need_rows(len(U), 2)
    if max_rows is not None and len(U) > max_rows:
        rows = np.random.default_rng(seed).choice(len(U), max_rows, replace=False)
        U = U[np.sort(rows)]
    C = U.astype(np.float32) @ U.astype(np.float32).T
    return C[np.triu_indices(len(U), k=1)].clip(-1.0, 1.0)


def cosine_shares(cosines: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Share of the cosines in each bin, (m,) for edges (m + 1,); the shares sum to 1."""
    counts, _ = np.histogram(cosines, edges)
    return counts / max(1, len(cosines))


def isotropic_cosine_shares(edges: np.ndarray, d: int) -> np.ndarray:
    """What ``cosine_shares`` would be for independent uniform directions in d >= 3 dimensions.

    The density is proportional to (1 - c^2)^((d - 3)/2), that is (1 + c)/2 follows
    Beta((d - 1)/2, (d - 1)/2): mean 0, standard deviation 1/sqrt(d). Gauss-Legendre in each
    bin; edges cover [-1, 1].
    """
    edges = np.asarray(edges, dtype=np.float64)
    nodes, weights = np.polynomial.legendre.leggauss(16)
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    c = middle[:, None] + half[:, None] * nodes  # (m, 16)
    density = (1 - c**2).clip(min=0.0) ** ((d - 3) / 2)
    shares = half * (density @ weights)
    return shares / shares.sum()


def isotropic_angle_spread(d: int) -> float:
    """Standard deviation, in degrees, of the angle between random directions: about 90 +- this.

    asin(1/sqrt(d)): 2.9 degrees at d = 384.
    """
    return float(np.degrees(np.arcsin(1 / np.sqrt(d))))


def positive_cosine_share(X: np.ndarray, *, block_rows: int = 2048) -> float:
    """Share of pairs i != j whose cosine is above 0, in [0, 1]; .5 for an isotropic cloud."""
    U = unit_rows(X)
    n = len(U)
    _need_rows(n, 2)
    positive = sum(
        int(np.count_nonzero(U[start : start + block_rows] @ U.T > 0))
        for start in range(0, n, block_rows)
    )
    return (positive - n) / (n * (n - 1))  # a row's cosine with itself is 1: n of them


def mean_norm_share(X: np.ndarray) -> float:
    """|mean|^2 / E|x|^2: how much of the second moment is a shift of the origin, in [0, 1]."""
    X = _finite_rows(X, at_least=1)
    mean = X.mean(axis=0)
    second = float(np.einsum("nd,nd->", X, X)) / len(X)
    if second == 0:
        raise ValueError("every row is zero: there is no length to take a share of")
    return float(mean @ mean) / second


def angles_to_mean(X: np.ndarray) -> np.ndarray:
    """Angle in degrees between each row and the mean vector, (n,) float64 in [0, 180]."""
    U = unit_rows(X)
    return np.degrees(np.arccos((U @ mean_direction(X)).clip(-1.0, 1.0)))


def mean_direction(X: np.ndarray) -> np.ndarray:
    """The unit vector (d,) towards the mean of X (n, d).

    Raises ValueError for a centred cloud, whose mean is nothing but rounding.
    """
    mean = _finite_rows(X, at_least=1).mean(axis=0)
    length = np.linalg.norm(mean)
    if length <= ZERO_MEAN * np.sqrt(np.einsum("nd,nd->", X, X, dtype=np.float64) / len(X)):
        raise ValueError("the mean vector is zero (a centred cloud), so it has no direction")
    return np.asarray(mean / length)


def opening_angle(X: np.ndarray, *, quantile: float = 0.5) -> float:
    """Quantile of the angle to the mean direction, in degrees: how wide the cone is.

    X : (n, d), no zero row, mean not zero.   ``quantile`` in [0, 1]; .5 is the median.
    """
    return float(np.quantile(angles_to_mean(X), quantile))


def participation_ratio(X: np.ndarray, *, centred: bool = True) -> float:
    """(sum lambda)^2 / sum lambda^2 over covariance eigenvalues, in [1, min(n - 1, d)].

    Computed as tr(C)^2 / |C|_F^2, which needs no eigenvalues. ``centred=False`` uses the
    second moment E[x x'] instead.
    """
    C = _second_moment(X, centred=centred)
    norm2 = float(np.sum(C * C))
    if norm2 == 0:
        raise ValueError("all rows are equal: there is no variance to spread over axes")
    return float(np.trace(C)) ** 2 / norm2


def isoscore(X: np.ndarray) -> float:
    """IsoScore in [0, 1]: how equal the variances along the axes are; 1 is isotropic.

    (PR - 1) / (d - 1) with PR = tr(C)^2 / |C|_F^2, which is the published algorithm in closed
    form. An affine copy of the participation ratio, so the two are one piece of evidence.
    Blind to the mean, hence to a cone made by a shift. Finite samples bias it downwards:
    compare with ``isoscore_baseline(n, d)``.
    Rudman et al. 2022, Algorithm 1.
    """
    d = np.shape(X)[1] if np.ndim(X) == 2 else 0
    if d < 2:
        raise ValueError(f"isoscore needs at least 2 dimensions; got shape {np.shape(X)}")
    return (participation_ratio(X) - 1) / (d - 1)


def isoscore_baseline(n: int, d: int) -> float:
    """What ``isoscore`` gives on average for n isotropic Gaussian rows in d dimensions.

    (d / (1 + d/n) - 1) / (d - 1): E tr(C)^2 / E|C|_F^2 to first order; .565 at d = 768, n = 1000.
    """
    if n < 2 or d < 2:
        raise ValueError(f"isoscore_baseline needs n >= 2 and d >= 2; got n = {n}, d = {d}")
    return (d / (1 + d / n) - 1) / (d - 1)


def effective_rank(X: np.ndarray, *, centred: bool = True) -> float:
    """exp of the entropy of sigma / sum sigma, in [1, min(n, d)].

    sigma are the *singular values* of X (n, d), not the covariance's eigenvalues. Whether X
    was centred changes it greatly, so name it: a narrow cone has a small uncentred one.
    Roy, Vetterli 2007, definition 1.
    """
    values = np.linalg.eigvalsh(_second_moment(X, centred=centred)).clip(min=0.0)
    values[values <= values.max() * len(values) * np.finfo(np.float64).eps] = 0.0
    sigma = np.sqrt(values[values > 0])
    if len(sigma) == 0:
        raise ValueError("all rows are equal: there are no singular values to weigh")
    p = sigma / sigma.sum()
    return float(np.exp(-np.sum(p * np.log(p))))


def _second_moment(X: np.ndarray, *, centred: bool) -> np.ndarray:
    X = _finite_rows(X, at_least=2)
    if centred:
        length2 = float(np.einsum("nd,nd->", X, X))
        for _ in range(2):  # the sum's own rounding would give equal rows a variance
            X = X - X.mean(axis=0)
        if float(np.einsum("nd,nd->", X, X)) <= (4 * np.finfo(np.float64).eps) ** 2 * length2:
            X = np.zeros_like(X)
    return X.T @ X / len(X)


def _finite_rows(X: np.ndarray, *, at_least: int) -> np.ndarray:
    X = np.asarray(X)
    if X.ndim != 2 or X.shape[1] == 0:
        raise ValueError(f"expected vectors as rows, shape (n, d); got shape {X.shape}")
    _need_rows(len(X), at_least)
    X = X.astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(X).all(axis=1))
    if len(bad):
        raise ValueError(f"row {bad[0]} holds NaN or infinity ({len(bad)} of {len(X)} rows do)")
    return X


def _need_rows(n: int, at_least: int) -> None:
    if n < at_least:
        raise ValueError(f"needs at least {at_least} rows; got {n}")
