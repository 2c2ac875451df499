"""Several sets as one score: three ways, by hand and by scipy."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from geometry import PairBootstrap, aggregate

RNG = np.random.default_rng(0)


def pairs(n, *, shift, noise):
    gold = RNG.uniform(0, 5, n)
    return gold + shift + RNG.normal(0, noise, n), gold


SUBSETS = {"news": pairs(60, shift=0, noise=1), "forums": pairs(240, shift=8, noise=4)}
RHO = {name: spearmanr(*pair).statistic for name, pair in SUBSETS.items()}


def test_the_three_differ():
    together = [np.concatenate(side) for side in zip(*SUBSETS.values(), strict=True)]
    expected = {
        "all": spearmanr(*together).statistic,
        "mean": (RHO["news"] + RHO["forums"]) / 2,
        "wmean": (60 * RHO["news"] + 240 * RHO["forums"]) / 300,
    }
    for how, value in expected.items():
        found = aggregate(SUBSETS, how, draws=200)
        assert found.how == how
        assert found.spearman == pytest.approx(value, abs=1e-12)
        assert found.low < found.spearman < found.high
        assert found.n == 300
        assert {name: one.spearman for name, one in found.subsets.items()} == pytest.approx(RHO)
    assert len({round(value, 3) for value in expected.values()}) == 3


def test_scores_alone_have_no_all():
    scores = {name: PairBootstrap(pair[1], 50).score(pair[0]) for name, pair in SUBSETS.items()}
    assert aggregate(scores, "mean").spearman == pytest.approx(sum(RHO.values()) / 2)
    with pytest.raises(ValueError, match="news is a score alone"):
        aggregate(scores, "all")


def test_one_subset_is_itself_under_each_way():
    one = {"news": SUBSETS["news"]}
    found = {how: aggregate(one, how, draws=100) for how in ("all", "mean", "wmean")}
    assert found["all"].spearman == found["mean"].spearman == found["wmean"].spearman
    assert found["all"].low == pytest.approx(found["mean"].low)


def test_a_subset_without_a_score():
    flat = {**SUBSETS, "flat": (np.ones(10), np.arange(10.0))}
    for how in ("mean", "wmean"):
        assert aggregate(flat, how, draws=20).spearman is None
        assert aggregate(flat, how, draws=20).undefined == "subset"
    assert aggregate(flat, "all", draws=20).spearman is not None


def test_what_is_refused():
    with pytest.raises(ValueError, match="how must be one of all, mean, wmean; got 'median'"):
        aggregate(SUBSETS, "median")
    with pytest.raises(ValueError, match="no subsets"):
        aggregate({}, "mean")
