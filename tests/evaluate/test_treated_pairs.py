"""Similarities once treated, and scores by the rows in the fit, against scikit-learn and scipy."""

import numpy as np
import pytest
from scipy.spatial.distance import euclidean, mahalanobis
from scipy.stats import spearmanr
from sklearn.decomposition import PCA

from geometry.evaluate.bootstrap import PairBootstrap
from geometry.evaluate.fit_size import fit_sizes
from geometry.evaluate.treated_pairs import (
    SIZES,
    WAYS,
    scores_by_fit_size,
    treated_similarities,
)
from geometry.linalg.moments import Moments

N, D = 40, 6
RNG = np.random.default_rng(3)
X = (RNG.normal(size=(2 * N, D)) * [5, 3, 2, 1, 1, 0.5] + 2).astype(np.float32)
FIT = (RNG.normal(size=(300, D)) * [4, 3, 2, 1, 1, 0.5] + 2).astype(np.float32)
GOLD = RNG.permutation(N).astype(float)


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
    ratio = of("mahalanobis") / wanted  # covariances of m or m - 1 rows differ by a factor alone
    assert ratio == pytest.approx(ratio[0], rel=1e-5)
    assert ratio[0] == pytest.approx(1, rel=0.01)


def test_a_cut_k_is_told():
    narrow = (RNG.normal(size=(300, 3)) @ RNG.normal(size=(3, D))).astype(np.float32)
    found = scores_by_fit_size(X, narrow, PairBootstrap(GOLD, 5, 0), ways=("pca", "pca:5"))
    assert {one.kept["pca:5"] for one in found} == {3}
    assert "pca" not in found[0].kept
    by_dot = scores_by_fit_size(X, FIT, PairBootstrap(GOLD, 5, 0), similarity="dot", ways=("pca",))
    wanted = spearmanr(GOLD, np.sum(X[:N].astype(float) * X[N:], axis=1))[0]
    assert by_dot[0].scores["none"].spearman == pytest.approx(wanted)


def test_scores_by_size_are_those_of_a_fit_on_so_many_rows():
    told = []
    bootstrap = PairBootstrap(GOLD, 50, 0)
    found = scores_by_fit_size(X, FIT, bootstrap, progress=lambda *at: told.append(at))
    assert [one.n for one in found] == list(fit_sizes(300, D, count=SIZES, past_d=False))
    assert told[0] == (0, len(found))
    whole = spearmanr(GOLD, treated_similarities(X, FIT, "pca"))[0]
    assert found[-1].scores["pca"].spearman == pytest.approx(whole)
    raw = spearmanr(GOLD, cosines(X.astype(float)))[0]
    assert all(one.scores["none"].spearman == pytest.approx(raw) for one in found)
    assert set(found[0].scores) == {"none", *WAYS}
    again = scores_by_fit_size(X, FIT, bootstrap)
    assert [one.scores["pca"].spearman for one in again] == [
        one.scores["pca"].spearman for one in found
    ]
