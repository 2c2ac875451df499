"""Clouds of a known shape, clouds drawn by Hypothesis, and rotations."""

import numpy as np
from hypothesis import strategies as st

seeds = st.integers(0, 2**32 - 1)


def rotation(d: int, seed: int) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))[0]


def cloud(n: int = 70, d: int = 9, *, seed: int = 0, shift: float = 0.5) -> np.ndarray:
    """(n, d) Gaussian rows along axes of unequal length, off the origin."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) * np.geomspace(2, 0.2, d) + shift


def unit(X: np.ndarray) -> np.ndarray:
    return X / np.linalg.norm(X, axis=1, keepdims=True)


@st.composite
def clouds(
    draw: st.DrawFn,
    *,
    rows: tuple[int, int] = (2, 60),
    dimensions: tuple[int, int] = (2, 12),
    more_rows_than_dimensions: bool = False,
    condition: float = 100.0,
) -> np.ndarray:
    """(n, d) Gaussian rows with unequal, rotated axes and a mean up to 10 long per axis."""
    d = draw(st.integers(*dimensions))
    least = max(rows[0], 2 * d + 2) if more_rows_than_dimensions else rows[0]
    n = draw(st.integers(least, max(least, rows[1])))
    spread = draw(st.floats(1.0, condition))
    shift = draw(st.sampled_from([0.0, 0.3, 10.0]))
    seed = draw(seeds)
    rng = np.random.default_rng(seed)
    axes = np.geomspace(1.0, 1.0 / spread, d)[:, None] * rotation(d, seed)
    return rng.standard_normal((n, d)) @ axes + shift * rng.standard_normal(d)
