"""Artificial scores: the effect of each curve on Spearman and Pearson, by scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import linregress, pearsonr, rankdata, spearmanr

from geometry.evaluate.ranks import FAR_OUT, Bend, least_squares_line, made_up_scores
from tests.for_each import for_each


def rho(bend: Bend) -> float:
    made = made_up_scores(bend)
    return float(spearmanr(made.gold, made.scores)[0])


def r(bend: Bend) -> float:
    made = made_up_scores(bend)
    return float(pearsonr(made.gold, made.scores)[0])


@given(st.floats(0, 1), st.floats(1, 10))
def test_a_monotone_curve_changes_no_rank_and_lowers_pearson(noise, curve):
    straight, bent = made_up_scores(Bend(noise)), made_up_scores(Bend(noise, curve))
    assert np.array_equal(rankdata(straight.scores), rankdata(bent.scores))
    assert r(Bend(0.1, 8.0)) < r(Bend(0.1)) - 0.2


def test_ties_keep_spearman_from_one():
    made = made_up_scores(Bend(levels=6))
    assert np.unique(made.gold).tolist() == [0, 1, 2, 3, 4, 5]
    assert np.unique(made_up_scores(Bend(levels=2)).gold).tolist() == [0, 5]
    assert rho(Bend(levels=2)) < rho(Bend(levels=6)) < 1


def test_an_outlier_moves_pearson_more_than_spearman():
    unrelated, pulled = Bend(noise=1.0), Bend(noise=1.0, outlier="agrees")
    assert r(pulled) - r(unrelated) > 0.15
    assert abs(rho(pulled) - rho(unrelated)) < 0.08
    against = made_up_scores(Bend(outlier="contradicts"))
    assert against.scores[against.outlier] == FAR_OUT
    assert against.gold[against.outlier] == against.gold.min()
    # one rank of 40 from the bottom to the top: 1 - 6 (39^2 + 39) / (40 (40^2 - 1))
    assert rho(Bend(outlier="contradicts")) == pytest.approx(1 - 6 * 1560 / (40 * 1599))


def test_the_line_is_the_regression_and_on_ranks_its_slope_is_spearman():
    made = made_up_scores(Bend(noise=0.4))
    (x0, y0), (x1, y1) = least_squares_line(made.gold, made.scores)
    found = linregress(made.gold, made.scores)
    assert (y1 - y0) / (x1 - x0) == pytest.approx(found.slope)
    assert y0 == pytest.approx(found.intercept + found.slope * x0)
    (x0, y0), (x1, y1) = least_squares_line(rankdata(made.gold), rankdata(made.scores))
    assert (y1 - y0) / (x1 - x0) == pytest.approx(rho(Bend(noise=0.4)))


@for_each("wrong", [{"noise": 1.1}, {"curve": 0.5}, {"levels": 1}, {"outlier": "often"}])
def test_a_bend_outside_its_range_is_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Bend(**wrong)
