"""Symmetry of word vectors weighted by the words' frequencies: Yokoi et al. 2024, sections 2, 4."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache, partial
from typing import NamedTuple, Self

import numpy as np

from ..linalg.rows import UndefinedMeasure, finite_rows, in_range
from .intervals import MIN_ROWS, MORE_GROUPS, Estimate, around, jackknife_reach, more_groups
from .spectrum import centred_rows, spectral_entropy
from .table import Measured, measured

# One draw of a large vocabulary is close to the mean; draws of small ones are repeated
NUMBERS, FEWEST_DRAWS, MOST_DRAWS = 1_000_000, 2, 20
LEAST_LEFT = 1e-6  # share of p; less without a group of words is rounding


def zipfian_mean_symmetry(W: np.ndarray, frequencies: np.ndarray) -> float:
    """1 - |E w| / E|w| under p(w), in [0, 1]; 1 where the words' mean is the origin.

    W (n, d) is not all zero. The frequencies (n,) are counts or probabilities; a word of frequency
    0 is left out. The value for isotropic words is in ``zipfian_baselines``.

    Yokoi et al. 2024, definition of the first moment's symmetry.
    """
    return _symmetry(_Sums.of(*_weighted(W, frequencies)))


def zipfian_spectral_entropy(W: np.ndarray, frequencies: np.ndarray) -> float:
    """Entropy of the covariance's eigenvalues under p(w) over log d, in [0, 1]; 1 is isotropic.

    The covariance is sum p (w - mean)(w - mean)', d >= 2. Parameters are as in
    ``zipfian_mean_symmetry``.

    Yokoi et al. 2024, definition of the second moment's symmetry.
    """
    return _entropy(_Sums.of(*_weighted(W, frequencies)))


def zipfian_baselines(frequencies: np.ndarray, d: int, *, seed: int = 0) -> tuple[float, float]:
    """Both measures for isotropic words under these frequencies: (mean symmetry, entropy).

    The first is 1 - sqrt(sum p^2), because a weighted sum of Gaussian rows is sqrt(sum p^2) times
    as long as one row. The second is the mean of 2 to 20 seeded Gaussian draws, cached by
    (frequencies, d, seed). A few frequent words have most of p, so a vocabulary of 100,000 has the
    sampling error of some hundred words.

    Parameters
    ----------
    frequencies : (n,) array, >= 0, counts or shares of the words
    d : int, dimensions
    seed : int, of the Gaussian draws
    """
    p = _shares(frequencies)
    p = p[p > 0]
    return 1 - float(np.sqrt(p @ p)), _entropy_baseline(p.tobytes(), d, seed)


def zipfian_table(
    W: np.ndarray, frequencies: np.ndarray, *, seed: int = 0
) -> tuple[Measured, Measured]:
    """Both measures with their baselines, and intervals from leaving out groups of words.

    The words are a sample of a vocabulary, each with its own frequency. Where a few words have most
    of p, the interval is wide. n counts the words with a frequency above 0; with fewer than
    MIN_ROWS of them there is no interval.

    Parameters
    ----------
    W : (n, d) array of float
    frequencies : (n,) array, >= 0, counts or shares of the words
    seed : int, of the baseline's draws, and of the groups that an interval leaves out
    """
    W, p = _weighted(W, frequencies)
    n, d = W.shape
    whole = _Sums.of(W, p)
    without = [] if n < MIN_ROWS else list(_without_groups(W, p, whole, seed))
    symmetry, entropy = zipfian_baselines(p, d, seed=seed)

    def estimate(of: Callable[[_Sums], float]) -> Estimate:
        value = of(whole)
        if without:
            with suppress(UndefinedMeasure):  # without a group all words may be equal
                low, high = around(value, jackknife_reach([of(sums) for sums in without]))
                return Estimate(value, max(low, 0.0), min(high, 1.0))
        return Estimate(value, None, None)

    return (
        measured("zipfian_mean_symmetry", n, d, partial(estimate, _symmetry), symmetry),
        measured("zipfian_spectral_entropy", n, d, partial(estimate, _entropy), entropy),
    )


class _Sums(NamedTuple):
    """E w (d,), E|w|, and E (w - mean)(w - mean)' (d, d), exactly 0 where all words are equal."""

    mean: np.ndarray
    length: float
    covariance: np.ndarray

    @classmethod
    def of(cls, W: np.ndarray, p: np.ndarray) -> Self:
        mean = p @ W
        Z = W - mean if centred_rows(W).any() else np.zeros_like(W)
        return cls(mean, float(p @ np.linalg.norm(W, axis=1)), (Z * p[:, None]).T @ Z)


def _symmetry(sums: _Sums) -> float:
    if sums.length == 0:
        raise UndefinedMeasure("all_words_zero")
    # by rounding the mean may be longer than the words
    return max(0.0, 1 - float(np.linalg.norm(sums.mean)) / sums.length)


def _entropy(sums: _Sums) -> float:
    return spectral_entropy(np.linalg.eigvalsh(sums.covariance))


def _without_groups(W: np.ndarray, p: np.ndarray, whole: _Sums, seed: int) -> Iterator[_Sums]:
    """The sums without each of MORE_GROUPS random groups; none where one group has all of p."""
    group = more_groups(len(p), seed)
    lengths = p * np.linalg.norm(W, axis=1)
    shares = 1 - np.bincount(group, p, minlength=MORE_GROUPS)
    if shares.min() < LEAST_LEFT:
        return
    for left_out in range(MORE_GROUPS):
        gone = group == left_out
        left = float(p[~gone].sum())
        q = p[gone]
        Z = W[gone] - whole.mean
        shift = -(q @ Z) / left  # shift of the mean
        covariance = (whole.covariance - (Z * q[:, None]).T @ Z) / left - np.outer(shift, shift)
        yield _Sums(whole.mean + shift, float(lengths[~gone].sum()) / left, covariance)


@lru_cache(maxsize=16)
def _entropy_baseline(shares: bytes, d: int, seed: int) -> float:
    p = np.frombuffer(shares)
    if len(p) < 2 or d < 2:
        return 0.0
    rng = np.random.default_rng(seed)
    draws = int(np.clip(NUMBERS // (len(p) * d), FEWEST_DRAWS, MOST_DRAWS))
    drawn = (rng.standard_normal((len(p), d)) for _ in range(draws))
    return float(np.mean([_entropy(_Sums.of(W, p)) for W in drawn]))


def _weighted(W: np.ndarray, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(rows with a frequency above 0, their probabilities, which sum to 1)."""
    W = finite_rows(W, at_least=1)
    if np.shape(frequencies) != (len(W),):
        raise ValueError(
            f"expected one frequency for each of the {len(W)} rows; got shape "
            f"{np.shape(frequencies)}"
        )
    p = _shares(frequencies)
    return in_range(W[p > 0]), p[p > 0]


def _shares(frequencies: np.ndarray) -> np.ndarray:
    p = np.asarray(frequencies)
    if p.ndim != 1 or np.iscomplexobj(p):
        raise ValueError(f"expected frequencies (n,), real numbers; got {p.dtype} {p.shape}")
    p = p.astype(np.float64)
    bad = np.flatnonzero(~((p >= 0) & np.isfinite(p)))
    if len(bad):
        raise ValueError(f"frequency {p[bad[0]]} of row {bad[0] + 1} is negative or not finite")
    if not p.any():
        raise ValueError("all frequencies are 0; at least one must be above 0")
    p = p / p.max()
    return np.asarray(p / p.sum())
