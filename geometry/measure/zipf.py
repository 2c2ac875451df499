"""Symmetry of word vectors under the words' own frequencies, not one vote a type.

A uniform average over types lets the many rare words decide what a running text never shows.
Yokoi et al. 2024, sections 2 and 4.
"""

from __future__ import annotations

import numpy as np

from ..rows import UndefinedMeasure, finite_rows, in_range
from .spectrum import centred_rows, spectral_entropy

DRAWS = 5


def zipfian_mean_symmetry(W: np.ndarray, frequencies: np.ndarray) -> float:
    """1 - |E w| / E|w| under p(w), in [0, 1]; 1 where the words' mean is the origin.

    W : (n, d), not all zero.   frequencies : (n,) counts or probabilities, not negative; a word
    of frequency 0 has no say. See ``zipfian_baselines``.
    Yokoi et al. 2024, definition of the first moment's symmetry.
    """
    W, p = _weighted(W, frequencies)
    length = float(p @ np.linalg.norm(W, axis=1))
    if length == 0:
        raise UndefinedMeasure("all_zero", "every word with a frequency is zero: it has no length")
    return 1 - float(np.linalg.norm(p @ W)) / length


def zipfian_spectral_entropy(W: np.ndarray, frequencies: np.ndarray) -> float:
    """Entropy of the covariance's eigenvalues under p(w) over log d, in [0, 1]; 1 is isotropic.

    W : (n, d), d >= 2.   frequencies : as above. The covariance is sum p (w - mean)(w - mean)'.
    Yokoi et al. 2024, definition of the second moment's symmetry.
    """
    W, p = _weighted(W, frequencies)
    Z = W - p @ W
    if not centred_rows(W).any():
        Z = np.zeros_like(Z)
    return spectral_entropy(np.linalg.eigvalsh((Z * p[:, None]).T @ Z))


def zipfian_baselines(frequencies: np.ndarray, d: int, *, seed: int = 0) -> tuple[float, float]:
    """Both measures for isotropic words under these frequencies: (mean symmetry, entropy).

    Means of DRAWS seeded Gaussian draws. A few frequent words carry most of p, so a vocabulary of
    100,000 has the sampling error of some hundred words.
    """
    p = np.asarray(frequencies)
    rng = np.random.default_rng(seed)
    drawn = [rng.standard_normal((len(p), d)) for _ in range(DRAWS)]
    return (
        float(np.mean([zipfian_mean_symmetry(W, p) for W in drawn])),
        float(np.mean([zipfian_spectral_entropy(W, p) for W in drawn])),
    )


def _weighted(W: np.ndarray, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(rows with a frequency above 0, their probabilities, which sum to 1)."""
    W = finite_rows(W, at_least=1)
    p = np.asarray(frequencies)
    if p.shape != (len(W),):
        raise ValueError(
            f"expected one frequency for each of the {len(W)} rows; got shape {p.shape}"
        )
    p = p.astype(np.float64)
    bad = np.flatnonzero(~((p >= 0) & np.isfinite(p)))
    if len(bad):
        raise ValueError(f"frequency {p[bad[0]]} of row {bad[0]} is negative or not finite")
    if not p.any():
        raise ValueError("all frequencies are 0: no word has a say")
    present = p > 0
    weights = p[present] / p.max()
    return in_range(W[present]), weights / weights.sum()
