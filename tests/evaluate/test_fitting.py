"""Similarities of pairs after a treatment, against scikit-learn and scipy."""

import numpy as np
import pytest
from scipy.spatial.distance import euclidean, mahalanobis
from scipy.stats import spearmanr
from sklearn.decomposition import PCA

from geometry.evaluate.fitting import treated_similarities
from geometry.linalg.moments import Moments

N, D = 40, 6
RNG = np.random.default_rng(3)
X = (RNG.normal(size=(2 * N, D)) * [5, 3, 2, 1, 1, 0.5] + 2).astype(np.float32)
FIT = (RNG.normal(size=(300, D)) * [4, 3, 2, 1, 1, 0.5] + 2).astype(np.float32)


def cosines(Z: np.ndarray) -> np.ndarray:
    unit = Z / np.linalg.norm(Z, axis=1, keepdims=True)
    return np.sum(unit[:N] * unit[N:], axis=1)


def test_whitened_similarities_are_scikit_learn_s():
    Z = PCA(whiten=True).fit(FIT.astype(float)).transform(X.astype(float))
    assert treated_similarities(X, FIT, "pca") == pytest.approx(cosines(Z), abs=1e-5)
    assert treated_similarities(X, Moments.of(FIT), "pca") == pytest.approx(cosines(Z), abs=1e-5)
    assert treated_similarities(X, FIT, "none") == pytest.approx(cosines(X.astype(float)))


def test_other_similarities_are_scipy_s_on_the_treated_rows():
    Z = (X - FIT.mean(axis=0, dtype=float)).astype(float)
    left, right = Z[:N], Z[N:]
    of = lambda similarity: treated_similarities(X, FIT, "centred", similarity=similarity)  # noqa: E731
    assert of("dot") == pytest.approx(np.sum(left * right, axis=1), rel=1e-6, abs=1e-5)
    assert of("euclidean") == pytest.approx(
        [-euclidean(a, b) for a, b in zip(left, right, strict=True)]
    )
    assert of("rank") == pytest.approx(
        [spearmanr(a, b)[0] for a, b in zip(left, right, strict=True)]
    )
    inverse = np.linalg.inv(np.cov(FIT.astype(float).T, bias=True))
    wanted = [-mahalanobis(a, b, inverse) for a, b in zip(left, right, strict=True)]
    ratio = of("mahalanobis") / wanted  # covariances over m and m - 1 rows differ by a factor
    assert ratio == pytest.approx(ratio[0], rel=1e-5)
    assert ratio[0] == pytest.approx(1, rel=0.01)
