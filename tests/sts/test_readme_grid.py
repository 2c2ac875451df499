"""The README's grid on STS-B test, measured again, and its published rows."""

import re
from pathlib import Path

import numpy as np
import pytest

from geometry.evaluate import evaluate_grid, published_scores
from geometry.evaluate.specs import LADDER

pytestmark = [pytest.mark.model, pytest.mark.timeout(1200)]

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
SPEARMAN = 0.15  # as in test_published_figures
# all cosines of [CLS] in the first layers are alike to 1e-3: float32 rounding orders many pairs
SPEARMAN_OF_A_NEEDLE = 0.6
ROW = re.compile(r"^\| (\d), (mean|cls) \| (.*) \|$", re.MULTILINE)
PUBLISHED = re.compile(r"^\| ([^|]+) \| ([\d.]+) \| ([^|]+) \|$", re.MULTILINE)


TOLERANCE = {"mean": SPEARMAN, "cls": SPEARMAN_OF_A_NEEDLE}


@pytest.fixture(scope="module")
def grid(sts, sts_layers):
    """Fitted on the 10,518 distinct training sentences."""
    train = sts("train")
    _, distinct = np.unique([*train.left, *train.right], return_index=True)
    return evaluate_grid(
        {pooling: sts_layers("test")[pooling] for pooling in TOLERANCE},
        sts("test").gold_scores,
        treatments=LADDER,
        fit_vectors={pooling: sts_layers("train")[pooling][:, distinct] for pooling in TOLERANCE},
        fit_on="train",
        draws=1_000,
    )


@pytest.mark.parametrize("pooling", TOLERANCE)
def test_the_grid_is_quoted_as_it_is_measured(grid, pooling):
    quoted = {
        int(layer): told.split(" | ") for layer, way, told in ROW.findall(README) if way == pooling
    }
    assert sorted(quoted) == list(range(7))
    found = {way: 100 * grid.matrix(way)[:, grid.poolings.index(pooling)] for way in LADDER}
    for layer, told in quoted.items():
        told = [np.nan if one == "undefined" else float(one) for one in told]
        measured = [found[way][layer] for way in LADDER]
        np.testing.assert_allclose(told, measured, atol=TOLERANCE[pooling])


def test_what_is_said_under_the_grid(grid):
    said = " ".join(README.split("## Does it help?")[1].split("Beside it,")[0].split())
    cls, mean = (
        {way: 100 * grid.matrix(way)[:, grid.poolings.index(pooling)] for way in LADDER}
        for pooling in ("cls", "mean")
    )
    assert "Below the last layer removal and whitening help at every layer" in said
    for way in ("abtt:3", "pca:128", "pca"):
        assert (mean[way] > mean["none"])[:6].all()
        assert (cls[way] > cls["none"])[1:6].all()
    assert "centring alone lowers the mean of layers 1 to 4 and the [CLS] of layer 4." in said
    assert np.flatnonzero(mean["centred"] < mean["none"]).tolist() == [1, 2, 3, 4]
    assert np.flatnonzero(cls["centred"] < cls["none"]).tolist() == [4]
    assert "at most half a point under the milder treatments" in said
    milder = [mean[way][6] - mean["none"][6] for way in LADDER[1:-1]]
    assert max(map(abs, milder)) == pytest.approx(0.5, abs=SPEARMAN)
    assert "whitening in full (−1.4 [" in said  # the intervals: test_evaluate_figures
    assert mean["pca"][6] - mean["none"][6] == pytest.approx(-1.4, abs=SPEARMAN)
    assert "its [CLS] gains 5 to 6 points by each of them" in said
    gains = [cls[way][6] - cls["none"][6] for way in LADDER[1:]]
    assert (round(min(gains)), round(max(gains))) == (5, 6)
    assert "Raw [CLS] lies 8.5 to 31 points below the raw mean" in said
    below = (mean["none"] - cls["none"])[1:]
    assert (min(below), max(below)) == pytest.approx((8.5, 31), abs=SPEARMAN_OF_A_NEEDLE)


def test_published_rows_are_the_papers():
    rows = {(one.name, one.source): one.value for one in published_scores("STS-B")}
    quoted = [
        (name, float(value), source)
        for name, value, source in PUBLISHED.findall(README.split("## Does it help?")[1])
    ]
    assert len(quoted) >= 8
    for name, value, source in quoted:
        assert rows[name, source] == value


def test_how_wide_the_intervals_are(grid):
    scored = [cell for cell in grid.cells if not cell.score.undefined]
    widths = [100 * (cell.score.high - cell.score.low) for cell in scored]
    found = re.search(r"seed 0\) are (\d+) to (\d+) points wide, most of\s+those of diff", README)
    assert (round(min(widths)), round(max(widths))) == tuple(map(int, found.groups()))
    pairs = [(cell.difference, cell.score) for cell in scored if cell.difference is not None]
    narrower = [gain.high - gain.low < score.high - score.low for gain, score in pairs]
    assert np.mean(narrower) > 0.5
