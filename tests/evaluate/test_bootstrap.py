"""Spearman, Pearson and their bootstrap, against scipy on the resampled pairs; bad input."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.distance import cosine
from scipy.stats import pearsonr, spearmanr

from geometry import evaluate_pairs
from geometry.evaluate import PairBootstrap
from geometry.linalg.rows import UndefinedMeasure
from geometry.measure.correlation import spearman
from tests.for_each import for_each

RNG = np.random.default_rng(0)
N = 300
GOLD = np.round(RNG.uniform(0, 5, N) * 2) / 2  # eleven values
TIED = np.round(GOLD + RNG.normal(0, 2, N))
FREE = GOLD + RNG.normal(0, 2, N)
SEEDS = st.integers(0, 10_000)
SMALL_NUMBERS = st.integers(-6, 6).map(float)  # many ties


def resampled(bootstrap, draw):
    """Row numbers of one resample; each pair occurs as often as it was drawn."""
    return np.repeat(np.arange(bootstrap.n), bootstrap._counts[:, draw])


@for_each("similarities", [TIED, FREE, -TIED])
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


def test_resamples_without_a_score_are_left_out_and_few_pairs_have_no_interval():
    gold, similarities = np.arange(10.0), np.eye(1, 10)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bootstrap = PairBootstrap(gold, 200)
        score = bootstrap.score(similarities)
        undefined = [
            len(np.unique(similarities[resampled(bootstrap, draw)])) == 1 for draw in range(200)
        ]
    assert np.array_equal(np.isnan(score.replicates), undefined)
    assert score.draws == 200 - sum(undefined) < 200
    assert -1 <= score.low <= score.high <= 1
    moved = PairBootstrap(gold[:9], 200).difference(similarities[:9], gold[:9])
    assert (moved.low, moved.high, moved.is_clear) == (None, None, False)


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


@for_each(
    ("gold", "message"),
    [
        ([1.0, 2.0], "at least 3 pairs, and there are 2"),
        ([1.0, np.nan, 2.0], "gold score of pair 1 is nan"),
        ([1.0, 2.0, -np.inf], "gold score of pair 2 is -inf"),
        ([2.5, 2.5, 2.5], "All 3 scores are 2.5"),
        ([[1.0], [2.0], [3.0]], r"shape \(n,\); got \(3, 1\)"),
    ],
)
def test_gold_that_orders_nothing(gold, message):
    vectors = RNG.standard_normal((len(gold), 4))
    with pytest.raises(ValueError, match=message):
        evaluate_pairs(vectors, vectors[::-1], np.array(gold))


def test_lengths_and_draws():
    X = RNG.standard_normal((N, 4))
    for sides in ((X[:-1], X, GOLD), (X, X[1:], GOLD), (X, X, GOLD[1:])):
        with pytest.raises(ValueError, match="every pair needs one of each"):
            evaluate_pairs(*sides)
    with pytest.raises(ValueError, match="300 similarities are needed"):
        PairBootstrap(GOLD, 10).score(FREE[1:])
    with pytest.raises(ValueError, match="similarity of pair 4 is nan"):
        PairBootstrap(GOLD, 10).score(np.where(np.arange(N) == 4, np.nan, FREE))
    for draws in (0, 1.5, True):
        with pytest.raises(ValueError, match="draws must be an integer of at least 1"):
            PairBootstrap(GOLD, draws)


@st.composite
def pairs(draw):
    """Left, right (n, 3), some pairs repeated so that cosines tie, and gold scores of any range."""
    n = draw(st.integers(3, 30))
    pool = np.random.default_rng(draw(SEEDS)).standard_normal((2, draw(st.integers(1, 12)), 3))
    which = draw(st.lists(st.integers(0, pool.shape[1] - 1), min_size=n, max_size=n))
    gold = np.array(draw(st.lists(SMALL_NUMBERS, min_size=n, max_size=n)))
    assume(len(set(gold)) > 1)
    scale = draw(st.sampled_from([1e-6, 1.0, 100.0, 1e9]))
    shift = draw(st.sampled_from([-7.0, 0.0, 3e5]))
    return pool[0, which], pool[1, which], (gold + shift) * scale


@given(pairs(), SEEDS)
def test_evaluate_pairs_is_scipys_on_ties_and_any_range(given_pairs, seed):
    left, right, gold = given_pairs
    score = evaluate_pairs(left, right, gold, draws=8, seed=seed)
    again = evaluate_pairs(
        left * 4, right / 8, gold, draws=8, seed=seed
    )  # powers of two change no bit of a cosine
    assert again == score
    similarities = np.array([1 - cosine(a, b) for a, b in zip(left, right, strict=True)])
    if len(np.unique(similarities)) == 1:
        assert score.undefined == "constant_scores"
        return
    assert np.array_equal(again.replicates, score.replicates, equal_nan=True)
    assert score.spearman == pytest.approx(spearmanr(similarities, gold).statistic, abs=1e-12)
    assert score.pearson == pytest.approx(pearsonr(similarities, gold).statistic, abs=1e-9)
    assert (score.n, score.similarity, score.seed) == (len(gold), "cosine", seed)
