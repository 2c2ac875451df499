"""The best cell is chosen on dev or on one half of the pairs; test scores have no influence."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geometry import PairScore
from geometry.data.pairs import Pairs
from geometry.evaluate import choose_on_dev, evaluate_grid
from geometry.evaluate.bootstrap import PairBootstrap, resamples_of
from geometry.evaluate.fit_size import halves
from tests.for_each import for_each

DEV = evaluate_grid(
    {"mean": np.random.default_rng(0).standard_normal((3, 40, 5))},
    np.random.default_rng(1).uniform(0, 5, 20),
    treatments=["none", "centred", "pca:2"],
    evaluated_on="dev",
    draws=2,
)


def test_pairs_that_share_sentences_are_drawn_together():
    """Twenty groups of three pairs over three sentences: each sentence is in two of them."""
    left = tuple(f"{group} {side}" for group in range(20) for side in "abc")
    right = tuple(f"{group} {side}" for group in range(20) for side in "bca")
    rng = np.random.default_rng(0)
    pairs = Pairs("groups", left, right, rng.random(60))
    assert pairs.units.tolist() == np.repeat(np.arange(20), 3).tolist()
    # scores of whole groups: three pairs of a group count as one
    gold = rng.standard_normal(20).repeat(3) + 1e-3 * rng.standard_normal(60)
    similarities = gold + rng.standard_normal(20).repeat(3)
    one = PairBootstrap(gold, 400, units=np.minimum(pairs.units, 14))  # 8 effective units
    together = resamples_of(replace(pairs, gold_scores=gold), draws=400)
    assert (one.is_linked, together.is_linked) == (True, False)
    assert one.score(similarities).is_linked
    widths = [
        np.ptp(bootstrap.score(similarities).replicates)
        for bootstrap in (PairBootstrap(gold, 400), one, together)
    ]
    assert widths[0] == widths[1] < widths[2] / 1.4


@for_each("gold", [np.arange(5.0), np.ones(40), np.eye(1, 40)[0]])
def test_pairs_that_have_no_halves_are_refused(gold):
    with pytest.raises(ValueError, match="choose on other pairs"):
        halves(gold)


@given(st.lists(st.none() | st.floats(-1, 1), min_size=9, max_size=9))
def test_no_score_on_test_changes_the_choice(spearmans):
    best = max(DEV.cells, key=lambda cell: cell.score.spearman)
    cells = tuple(
        replace(cell, score=PairScore(rho, rho, rho, rho, 20))
        for cell, rho in zip(DEV.cells, spearmans, strict=True)
    )
    chosen = choose_on_dev(DEV, replace(DEV, cells=cells, evaluated_on="test"))
    assert chosen.cell_on_dev is best
    assert chosen.cell_on_test is cells[DEV.cells.index(best)]
