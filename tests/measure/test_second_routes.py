"""Figures that a page quotes, by a second route that shares no code with the library."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr
from scipy.stats.mstats import mquantiles
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer

from geometry import VectorTable, Whitening, evaluate_words, opening_angle
from geometry.data.pairs import Pairs
from geometry.measure import pairwise_cosines
from tests.for_each import for_each

RNG = np.random.default_rng(0)
CLOUD = RNG.standard_normal((80, 7)) * np.geomspace(3, 0.3, 7) + 1.5


@for_each("quantile", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_opening_angle_by_scipy(quantile):
    distances = cdist(CLOUD, CLOUD.mean(axis=0, keepdims=True), metric="cosine").ravel()
    angles = np.rad2deg(np.arccos(1 - distances))
    (expected,) = mquantiles(angles, [quantile], alphap=1, betap=1)
    assert opening_angle(CLOUD, quantile=quantile) == pytest.approx(float(expected), abs=1e-6)


SENTENCES = ["a cat sat", "the dog ran a mile", "the the cat", "dog sat", "a mile", "the mile ran"]
COUNTS = {"the": 50, "a": 30, "cat": 3, "dog": 2, "sat": 1, "ran": 1, "mile": 1, "elsewhere": 12}
WORDS = ("a", "cat", "dog", "mile", "ran", "sat", "the")
TABLE = VectorTable(RNG.standard_normal((len(WORDS), 5)) + 1, WORDS)


def sif_by_scikit_learn() -> tuple[np.ndarray, np.ndarray]:
    """Arora et al. 2017, algorithm 1: a bag of words times weighted vectors, then their SVD."""
    bag = CountVectorizer(token_pattern=r"\w+", vocabulary=WORDS).fit_transform(SENTENCES).toarray()
    p = np.array([COUNTS[word] for word in WORDS]) / sum(COUNTS.values())
    averages = bag / bag.sum(axis=1, keepdims=True) @ (TABLE.vectors * (1e-3 / (1e-3 + p))[:, None])
    u = TruncatedSVD(1, algorithm="arpack", random_state=0).fit(averages).components_
    return averages, averages - averages @ u.T @ u


def test_sif_in_a_grid_is_scikit_learns():
    _, expected = sif_by_scikit_learn()
    gold = np.array([1.0, 3.0, 2.0])
    pairs = Pairs("own", tuple(SENTENCES[:3]), tuple(SENTENCES[3:]), gold)
    options = {"weightings": "sif", "counts": COUNTS, "treatments": ["svd:1"], "draws": 5}
    (cell,) = evaluate_words(TABLE, pairs, **options).grid.cells
    alike = [
        1 - cdist([a], [b], "cosine")[0, 0] for a, b in zip(*np.split(expected, 2), strict=True)
    ]
    assert cell.score.spearman == pytest.approx(spearmanr(alike, gold).statistic)
    assert cell.score.pearson == pytest.approx(np.corrcoef(alike, gold)[0, 1])
    assert (cell.treatment, cell.fit_on, cell.n_fit) == ("svd:1", "evaluation sentences", 6)


@for_each("eps", [1e-3, 0.1, 5.0])
def test_soft_zca_is_zca_with_shrinkage(eps):
    """Diera et al. 2024: V (Lambda + eps)^(-1/2) V' of the covariance divided by n."""
    mean, (values, V) = CLOUD.mean(axis=0), np.linalg.eigh(np.cov(CLOUD.T, bias=True))
    theirs = (CLOUD - mean) @ V @ np.diag((values + eps) ** -0.5) @ V.T
    share = eps * len(values) / values.sum()
    ours = Whitening("zca", shrinkage=share / (1 + share)).fit_transform(CLOUD)
    np.testing.assert_allclose(pairwise_cosines(ours), pairwise_cosines(theirs), atol=1e-9)
    ratio = ours / theirs
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-6)
