"""Three ways to aggregate subsets, by hand and by scipy."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from geometry import Pairs
from geometry.evaluate import PairBootstrap, SubsetBootstrap, aggregate
from geometry.evaluate.bootstrap import resamples_of

SEEDS = st.integers(0, 10_000)
RNG = np.random.default_rng(0)


def pairs(n, *, shift, noise):
    gold = RNG.uniform(0, 5, n)
    return gold + shift + RNG.normal(0, noise, n), gold


SUBSETS = {"news": pairs(60, shift=0, noise=1), "forums": pairs(240, shift=8, noise=4)}
RHO = {name: spearmanr(*pair).statistic for name, pair in SUBSETS.items()}


def test_scores_alone_have_no_all_and_what_else_is_refused():
    scores = {name: PairBootstrap(pair[1], 50).score(pair[0]) for name, pair in SUBSETS.items()}
    assert aggregate(scores, "mean").spearman == pytest.approx(sum(RHO.values()) / 2)
    other = scores | {"news": PairBootstrap(SUBSETS["news"][1], 60).score(SUBSETS["news"][0])}
    assert aggregate(other, "mean").low is None  # 60 resamples beside 50
    with pytest.raises(ValueError, match="news is a score alone"):
        aggregate(scores, "all")
    with pytest.raises(ValueError, match="how must be one of all, mean, wmean; got 'median'"):
        aggregate(SUBSETS, "median")
    with pytest.raises(ValueError, match="no subsets"):
        aggregate({}, "mean")


def test_a_subset_that_can_not_be_scored():
    gold, names = [1.0, 2, 3, 4, 4, 4], ["a", "a", "a", "b", "b", "b"]
    for how in ("mean", "wmean"):
        with pytest.raises(
            ValueError, match=r'subset b has no score .* All 3 .*aggregate by "all"'
        ):
            SubsetBootstrap(gold, names, how)
    score = SubsetBootstrap(gold, names, "all", 20).score(np.arange(6.0))
    assert score.spearman == pytest.approx(spearmanr(range(6), gold).statistic)
    assert set(score.by_subset) == {"a"}
    flat = SubsetBootstrap([1, 2, 3, 1, 2, 3], names, "mean", 20).score([1, 2, 3, 5, 5, 5])
    assert (flat.spearman, flat.undefined) == (None, "subset")
    assert flat.by_subset["a"].spearman == pytest.approx(1)
    apart = aggregate({"a": ([1, 2, 3], [1, 2, 3]), "b": ([5, 5, 5], [1, 2, 3])}, "mean", draws=20)
    assert (apart.spearman, apart.undefined) == (None, "subset")


def test_pairs_without_subsets_are_one_set():
    pairs = Pairs("own", ("a",) * 3, ("b",) * 3, [1, 2, 3])
    assert resamples_of(pairs, draws=3).subsets == ()
    with pytest.raises(ValueError, match=r"own names no subsets to aggregate by 'mean'\. Add a"):
        resamples_of(pairs, "mean")
    with pytest.raises(ValueError, match="2 names of subsets for 3 pairs"):
        SubsetBootstrap([1, 2, 3], ["a", "b"], "mean")
    with pytest.raises(ValueError, match="how must be one of all, mean, wmean"):
        resamples_of(pairs, "median")


@st.composite
def scored_subsets(draw):
    """{name: (similarities, gold)} of two to four subsets."""
    rng = np.random.default_rng(draw(SEEDS))
    sizes = draw(st.lists(st.integers(10, 25), min_size=2, max_size=4))
    made = {
        f"set {i}": (np.round(rng.standard_normal(n), 1), rng.permutation(n) / 3.0)
        for i, n in enumerate(sizes)
    }
    assume(all(np.ptp(values) > 0 for values, _ in made.values()))  # else rho is undefined
    return made


@given(scored_subsets(), SEEDS)
def test_aggregation_by_hand(subsets, seed):
    similarities, gold = (np.concatenate(side) for side in zip(*subsets.values(), strict=True))
    names = [name for name, (values, _) in subsets.items() for _ in values]
    n = np.array([len(values) for values, _ in subsets.values()])
    rho = np.array([spearmanr(*pair).statistic for pair in subsets.values()])
    expected = {
        "all": spearmanr(similarities, gold).statistic,
        "mean": rho.mean(),
        "wmean": (n * rho).sum() / n.sum(),
    }
    order = np.random.default_rng(seed).permutation(len(gold))
    for how, value in expected.items():
        apart = aggregate(subsets, how, draws=6, seed=seed)
        inside = SubsetBootstrap(gold, names, how, 6, seed).score(similarities)
        for rho_of_all in (apart.spearman, inside.spearman):
            assert rho_of_all == pytest.approx(value, abs=1e-12)
        assert (inside.low, inside.high) == (apart.low, apart.high)
        assert [part.spearman for part in inside.by_subset.values()] == pytest.approx(rho)
        mixed = SubsetBootstrap(gold[order], [names[i] for i in order], how, 6, seed)
        assert mixed.score(similarities[order]).spearman == pytest.approx(value, abs=1e-12)
        if how != "all":  # each resample by hand, subset by subset
            weights = np.ones(len(n)) if how == "mean" else n
            parts = np.stack([part.replicates for part in inside.by_subset.values()])
            by_hand = (weights[:, None] * parts).sum(axis=0) / weights.sum()
            assert inside.replicates == pytest.approx(by_hand, nan_ok=True)
