"""The README's grid on STS-B test, measured again, and its published rows."""

import re
from pathlib import Path

import numpy as np
import pytest

from geometry import evaluate_grid, published_scores
from geometry.evaluate import LADDER

pytestmark = [pytest.mark.model, pytest.mark.timeout(1200)]

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
SPEARMAN = 0.15  # as in test_published_figures
# all cosines of [CLS] in the first layers are alike to 1e-3: float32 rounding orders many pairs
SPEARMAN_OF_A_NEEDLE = 0.6
ROW = re.compile(r"^\| (\d), (mean|cls) \| (.*) \|$", re.MULTILINE)
PUBLISHED = re.compile(r"^\| ([^|]+) \| ([\d.]+) \| ([^|]+) \|$", re.MULTILINE)


@pytest.fixture(scope="module")
def grid(sts, sts_layers):
    """Fitted on the 10,518 distinct training sentences; their mean pooling is what is encoded."""
    train = sts("train")
    _, distinct = np.unique([*train.left, *train.right], return_index=True)
    return evaluate_grid(
        {"mean": sts_layers("test")["mean"]},
        sts("test").gold_scores,
        treatments=LADDER,
        fit_vectors={"mean": sts_layers("train")["mean"][:, distinct]},
        fit_on="train",
        draws=2,
    )


def test_the_grid_is_quoted_as_it_is_measured(grid):
    quoted = {
        int(layer): told.split(" | ")
        for layer, pooling, told in ROW.findall(README)
        if pooling == "mean"
    }
    assert sorted(quoted) == list(range(7))
    for layer, told in quoted.items():
        found = [100 * grid.cell(layer, "mean", one).score.spearman for one in LADDER]
        np.testing.assert_allclose([float(one) for one in told], found, atol=SPEARMAN)


def test_cls_is_quoted_as_it_is_measured(sts, sts_layers):
    quoted = {
        int(layer): told.split(" | ")[0]
        for layer, pooling, told in ROW.findall(README)
        if pooling == "cls"
    }
    assert quoted.pop(0) == "undefined"
    raw = evaluate_grid(
        {"cls": sts_layers("test")["cls"]}, sts("test").gold_scores, treatments=["none"], draws=2
    )
    for layer, told in quoted.items():
        found = 100 * raw.cell(layer, "cls", "none").score.spearman
        assert float(told) == pytest.approx(found, abs=SPEARMAN_OF_A_NEEDLE)


def test_published_rows_are_the_papers():
    rows = {(one.name, one.source): one.value for one in published_scores("STS-B")}
    quoted = [
        (name, float(value), source)
        for name, value, source in PUBLISHED.findall(README.split("## Does it help?")[1])
    ]
    assert len(quoted) >= 8
    for name, value, source in quoted:
        assert rows[name, source] == value
