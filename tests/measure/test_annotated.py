"""Measures that need annotations of rows: by hand, by a second route, and baselines."""

import numpy as np
import pytest
from scipy.special import erf

from geometry.measure import (
    Annotations,
    Measured,
    annotated_table,
    chance_agreement,
    intra_sentence_baseline,
    jackknife_interval,
    label_agreement,
    label_agreement_interval,
    subsampling_interval,
    top_contribution_baseline,
    zipfian_baselines,
    zipfian_mean_symmetry,
    zipfian_spectral_entropy,
    zipfian_table,
)
from tests.for_each import for_each
from tests.measure.test_table import cloud

pytestmark = pytest.mark.filterwarnings("error")


# Alignment


def test_alignment_over_the_pairs():
    X = np.array([[1.0, 0], [0, 2], [3, 0], [-1, 0]])
    # right angle 2, same direction 0, opposite 4
    [row] = annotated_table(X, Annotations(pairs=[[0, 1], [0, 2], [0, 3]]))
    assert row == Measured("alignment", pytest.approx(2.0), None, None, 2.0, 3, 2)
    [row] = annotated_table(X, Annotations(pairs=np.zeros((0, 2), int)))
    assert (row.value, row.undefined, row.n) == (None, "too_few_rows", 0)
    [row] = annotated_table(X * [[1], [0], [1], [1]], Annotations(pairs=[[0, 1]]))
    assert row.undefined == "zero_row"


# Tokens


def tokens(n: int = 2000, d: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(vectors, types, sentences): isotropic; types and sentences have no effect."""
    rng = np.random.default_rng(1)
    types = np.repeat(np.arange(n // 5), 5)
    return rng.standard_normal((n, d)), rng.permutation(types), np.arange(n) // 8


def test_isotropic_tokens_lie_at_their_baselines():
    X, types, sentences = tokens(8000)
    for row in annotated_table(X, Annotations(types=types, sentences=sentences)):
        assert row.value == pytest.approx(row.baseline, abs=0.01), row.name
    assert row.baseline == 0
    _, *within = (
        annotated_table(X, Annotations(types=each, sentences=sentences))[1]
        for each in (types, types, types[::-1])
    )
    assert within[0] == within[1]  # types have no effect on a mean over sentences
    # Sentences of 8 tokens: 1/sqrt(8). For unequal sentences it is the mean over sentences.
    assert intra_sentence_baseline(sentences) == pytest.approx(8**-0.5)
    assert intra_sentence_baseline([0, 0, 0, 0, 7, 7, 9]) == pytest.approx((0.5 + 0.5**0.5) / 2)


# Types


def test_zipfian_rows_are_the_measures():
    W = cloud(400, 9)
    counts = np.random.default_rng(0).zipf(1.8, 400).clip(0, 500)
    counts[:20] = 0
    first, second = zipfian_table(W, counts)
    assert (first, second) == annotated_table(W, Annotations(frequencies=counts))
    assert first.value == pytest.approx(zipfian_mean_symmetry(W, counts))
    assert second.value == pytest.approx(zipfian_spectral_entropy(W, counts))
    assert (first.baseline, second.baseline) == pytest.approx(zipfian_baselines(counts, 9))
    assert first.n == 380  # words that occur
    assert all(row.low is None for row in zipfian_table(W, np.r_[1, [1e-12] * 399]))  # one word
    present = counts > 0
    for row, of in ((first, zipfian_mean_symmetry), (second, zipfian_spectral_entropy)):
        # each group left out and recomputed
        low, high = jackknife_interval(of, W[present], counts[present])
        assert (row.low, row.high) == pytest.approx((max(low, 0), min(high, 1)), abs=1e-9)


def test_zipf_worked_by_hand():
    W = np.array([[1.0, 0], [-1, 0]])
    assert zipfian_mean_symmetry(W, [1, 1]) == pytest.approx(1)
    assert zipfian_mean_symmetry(W, [3, 1]) == pytest.approx(0.5)  # mean (1/2, 0), E|w| = 1
    cross = np.array([[2.0, 0], [-2, 0], [0, 1], [0, -1]])
    assert zipfian_spectral_entropy(cross, [1, 1, 4, 4]) == pytest.approx(1)  # 8/10, 8/10
    # variances 2, 1/2: p = 4/5, 1/5
    entropy = -(0.8 * np.log(0.8) + 0.2 * np.log(0.2)) / np.log(2)
    assert zipfian_spectral_entropy(cross, [5, 5, 5, 5]) == pytest.approx(entropy)


@for_each("exponent", [0, 1, 1.5])
def test_zipfian_baselines_are_those_of_isotropic_words(exponent):
    p = 1 / np.arange(1, 801) ** exponent
    rng = np.random.default_rng(9)
    drawn = [rng.standard_normal((800, 30)) for _ in range(12)]
    symmetry, entropy = zipfian_baselines(p, 30)
    assert symmetry == pytest.approx(
        np.mean([zipfian_mean_symmetry(W, p) for W in drawn]), abs=0.02
    )
    assert entropy == pytest.approx(
        np.mean([zipfian_spectral_entropy(W, p) for W in drawn]), abs=0.01
    )


# The largest share of the mean cosine


def test_the_baseline_of_the_largest_share_by_hand():
    assert top_contribution_baseline(1) == 1
    # In 2 dimensions: the mean of max(cos^2, sin^2) of a uniform angle is 1/2 + 1/pi.
    assert top_contribution_baseline(2) == pytest.approx(0.5 + 1 / np.pi, abs=1e-5)
    assert top_contribution_baseline(5, k=5) == 1
    # a random direction at d = 384, and not 5/d
    assert top_contribution_baseline(384, k=5) == pytest.approx(0.10, abs=0.005)
    # the mean of the largest of d squared normals is the integral of 1 - erf(sqrt(t/2))^d
    t = np.linspace(0, 60, 600_001)
    largest = np.trapezoid(1 - erf(np.sqrt(t / 2)) ** 50, t)
    assert top_contribution_baseline(50) == pytest.approx(largest / 50, rel=1e-4)
    for d, k in ((3, 0), (3, 4)):
        with pytest.raises(ValueError, match=f"between 1 and the d = 3 dimensions; got {k}"):
            top_contribution_baseline(d, k=k)


def test_label_agreement_beside_chance_with_an_interval():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=300)
    X = np.eye(3)[labels] + 0.6 * rng.standard_normal((300, 3))
    [row] = annotated_table(X, Annotations(labels=labels))
    assert (row.name, row.value, row.baseline) == (
        "label_agreement", label_agreement(X, labels), chance_agreement(labels)
    )  # fmt: skip
    assert (row.low, row.high) == label_agreement_interval(X, labels)
    # The general subsampling function finds each subsample's neighbours again.
    low, high = subsampling_interval(label_agreement, X, labels)
    assert (row.low, row.high) == pytest.approx((low, high), rel=1e-6)
    twice = [np.repeat(part, 2, axis=0) for part in (X, labels, np.arange(300))]
    wide = label_agreement_interval(*twice[:2], units=twice[2])
    assert wide[1] - wide[0] > 1.2 * np.ptp(label_agreement_interval(*twice[:2]))
    by_sentence = Annotations(types=twice[1], sentences=twice[2], labels=twice[1])
    row = annotated_table(twice[0], by_sentence)[-1]
    assert (row.low, row.high) == wide
    assert label_agreement_interval(X[:39], labels[:39]) == (None, None)
    X[7] = 0
    [row] = annotated_table(X, Annotations(labels=labels))
    assert (row.value, row.undefined) == (None, "zero_row")
