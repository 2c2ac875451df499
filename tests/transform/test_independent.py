"""Independent components: known sources, scikit-learn's FastICA, and what a rotation leaves."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.decomposition import PCA, FastICA
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import check_estimator

from geometry import Whitening, fit_treatment, load_transform
from geometry.export import save_transform
from geometry.transform import IndependentComponents
from geometry.transform.whitening_map import default_axes
from tests.clouds import clouds
from tests.for_each import for_each

RNG = np.random.default_rng(0)
N, D = 3000, 5
SHAPES = (0.3, 1.0, 3.0, 10.0, 40.0)  # of gamma distributions, whose skewness is 2 / sqrt(shape)
SOURCES = np.stack([RNG.gamma(shape, size=N) for shape in SHAPES], axis=1)
SOURCES = (SOURCES - SOURCES.mean(axis=0)) / SOURCES.std(axis=0)
SIGNS = np.array([1, -1, 1, -1, 1])
MIXED = (SOURCES * SIGNS)[:, ::-1] @ RNG.standard_normal((D, D)) + np.arange(D)
quiet = pytest.mark.filterwarnings("ignore:FastICA did not settle")


@pytest.mark.filterwarnings("ignore")  # the checks use odd data on purpose
@for_each("estimator", [IndependentComponents(), IndependentComponents(1, max_iter=50)])
def test_estimator_checks(estimator):
    check_estimator(estimator, on_skip=None)


def test_mixed_sources_are_found_with_positive_skewness_and_in_its_order():
    found = IndependentComponents().fit(MIXED)
    Z = found.transform(MIXED)
    assert found.settled_
    np.testing.assert_allclose(np.mean(Z * SOURCES, axis=0), 1, atol=0.03)  # correlations
    skewness = np.mean(Z**3, axis=0)
    assert (skewness > 0).all()
    assert (np.diff(skewness) < 0).all()


def test_it_is_scikit_learn_s_fast_ica_up_to_sign_and_order():
    other = FastICA(whiten="unit-variance", random_state=1, max_iter=500).fit_transform(MIXED)
    Z = IndependentComponents().fit_transform(MIXED)
    correlations = np.abs(Z.T @ other / N)
    assert sorted(correlations.argmax(axis=1)) == list(range(D))
    np.testing.assert_allclose(correlations.max(axis=1), 1, atol=1e-3)


@quiet
@settings(max_examples=25)
@given(clouds(more_rows_than_dimensions=True))
def test_the_rotation_changes_no_product_and_so_no_cosine_and_no_distance(X):
    k = default_axes(*X.shape)
    Z = IndependentComponents(max_iter=20).fit_transform(X)
    W = Whitening(n_components=k).fit_transform(X)
    np.testing.assert_allclose(Z @ Z.T, W @ W.T, atol=1e-6)
    turned = fit_treatment("ica", X).apply(X)
    whitened = PCA(k, whiten=True).fit(X)
    np.testing.assert_allclose(turned.retained @ turned.retained.T, W @ W.T, atol=1e-6)
    # its picture is that of the whitening, along the raw axes
    picture = whitened.transform(X) @ whitened.components_ * np.sqrt(len(X) / (len(X) - 1))
    np.testing.assert_allclose(turned.vectors, picture, atol=1e-6)


def test_a_file_of_it(tmp_path):
    fitted = IndependentComponents(3).fit(MIXED)
    save_transform(tmp_path / "axes.safetensors", fitted)
    loaded = load_transform(tmp_path / "axes.safetensors")
    np.testing.assert_allclose(loaded.apply(MIXED), fitted.transform(MIXED), atol=1e-9)
    assert (loaded.about["method"], loaded.about["directions"]) == ("ica", "3")


def test_a_normal_cloud_has_no_axes_and_the_warning_says_so():
    X = np.random.default_rng(0).standard_normal((400, 8))
    with pytest.warns(ConvergenceWarning, match="FastICA did not settle in 5 steps: the axes"):
        fitted = IndependentComponents(max_iter=5).fit(X)
    assert not fitted.settled_


@for_each(("n", "d", "k"), [(5000, 384, 64), (5000, 6, 6), (200, 384, 20), (4, 6, 2), (4, 1, 1)])
def test_how_many_axes_there_are_by_default(n, d, k):
    assert default_axes(n, d) == k


@for_each("settings", [{"n_components": D + 1}, {"max_iter": 0}])
def test_settings_out_of_range(settings):
    [name] = settings
    with pytest.raises(ValueError, match=f"{name} must be an integer"):
        IndependentComponents(**settings).fit(MIXED)


def test_constant_columns_and_few_rows_have_fewer_axes():
    flat = np.hstack([MIXED[:200], np.ones((200, 2))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert IndependentComponents().fit_transform(flat).shape == (200, D)
        assert IndependentComponents(5).fit_transform(MIXED[:4]).shape == (4, 3)
        assert IndependentComponents().fit_transform(np.ones((9, 3))).tolist() == [[0.0]] * 9
