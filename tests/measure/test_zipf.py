"""Zipfian measures by hand, as copies of words, and their baselines."""

import numpy as np
import pytest

from geometry import (
    UndefinedMeasure,
)
from geometry.measure import (
    zipfian_baselines,
    zipfian_mean_symmetry,
    zipfian_spectral_entropy,
)
from tests.for_each import for_each

pytestmark = pytest.mark.filterwarnings("error")


CORNER = np.array([[1.0, 0], [0, 1], [1, 1]])


CROSS = np.array([[2.0, 0], [-2, 0], [0, 1], [0, -1]])


def cloud(n: int = 70, d: int = 9, *, seed: int = 0, shift: float = 0.5) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) * np.geomspace(2, 0.2, d) + shift


def test_zipf_worked_by_hand():
    W = np.array([[1.0, 0], [-1, 0]])
    assert zipfian_mean_symmetry(W, [1, 1]) == pytest.approx(1)
    assert zipfian_mean_symmetry(W, [3, 1]) == pytest.approx(0.5)  # mean (1/2, 0), E|w| = 1
    assert zipfian_spectral_entropy(CROSS, [1, 1, 4, 4]) == pytest.approx(1)  # 8/10, 8/10
    # variances 2, 1/2: p = 4/5, 1/5
    entropy = -(0.8 * np.log(0.8) + 0.2 * np.log(0.2)) / np.log(2)
    assert zipfian_spectral_entropy(CROSS, [5, 5, 5, 5]) == pytest.approx(entropy)


def test_a_frequency_is_a_number_of_copies():
    rng = np.random.default_rng(0)
    W, counts = cloud(30, 4), rng.integers(0, 6, 30)
    copies = np.repeat(W, counts, axis=0)
    for of in (zipfian_mean_symmetry, zipfian_spectral_entropy):
        assert of(W, counts) == pytest.approx(of(copies, np.ones(len(copies))))
        assert of(W, counts) == pytest.approx(of(W, counts / counts.sum()))
    values = np.linalg.eigvalsh(np.cov(copies.T))
    p = values / values.sum()
    assert zipfian_spectral_entropy(W, counts) == pytest.approx(-(p * np.log(p)).sum() / np.log(4))


def test_zipf_baselines():
    p = 1 / np.arange(1, 5001)
    symmetry, entropy = zipfian_baselines(p, 20)
    # |mean| is about sqrt(sum p^2) E|w|, as of some 50 words, whatever the vocabulary.
    p = p / p.sum()
    assert symmetry == pytest.approx(1 - np.sqrt((p**2).sum()), abs=0.03)
    assert 0.8 < entropy < 0.99


@for_each(
    ("p", "message"),
    [
        ([1, 1], r"one frequency for each of the 3 rows; got shape \(2,\)"),
        ([1, -1, 1], "row 2 is negative"),
        ([1, 1, np.nan], "row 3 is negative or not finite"),
        ([0, 0, 0], "all frequencies are 0"),
    ],
)
def test_frequencies_that_are_refused(p, message):
    for of in (zipfian_mean_symmetry, zipfian_spectral_entropy):
        with pytest.raises(ValueError, match=message):
            of(CORNER, p)


def test_zipf_of_nothing():
    with pytest.raises(UndefinedMeasure, match="every word"):
        zipfian_mean_symmetry(np.zeros((3, 2)), [1, 1, 1])
    with pytest.raises(UndefinedMeasure, match="all rows are equal"):
        zipfian_spectral_entropy(np.full((3, 2), 0.1), [1, 2, 3])
    with pytest.raises(UndefinedMeasure, match="2 dimensions"):
        zipfian_spectral_entropy(np.ones((3, 1)), [1, 2, 3])
