"""Pairs scored, resampled, aggregated and chosen: by scipy, by hand, and blind to test."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.distance import cosine
from scipy.stats import pearsonr, spearmanr

from geometry import PairScore, choose_on_dev, evaluate_pairs
from geometry.evaluate import Grid, SubsetBootstrap, aggregate, evaluate_grid
from geometry.evaluate.cells import Cell

SMALL = st.integers(-4, 4).map(float)  # many ties
SEEDS = st.integers(0, 10_000)


@st.composite
def pairs(draw):
    """Left, right (n, 3), some pairs repeated so that cosines tie, and gold scores of any range."""
    n = draw(st.integers(3, 30))
    pool = np.random.default_rng(draw(SEEDS)).standard_normal((2, draw(st.integers(1, 12)), 3))
    which = draw(st.lists(st.integers(0, pool.shape[1] - 1), min_size=n, max_size=n))
    gold = np.array(draw(st.lists(SMALL, min_size=n, max_size=n)))
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
    )  # no bit of a cosine moves
    assert again == score
    alike = np.array([1 - cosine(a, b) for a, b in zip(left, right, strict=True)])
    if len(np.unique(alike)) == 1:
        assert score.undefined == "constant_scores"
        return
    assert np.array_equal(again.replicates, score.replicates, equal_nan=True)
    assert score.spearman == pytest.approx(spearmanr(alike, gold).statistic, abs=1e-12)
    assert score.pearson == pytest.approx(pearsonr(alike, gold).statistic, abs=1e-9)
    assert (score.n, score.seed) == (len(gold), seed)


@given(pairs(), st.sampled_from([np.nan, np.inf, -np.inf]), st.data())
def test_what_is_no_score_is_named(given_pairs, bad, data):
    left, right, gold = given_pairs
    place = data.draw(st.integers(0, len(gold) - 1))
    spoilt = gold.copy()
    spoilt[place] = bad
    with pytest.raises(ValueError, match=f"gold score of pair {place} is .*Drop these pairs"):
        evaluate_pairs(left, right, spoilt)
    for sides in ((left[:-1], right, gold), (left, right[:-1], gold), (left, right, gold[:-1])):
        with pytest.raises(ValueError, match="every pair needs one of each"):
            evaluate_pairs(*sides)
    with pytest.raises(ValueError, match=f"all {len(gold)} gold scores are .*another column"):
        evaluate_pairs(left, right, np.full(len(gold), gold[0]))


@st.composite
def scored_subsets(draw):
    """{name: (similarities, gold)} of two to four subsets."""
    rng = np.random.default_rng(draw(SEEDS))
    sizes = draw(st.lists(st.integers(4, 25), min_size=2, max_size=4))
    return {
        f"set {i}": (np.round(rng.standard_normal(n), 1), rng.permutation(n) / 3.0)
        for i, n in enumerate(sizes)
    }


@given(scored_subsets(), SEEDS)
def test_aggregation_by_hand(subsets, seed):
    similarities, gold = (np.concatenate(side) for side in zip(*subsets.values(), strict=True))
    names = [name for name, (one, _) in subsets.items() for _ in one]
    n = np.array([len(one) for one, _ in subsets.values()])
    rho = np.array([spearmanr(*pair).statistic for pair in subsets.values()])
    expected = {
        "all": spearmanr(similarities, gold).statistic,
        "mean": rho.mean(),
        "wmean": (n * rho).sum() / n.sum(),
    }
    order = np.random.default_rng(seed).permutation(len(gold))
    for how, value in expected.items():
        told = aggregate(subsets, how, draws=6, seed=seed)
        inside = SubsetBootstrap(gold, names, how, 6, seed).score(similarities)
        for one in (told.spearman, inside.spearman):
            assert one == pytest.approx(value, abs=1e-12)
        assert (inside.low, inside.high) == (told.low, told.high)
        assert [part.spearman for part in inside.by_subset.values()] == pytest.approx(rho)
        mixed = SubsetBootstrap(gold[order], [names[i] for i in order], how, 6, seed)
        assert mixed.score(similarities[order]).spearman == pytest.approx(value, abs=1e-12)
        if how != "all":  # each resample by hand, subset by subset
            weights = np.ones(len(n)) if how == "mean" else n
            parts = np.stack([part.replicates for part in inside.by_subset.values()])
            by_hand = (weights[:, None] * parts).sum(axis=0) / weights.sum()
            assert inside.replicates == pytest.approx(by_hand, nan_ok=True)


DEV = evaluate_grid(
    {"mean": np.random.default_rng(0).standard_normal((3, 40, 5))},
    np.random.default_rng(1).uniform(0, 5, 20),
    treatments=["none", "centred", "pca:2"],
    evaluated_on="dev",
    draws=2,
)


@given(st.lists(st.none() | st.floats(-1, 1), min_size=9, max_size=9))
def test_no_score_on_test_sways_the_choice(spearmans):
    best = max(DEV.cells, key=lambda cell: cell.score.spearman)
    cells = tuple(
        replace(cell, score=PairScore(rho, rho, rho, rho, 20))
        for cell, rho in zip(DEV.cells, spearmans, strict=True)
    )
    chosen = choose_on_dev(DEV, replace(DEV, cells=cells, evaluated_on="test"))
    assert chosen.cell_on_dev is best
    assert chosen.cell_on_test is cells[DEV.cells.index(best)]


def test_choosing_reads_no_score_on_test():
    class Sealed(Cell):
        @property
        def score(self):
            raise AssertionError("a score on test was looked at")

    def sealed(cell):
        copy = object.__new__(Sealed)
        copy.__dict__.update({k: v for k, v in vars(cell).items() if k != "score"})
        return copy

    test = Grid(tuple(map(sealed, DEV.cells)), "test", 20, "cosine", 2, 0)
    assert isinstance(choose_on_dev(DEV, test).cell_on_test, Sealed)
