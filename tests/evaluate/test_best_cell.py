"""The best cell is chosen on dev or on one half of the pairs; test scores have no influence."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from geometry import PairScore
from geometry.data.pairs import Pairs
from geometry.evaluate import Grid, choose_on_dev, evaluate_grid
from geometry.evaluate.best_cell import HalfChoice, RecordingBootstrap, halves
from geometry.evaluate.bootstrap import PairBootstrap
from geometry.evaluate.grid import Cell
from tests.for_each import for_each

RNG = np.random.default_rng(5)
N, D = 41, 5
GOLD = RNG.normal(size=N)
X = RNG.normal(size=(3, 2 * N, D)).astype(np.float32)
X[:, N:] += X[:, :N] * (1 + GOLD[:, None] * np.array([0.0, 0.4, 1.5])[:, None, None])
DEV = evaluate_grid(
    {"mean": np.random.default_rng(0).standard_normal((3, 40, 5))},
    np.random.default_rng(1).uniform(0, 5, 20),
    treatments=["none", "centred", "pca:2"],
    evaluated_on="dev",
    draws=2,
)


def test_halves_share_nothing_and_leave_nothing_out():
    dev, test = halves(GOLD)
    assert (len(dev), len(test)) == (20, 21)
    assert sorted([*dev, *test]) == list(range(N))
    assert np.array_equal(halves(GOLD)[0], dev)
    assert not np.array_equal(halves(GOLD, random_state=1)[0], dev)


def test_pairs_that_share_sentences_stay_in_one_half_and_are_drawn_together():
    """Twenty groups of three pairs over three sentences: each sentence is in two of them."""
    left = tuple(f"{group} {side}" for group in range(20) for side in "abc")
    right = tuple(f"{group} {side}" for group in range(20) for side in "bca")
    rng = np.random.default_rng(0)
    pairs = Pairs("groups", left, right, rng.random(60))
    assert pairs.units.tolist() == np.repeat(np.arange(20), 3).tolist()
    dev, test = halves(pairs.gold_scores, units=pairs.units)
    assert not {*pairs.units[dev]} & {*pairs.units[test]}
    assert (len(dev), len(test)) == (30, 30)
    # scores of whole groups: three pairs of a group count as one
    gold = rng.standard_normal(20).repeat(3) + 1e-3 * rng.standard_normal(60)
    similarities = gold + rng.standard_normal(20).repeat(3)
    widths = [
        np.ptp(PairBootstrap(gold, 400, units=units).score(similarities).replicates)
        for units in (None, pairs.units)
    ]
    assert widths[1] > 1.4 * widths[0]


@for_each("gold", [np.arange(5.0), np.ones(40), np.eye(1, 40)[0]])
def test_pairs_that_have_no_halves_are_refused(gold):
    with pytest.raises(ValueError, match="choose on other pairs"):
        halves(gold)


def test_the_choice_is_that_of_a_grid_on_one_half_and_its_score_of_one_on_the_other():
    bootstrap = RecordingBootstrap(GOLD, 20)
    grid = evaluate_grid({"mean": X}, GOLD, treatments=("none", "pca"), bootstrap=bootstrap)
    choice = HalfChoice(GOLD)
    choice.add(grid.cells, bootstrap.recorded)
    chosen = choice.chosen(draws=50)
    dev, test = halves(GOLD)

    def of(rows):
        both = np.concatenate([rows, rows + N])
        more = {"fit_vectors": {"mean": X}, "fit_on": "all"}  # both halves use the fit on all pairs
        return evaluate_grid(
            {"mean": X[:, both]}, GOLD[rows], treatments=("none", "pca"), draws=50, **more
        )

    on_dev, on_test = of(dev), of(test)
    best = on_dev.best()
    expected = on_test.cell(best.layer, "mean", best.treatment).score
    assert chosen.n_cells == 6
    found = chosen.cell_on_dev
    assert (found.layer, found.treatment) == (best.layer, best.treatment)
    assert found.score.spearman == pytest.approx(best.score.spearman)
    assert found.score.n == 20
    assert chosen.cell_on_test.score == expected
    assert expected.low < expected.spearman < expected.high


def test_by_hand_the_first_of_two_equal_cells_is_chosen():
    gold = np.array([1.0, 2, 3, 4, 5, 6])
    dev, test = halves(gold)
    similarities = np.empty(6)
    similarities[dev], similarities[test] = (
        gold[dev],
        -gold[test],
    )  # the test half is reversed
    bootstrap = RecordingBootstrap(gold, 10)
    score = bootstrap.score(similarities)
    cell = evaluate_grid({"a": RNG.normal(size=(1, 12, 2))}, gold, treatments=["none"]).cells[0]
    cells = [replace(cell, layer=place, score=score) for place in (4, 7)]
    choice = HalfChoice(gold)
    choice.add(cells, bootstrap.recorded)
    chosen = choice.chosen(draws=10)
    assert chosen.cell_on_dev.layer == 4
    assert chosen.cell_on_dev.score.spearman == pytest.approx(1)
    assert chosen.cell_on_test.score.spearman == pytest.approx(-1)
    assert spearmanr(similarities[dev], gold[dev])[0] == pytest.approx(1)


def test_cells_without_a_score_are_never_chosen():
    still = np.ones((1, 2 * N, D), dtype=np.float32)
    bootstrap = RecordingBootstrap(GOLD, 10)
    grid = evaluate_grid({"cls": still}, GOLD, treatments=["none"], bootstrap=bootstrap)
    choice = HalfChoice(GOLD)
    choice.add(grid.cells, bootstrap.recorded)
    with pytest.raises(ValueError, match="no cell"):
        choice.chosen()


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


def test_choosing_reads_no_score_on_test():
    class Sealed(Cell):
        @property
        def score(self):
            raise AssertionError("a score on test was read")

    def sealed(cell):
        copy = object.__new__(Sealed)
        copy.__dict__.update({k: v for k, v in vars(cell).items() if k != "score"})
        return copy

    test = Grid(tuple(map(sealed, DEV.cells)), "test", 20, "cosine", 2, 0)
    assert isinstance(choose_on_dev(DEV, test).cell_on_test, Sealed)
