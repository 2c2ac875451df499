"""The flow on layer 4 of the STS-B test sentences: every figure that its documentation quotes."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.covariance import LedoitWolf

from geometry import NormalizingFlow, Whitening
from geometry.transform import flow as fitting
from geometry.transform.flow import FlowMap
from tests.sts.scoring import score

# seconds alone, minutes in company
pytestmark = [pytest.mark.model, pytest.mark.timeout(1200)]


ROOT = Path(__file__).resolve().parents[2]
SEEDS = range(3)
DISTINCT, FITTED = 2551, 2000  # sentences; those not fitted are held out
SCORES = {"least": 66.8, "seed 0": 68.5, "most": 68.7, "ledoit-wolf": 69.4, "raw": 59.6}
# Nats for each point, range over SEEDS: above the Gaussian, and below it without linear start.
GAINED, LOST = (12, 14), (41, 47)
# on the whitening page
QUOTED = {*(f"{SCORES[name]}" for name in SCORES if name != "raw"), f"{FITTED:,}", f"{DISTINCT:,}"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "seeds", "nats"),
    [("en", "with three seeds", "{} to {} nats"), ("zh-Hant", "試三個亂數種子", "{} 到 {} 奈特")],
)
def test_the_page_quotes_these(language, seeds, nats):
    text = (ROOT / "assets" / "text" / language / "whitening.md").read_text(encoding="utf-8")
    assert nats.format(*GAINED) in text
    assert nats.format(*LOST) in text
    assert seeds in text
    assert all(quote in text for quote in (*QUOTED, f"{SCORES['raw']}"))
    assert re.search(rf"{SCORES['least']} (to|到) {SCORES['most']}", text)


@pytest.mark.long
def test_the_benchmarks_quote_the_seeds():
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    scored = "{seed 0}; {least} to {most} with seeds 0 to 2".format_map(SCORES)
    assert f"| {scored} | 69.2 |" in text
    assert "| flow on 2,758 × 384: layer 4, mean pooling, seed 0 |" in text


@pytest.fixture(scope="module")
def vectors(sts_layers):
    """(2758, 384): the left sentences, then the right ones."""
    return sts_layers("test")["mean"][4]


@pytest.fixture(scope="module")
def parts(vectors):
    """(train, test) of the 2,551 distinct sentences."""
    distinct = np.unique(vectors, axis=0).astype(np.float64)
    order = np.random.default_rng(0).permutation(len(distinct))
    return distinct[order[:FITTED]], distinct[order[FITTED:]]


@pytest.fixture(scope="module")
def gaussian(parts):
    """Fitted on all 2,000 training sentences; the flow holds out a tenth of them."""
    fitted = LedoitWolf().fit(parts[0])
    return multivariate_normal(fitted.location_, fitted.covariance_)


@pytest.fixture(scope="module")
def flows(parts):
    return [NormalizingFlow(random_state=seed).fit(parts[0]) for seed in SEEDS]


@pytest.fixture(scope="module")
def flow(flows):
    return flows[0]


@pytest.mark.long
def test_held_out_sentences_are_likelier_than_under_ledoit_wolfs_gaussian(parts, gaussian, flows):
    assert sum(map(len, parts)) == DISTINCT
    peer = gaussian.logpdf(parts[1]).mean()
    assert peer == pytest.approx(255.6, abs=0.5)
    # Float32 rounding differs between processors. On the author's: 12.4, 13.0, 13.6.
    gained = [flow.score(parts[1]) - peer for flow in flows]
    assert GAINED[0] - 2 < min(gained) < max(gained) < GAINED[1] + 2


@pytest.mark.long
def test_without_the_linear_start_there_is_no_gain(parts, gaussian, monkeypatch):
    """From columns of unit variance the couplings end below the Gaussian, as the page states."""

    def columns_alone(rows):
        start, share, _noise = whitened(rows)
        variances, a = rows.var(axis=0), 1 - share**2
        smoothed = (1 - a) * variances + a * variances.mean()
        noise = np.sqrt(a * variances.mean() / smoothed).astype(np.float32)
        alone = FlowMap(start.mean, smoothed**-0.5, np.eye(len(variances)), ())
        return alone, share, noise

    whitened = fitting._start
    monkeypatch.setattr(fitting, "_start", columns_alone)
    peer = gaussian.logpdf(parts[1]).mean()
    pure = [NormalizingFlow(random_state=seed).fit(parts[0]) for seed in SEEDS]
    lost = [peer - flow.score(parts[1]) for flow in pure]  # 40.8, 46.6, 40.8
    assert LOST[0] - 7 < min(lost) < max(lost) < LOST[1] + 7


@pytest.mark.long
def test_spearman(vectors, pairs):
    raw = score(vectors, pairs.gold_scores)
    white = score(Whitening().fit_transform(vectors), pairs.gold_scores)
    start = score(Whitening(shrinkage="ledoit-wolf").fit_transform(vectors), pairs.gold_scores)
    flows = [NormalizingFlow(random_state=seed).fit(vectors) for seed in SEEDS]
    ours = [score(flow.transform(vectors), pairs.gold_scores) for flow in flows]
    assert raw == pytest.approx(SCORES["raw"], abs=0.15)
    assert white == pytest.approx(69.2, abs=0.15)
    assert start == pytest.approx(SCORES["ledoit-wolf"], abs=0.15)
    assert ours[0] == pytest.approx(SCORES["seed 0"], abs=1)
    assert min(ours) == pytest.approx(SCORES["least"], abs=1)
    assert max(ours) == pytest.approx(SCORES["most"], abs=1)
    assert max(ours) < white + 1  # the flow improves likelihood, not sentence similarity
