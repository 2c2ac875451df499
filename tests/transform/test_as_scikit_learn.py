"""Every transform is an estimator as scikit-learn's: precision, clones, settings, data frames."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from geometry import (
    ClusterwiseRemoval,
    CommonComponentRemoval,
    NormalizingFlow,
    WeightedRemoval,
    Whitening,
)
from geometry.transform import IndependentComponents

RNG = np.random.default_rng(0)
X = RNG.standard_normal((120, 6)) * np.geomspace(3, 0.5, 6) + 2
LABELS = np.where(X[:, 2] + 0.3 * RNG.standard_normal(120) > 2, "up", "down")
PAIRS = {"pairs": np.arange(80).reshape(40, 2), "gold_scores": RNG.uniform(0, 5, 40)}
ESTIMATORS = {
    "whitening, pca": (Whitening("pca", n_components=4), {}),
    "whitening, zca": (Whitening("zca", shrinkage="ledoit-wolf"), {}),
    "whitening, cholesky": (Whitening("cholesky"), {}),
    "all-but-the-top": (CommonComponentRemoval(2), {}),
    "by cluster": (ClusterwiseRemoval(2, n_components=1), {}),
    "learned": (WeightedRemoval(), PAIRS),
    "independent": (IndependentComponents(), {}),
    "flow": (NormalizingFlow(max_epochs=2), {}),
}


@pytest.fixture(params=ESTIMATORS)
def given(request):
    return ESTIMATORS[request.param]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int64])
def test_the_precision_of_the_output_is_that_of_scikit_learn_s_pca(given, dtype):
    estimator, more = given
    rows = (10 * X).astype(dtype)
    expected = PCA().fit_transform(rows).dtype
    assert expected == (np.float32 if dtype == np.float32 else np.float64)
    fitted = clone(estimator).fit(rows, **more)
    assert fitted.transform(rows).dtype == expected
    assert fitted.transform(rows.astype(np.float64)).dtype == np.float64
    if dtype != np.float32:
        same = clone(estimator).fit(rows.astype(np.float64), **more)
        np.testing.assert_array_equal(fitted.transform(rows), same.transform(rows))
    if hasattr(fitted, "inverse_transform"):
        assert fitted.inverse_transform(fitted.transform(rows)).dtype == expected


def test_a_clone_has_the_settings_and_no_fit(given):
    estimator, more = given
    fitted = clone(estimator).fit(X, **more)
    copy = clone(fitted)
    assert copy.get_params() == estimator.get_params()
    assert not hasattr(copy, "n_features_in_")
    assert set(estimator.get_params()) == set(type(estimator).__init__.__annotations__) - {"return"}


def test_output_is_a_data_frame_where_that_is_set(given):
    estimator, more = given
    frame = pd.DataFrame(X, columns=list("abcdef"), index=range(5, 125))
    fitted = clone(estimator).set_output(transform="pandas").fit(frame, **more)
    treated = fitted.transform(frame)
    assert list(treated.columns) == list(fitted.get_feature_names_out())
    assert list(treated.index) == list(frame.index)
    np.testing.assert_allclose(treated, fitted.set_output(transform="default").transform(frame))


def test_a_pipeline_is_cloned_searched_and_predicts():
    pipeline = make_pipeline(Whitening("zca"), LogisticRegression())
    grid = {"whitening__shrinkage": [None, "ledoit-wolf"], "whitening__strength": [0.0, 1.0]}
    search = GridSearchCV(clone(pipeline), grid, cv=3).fit(X, LABELS)
    assert search.best_score_ > 0.8
    assert search.best_params_.keys() == grid.keys()
    assert set(search.predict(X)) == {"up", "down"}
    assert not hasattr(pipeline, "classes_")
