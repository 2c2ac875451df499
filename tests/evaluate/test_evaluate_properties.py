"""Scores of pairs, whatever the numbers: order is all that Spearman sees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata, spearmanr

from geometry.evaluate import PairBootstrap, evaluate_grid, pair_similarities, parse_treatment
from geometry.evaluate.ranks import TieGroups, ranks_in_rows
from geometry.evaluate.similarities import SIMILARITIES

SIZES = st.integers(3, 40)
SMALL_NUMBERS = st.integers(-6, 6).map(float)  # many ties


@st.composite
def scored(draw):
    """Similarities and gold scores (n,), neither constant."""
    n = draw(SIZES)
    sides = st.lists(SMALL_NUMBERS, min_size=n, max_size=n).filter(lambda x: len(set(x)) > 1)
    return np.array(draw(sides)), np.array(draw(sides))


@given(scored(), st.integers(0, 5))
def test_scores_and_resamples_are_scipys(pair, seed):
    similarities, gold = pair
    bootstrap = PairBootstrap(gold, 8, seed)
    score = bootstrap.score(similarities)
    assert score.spearman == pytest.approx(spearmanr(similarities, gold).statistic, abs=1e-12)
    for draw, found in enumerate(score.replicates):
        rows = np.repeat(np.arange(len(gold)), bootstrap._counts[:, draw])
        some, some_gold = similarities[rows], gold[rows]
        if np.ptp(some) == 0 or np.ptp(some_gold) == 0:
            assert np.isnan(found)
        else:
            assert found == pytest.approx(spearmanr(some, some_gold).statistic, abs=1e-12)


@given(scored())
def test_a_monotone_map_changes_nothing(pair):
    similarities, gold = pair
    bootstrap = PairBootstrap(gold, 8)
    before, after, down = (
        bootstrap.score(values)
        for values in (similarities, np.exp(similarities / 3) + 7, -(similarities**3))
    )
    assert (after.spearman, after.low, after.high) == (before.spearman, before.low, before.high)
    assert down.spearman == pytest.approx(-before.spearman, abs=1e-12)
    other_gold = PairBootstrap(gold * 20 - 3, 8).score(similarities)
    assert np.array_equal(other_gold.replicates, before.replicates, equal_nan=True)


@given(scored())
def test_the_order_of_pairs_does_not_matter(pair):
    similarities, gold = pair
    turned = PairBootstrap(gold[::-1], 4).score(similarities[::-1])
    assert turned.spearman == pytest.approx(PairBootstrap(gold, 4).score(similarities).spearman)


@given(arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 9)), elements=SMALL_NUMBERS))
def test_ranks(X):
    assert np.array_equal(ranks_in_rows(X), rankdata(X, axis=1))
    assert np.array_equal(TieGroups.of(X[0]).ranks(), rankdata(X[0]))


@given(st.sampled_from(SIMILARITIES[:3]), st.integers(0, 99))
def test_a_rotation_changes_no_similarity_but_rank(similarity, seed):
    rng = np.random.default_rng(seed)
    left, right = rng.standard_normal((2, 10, 4))
    Q = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    found = pair_similarities(left @ Q, right @ Q, similarity)
    assert found == pytest.approx(pair_similarities(left, right, similarity), abs=1e-9)
    assert found == pytest.approx(pair_similarities(right @ Q, left @ Q, similarity), abs=1e-9)


@given(st.integers(0, 99))
def test_full_whitenings_score_alike(seed):
    """All full-rank whitenings of one covariance give one set of cosines."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((1, 60, 4)) @ rng.standard_normal((4, 4)) + 2
    gold = rng.uniform(0, 5, 30)
    names = ("pca", "zca", "cholesky", "pca-cor", "zca-cor")
    grid = evaluate_grid({"mean": X}, gold, treatments=names, draws=4)
    pearsons = [cell.score.pearson for cell in grid.cells]
    assert pearsons == pytest.approx([pearsons[0]] * 5, abs=1e-6)


@given(st.text(max_size=12))
def test_a_text_is_a_treatment_or_a_clear_error(text):
    try:
        told, spec = "", parse_treatment(text)
    except ValueError as error:
        told, spec = str(error), parse_treatment("none")
    assert not told or "treatment" in told
    assert parse_treatment(spec.text) == spec
