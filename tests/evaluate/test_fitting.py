"""Similarities of pairs after a treatment, against scikit-learn and scipy."""

import numpy as np
import pytest
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
