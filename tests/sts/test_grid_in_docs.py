"""The grid in docs/sentence-similarity.md, measured again, and its published rows."""

import re
from pathlib import Path

import numpy as np
import pytest

from geometry.evaluate import evaluate_grid, published_scores
from geometry.evaluate.bootstrap import resamples_of
from geometry.transform.treatments import LADDER

pytestmark = [pytest.mark.model, pytest.mark.timeout(1200)]

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "sentence-similarity.md").read_text(encoding="utf-8")
FOUND, REPORTED = TEXT.split("## What papers report")
SPEARMAN = 0.15  # as in test_published_figures
# All cosines of [CLS] in the first layers agree to 1e-3, so float32 rounding orders many pairs.
SPEARMAN_OF_A_NEEDLE = 0.6
ROW = re.compile(r"^\| (\d), (mean|cls) \| (.*) \|$", re.MULTILINE)
PUBLISHED = re.compile(r"^\| ([^|]+) \| ([\d.]+) \| ([^|]+) \|$", re.MULTILINE)


TOLERANCE = {"mean": SPEARMAN, "cls": SPEARMAN_OF_A_NEEDLE}


@pytest.fixture(scope="module")
def grid(sts, sts_layers, fit_on_train):
    """Fitted on the 10,518 distinct training sentences."""
    return evaluate_grid(
        {pooling: sts_layers("test")[pooling] for pooling in TOLERANCE},
        sts("test").gold_scores,
        treatments=LADDER,
        fit_vectors={pooling: fit_on_train[pooling] for pooling in TOLERANCE},
        fit_on="train",
        bootstrap=resamples_of(sts("test")),
    )


@pytest.mark.parametrize("pooling", TOLERANCE)
def test_the_grid_is_quoted_as_it_is_measured(grid, pooling):
    quoted = {
        int(layer): row.split(" | ") for layer, way, row in ROW.findall(TEXT) if way == pooling
    }
    assert sorted(quoted) == list(range(7))
    found = {way: 100 * grid.matrix(way)[:, grid.poolings.index(pooling)] for way in LADDER}
    for layer, row in quoted.items():
        shown = [np.nan if cell == "undefined" else float(cell) for cell in row]
        measured = [found[way][layer] for way in LADDER]
        np.testing.assert_allclose(shown, measured, atol=TOLERANCE[pooling])


def test_the_claims_under_the_grid(grid):
    said = " ".join(FOUND.split())
    cls, mean = (
        {way: 100 * grid.matrix(way)[:, grid.poolings.index(pooling)] for way in LADDER}
        for pooling in ("cls", "mean")
    )
    assert "Below the last layer, removal and whitening help at every layer." in said
    for way in ("abtt:3", "pca:128", "pca"):
        assert (mean[way] > mean["none"])[:6].all()
        assert (cls[way] > cls["none"])[1:6].all()
    assert "Centring alone lowers the mean of layers 1 to 4 and the [CLS] of layer 4." in said
    assert np.flatnonzero(mean["centred"] < mean["none"]).tolist() == [1, 2, 3, 4]
    assert np.flatnonzero(cls["centred"] < cls["none"]).tolist() == [4]
    assert "The milder treatments change it by at most half a point." in said
    milder = [mean[way][6] - mean["none"][6] for way in LADDER[1:-1]]
    assert max(map(abs, milder)) == pytest.approx(0.5, abs=SPEARMAN)
    assert (
        "Whitening in full lowers it by 1.4 points (−1.4 [" in said
    )  # the intervals: test_quoted_figures
    assert mean["pca"][6] - mean["none"][6] == pytest.approx(-1.4, abs=SPEARMAN)
    assert "The [CLS] of the last layer gains 5 to 6 points by each treatment." in said
    gains = [cls[way][6] - cls["none"][6] for way in LADDER[1:]]
    assert (round(min(gains)), round(max(gains))) == (5, 6)
    assert "Raw [CLS] lies 8.5 to 31 points below the raw mean" in said
    below = (mean["none"] - cls["none"])[1:]
    assert (min(below), max(below)) == pytest.approx((8.5, 31), abs=SPEARMAN_OF_A_NEEDLE)


def test_published_rows_are_the_papers():
    rows = {(score.name, score.source): score.value for score in published_scores("STS-B")}
    quoted = [(name, float(value), source) for name, value, source in PUBLISHED.findall(REPORTED)]
    assert len(quoted) >= 8
    for name, value, source in quoted:
        assert rows[name, source] == value


def test_how_wide_the_intervals_are(grid):
    scored = [cell for cell in grid.cells if not cell.score.undefined]
    widths = [100 * (cell.score.high - cell.score.low) for cell in scored]
    found = re.search(r"seed 0. Those of scores are (\d+) to (\d+) points wide", TEXT)
    assert "Most intervals of differences are narrower." in TEXT
    assert (round(min(widths)), round(max(widths))) == tuple(map(int, found.groups()))
    pairs = [(cell.difference, cell.score) for cell in scored if cell.difference is not None]
    narrower = [gain.high - gain.low < score.high - score.low for gain, score in pairs]
    assert np.mean(narrower) > 0.5
