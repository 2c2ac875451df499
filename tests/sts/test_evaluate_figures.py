"""The effect of whitening on STS-B with the bundled encoder, and its intervals."""

import pytest

from geometry import evaluate_pairs
from geometry.evaluate import evaluate_grid

pytestmark = [pytest.mark.model, pytest.mark.timeout(1200)]

SPEARMAN = 0.15  # as in test_published_figures
ENDS = 0.35  # another seed moves an end of an interval from 1,000 draws by this much


@pytest.fixture(scope="module")
def gold(sts):
    return sts("test").gold_scores


@pytest.fixture(scope="module")
def vectors(sts_layers):
    return {"mean": sts_layers("test")["mean"]}


@pytest.fixture(scope="module")
def on_test(grids):
    return grids["test"]


@pytest.fixture(scope="module")
def on_train(grids):
    return grids["train"]


def test_the_last_layer_as_it_is(vectors, gold, on_test):
    assert 100 * on_test.cell(6, "mean").score.spearman == pytest.approx(82.03, abs=0.05)
    alone = evaluate_pairs(*vectors["mean"][6].reshape(2, len(gold), -1), gold)
    assert alone == on_test.cell(6, "mean").score
    assert alone.low < alone.spearman < alone.high < alone.low + 0.06


def test_whitening_lifts_layer_1(on_test):
    assert 100 * on_test.cell(1, "mean").score.spearman == pytest.approx(56.7, abs=SPEARMAN)
    white = on_test.cell(1, "mean", "pca")
    assert 100 * white.score.spearman == pytest.approx(70, abs=0.5)
    assert white.difference.low > 0.09
    assert white.mean_cosine == pytest.approx(0, abs=0.001)


@pytest.mark.parametrize(
    ("where", "treatment", "spearman", "moved", "low", "high", "n_fit"),
    [
        ("test", "pca", 78.1, -3.9, -5.2, -2.8, 2758),
        ("train", "pca", 80.6, -1.4, -2.6, -0.3, 10518),
        ("train", "pca:128", 81.5, -0.5, -1.3, 0.3, 10518),
    ],
)
def test_what_whitening_takes_from_the_last_layer(
    on_test, on_train, where, treatment, spearman, moved, low, high, n_fit
):
    grid = {"test": on_test, "train": on_train}[where]
    cell = grid.cell(6, "mean", treatment)
    assert 100 * cell.score.spearman == pytest.approx(spearman, abs=SPEARMAN)
    assert 100 * cell.difference.value == pytest.approx(moved, abs=SPEARMAN)
    assert 100 * cell.difference.low == pytest.approx(low, abs=ENDS)
    assert 100 * cell.difference.high == pytest.approx(high, abs=ENDS)
    assert cell.difference.is_clear == (treatment == "pca")
    assert cell.n_fit == n_fit


def test_what_hurts_the_last_layer_less(sts_layers, gold, on_test, on_train):
    """k, shrinkage and a larger fit cost less than full whitening on the test sentences."""
    ways = {"layers": [6], "treatments": ["pca:128", "pca:lw"], "draws": 2}
    there = evaluate_grid({"mean": sts_layers("test")["mean"]}, gold, **ways)
    less = [*there.cells, on_train.cell(6, "mean", "pca")]
    in_full = on_test.cell(6, "mean", "pca").score.spearman
    assert all(cell.score.spearman > in_full for cell in less)


def test_the_first_token_of_the_embedding_layer_has_no_score(sts_layers, gold):
    grid = evaluate_grid({"cls": sts_layers("test")["cls"]}, gold, layers=[0], draws=20)
    assert all(cell.score.spearman is None for cell in grid.cells)
    assert grid.cell(0, "cls").score.undefined == "constant_scores"
