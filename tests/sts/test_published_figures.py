"""Every figure that a page quotes for STS-B, measured again with the bundled encoder."""

import re
from pathlib import Path

import numpy as np
import pytest

from geometry import (
    mean_cosine,
    opening_angle,
)
from geometry.measure import positive_cosine_share
from geometry.projection.twin import fit_whitening
from tests.sts.scoring import score

# 2,758 sentences go through the encoder first: half a minute alone, minutes in company
pytestmark = [pytest.mark.model, pytest.mark.timeout(1200)]

TEXT = Path(__file__).resolve().parents[2] / "assets" / "text"
# half of the last quoted digit is 0.05; another processor's rounding adds less than 0.1
SPEARMAN = 0.15


@pytest.fixture(scope="module")
def layers(sts_layers):
    """{pooling: (7, 2758, 384)}: the left sentences, then the right ones."""
    return sts_layers("test")


def white(X, fit="full"):
    return fit_whitening(X, fit).apply(X)


def test_every_cosine_at_layer_4_is_positive(layers):
    assert round(positive_cosine_share(layers["mean"][4]), 4) == 1
    assert positive_cosine_share(layers["mean"][6]) < 0.6  # the last layer is hardly a cone


@pytest.fixture(scope="module")
def on_few(layers, pairs):
    """on_few(n, fit): the mean score of ten draws of n sentences, whitened on themselves."""
    X, n_pairs = layers["mean"][4], len(pairs)

    def scores(n, fit):
        found = []
        for seed in range(10 if n < 2 * n_pairs else 1):
            drawn = np.random.default_rng(seed).choice(n_pairs, n // 2, replace=False)
            some = X[np.concatenate([drawn, drawn + n_pairs])]
            Z = white(some, fit)
            found.append(score(Z, pairs.gold_scores[drawn]))
        return float(np.mean(found))

    return scores


@pytest.fixture(scope="module")
def measured(layers, pairs, on_few):
    """Every figure that narrow_cone.md quotes, by the name used below."""
    gold, mean, top = pairs.gold_scores, layers["mean"], layers["max"]
    return {
        "pairs": len(pairs),
        "sentences": len(mean[4]),
        "median 4": opening_angle(mean[4]),
        "ninety 4": opening_angle(mean[4], quantile=0.9),
        "cosine last": mean_cosine(mean[6]),
        "raw last": score(mean[6], gold),
        "white last": score(white(mean[6]), gold),
        "lw 300": on_few(300, "ledoit-wolf"),
        "full 300": on_few(300, "full"),
        "cosine max 5": mean_cosine(top[5]),
        "raw max 5": score(top[5], gold),
        "cosine 5": mean_cosine(mean[5]),
        "raw 5": score(mean[5], gold),
        "centred 5": score(mean[5] - mean[5].mean(axis=0), gold),
        "cosine cls 5": mean_cosine(layers["cls"][5]),
        "raw cls 5": score(layers["cls"][5], gold),
        "raw 4": score(mean[4], gold),
        "white 4": score(white(mean[4]), gold),
    }


# (quote in the text, name of the figure, tolerance)
QUOTED = [
    ("1,379", "pairs", 0),
    ("2,758", "sentences", 0),
    ("44°", "median 4", 0.6),
    ("56°", "ninety 4", 0.6),
    ("0.02", "cosine last", 0.006),
    ("82.0", "raw last", SPEARMAN),
    ("78.1", "white last", SPEARMAN),
    ("0.8", "full 300", 6),  # noise around 0, which differs between processors
    ("68.1", "lw 300", 0.3),
    ("0.84", "cosine max 5", 0.006),
    ("73.7", "raw max 5", SPEARMAN),
    ("0.53", "cosine 5", 0.006),
    ("66.5", "raw 5", SPEARMAN),
    ("71.8", "centred 5", SPEARMAN),
    ("0.999", "cosine cls 5", 0.0005),
    ("54.3", "raw cls 5", SPEARMAN),
    ("59.6", "raw 4", SPEARMAN),
    ("69.2", "white 4", SPEARMAN),
]
OF_TRAIN = {"80.6", "10,518"}  # test_quoted_figures measures them
OF_TOPICS = {"0.579", "0.778"}  # tests/pages/narrow_cone/test_narrow_cone.py measures them


@pytest.mark.parametrize(("quote", "name", "tolerance"), QUOTED)
def test_the_page_quotes_what_is_measured(measured, quote, name, tolerance):
    assert measured[name] == pytest.approx(number(quote), abs=tolerance)


@pytest.mark.parametrize("language", sorted(path.name for path in TEXT.iterdir() if path.is_dir()))
def test_the_page_quotes_nothing_else(language):
    """A figure with a decimal point, a thousands' comma or a degree sign is one of QUOTED."""
    text = (TEXT / language / "narrow_cone.md").read_text(encoding="utf-8")
    # test_e5_file and test_glove measure the figures of these sections
    text = re.sub(r"<!-- (e5-|two-tables).*?(?=<!-- )", "", text, flags=re.DOTALL)
    text = re.sub(r"\{\{.*?\}\}", "", text)
    found = set(re.findall(r"(?<![\d.])(?:\d{1,3}(?:,\d{3})+|\d*\.\d+°?|\d+°)", text))
    of_no_measurement = {
        "0°",
        "90°",
        "180°",
        "3.2",
    }  # the scale's, and a section of Vershynin (2018)
    assert found - of_no_measurement == {quote for quote, _, _ in QUOTED} | OF_TRAIN | OF_TOPICS


def number(quote: str) -> float:
    return float(quote.strip("°").replace(",", ""))
