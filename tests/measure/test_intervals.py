"""Nominal 95% intervals cover the mean over clouds of that size in 85% to 99% of draws."""

import numpy as np
import pytest

from geometry import label_agreement, measure_table
from geometry.measure import (
    Annotations,
    annotated_table,
    label_agreement_interval,
    measure_names,
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

DRAWS = 150  # an estimated coverage of 0.95 has a standard error of 0.018
WITHOUT = ("hubness", "top_contribution", "top_5_contributions")  # they have no interval


def cone(rng, n=400, d=8):
    return rng.standard_normal((n, d)) * np.geomspace(2, 0.3, d) + 1


def heavy_tails(rng, n=300, d=10):
    return rng.standard_t(6, (n, d)) * np.geomspace(1, 0.5, d) + 0.5


def clusters(rng, n=400, d=12):
    centres = np.random.default_rng(5).standard_normal((6, d)) * 1.5 + 0.5
    return centres[rng.integers(6, size=n)] + rng.standard_normal((n, d)) * 0.6


def few_rows(rng, n=300, d=150):
    return cone(rng, n, d)


@pytest.mark.long
@pytest.mark.parametrize("draw", [cone, heavy_tails, clusters, few_rows])
def test_coverage(draw):
    rng = np.random.default_rng(1)
    tables = [measure_table(draw(rng)) for _ in range(DRAWS)]
    coverage = {}
    for place, name in enumerate(measure_names()):
        rows = [table[place] for table in tables]
        if name in WITHOUT:
            assert {row.low for row in rows} == {None}
            continue
        truth = np.mean([row.value for row in rows])
        coverage[name] = np.mean([row.low <= truth <= row.high for row in rows])
    if draw is few_rows:
        assert coverage.pop("positive_cosine_share") == 1  # every cosine of every draw is positive
    assert {name: c for name, c in coverage.items() if not 0.85 <= c <= 0.995} == {}


@pytest.mark.long
def test_intervals_cover_isotropic_data_often_enough():
    """Each row has little effect there, so a jackknife tends to be too wide."""
    rng = np.random.default_rng(2)
    tables = [measure_table(rng.standard_normal((300, 20))) for _ in range(DRAWS)]
    for place, name in enumerate(measure_names()):
        rows = [table[place] for table in tables if table[place].value is not None]
        if name in WITHOUT:
            continue
        truth = np.mean([row.value for row in rows])
        assert np.mean([row.low <= truth <= row.high for row in rows]) >= 0.9, name


def alignment_of(rng):
    left = rng.standard_normal((80, 8)) + 0.5
    X = np.vstack([left, left + 0.7 * rng.standard_normal((80, 8))])
    return annotated_table(X, Annotations(pairs=np.arange(160).reshape(2, 80).T))


def contexts(rng):
    """60 types with 4 to 8 occurrences each, in sentences with a shared topic vector."""
    types = np.repeat(np.arange(60), rng.integers(4, 9, 60))
    sentences = rng.permutation(len(types)) // 6
    of_type, of_sentence = rng.standard_normal((60, 8)), rng.standard_normal((len(types), 8))
    noise = rng.standard_normal((len(types), 8))
    X = of_type[types] + 0.5 * of_sentence[sentences] + noise + 0.5
    return annotated_table(X, Annotations(types=types, sentences=sentences))


def vocabulary(rng):
    """Words whose counts have a long tail; frequent ones lie nearer the origin."""
    counts = np.ceil(np.exp(rng.standard_normal(400)))
    W = rng.standard_normal((400, 8)) * np.geomspace(2, 0.5, 8) / np.sqrt(counts)[:, None] + 0.3
    return annotated_table(W, Annotations(frequencies=counts))


@pytest.mark.long
@pytest.mark.parametrize("draw", [alignment_of, contexts, vocabulary])
def test_coverage_of_what_needs_annotations(draw):
    """The values are those on the page, minus a baseline, which varies between draws too."""
    rng = np.random.default_rng(3)
    tables = [draw(rng) for _ in range(DRAWS)]
    coverage = {}
    for rows in zip(*tables, strict=True):
        truth = np.mean([row.value for row in rows])
        coverage[rows[0].name] = np.mean([row.low <= truth <= row.high for row in rows])
    assert {name: c for name, c in coverage.items() if not 0.85 <= c <= 0.995} == {}


def tokens(rng):
    """Ten tokens of each of 80 sentences, which share a part of their vector."""
    sentences = np.repeat(np.arange(80), 10)
    of_sentence = rng.standard_normal((80, 8))[sentences]
    return of_sentence + 0.7 * rng.standard_normal((800, 8)) + 0.5, sentences


@pytest.mark.long
def test_coverage_of_tokens_that_are_left_out_by_sentence():
    rng = np.random.default_rng(4)
    names = [name for name in measure_names() if name not in (*WITHOUT, "intrinsic_dimension")]
    drawn = [tokens(rng) for _ in range(DRAWS)]
    coverage = {}
    for how in ("by sentence", "each alone"):
        tables = [
            measure_table(X, names=names, units=s if how == "by sentence" else None, simulate=False)
            for X, s in drawn
        ]
        for rows in zip(*tables, strict=True):
            truth = np.mean([row.value for row in rows])
            coverage[rows[0].name, how] = np.mean([r.low <= truth <= r.high for r in rows])
    assert {key: c for key, c in coverage.items() if key[1] == "by sentence" and c < 0.85} == {}
    assert coverage["mean_cosine", "each alone"] < 0.7


@pytest.mark.long
@pytest.mark.parametrize("n", [150, 600])
@pytest.mark.parametrize("noise", [0.8, 1.5])
def test_coverage_of_label_agreement(n, noise):
    rng, centres = np.random.default_rng(1), np.random.default_rng(5).standard_normal((6, 10))
    values, ends = [], []
    for _ in range(DRAWS):
        labels = rng.integers(6, size=n)
        X = centres[labels] + noise * rng.standard_normal((n, 10))
        values.append(label_agreement(X, labels))
        ends.append(label_agreement_interval(X, labels))
    truth = np.mean(values)
    assert 0.9 <= np.mean([low <= truth <= high for low, high in ends]) <= 0.995
