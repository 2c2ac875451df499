"""The best cell chosen on one half of the pairs, by a grid of each half."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from geometry.evaluate.grid import evaluate_grid
from geometry.evaluate.halves import HalfChoice, RecordingBootstrap, halves

RNG = np.random.default_rng(5)
N, D = 41, 5
GOLD = RNG.normal(size=N)
X = RNG.normal(size=(3, 2 * N, D)).astype(np.float32)
X[:, N:] += X[:, :N] * (1 + GOLD[:, None] * np.array([0.0, 0.4, 1.5])[:, None, None])


def test_halves_share_nothing_and_leave_nothing_out():
    dev, test = halves(GOLD)
    assert (len(dev), len(test)) == (20, 21)
    assert sorted([*dev, *test]) == list(range(N))
    assert np.array_equal(halves(GOLD)[0], dev)
    assert not np.array_equal(halves(GOLD, random_state=1)[0], dev)


@pytest.mark.parametrize("gold", [np.arange(5.0), np.ones(40), np.eye(1, 40)[0]])
def test_pairs_that_have_no_halves_are_refused(gold):
    with pytest.raises(ValueError, match="choose on other pairs"):
        halves(gold)


def test_the_choice_is_that_of_a_grid_on_one_half_and_its_score_of_one_on_the_other():
    bootstrap = RecordingBootstrap(GOLD, 20)
    grid = evaluate_grid({"mean": X}, GOLD, treatments=("none", "pca"), bootstrap=bootstrap)
    choice = HalfChoice(GOLD)
    choice.see(grid.cells, bootstrap.taken)
    chosen = choice.chosen(draws=50)
    dev, test = halves(GOLD)

    def of(rows):
        both = np.concatenate([rows, rows + N])
        more = {"fit_vectors": {"mean": X}, "fit_on": "all"}  # the halves share the whole's fit
        return evaluate_grid(
            {"mean": X[:, both]}, GOLD[rows], treatments=("none", "pca"), draws=50, **more
        )

    on_dev, on_test = of(dev), of(test)
    best = on_dev.best()
    there = on_test.cell(best.layer, "mean", best.treatment).score
    assert chosen.n_cells == 6
    found = chosen.cell_on_dev
    assert (found.layer, found.treatment) == (best.layer, best.treatment)
    assert found.score.spearman == pytest.approx(best.score.spearman)
    assert found.score.n == 20
    assert chosen.cell_on_test.score == there
    assert there.low < there.spearman < there.high


def test_by_hand_the_first_of_two_equal_cells_is_chosen():
    gold = np.array([1.0, 2, 3, 4, 5, 6])
    dev, test = halves(gold)
    alike = np.empty(6)
    alike[dev], alike[test] = gold[dev], -gold[test]  # right where it is chosen, wrong elsewhere
    bootstrap = RecordingBootstrap(gold, 10)
    score = bootstrap.score(alike)
    cell = evaluate_grid({"a": RNG.normal(size=(1, 12, 2))}, gold, treatments=["none"]).cells[0]
    cells = [replace(cell, layer=place, score=score) for place in (4, 7)]
    choice = HalfChoice(gold)
    choice.see(cells, bootstrap.taken)
    chosen = choice.chosen(draws=10)
    assert chosen.cell_on_dev.layer == 4
    assert chosen.cell_on_dev.score.spearman == pytest.approx(1)
    assert chosen.cell_on_test.score.spearman == pytest.approx(-1)
    assert spearmanr(alike[dev], gold[dev])[0] == pytest.approx(1)


def test_cells_without_a_score_are_never_chosen():
    still = np.ones((1, 2 * N, D), dtype=np.float32)
    bootstrap = RecordingBootstrap(GOLD, 10)
    grid = evaluate_grid({"cls": still}, GOLD, treatments=["none"], bootstrap=bootstrap)
    choice = HalfChoice(GOLD)
    choice.see(grid.cells, bootstrap.taken)
    with pytest.raises(ValueError, match="no cell"):
        choice.chosen()
