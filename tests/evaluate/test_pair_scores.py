"""Spearman with ties, its bootstrap by counting against scipy on the resampled pairs, bad input."""

import warnings

import numpy as np
import pytest
from scipy.stats import pearsonr, rankdata, spearmanr

from geometry import evaluate_pairs
from geometry.evaluate import PairBootstrap
from geometry.evaluate.ranks import TieGroups, ranks_in_rows, spearman
from geometry.linalg.rows import UndefinedMeasure

RNG = np.random.default_rng(0)
N = 300
GOLD = np.round(RNG.uniform(0, 5, N) * 2) / 2  # eleven values
TIED = np.round(GOLD + RNG.normal(0, 2, N))
FREE = GOLD + RNG.normal(0, 2, N)


def resampled(bootstrap, draw):
    """Rows of one resample, pair by pair."""
    return np.repeat(np.arange(bootstrap.n), bootstrap._counts[:, draw])


def test_by_hand():
    assert spearman([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(0.8)
    assert spearman([1, 2, 2, 9], [1, 2, 3, 4]) == pytest.approx(4.5 / np.sqrt(4.5 * 5))
    assert TieGroups.of(np.array([7.0, 1.0, 7.0, 3.0])).ranks().tolist() == [3.5, 1, 3.5, 2]


def test_ranks_are_scipys():
    X = np.round(RNG.standard_normal((30, 12)))
    assert np.array_equal(ranks_in_rows(X), rankdata(X, axis=1))
    assert np.array_equal(TieGroups.of(TIED).ranks(), rankdata(TIED))


@pytest.mark.parametrize("similarities", [TIED, FREE, -TIED], ids=["ties", "none", "reversed"])
def test_every_resample_is_scipys(similarities):
    bootstrap = PairBootstrap(GOLD, draws=300, seed=3)
    score = bootstrap.score(similarities)
    assert score.spearman == pytest.approx(spearmanr(similarities, GOLD).statistic, abs=1e-13)
    assert score.pearson == pytest.approx(pearsonr(similarities, GOLD).statistic, abs=1e-13)
    pearsons = bootstrap.pearsons(similarities)
    for draw in range(bootstrap.draws):
        rows = resampled(bootstrap, draw)
        assert len(rows) == N
        some, gold = similarities[rows], GOLD[rows]
        assert score.replicates[draw] == pytest.approx(spearmanr(some, gold).statistic, abs=1e-12)
        assert pearsons[draw] == pytest.approx(pearsonr(some, gold).statistic, abs=1e-12)
    assert (score.low, score.high) == pytest.approx(np.percentile(score.replicates, [2.5, 97.5]))
    assert (score.pearson_low, score.pearson_high) == pytest.approx(
        np.percentile(pearsons, [2.5, 97.5])
    )


def test_resamples_are_multinomial_and_seeded():
    one, same, other = (PairBootstrap(GOLD, 200, seed) for seed in (0, 0, 1))
    assert np.array_equal(one._counts, same._counts)
    assert not np.array_equal(one._counts, other._counts)
    assert (one._counts.sum(axis=0) == N).all()
    assert one._counts.var() == pytest.approx(1, abs=0.05)


def test_few_pairs_leave_out_resamples_that_have_none():
    gold, alike = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score = PairBootstrap(gold, 500).score(alike)
        undefined = [
            len(np.unique(alike[resampled(PairBootstrap(gold, 500), draw)])) == 1
            for draw in range(500)
        ]
    assert np.array_equal(np.isnan(score.replicates), undefined)
    assert score.draws == 500 - sum(undefined) < 500
    assert -1 <= score.low <= score.high <= 1


def test_a_difference_is_paired():
    bootstrap = PairBootstrap(GOLD, 400)
    before, after = bootstrap.score(FREE), bootstrap.score(FREE + RNG.normal(0, 0.1, N))
    found = bootstrap.difference(before, after)
    apart = after.replicates - before.replicates
    assert found.value == pytest.approx(after.spearman - before.spearman)
    assert (found.low, found.high) == pytest.approx(np.percentile(apart, [2.5, 97.5]))
    assert found.high - found.low < (before.high - before.low) / 3
    assert not found.is_clear
    same = bootstrap.difference(FREE, np.exp(FREE))
    assert (same.value, same.low, same.high) == (0, 0, 0)
    assert bootstrap.difference(FREE, -FREE).is_clear
    with pytest.raises(ValueError, match="other resamples"):
        bootstrap.difference(before, PairBootstrap(GOLD, 400, seed=1).score(FREE))


def test_constant_similarities_are_undefined_without_a_warning():
    bootstrap = PairBootstrap(GOLD, 50)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for flat in (np.ones(N), 1 - np.finfo(float).eps * RNG.integers(0, 3, N)):
            score = bootstrap.score(flat)
            assert (score.spearman, score.pearson, score.low, score.high) == (None,) * 4
            assert score.undefined == "constant_scores"
            assert bootstrap.difference(FREE, flat).value is None
    with pytest.raises(UndefinedMeasure, match="no order"):
        spearman(np.ones(N), GOLD)


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ([1.0, 2.0], "at least 3 pairs; got 2"),
        ([1.0, np.nan, 2.0], "gold score of pair 1 is nan"),
        ([1.0, 2.0, -np.inf], "gold score of pair 2 is -inf"),
        ([2.5, 2.5, 2.5], "all 3 gold scores are 2.5"),
        ([[1.0], [2.0], [3.0]], r"shape \(n,\); got \(3, 1\)"),
    ],
)
def test_gold_that_orders_nothing(gold, message):
    vectors = RNG.standard_normal((len(gold), 4))
    with pytest.raises(ValueError, match=message):
        evaluate_pairs(vectors, vectors[::-1], np.array(gold))


def test_lengths_and_draws():
    X = RNG.standard_normal((N, 4))
    with pytest.raises(ValueError, match="300 left vectors, 299 right ones and 300 gold"):
        evaluate_pairs(X, X[1:], GOLD)
    with pytest.raises(ValueError, match="300 similarities are needed"):
        PairBootstrap(GOLD, 10).score(FREE[1:])
    with pytest.raises(ValueError, match="similarity of pair 4 is nan"):
        PairBootstrap(GOLD, 10).score(np.where(np.arange(N) == 4, np.nan, FREE))
    for draws in (0, 1.5, True):
        with pytest.raises(ValueError, match="draws must be a whole number"):
            PairBootstrap(GOLD, draws)


def test_evaluate_pairs():
    left, right = RNG.standard_normal((2, N, 5))
    cosines = (left * right).sum(1) / np.linalg.norm(left, axis=1) / np.linalg.norm(right, axis=1)
    score = evaluate_pairs(left, right, GOLD, draws=100, seed=7)
    assert score.spearman == pytest.approx(spearmanr(cosines, GOLD).statistic, abs=1e-12)
    assert (score.n, score.similarity, score.draws, score.seed) == (N, "cosine", 100, 7)
    assert score.low < score.spearman < score.high
    assert score == evaluate_pairs(left, right, GOLD, draws=100, seed=7)
    euclidean = evaluate_pairs(left, right, GOLD, similarity="euclidean", draws=10)
    apart = -np.linalg.norm(left - right, axis=1)
    assert euclidean.spearman == pytest.approx(spearmanr(apart, GOLD).statistic, abs=1e-12)
